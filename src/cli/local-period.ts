/**
 * Owns how a person writes a period on the command line: a year, a month or a day of their own time zone, the whole of it, or a time. A
 * time without a distance from UTC is by their clock.
 *
 * Source: commands.md#periods.
 */
import { defined, quoted } from "../contract/index.ts";
import { momentOf } from "../desk/index.ts";
import { UsageError } from "./failure.ts";

export interface PeriodOptions {
  readonly from?: string;
  readonly to?: string;
}

/** Unix milliseconds, both included. */
export interface Period {
  readonly fromMs?: number;
  readonly toMs?: number;
}

const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** @throws UsageError for what is no date, and for a period that ends before it begins */
export function localPeriod({ from, to }: PeriodOptions, timeZone: string): Period {
  const fromMs = from === undefined ? undefined : boundsOf("--from", from, timeZone).firstMs;
  const toMs = to === undefined ? undefined : boundsOf("--to", to, timeZone).lastMs;
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs)
    throw new UsageError(`--from ${from} is after --to ${to}.`, "Give the earlier time as --from.");
  return defined({ fromMs, toMs });
}

interface Bounds {
  readonly firstMs: number;
  readonly lastMs: number;
}

function boundsOf(option: string, text: string, timeZone: string): Bounds {
  const found = dateBounds(text, timeZone) ?? timeBounds(text, timeZone);
  if (found !== undefined) return found;
  throw new UsageError(
    `${option} ${quoted(text, 40)} is no date and no time.`,
    "Write a year 2026, a month 2026-03, a day 2026-03-31, or a time 2026-03-31T09:00 (yours, or with its offset: +09:00).",
  );
}

function dateBounds(text: string, timeZone: string): Bounds | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const first = Date.parse(`${year}-${month ?? "01"}-${day ?? "01"}T00:00:00Z`);
  // Date.parse turns February 30 into March: such a day does not survive the way back.
  if (Number.isNaN(first) || !new Date(first).toISOString().startsWith(text)) return undefined;
  const next = new Date(first);
  if (month === undefined) next.setUTCFullYear(next.getUTCFullYear() + 1);
  else if (day === undefined) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCDate(next.getUTCDate() + 1);
  return { firstMs: momentOf(first, timeZone), lastMs: momentOf(next.getTime(), timeZone) - 1 };
}

function timeBounds(text: string, timeZone: string): Bounds | undefined {
  const [, year, month, day, clock, offset] = TIME.exec(text) ?? [];
  if (dateBounds(`${year}-${month}-${day}`, timeZone) === undefined) return undefined;
  const ms = Date.parse(`${year}-${month}-${day}T${clock}${offset ?? "Z"}`);
  if (Number.isNaN(ms)) return undefined;
  const atMs = offset === undefined ? momentOf(ms, timeZone) : ms;
  return { firstMs: atMs, lastMs: atMs };
}
