/**
 * What a whole period was bought and sold for, whatever page of it is shown. Entry point: `periodTotals`.
 *
 * Invariants: totals are of all trades of the period and market, or there are none, and a warning says why; no more than `PAGES_MAX` pages are
 * read for them. Where the ledger has been read to its beginning once, only what is new is read.
 *
 * Source: decision 0033.
 */
import {
  defined,
  type FillPage,
  type FillsRequest,
  failed,
  LIMITS,
  localFault,
  ok,
  type Result,
} from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { FillTotals, FillView } from "../model/reports.ts";
import type { Venue } from "../ports/venue.ts";
import { NO_FILLS, SUMS, totalsBetween } from "./fill-sums.ts";
import { type Executed, totalsOf } from "./fill-totals.ts";
import { NOW, replay } from "./ledger-replay.ts";
import { syncLedger } from "./ledger-sync.ts";

/** Pages of 500. */
const PAGES_MAX = 20;

const TOO_LONG = `No totals: more than ${PAGES_MAX * LIMITS.pageSizeMax} trades. Ask for a shorter period or one market.`;
/** What was read is kept, so the next try goes on from there. */
const NOT_YET = "No totals yet: the trades since the last look are still being read. Ask again.";

/** @param page of the same request */
export async function periodTotals(
  context: DeskContext,
  request: FillsRequest,
  page: FillPage,
): Promise<Pick<FillView, "totals" | "warnings">> {
  const { cursor, limit: _, ...period } = request;
  if (cursor === undefined && page.next_cursor === null) return { totals: totalsOf(page.trades), warnings: [] };
  const pages = new LimitedPages(context.parts.venue);
  const known = await fromLedger(context, pages, period);
  const read = known ?? (await fromVenue(pages, period));
  if (read.ok) return { totals: read.value, warnings: [] };
  if (!pages.isOver) return { warnings: [`No totals: ${read.fault.message}`] };
  return { warnings: [known === undefined ? TOO_LONG : NOT_YET] };
}

/** Pages of the venue, until there were too many. */
class LimitedPages implements Pick<Venue, "fills"> {
  readonly #venue: Venue;
  #read = 0;
  isOver = false;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  async fills(request: FillsRequest): Promise<Result<FillPage>> {
    this.#read += 1;
    this.isOver = this.#read > PAGES_MAX;
    return this.isOver ? failed(localFault("ELocal:Not checked")) : this.#venue.fills(request);
  }
}

/** @returns undefined where the ledger does not cover the period */
async function fromLedger(
  context: DeskContext,
  venue: LimitedPages,
  { symbol, fromMs = 0, toMs = NOW }: FillsRequest,
): Promise<Result<FillTotals> | undefined> {
  const { fills: ledger, clock } = context.parts;
  const account = await context.seenAccount();
  const progress = account.ok ? await ledger.progress(account.value) : account;
  if (!account.ok || !progress.ok || progress.value.doneToMs === undefined) return undefined;
  const synced = await syncLedger({ venue, fills: ledger, clock }, account.value);
  if (!synced.ok) return synced;
  const sums = await replay({ ledger, account: account.value, ...SUMS, at: [fromMs - 1, Math.max(fromMs - 1, toMs)] });
  if (!sums.ok) return undefined;
  const [opening = NO_FILLS, closing = NO_FILLS] = sums.value.totals;
  return ok(totalsBetween(opening, closing, symbol));
}

async function fromVenue(venue: LimitedPages, period: FillsRequest): Promise<Result<FillTotals>> {
  const found: Executed[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await venue.fills({ ...period, limit: LIMITS.pageSizeMax, ...defined({ cursor }) });
    if (!page.ok) return page;
    found.push(...page.value.trades);
    const { next_cursor: next } = page.value;
    if (next === null) return ok(totalsOf(found));
    // Else it would never end.
    if (next === cursor) return failed(localFault("ELocal:Unreadable answer"));
    cursor = next;
  }
}
