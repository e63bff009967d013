/**
 * Queries a page of orders or fills, newest first, by the dialect's parameters: a period, and a page of it. Entry points: `pageOf`, `spanOf`.
 *
 * Invariants: a period excludes `start` and includes `end`; a page begins after a cursor, which does not move when something
 * new arrives, or after the first `ofs` items. Only what is shown is queried; the count is of the whole period, and only made on
 * request. Source: service.md#trading-paging.
 */

import { badArgument, type Fault } from "../../http/outcome.ts";
import { countOf, placeOf } from "../../http/query-value.ts";
import type { Millis } from "../../model/index.ts";
import { cursorOf } from "../../wire/cursor.ts";
import { millisOf } from "./unix-time.ts";

export interface PageRequest {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly ofs?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Which part of a list is queried; both times are inclusive. Items are identified by the names that cursors hold. */
export interface Span {
  readonly from: Millis | undefined;
  readonly to: Millis | undefined;
  /** Only what is newer than this item. */
  readonly after: string | undefined;
  /** Only this item and what is older. */
  readonly until: string | undefined;
}

export interface Place {
  /** Only what is older than this item. */
  readonly before: string | undefined;
  readonly skip: number;
  readonly limit: number;
}

export interface Listing<Item> {
  readonly kind: "order" | "fill";
  readonly nameOf: (item: Item) => string;
  /** The name of the item with an id given as `start` or `end`; undefined when the account has no such item. */
  readonly nameById: (id: string) => string | undefined;
  readonly find: (span: Span, place: Place) => { readonly items: readonly Item[]; readonly more: boolean };
  readonly count: (span: Span) => number;
}

export type HistoryPage<Item> =
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** The number of items in the period; undefined unless requested. */
      readonly count: number | undefined;
      readonly next: string | null;
    }
  | Fault;

export function pageOf<Item>(
  { kind, nameOf, nameById, find, count }: Listing<Item>,
  request: PageRequest,
  limit: number,
  isCounted: boolean,
): HistoryPage<Item> {
  if (request.ofs !== undefined && request.cursor !== undefined) return badArgument("ofs", "send ofs or cursor");
  const spanned = spanOf(request, nameById);
  if (!spanned.ok) return spanned;
  const { span } = spanned;
  const place = placeOf(kind, request.cursor);
  if (!place.ok) return place;
  const { items, more } = find(span, { before: place.before, skip: countOf(request.ofs, 0), limit });
  const last = items.at(-1);
  const next = cursorOf(kind, last === undefined || !more ? undefined : nameOf(last));
  return { ok: true, items, count: isCounted ? count(span) : undefined, next };
}

/** The part of a list between `start` and `end`, each a time, the id of an item, or absent. */
export function spanOf(
  { start, end }: Pick<PageRequest, "start" | "end">,
  nameById: (id: string) => string | undefined,
): { readonly ok: true; readonly span: Span } | Fault {
  const isId = (text: string | undefined): text is string => text !== undefined && /[-T]/.test(text);
  const [after, until] = [start, end].map((text) => (isId(text) ? nameById(text) : undefined));
  if (isId(start) && after === undefined) return badArgument("start", "this account has no such item");
  if (isId(end) && until === undefined) return badArgument("end", "this account has no such item");
  const [from, to] = [start, end].map((text) => (text === undefined || isId(text) ? undefined : millisOf(text)));
  return { ok: true, span: { from: from === undefined ? undefined : from + 1, to, after, until } };
}
