/**
 * Reads the time range of a call for history, whose length the dialect limits. Entry point: `timeRangeOf`.
 */
import { ALIAS_HISTORY } from "../../../contract/index.ts";
import type { Millis } from "../../model/index.ts";
import { type AliasFault, problem } from "./alias-outcome.ts";

interface TimeRange {
  readonly ok: true;
  readonly from: Millis | undefined;
  readonly to: Millis | undefined;
}

/** Either bound may be absent. */
export function timeRangeOf(startTime: string | undefined, endTime: string | undefined): TimeRange | AliasFault {
  const from = startTime === undefined ? undefined : Number(startTime); // not money: Unix milliseconds
  const to = endTime === undefined ? undefined : Number(endTime); // not money: Unix milliseconds
  if (from !== undefined && to !== undefined) {
    if (from > to) return problem("badCombination");
    if (to - from > ALIAS_HISTORY.spanMaxMs) return problem("lookupTooLong", String(ALIAS_HISTORY.hoursMax));
  }
  return { ok: true, from, to };
}
