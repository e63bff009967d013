/** Owns an order in one sentence: everything that it asks the exchange for. */
import { ORDER_TRAITS, type OrderType } from "../contract/index.ts";
import { assetsOf } from "./amount.ts";
import type { Words } from "./words.ts";

/** Hold what an order says, as it is sent or as the exchange shows it. */
export interface OrderTerms {
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly type: OrderType;
  readonly volume?: string | null | undefined;
  readonly amount?: string | null | undefined;
  readonly price?: string | null | undefined;
  readonly time_in_force?: "GTC" | "IOC" | "FOK" | undefined;
  readonly post_only?: boolean | undefined;
}

/** In the order in which it matters: side, size, market, price; then how. */
export function orderWords(order: OrderTerms, { say, amount: shown }: Words): string {
  const { symbol, side, type, volume, amount, price: limit, time_in_force: lifetime = "GTC" } = order;
  const { base, quote } = assetsOf(symbol);
  const size = volume ? shown(volume, base) : say("approval.for", { amount: shown(amount ?? "", quote) });
  const price = limit ? say("approval.at_limit", { price: shown(limit, quote) }) : say("approval.at_market");
  // A market order never rests, so how long it would is no matter.
  const how = [
    say(`type.${type}`),
    ...(ORDER_TRAITS[type].mayRest ? [say(`lifetime.${lifetime}`)] : []),
    ...(order.post_only === true ? [say("lifetime.post_only")] : []),
  ].join(", ");
  return say("approval.order", { side: say(`side.${side}`).toUpperCase(), symbol, size, price, how });
}
