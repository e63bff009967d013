/**
 * What the orders of a plan have executed, as the exchange last showed them.
 *
 * Invariant: nothing of it is stored, so nothing is counted twice; what the exchange has not shown counts as nothing.
 *
 * Source: decision 0105.
 */
import type { Order } from "../../contract/index.ts";
import { averagePrice, type Notional, notional, type Price, type Quantity, quantity } from "../../decimal/index.ts";
import { executedAtMost } from "../model/account-usage.ts";
import type { IntentBody } from "../model/intent.ts";

/** An order that came of a plan, as far as it matters here. */
export interface Child {
  readonly body: Pick<IntentBody, "seen">;
}

const NOTHING = quantity("0");
/** As exchanges show an average. */
const PRICE_DECIMALS = 8;

/** Coins. */
export function executedOf(children: readonly Child[]): Quantity {
  return children.reduce((sum, { body: { seen } }) => sum.plus(quantity(seen?.executed_volume ?? "0")), NOTHING);
}

/** What of a volume the orders have not executed. */
export function leftOf(volume: string, children: readonly Child[]): Quantity {
  const [all, executed] = [quantity(volume), executedOf(children)];
  return executed.gte(all) ? NOTHING : all.minus(executed);
}

/** Those of which something has executed. */
export function executedOrders(children: readonly Child[]): readonly Order[] {
  return children.flatMap(({ body }) => body.seen ?? []).filter(({ executed_volume }) => /[1-9]/.test(executed_volume));
}

/** What that is worth, in the market's quote currency, without fees. */
export function executedValue(children: readonly Child[]): Notional {
  return executedOrders(children).reduce((sum, order) => sum.plus(executedAtMost(order)), notional("0"));
}

/** What a coin was executed at on average; undefined where nothing was. */
export function averageOf(children: readonly Child[]): Price | undefined {
  const executed = executedOf(children);
  return executed.isZero() ? undefined : averagePrice(executedValue(children), executed, PRICE_DECIMALS, "half_even");
}
