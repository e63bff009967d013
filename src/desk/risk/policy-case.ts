/** A question to the policy, with what several rules need worked out once. */
import type { Notional } from "../../decimal/index.ts";
import { judgedValue, type Quotes, quotesOf } from "../market/order-value.ts";
import { withoutOwn } from "../market/own-orders.ts";
import type { JudgedBook, Policy, PolicyQuestion } from "../model/policy.ts";

export interface PolicyCase extends PolicyQuestion {
  readonly policy: Policy;
  /** What the order counts for; undefined when there is no price to value it by. */
  readonly value: Notional | undefined;
  /** As others make it, and so are the quotes: the account's own orders say nothing of the market. */
  readonly book: JudgedBook | undefined;
  readonly quotes: Quotes;
  /** With the own orders in it. */
  readonly whole: JudgedBook | undefined;
}

export function policyCase(policy: Policy, question: PolicyQuestion): PolicyCase {
  const { market, order, book: whole, ownOrders } = question;
  const book = whole && withoutOwn(whole, ownOrders === "too many" ? [] : ownOrders);
  return { ...question, policy, whole, book, value: judgedValue(market, order, whole, book), quotes: quotesOf(book) };
}
