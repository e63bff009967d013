import { decimal, floor, ONE, units } from "./figures.ts";
import type { BookSeen, Teller } from "./teller.ts";

/** A price that rests, 4 % below the market, on a coarse step. */
export async function restingPrice(teller: Teller, symbol: string, step: bigint): Promise<string> {
  const { content } = await teller.tell<BookSeen>("get_orderbook", { symbol, depth: 1 });
  return decimal(floor((units(content.best_bid) * 96n) / 100n, step * ONE));
}
