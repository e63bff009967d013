/**
 * Owns how a period is written: RFC 3339 times with an offset, or plain dates, which are whole UTC days, the last one included.
 */
import { z } from "zod";
import { defined } from "../contract/index.ts";
import { quote } from "./input-problem.ts";

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

function moment() {
  const error = ({ input }: { readonly input?: unknown }) =>
    `write a time as "2026-07-20T09:00:00+09:00" (with its offset) or a date as "2026-07-20"; got ${quote(input)}`;
  return z.string({ error }).refine((text) => startMs(text) !== undefined, { error });
}

export const from = moment().optional().describe("ISO 8601 time with offset, or UTC date");
export const to = moment().optional().describe("Same; a date includes its whole day");

interface Period {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The period in Unix milliseconds. */
export function periodOf(given: { readonly from?: string | undefined; readonly to?: string | undefined }): Period {
  const fromMs = given.from === undefined ? undefined : startMs(given.from);
  const toMs = given.to === undefined ? undefined : startMs(given.to);
  const lastMs = toMs !== undefined && DATE.test(given.to ?? "") ? toMs + DAY_MS - 1 : toMs;
  return defined({ fromMs, toMs: lastMs });
}

/** First millisecond of a date, or the time itself; undefined when there is no such day or time. */
function startMs(text: string): number | undefined {
  if (!DATE.test(text) && !TIME.test(text)) return undefined;
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  // Date.parse turns February 30 into March: such a day does not survive the way back.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  const ms = DATE.test(text) ? day : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
