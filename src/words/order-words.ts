/** Owns an order in one sentence: everything that it asks the exchange for. */
import type { Words } from "./words.ts";

/** What an order says, as it is sent or as the exchange shows it. */
export interface OrderTerms {
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly type: "limit" | "market";
  readonly volume?: string | null | undefined;
  readonly amount?: string | null | undefined;
  readonly price?: string | null | undefined;
  readonly time_in_force?: "GTC" | "IOC" | "FOK" | undefined;
  readonly post_only?: boolean | undefined;
}

export function orderWords(order: OrderTerms, { say, won }: Words): string {
  const { symbol, side, type, volume, amount, price: limit, time_in_force: lifetime = "GTC" } = order;
  const size = volume ? say("approval.coins", { volume }) : say("approval.for", { amount: won(amount ?? "") });
  const price = limit ? say("approval.at_limit", { price: won(limit) }) : say("approval.at_market");
  const how = [say(`lifetime.${lifetime}`), ...(order.post_only === true ? [say("lifetime.post_only")] : [])].join(
    ", ",
  );
  return say("approval.order", {
    side: say(`side.${side}`).toUpperCase(),
    symbol,
    type: say(`type.${type}`),
    size,
    price,
    how,
  });
}
