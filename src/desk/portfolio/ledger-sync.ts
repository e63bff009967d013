/**
 * Reads the account's fills from the venue into the ledger, newest first, page by page. Entry point: `syncLedger`.
 *
 * Invariants: what is read twice is kept once; a reading that was interrupted goes on at its next page, in any process. A reading looks again
 * through the day before the newest fill that an earlier one came to, so that a fill that the venue lists late is found: all that is in one page
 * every time, and the rest, of an account that trades so much, once an hour. Where the venue shows fills in their order alone, an old order may have
 * a new fill: its list of orders is gone through to the end every time, and an order is not asked for again once all that it has executed is kept.
 * Where the venue lists fills for a time alone, what it ceased to list before anybody read it is noted with the reading that finds that.
 *
 * Source: decision 0028, decision 0094, decision 0103; service.md#pages.
 */
import {
  defined,
  type Fill,
  type FillPage,
  failed,
  faultKind,
  LIMITS,
  localFault,
  ok,
  type Result,
} from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type {
  FillLedger,
  LedgerFill,
  LedgerPass,
  LedgerProgress,
  LedgerStep,
  UnreadSpan,
} from "../ports/fill-ledger.ts";
import type { Clock } from "../ports/runtime.ts";
import type { Venue } from "../ports/venue.ts";

/** Allows for how late the venue may list a fill. */
const LATE_MS = 86_400_000;
/** Fills are looked through again this far back, however many there are. */
const RECENT_MS = 600_000;
const WHOLE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Lists are late by seconds, and clocks are never quite right: so much at both ends of a time that was listed is not relied on. */
const LISTED_SLACK_MS = 60_000;

/** Describes one reading of the list. */
interface Reading {
  readonly venue: SyncParts["venue"];
  readonly ledger: SyncLedger;
  readonly account: string;
  /** Bounds what has to be read: what is older is known; undefined: all of it is read. */
  readonly knownToMs: number | undefined;
  /** Noted at its end. */
  readonly wholeAtMs: number | undefined;
  readonly unread: UnreadSpan | undefined;
}

/** Keeps what a reading finds. */
export type SyncLedger = Pick<FillLedger, "progress" | "keep" | "volumes">;

export interface SyncParts {
  readonly venue: Pick<Venue, "fills" | "card">;
  readonly fills: SyncLedger;
  readonly clock: Clock;
}

/**
 * @param beganMs what is older is not read. Unix milliseconds
 * @returns how many fills were new; a fault where the list was not read to its end: what was read of it is kept
 */
export async function syncLedger(
  { venue, fills: ledger, clock }: SyncParts,
  account: string,
  beganMs = 0,
): Promise<Result<number>> {
  const reading: Reading = { venue, ledger, account, knownToMs: undefined, wholeAtMs: undefined, unread: undefined };
  const begun = await ledger.progress(account);
  if (!begun.ok) return begun;
  const { pass } = begun.value;
  const rest = pass === undefined ? ok(0) : await readOn(reading, pass);
  // A cursor may have been forgotten by the venue since.
  if (!rest.ok && faultKind(rest.fault.code) !== "bad_arguments") return rest;
  const progress = await ledger.progress(account);
  if (!progress.ok) return progress;
  const { doneToMs, wholeAtMs } = progress.value;
  const nowMs = clock.now();
  const isRecent = wholeAtMs !== undefined && wholeAtMs <= nowMs && nowMs < wholeAtMs + WHOLE_EVERY_MS;
  const isByOrder = showsFillsByOrder(venue);
  const knownToMs = doneToMs === undefined || !isRecent || isByOrder ? undefined : doneToMs - RECENT_MS;
  const fromMs = isByOrder ? 0 : Math.max(beganMs, (doneToMs ?? 0) - LATE_MS);
  const unread = unreadBefore(begun.value, venue, nowMs);
  const added = await readNew({ ...reading, knownToMs, wholeAtMs: nowMs, unread }, fromMs);
  return added.ok ? ok(added.value + (rest.ok ? rest.value : 0)) : added;
}

/** Since the last reading that came to its end, as far as the venue does not list any more. */
function unreadBefore(
  { doneToMs = 0, wholeAtMs = 0 }: LedgerProgress,
  { card }: SyncParts["venue"],
  nowMs: number,
): UnreadSpan | undefined {
  if (card.history.closed_days === null) return undefined;
  const toMs = nowMs - card.history.closed_days * DAY_MS + LISTED_SLACK_MS;
  const fromMs = Math.max(0, doneToMs, wholeAtMs - LISTED_SLACK_MS);
  return fromMs < toMs ? { fromMs, toMs } : undefined;
}

