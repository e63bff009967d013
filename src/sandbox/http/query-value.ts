/**
 * Owns turning checked query texts into counts and times.
 */
import type { Millis } from "../model/index.ts";
import { badArgument, type Fault } from "./outcome.ts";

/** A whole number the contract's schema let pass. */
export function countOf(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Number(text); // not money: a count of 1 to 500
}

export interface Period {
  readonly ok: true;
  readonly from?: Millis;
  readonly to?: Millis;
}

/** The period of `from` and `to`, either of which may be open. */
export function periodOf(query: { from?: string | undefined; to?: string | undefined }): Period | Fault {
  const from = query.from === undefined ? undefined : Number(query.from); // not money: Unix milliseconds
  const to = query.to === undefined ? undefined : Number(query.to); // not money: Unix milliseconds
  if (from !== undefined && to !== undefined && from > to) return badArgument("from", "from is later than to");
  return { ok: true, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
