/**
 * The current order book: from the stream where it is live and recent, else from the venue.
 *
 * Bounds how old an order book may be that orders are assessed by, whether it came from the stream or from a query.
 *
 * Source: policy.md#book-age.
 */
import { type Orderbook, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { JUDGED_LEVELS, type TimedBook } from "../ports/market-stream.ts";

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

interface Aged {
  /** When it was certainly so, Unix milliseconds. */
  readonly atMs: number;
}

/** A book from the future is as wrong as one from the past: one of the clocks is. */
export function isFresh({ atMs }: Aged, nowMs: number, maxAgeMs: number): boolean {
  return Math.abs(nowMs - atMs) <= maxAgeMs;
}

/** Half of its time is left: an order assessed by it still has to wait for its turn to be sent, and is rechecked then. */
export function staysFresh(book: Aged, nowMs: number, maxAgeMs: number): boolean {
  return isFresh(book, nowMs, maxAgeMs / 2);
}
