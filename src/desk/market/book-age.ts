/**
 * Bounds how old an order book may be that orders are assessed by, whether it came from the stream or from a query.
 *
 * Source: policy.md#book-age.
 */

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
