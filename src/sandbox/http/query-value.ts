/**
 * Converts query parameters, which were checked against the contract's schema, into counts, times and places in a list. Entry
 * points: `countOf`, `periodOf`, `placeOf`.
 */
import type { Millis } from "../model/index.ts";
import { type CursorKind, cursorTarget } from "../wire/cursor.ts";
import { badArgument, type Fault } from "./outcome.ts";

export function countOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Number(text); // not money: a count of 1 to 500
}

interface Period {
  readonly ok: true;
  readonly from: Millis | undefined;
  readonly to: Millis | undefined;
}

/** The period of `from` and `to`; either bound may be absent. */
export function periodOf(query: { from?: string | undefined; to?: string | undefined }): Period | Fault {
  const from = query.from === undefined ? undefined : Number(query.from); // not money: Unix milliseconds
  const to = query.to === undefined ? undefined : Number(query.to); // not money: Unix milliseconds
  if (from !== undefined && to !== undefined && from > to) return badArgument("from", "from is later than to");
  return { ok: true, from, to };
}

interface Place {
  readonly ok: true;
  /** The last item of the page before; undefined for the first page. */
  readonly before: string | undefined;
}

export function placeOf(kind: CursorKind, cursor: string | undefined): Place | Fault {
  const before = cursor === undefined ? undefined : cursorTarget(kind, cursor);
  if (cursor !== undefined && before === undefined) return badArgument("cursor", "send next_cursor back unchanged");
  return { ok: true, before };
}
