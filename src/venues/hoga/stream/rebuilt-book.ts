/**
 * A book rebuilt from a snapshot and updates. Entry points: `fromSnapshot`, `afterUpdate`.
 *
 * Invariants: best level first on both sides; a book never changes once it is made; every book has the checksum that the exchange sent.
 * Source: service.md#stream-orderbook, service.md#book-checksum.
 */
import type { BookLevel, OrderbookEvent } from "../../../contract/index.ts";
import { bookChecksum } from "./book-checksum.ts";
import { compareDecimals } from "./decimal-order.ts";

export interface RebuiltBook {
  readonly symbol: string;
  /** Counts as in `GET /v1/orderbook/{symbol}`. */
  readonly seq: number;
  /** When the exchange sent the last change. */
  readonly time: string;
  readonly tick: { readonly buys: readonly BookLevel[]; readonly asks: readonly BookLevel[] };
}

/** A book, or why the event does not result in one. */
export type Rebuilt = RebuiltBook | "checksum" | "levels";

export function fromSnapshot({ symbol, seq, time, tick, checksum }: OrderbookEvent): Rebuilt {
  if (!isSorted(tick.buys, -1) || !isSorted(tick.asks, 1)) return "levels";
  if (bookChecksum(tick.buys, tick.asks) !== checksum) return "checksum";
  return { symbol, seq, time, tick };
}

export function afterUpdate(book: RebuiltBook, { symbol, seq, time, tick, checksum }: OrderbookEvent): Rebuilt {
  const buys = withChanges(book.tick.buys, tick.buys, -1);
  const asks = withChanges(book.tick.asks, tick.asks, 1);
  if (buys === undefined || asks === undefined) return "levels";
  if (bookChecksum(buys, asks) !== checksum) return "checksum";
  return { symbol, seq, time, tick: { buys, asks } };
}

/** @returns undefined when a level is removed that is not there */
function withChanges(
  levels: readonly BookLevel[],
  changes: readonly BookLevel[],
  direction: 1 | -1,
): readonly BookLevel[] | undefined {
  if (changes.length === 0) return levels;
  const next = [...levels];
  for (const change of changes) {
    const [price, volume] = change;
    const at = placeOf(next, price, direction);
    const found = next[at]?.[0] === price;
    if (volume !== "0") next.splice(at, found ? 1 : 0, change);
    else if (found) next.splice(at, 1);
    else return undefined;
  }
  return next;
}

/** The index of the level with that price, or where it would be inserted. */
function placeOf(levels: readonly BookLevel[], price: string, direction: 1 | -1): number {
  let low = 0;
  let high = levels.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareDecimals(levels[middle]?.[0] ?? "0", price) * direction < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSorted(levels: readonly BookLevel[], direction: 1 | -1): boolean {
  return levels.every(
    ([price], index) => index === 0 || compareDecimals(levels[index - 1]?.[0] ?? "0", price) * direction < 0,
  );
}
