/**
 * Owns cutting a list of orders or executions, newest first, down to what was asked for: a period, and a page of it.
 *
 * Invariants: `start` is not part of a period, `end` is; a page begins behind a cursor, which stays where it is when
 * something new arrives, or after as many as `ofs` says, as the dialect has it.
 */
import { cursorOf, cursorTarget } from "../http/cursor.ts";
import { badArgument, type Fault } from "../http/outcome.ts";
import { countOf } from "../http/query-value.ts";
import type { Millis } from "../model.ts";
import { millisOf } from "./unix-time.ts";

export interface PageRequest {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly ofs?: string | undefined;
  readonly cursor?: string | undefined;
}

/** How to read the items of a list. */
export interface ListReading<Item> {
  readonly kind: "order" | "fill";
  /** The id `start` and `end` may name. */
  readonly idOf: (item: Item) => string;
  /** What a cursor holds. */
  readonly nameOf: (item: Item) => string;
  /** Times of which one has to lie in the period. */
  readonly timesOf: (item: Item) => readonly Millis[];
  /** Whether a name is of an item further down the list. */
  readonly isOlder: (name: string, than: string) => boolean;
}

export type HistoryPage<Item> =
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** All of the period, on this page or not. */
      readonly count: number;
      readonly next: string | null;
    }
  | Fault;

/** @param list all there is, newest first; `isWanted` chooses from it */
export function pageOf<Item>(
  list: readonly Item[],
  isWanted: (item: Item) => boolean,
  request: PageRequest,
  limit: number,
  reading: ListReading<Item>,
): HistoryPage<Item> {
  if (request.ofs !== undefined && request.cursor !== undefined) return badArgument("ofs", "send ofs or cursor");
  const bounds = boundsOf(list, request, reading);
  if (!bounds.ok) return bounds;
  const before = request.cursor === undefined ? undefined : cursorTarget(reading.kind, request.cursor);
  if (request.cursor !== undefined && before === undefined)
    return badArgument("cursor", "send next_cursor back unchanged");
  const begin = before === undefined ? 0 : behind(list, before, reading);
  const wanted = list.flatMap((item, index) => (isWanted(item) && bounds.holds(item, index) ? [{ item, index }] : []));
  const rest = wanted.filter(({ index }) => index >= begin).slice(countOf(request.ofs, 0));
  const items = rest.slice(0, limit).map(({ item }) => item);
  const last = items.at(-1);
  const next = last === undefined || rest.length === items.length ? null : cursorOf(reading.kind, reading.nameOf(last));
  return { ok: true, items, count: wanted.length, next };
}

/** Where the list goes on behind an item, also one that is not in it any more. */
function behind<Item>(list: readonly Item[], name: string, { nameOf, isOlder }: ListReading<Item>): number {
  const found = list.findIndex((item) => nameOf(item) === name);
  if (found >= 0) return found + 1;
  const older = list.findIndex((item) => isOlder(nameOf(item), name));
  return older < 0 ? list.length : older;
}

type Bounds<Item> = { readonly ok: true; readonly holds: (item: Item, index: number) => boolean } | Fault;

/** The period of `start` and `end`, either of which may be open, or the id of an item. */
function boundsOf<Item>(
  list: readonly Item[],
  { start, end }: PageRequest,
  { idOf, timesOf }: ListReading<Item>,
): Bounds<Item> {
  const placeOf = (text: string | undefined): number | undefined =>
    text !== undefined && /[-T]/.test(text) ? list.findIndex((item) => idOf(item) === text) : undefined;
  const [first, last] = [placeOf(start), placeOf(end)];
  if (first === -1) return badArgument("start", "this account has no such item");
  if (last === -1) return badArgument("end", "this account has no such item");
  const from = start === undefined || first !== undefined ? undefined : millisOf(start);
  const to = end === undefined || last !== undefined ? undefined : millisOf(end);
  return {
    ok: true,
    holds: (item, index) =>
      (first === undefined || index < first) &&
      (last === undefined || index >= last) &&
      timesOf(item).some((time) => (from === undefined || time > from) && (to === undefined || time <= to)),
  };
}
