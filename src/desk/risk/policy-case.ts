/** A question to the policy, with what several rules need worked out once. */
import type { Unit } from "../../contract/index.ts";
import type { Value } from "../../decimal/index.ts";
import { judgedValue, type Quotes, quotesOf } from "../market/order-value.ts";
import { withoutOwn } from "../market/own-orders.ts";
import type { JudgedBook, Policy, PolicyQuestion } from "../model/policy.ts";

/** Holds what an order is worth and what the market quotes, whatever the policy and the account's usage are. */
export interface MarketCase {
  /** Tells what the order counts for; undefined when there is no price to value it by. */
  readonly value: Value | undefined;
  /** Leaves out, as the quotes do, what others have not made: the account's own orders say nothing of the market. */
  readonly book: JudgedBook | undefined;
  readonly quotes: Quotes;
  /** With the own orders in it. */
  readonly whole: JudgedBook | undefined;
}

export interface PolicyCase extends PolicyQuestion, MarketCase {
  readonly policy: Policy;
  readonly book: JudgedBook | undefined;
}

export function marketCase(
  { market, order, book: whole, ownOrders }: Pick<PolicyQuestion, "market" | "order" | "book" | "ownOrders">,
  unit: Unit,
): MarketCase {
  const book = whole && withoutOwn(whole, ownOrders === "too many" ? [] : ownOrders);
  return { whole, book, value: judgedValue(market, order, whole, book, unit), quotes: quotesOf(book) };
}

/** @param seen of this very question, where it is known already */
export function policyCase(
  policy: Policy,
  question: PolicyQuestion,
  seen = marketCase(question, policy.unit),
): PolicyCase {
  return { ...question, policy, ...seen };
}
