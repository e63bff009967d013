/**
 * Tells what a whole period was bought and sold for, whatever page of it is shown. Entry point: `periodTotals`.
 *
 * Invariants: totals are of all trades of the period and market, or there are none, and a warning says why. They come from the ledger, which
 * reads what it lacks; the trades that a period needs are there before older ones.
 *
 * Source: decision 0033, decision 0076.
 */
import {
  CANDLE_INTERVAL_MS,
  defined,
  type FillPage,
  type FillsRequest,
  ok,
  type Result,
} from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { HistoryReading } from "../model/history-reading.ts";
import type { FillTotals, FillView } from "../model/reports.ts";
import type { FillLedger } from "../ports/fill-ledger.ts";
import { FillSums, NO_FILLS, SUMS, totalsBetween } from "./fill-sums.ts";
import { totalsOf } from "./fill-totals.ts";
import { type HistoryReader, historyText, type OnHistory, unreadIn, unreadText } from "./history-reader.ts";
import { LEDGER_PAGE, NOW, replay, startOf } from "./ledger-replay.ts";

type Totals = Pick<FillView, "totals" | "warnings" | "reading" | "unread">;

interface Asked {
  readonly context: DeskContext;
  readonly history: HistoryReader;
  readonly request: FillsRequest;
  readonly onProgress: OnHistory | undefined;
}

/** @param page of the same request */
export async function periodTotals(asked: Asked, page: FillPage): Promise<Totals> {
  const { context, request } = asked;
  const beyond = beyondList(asked);
  const isWhole = request.cursor === undefined && page.next_cursor === null && beyond === undefined;
  if (isWhole) return { totals: totalsOf(page.trades), warnings: [] };
  const account = await context.seenAccount();
  const read = account.ok ? await fromLedger(asked, account.value) : account;
  if (!read.ok) return { warnings: [`No totals: ${read.fault.message}`] };
  if ("reading" in read.value)
    return { warnings: [`No totals yet: ${historyText(read.value.reading)} Ask again.`], reading: read.value.reading };
  if (beyond === undefined || !account.ok) return { totals: read.value, warnings: [] };
  const unread = await unreadIn(context, account.value, { fromMs: request.fromMs ?? 0, toMs: request.toMs ?? NOW });
  if (!unread.ok) return { warnings: [`No totals: ${unread.fault.message}`] };
  const warnings = [beyond, ...unreadText(context, unread.value)];
  return { totals: read.value, warnings, ...defined({ unread: unread.value.join(",") || undefined }) };
}

/** Says that the list is shorter than the period, where the exchange lists fills for a time alone. */
function beyondList({ context: { parts }, request: { fromMs = 0 } }: Asked): string | undefined {
  const { venue, clock } = parts;
  const { closed_days: days } = venue.card.history;
  if (days === null) return undefined;
  const listedMs = clock.now() - days * CANDLE_INTERVAL_MS["1d"];
  if (fromMs >= listedMs) return undefined;
  return `Trades before ${new Date(listedMs).toISOString()} may be missing from the list, and are in the totals as far as hoga has read them: the exchange lists those of the last ${days * 24} hours alone.`;
}

async function fromLedger(
  { context, history, request, onProgress }: Asked,
  account: string,
): Promise<Result<FillTotals | { readonly reading: HistoryReading }>> {
  const { fills: ledger } = context.parts;
  const { symbol, fromMs = 0, toMs = NOW } = request;
  const reading = await history.catchUp(account, { fromMs, onProgress });
  if (!reading.ok) return reading;
  if (reading.value !== undefined) return ok({ reading: reading.value });
  const progress = await ledger.progress(account);
  if (!progress.ok) return progress;
  // What is older may be missing, so nothing can be computed from the first trade on.
  if (progress.value.doneToMs === undefined || progress.value.pass !== undefined)
    return sumsOf(ledger, account, { fromMs, toMs, symbol });
  const sums = await replay({ ledger, account, ...SUMS, at: [fromMs - 1, Math.max(fromMs - 1, toMs)] });
  if (!sums.ok) return sums;
  const [opening = NO_FILLS, closing = NO_FILLS] = sums.value.totals;
  return ok(totalsBetween(opening, closing, symbol));
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
  readonly symbol: string | undefined;
}

async function sumsOf(
  ledger: FillLedger,
  account: string,
  { fromMs, toMs, symbol }: Period,
): Promise<Result<FillTotals>> {
  const sums = new FillSums();
  for (let after = startOf(fromMs); ; ) {
    const page = await ledger.page(account, { after, limit: LEDGER_PAGE });
    if (!page.ok) return page;
    const within = page.value.filter(({ atMs }) => atMs <= toMs);
    for (const fill of within) sums.enter(fill);
    const last = page.value.at(-1);
    if (last === undefined || within.length < LEDGER_PAGE) return ok(totalsBetween(NO_FILLS, sums.totals(), symbol));
    after = last;
  }
}
