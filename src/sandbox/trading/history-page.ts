/**
 * Owns asking for a page of orders or executions, newest first, as the dialect words it: a period, and a page of it.
 *
 * Invariants: `start` is not part of a period, `end` is; a page begins behind a cursor, which stays where it is when
 * something new arrives, or after as many as `ofs` says, as the dialect has it. No more is asked of the exchange than is shown;
 * all of a period is counted, and only where that is asked for.
 */

import { badArgument, type Fault } from "../http/outcome.ts";
import { countOf } from "../http/query-value.ts";
import type { Millis } from "../model/index.ts";
import { cursorOf, cursorTarget } from "../wire/cursor.ts";
import { millisOf } from "./unix-time.ts";

export interface PageRequest {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly ofs?: string | undefined;
  readonly cursor?: string | undefined;
}

/** What of a list is meant; both times are part of it. Items go by the name a cursor holds. */
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
  /** The name of the item whose id `start` or `end` gives; undefined when the account has no such item. */
  readonly nameOfId: (id: string) => string | undefined;
  readonly find: (span: Span, place: Place) => { readonly items: readonly Item[]; readonly more: boolean };
  readonly count: (span: Span) => number;
}

export type HistoryPage<Item> =
  | {
      readonly ok: true;
      readonly items: readonly Item[];
      /** All of the period, on this page or not; undefined where nobody asks. */
      readonly count: number | undefined;
      readonly next: string | null;
    }
  | Fault;

export function pageOf<Item>(
  { kind, nameOf, nameOfId, find, count }: Listing<Item>,
  request: PageRequest,
  limit: number,
  isCounted: boolean,
): HistoryPage<Item> {
  if (request.ofs !== undefined && request.cursor !== undefined) return badArgument("ofs", "send ofs or cursor");
  const spanned = spanOf(request, nameOfId);
  if (!spanned.ok) return spanned;
  const { span } = spanned;
  const before = request.cursor === undefined ? undefined : cursorTarget(kind, request.cursor);
  if (request.cursor !== undefined && before === undefined)
    return badArgument("cursor", "send next_cursor back unchanged");
  const { items, more } = find(span, { before, skip: countOf(request.ofs, 0), limit });
  const last = items.at(-1);
  const next = last === undefined || !more ? null : cursorOf(kind, nameOf(last));
  return { ok: true, items, count: isCounted ? count(span) : undefined, next };
}

/** The period of `start` and `end`, either of which may be open, or the id of an item. */
function spanOf(
  { start, end }: PageRequest,
  nameOfId: (id: string) => string | undefined,
): { readonly ok: true; readonly span: Span } | Fault {
  const isId = (text: string | undefined): text is string => text !== undefined && /[-T]/.test(text);
  const [after, until] = [start, end].map((text) => (isId(text) ? nameOfId(text) : undefined));
  if (isId(start) && after === undefined) return badArgument("start", "this account has no such item");
  if (isId(end) && until === undefined) return badArgument("end", "this account has no such item");
  const [from, to] = [start, end].map((text) => (text === undefined || isId(text) ? undefined : millisOf(text)));
  return { ok: true, span: { from: from === undefined ? undefined : from + 1, to, after, until } };
}
