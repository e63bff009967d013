/**
 * Owns reading the period of a call for history, which the dialect keeps short.
 */
import { ALIAS_HISTORY } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";
import { type AliasFault, problem } from "./alias-outcome.ts";

type Span = { readonly ok: true; readonly from?: Millis; readonly to?: Millis } | AliasFault;

/** Either end may be open. */
export function spanOf(startTime: string | undefined, endTime: string | undefined): Span {
  const from = startTime === undefined ? undefined : Number(startTime); // not money: Unix milliseconds
  const to = endTime === undefined ? undefined : Number(endTime); // not money: Unix milliseconds
  if (from !== undefined && to !== undefined) {
    if (from > to) return problem("badCombination");
    if (to - from > ALIAS_HISTORY.spanMaxMs) return problem("lookupTooLong", String(ALIAS_HISTORY.hoursMax));
  }
  return { ok: true, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
