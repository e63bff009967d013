/** Owns how a period is given on the command line. Source: commands.md#periods. */
import { defined, quoted } from "../contract/index.ts";
import { type Bounds, boundsOf, PERIOD_FORMS } from "../desk/index.ts";
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

/** @throws UsageError for what is no date, and for a period that ends before it begins */
export function localPeriod({ from, to }: PeriodOptions, timeZone: string): Period {
  const fromMs = from === undefined ? undefined : bounds("--from", from, timeZone).firstMs;
  const toMs = to === undefined ? undefined : bounds("--to", to, timeZone).lastMs;
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs)
    throw new UsageError(`--from ${from} is after --to ${to}.`, "Give the earlier time as --from.");
  return defined({ fromMs, toMs });
}

function bounds(option: string, text: string, timeZone: string): Bounds {
  const found = boundsOf(text, timeZone);
  if (found !== undefined) return found;
  throw new UsageError(`${option} ${quoted(text, 40)} is no date and no time.`, `Write ${PERIOD_FORMS}.`);
}
