/** Orders of exchanges that write the quote first and call a buy a bid, in the words of the simulation. */
import { bodyOf, nameOf } from "./foreign.ts";

export interface QuoteFirstOrder {
  readonly market: string;
  readonly side: "bid" | "ask";
  readonly price?: string;
  readonly volume?: string;
  readonly time_in_force?: "ioc" | "fok" | "post_only";
}

/** @param type `price` is a buy at the market, of an amount */
export function orderOfBid(order: QuoteFirstOrder, type: "limit" | "price" | "market", id: string) {
  const { market, side, price, volume, time_in_force: way } = order;
  const [quote, base] = market.split("-");
  return bodyOf({
    symbol: `${base}/${quote}`,
    side: side === "bid" ? "buy" : "sell",
    type: type === "limit" ? "limit" : "market",
    volume,
    [type === "price" ? "amount" : "price"]: price,
    time_in_force: way === "ioc" || way === "fok" ? way.toUpperCase() : undefined,
    post_only: way === "post_only" ? true : undefined,
    userref: nameOf(id),
  });
}

export function refusal(name: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { name, message: "somebody in between says so" } }));
}
