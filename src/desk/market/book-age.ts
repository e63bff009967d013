/**
 * How old a book may be that orders are judged by, whichever way it came.
 *
 * Source: surface, "Settings" (`book_max_age_ms`).
 */

interface Aged {
  /** When it was certainly so, Unix milliseconds. */
  readonly atMs: number;
}

/** A book from the future is as wrong as one from the past: one of the clocks is. */
export function isFresh({ atMs }: Aged, nowMs: number, maxAgeMs: number): boolean {
  return Math.abs(nowMs - atMs) <= maxAgeMs;
}

/** Half its time is left: an order judged by it still has to wait for its turn, and is judged once more when that has come. */
export function staysFresh(book: Aged, nowMs: number, maxAgeMs: number): boolean {
  return isFresh(book, nowMs, maxAgeMs / 2);
}
