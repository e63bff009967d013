/**
 * Owns how a period is written: a year, a month or a day of the reader's time zone, which is the whole of it, or a time, which is by their clock where it has
 * no distance from UTC.
 *
 * Source: commands.md#periods.
 */
import { instantOf } from "./local-time.ts";

/** Unix milliseconds, both included. */
export interface Bounds {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Tells whoever wrote something else how it is written. */
export const PERIOD_FORMS =
  "a day 2026-03-31, a month 2026-03, a year 2026, or a time 2026-03-31T09:00 (yours, or with its offset: +09:00)";

const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** @returns undefined for what is no date and no time @param timeZone IANA name; undefined: the machine's */
export function boundsOf(text: string, timeZone: string | undefined): Bounds | undefined {
  const days = daysOf(text);
  if (days !== undefined)
    return { firstMs: instantOf(days.firstMs, timeZone), lastMs: instantOf(days.nextMs, timeZone) - 1 };
  const [, date = "", clock, offset] = TIME.exec(text) ?? [];
  if (daysOf(date) === undefined) return undefined;
  const ms = Date.parse(`${date}T${clock}${offset ?? "Z"}`);
  if (Number.isNaN(ms)) return undefined;
  const atMs = offset === undefined ? instantOf(ms, timeZone) : ms;
  return { firstMs: atMs, lastMs: atMs };
}

/** Reads where a date begins, and the one after it, as clocks show it. */
function daysOf(text: string): { readonly firstMs: number; readonly nextMs: number } | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const firstMs = Date.parse(`${year}-${month ?? "01"}-${day ?? "01"}T00:00:00Z`);
  // Date.parse turns February 30 into March: such a day does not survive the way back.
  if (Number.isNaN(firstMs) || !new Date(firstMs).toISOString().startsWith(text)) return undefined;
  const next = new Date(firstMs);
  if (month === undefined) next.setUTCFullYear(next.getUTCFullYear() + 1);
  else if (day === undefined) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCDate(next.getUTCDate() + 1);
  return { firstMs, nextMs: next.getTime() };
}
