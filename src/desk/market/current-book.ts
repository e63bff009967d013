/** The current order book: from the stream where it is live and recent, else from the venue. */
import { type Orderbook, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { JUDGED_LEVELS, type TimedBook } from "../ports/market-stream.ts";
import { staysFresh } from "./book-age.ts";

/** @returns undefined where the stream has none that is recent enough */
export function followedBook(
  { parts: { clock, stream } }: DeskContext,
  symbol: string,
  maxAgeMs: number,
): TimedBook | undefined {
  const followed = stream?.book(symbol);
  return followed !== undefined && staysFresh(followed, clock.now(), maxAgeMs) ? followed : undefined;
}

/** @param maxAgeMs as the policy has it */
export async function currentBook(context: DeskContext, symbol: string, maxAgeMs: number): Promise<Result<TimedBook>> {
  const { clock, venue } = context.parts;
  const followed = followedBook(context, symbol, maxAgeMs);
  if (followed !== undefined) return ok(followed);
  // The time of the request: the answer can only be more recent.
  const atMs = clock.now();
  const book: Result<Orderbook> = await venue.orderbook(symbol, JUDGED_LEVELS);
  return book.ok ? ok({ ...book.value, atMs }) : book;
}