/** From the newest fill down to a time. */
async function readNew(reading: Reading, fromMs: number): Promise<Result<number>> {
  const page = await readPage(reading, { fromMs });
  if (!page.ok) return page;
  const newestMs = page.value.trades.reduce((newest, { time }) => Math.max(newest, Date.parse(time)), 0);
  return keepAndGoOn(reading, { fromMs, newestMs }, page.value);
}

async function readOn(reading: Reading, pass: LedgerPass): Promise<Result<number>> {
  const page = await readPage(reading, pass);
  if (!page.ok) return page;
  // Else it would never end.
  if (page.value.next_cursor === pass.cursor) return failed(localFault("ELocal:Unreadable answer"));
  return keepAndGoOn(reading, pass, page.value);
}

async function keepAndGoOn(
  reading: Reading,
  { fromMs, newestMs }: Omit<LedgerPass, "cursor">,
  { trades, next_cursor: cursor }: FillPage,
): Promise<Result<number>> {
  const { ledger, account, knownToMs, wholeAtMs, unread } = reading;
  const fills = trades.map(ledgerFill);
  const isKnown = knownToMs !== undefined && fills.some(({ atMs }) => atMs < knownToMs);
  const doneToMs = newestMs === 0 ? undefined : newestMs;
  if (cursor === null) return ledger.keep(account, fills, { doneToMs, wholeAtMs, unread });
  if (isKnown) return ledger.keep(account, fills, { doneToMs, unread });
  const pass = { fromMs, newestMs, cursor };
  const kept = await ledger.keep(account, fills, { pass });
  if (!kept.ok) return kept;
  const rest = await readOn(reading, pass);
  return rest.ok ? ok(kept.value + rest.value) : rest;
}

function readPage(
  { venue, ledger, account }: Reading,
  { fromMs, cursor }: { readonly fromMs: number; readonly cursor?: string },
) {
  const from = fromMs === 0 ? undefined : fromMs;
  const asked = { limit: LIMITS.pageSizeMax, ...defined({ fromMs: from, cursor }) };
  if (!showsFillsByOrder(venue)) return venue.fills(asked);
  return venue.fills(asked, { known: (executed) => knownOrders(ledger, account, executed) });
}

/** Its list is by orders then, and a fill on a later page may be newer than all before. */
export function showsFillsByOrder({ card }: Pick<Venue, "card">): boolean {
  return card.fills === "order";
}

/** Those of which everything is kept that they have executed. */
async function knownOrders(
  ledger: Pick<FillLedger, "volumes">,
  account: string,
  executed: ReadonlyMap<string, string>,
): Promise<Result<ReadonlySet<string>>> {
  const kept = await ledger.volumes(account, [...executed.keys()]);
  if (!kept.ok) return kept;
  const sums = new Map<string, Fraction>();
  for (const { orderId, volume } of kept.value)
    sums.set(orderId, (sums.get(orderId) ?? Fraction.ZERO).plus(Fraction.of(volume)));
  return ok(
    new Set([...executed].flatMap(([id, volume]) => (sums.get(id)?.cmp(Fraction.of(volume)) === 0 ? [id] : []))),
  );
}

function ledgerFill(fill: Fill): LedgerFill {
  const { trade_id: tradeId, fee_currency: feeCurrency, time, orderId, symbol, side, price, volume, value, fee } = fill;
  return { tradeId, orderId, symbol, side, price, volume, value, fee, feeCurrency, atMs: Date.parse(time) };
}

/**
 * The ledger for a reading of recent fills beside that of all of them: the fills are kept with the others, and how far this reading came is
 * known to this process alone.
 */
export class LedgerHere implements SyncLedger {
  readonly volumes: SyncLedger["volumes"];
  readonly #ledger: Pick<FillLedger, "keep">;
  readonly #progress = new Map<string, LedgerProgress>();

  constructor(ledger: Pick<FillLedger, "keep" | "volumes">) {
    this.#ledger = ledger;
    this.volumes = (...asked) => ledger.volumes(...asked);
  }

  async progress(account: string): Promise<Result<LedgerProgress>> {
    return ok(this.#progress.get(account) ?? NOTHING_READ);
  }

  async keep(account: string, fills: readonly LedgerFill[], step: LedgerStep): Promise<Result<number>> {
    const kept = await this.#ledger.keep(account, fills, undefined);
    if (kept.ok) this.#progress.set(account, after(this.#progress.get(account) ?? NOTHING_READ, step));
    return kept;
  }
}

const NOTHING_READ: LedgerProgress = {
  doneToMs: undefined,
  wholeAtMs: undefined,
  seenMs: undefined,
  pass: undefined,
  revision: 0,
};

function after(progress: LedgerProgress, step: LedgerStep): LedgerProgress {
  if ("pass" in step) return { ...progress, pass: step.pass };
  return {
    ...progress,
    pass: undefined,
    doneToMs: step.doneToMs ?? progress.doneToMs,
    wholeAtMs: step.wholeAtMs ?? progress.wholeAtMs,
  };
}
