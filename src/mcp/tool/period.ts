/** Owns how a period is given to a tool, and how an answer says which it is of: dates are days of the reader's time zone. */
import { z } from "zod";
import { defined } from "../../contract/index.ts";
import { boundsOf, type Desk, PERIOD_FORMS } from "../../desk/index.ts";
import { quote } from "../input/input-problem.ts";
import { closed, maybe, text } from "./result-shape.ts";

const error = ({ input }: { readonly input?: unknown }) => `write ${PERIOD_FORMS}; got ${quote(input)}`;
// What is a date in one zone is one in all.
const moment = z.string({ error }).refine((given) => boundsOf(given, "UTC") !== undefined, { error });

export const from = moment.optional().describe("Local date (or month, year), or ISO 8601 time");
export const to = moment.optional().describe("Same; the whole of a date");

export const until = moment.optional().describe("Date or time");

/** Unix milliseconds, both included. */
interface Period {
  readonly fromMs?: number;
  readonly toMs?: number;
}

export function periodOf(
  given: { readonly from?: string | undefined; readonly to?: string | undefined },
  { timeZone }: Pick<Desk, "timeZone">,
): Period {
  const bounds = (written: string | undefined) => (written === undefined ? undefined : boundsOf(written, timeZone));
  return defined({ fromMs: bounds(given.from)?.firstMs, toMs: bounds(given.to)?.lastMs });
}

/** In a result: ISO 8601; `from` null: since the beginning, `to` null: until now. */
export interface PeriodView {
  readonly from: string | null;
  readonly to: string | null;
  readonly timezone: string;
}

export const periodShape = closed<PeriodView>({ from: maybe, to: maybe, timezone: text });

export function periodView({ fromMs, toMs }: Period, { timeZone }: Pick<Desk, "timeZone">): PeriodView {
  return { from: iso(fromMs), to: iso(toMs), timezone: timeZone };
}

/** "from 2026-07-20T00:00:00.000Z until now". @param notRead what is not read of it */
export function periodText({ fromMs, toMs }: Period, notRead?: string): string {
  const beginning = notRead === undefined ? "from the beginning" : "as far back as is read";
  const since = fromMs === undefined ? beginning : `from ${iso(fromMs)}`;
  return `${since} ${toMs === undefined ? "until now" : `to ${iso(toMs)}`}`;
}

/** What of the account's past is not read, by what the exchange lists; undefined where all of a period is. */
export function notReadOf({ fromMs }: Period, { card }: Pick<Desk, "card">): string | undefined {
  const { closed_days: listed, read_days: read } = card.history;
  if (listed !== null) return `${card.title.en} lists ended orders and trades of the last ${listed * 24} hours alone.`;
  if (read === null || fromMs !== undefined) return undefined;
  return `Without from, orders of the last ${read} days are read at ${card.title.en}.`;
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
