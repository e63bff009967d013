/**
 * Reads the account's fills into the ledger so that nobody waits long for them: a caller waits until what it needs is there, or for
 * `HISTORY_WAIT_MS`; the reading goes on without it, behind every other call to the venue. Entry point: `HistoryReader.catchUp`.
 *
 * Invariants: one reading of an account at a time in this process; a caller is told that all is there only by a reading that began after it
 * asked; a reading that was interrupted goes on where it was, in any process.
 *
 * Source: decision 0028, decision 0076.
 */
import { type Fault, failed, faultKind, ok, type Result } from "../../contract/index.ts";
import { withTimeout } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { HistoryReading } from "../model/history-reading.ts";
import type { LedgerFill, UnreadSpan } from "../ports/fill-ledger.ts";
import type { Clock } from "../ports/runtime.ts";
import type { Venue } from "../ports/venue.ts";
import { LedgerHere, type SyncLedger, showsFillsByOrder, syncLedger } from "./ledger-sync.ts";

/** Bounds how long one call waits for the history. Below the 60 s after which clients give up on a call by themselves. */
export const HISTORY_WAIT_MS = 15_000;
/** Lets a caller that waits look this often how far the reading is. */
const LOOK_EVERY_MS = 1_000;
/** After the venue's limit was reached, where it does not say how long. */
const LIMITED_PAUSE_MS = 1_000;

export interface HistoryNeeds {
  /** Bounds what is needed: nothing older. Unix milliseconds; without it everything is. */
  readonly fromMs?: number;
  readonly onProgress?: OnHistory | undefined;
}

/** @param elapsedMs since the call began to wait */
export type OnHistory = (reading: HistoryReading, elapsedMs: number) => void;

interface Waiting {
  readonly beganMs: number;
  readonly needs: HistoryNeeds;
}

export class HistoryReader {
  readonly #context: DeskContext;
  readonly #clock: Clock;
  readonly #readings = new Map<string, Reading>();

  constructor(context: DeskContext) {
    this.#context = context;
    this.#clock = context.parts.clock;
  }

  /** @returns undefined where the ledger has what is needed; else how far the reading is, which goes on */
  async catchUp(account: string, needs: HistoryNeeds = {}): Promise<Result<HistoryReading | undefined>> {
    const waiting = { beganMs: this.#clock.now(), needs };
    // It may have looked for new fills before this call.
    const earlier = this.#readings.get(account);
    if (earlier !== undefined && !(await this.#hasEnded(earlier, waiting))) return ok(earlier.shown());
    const reading = this.#readings.get(account) ?? this.#begin(account);
    if (!(await this.#hasEnded(reading, waiting)) && !reading.covers(needs.fromMs)) return ok(reading.shown());
    return reading.fault === undefined ? ok(undefined) : failed(reading.fault);
  }

  #begin(account: string): Reading {
    const reading = new Reading(this.#context, account, () => this.#readings.delete(account));
    this.#readings.set(account, reading);
    return reading;
  }

  /** Waits for it until the time is over, or what is needed is there. */
  async #hasEnded(reading: Reading, { beganMs, needs: { fromMs, onProgress } }: Waiting): Promise<boolean> {
    const clock = this.#clock;
    for (;;) {
      if (reading.isOver) return true;
      const elapsedMs = clock.now() - beganMs;
      if (elapsedMs >= HISTORY_WAIT_MS || reading.covers(fromMs)) return false;
      await withTimeout(clock, Math.min(LOOK_EVERY_MS, HISTORY_WAIT_MS - elapsedMs), reading.ended);
      if (!reading.isOver) onProgress?.(reading.shown(), clock.now() - beganMs);
    }
  }
}

/** Reads the venue's list once, newest first. */
class Reading {
  /** Never rejects. */
  readonly ended: Promise<void>;
  isOver = false;
  fault: Fault | undefined;
  readonly #context: DeskContext;
  readonly #clock: Clock;
  readonly #isByOrder: boolean;
  #trades = 0;
  /** Every fill of this time and after, up to when it began, is in the ledger, or will be with the others of its millisecond. */
  #backToMs: number | undefined;

  constructor(context: DeskContext, account: string, onEnd: () => void) {
    this.#context = context;
    const { clock, venue } = context.parts;
    this.#clock = clock;
    this.#isByOrder = showsFillsByOrder(venue);
    this.ended = this.#run(account).finally(() => {
      this.isOver = true;
      onEnd();
    });
  }

  covers(fromMs: number | undefined): boolean {
    if (fromMs === undefined || this.#isByOrder) return false;
    return this.#backToMs !== undefined && this.#backToMs < fromMs;
  }

  shown(): HistoryReading {
    return {
      trades: this.#trades,
      back_to: this.#backToMs === undefined ? null : new Date(this.#backToMs).toISOString(),
    };
  }

  async #run(account: string): Promise<void> {
    for (;;) {
      const read = await this.#read(account);
      if (read.ok) return;
      this.fault = read.fault;
      if (faultKind(read.fault.code) !== "rate") return;
      await this.#clock.sleep(read.fault.retryAfterMs ?? LIMITED_PAUSE_MS);
      this.fault = undefined;
    }
  }

  async #read(account: string): Promise<Result<unknown>> {
    const { venue: exchange, fills: ledger, clock } = this.#context.parts;
    // What is new is mostly one page, which is waited for. All else goes behind everybody.
    const fills: Venue["fills"] = (request, options) =>
      exchange.fills(request, { ...options, background: request.cursor !== undefined });
    const kept: SyncLedger = {
      progress: (...asked) => ledger.progress(...asked),
      volumes: (...asked) => ledger.volumes(...asked),
      keep: async (name, page, step) => {
        const added = await ledger.keep(name, page, step);
        if (added.ok) this.#note(page);
        return added;
      },
    };
    const parts = { venue: { fills, card: exchange.card }, fills: kept, clock };
    const progress = await ledger.progress(account);
    if (!progress.ok) return progress;
    const { pass } = progress.value;
    // Before what an earlier reading left, which may take long. Where fills are listed by order, only the whole is of use.
    const top =
      pass === undefined || showsFillsByOrder(exchange)
        ? ok(0)
        : await syncLedger({ ...parts, fills: new LedgerHere(kept) }, account, pass.newestMs);
    return top.ok ? syncLedger(parts, account) : top;
  }

  #note(page: readonly LedgerFill[]): void {
    this.#trades += page.length;
    for (const { atMs } of page) this.#backToMs = Math.min(this.#backToMs ?? atMs, atMs);
  }
}

/** A sentence for whoever waits for it. */
export function historyText({ trades, back_to }: HistoryReading): string {
  const back = back_to === null ? "" : `, back to ${back_to}`;
  return `the trades are still being read from the exchange, behind all other calls (${trades} so far${back}).`;
}

/** Of a time, that of which nobody has read the fills, as ISO 8601 intervals that begin with `..` where they have no beginning. */
export async function unreadIn(
  { parts: { fills: ledger } }: DeskContext,
  account: string,
  { fromMs, toMs }: UnreadSpan,
): Promise<Result<readonly string[]>> {
  const unread = await ledger.unread(account);
  if (!unread.ok) return unread;
  const meant = unread.value.filter((span) => span.fromMs <= toMs && span.toMs >= fromMs);
  return ok(meant.map((span) => `${span.fromMs === 0 ? OPEN_START : isoOf(span.fromMs)}/${isoOf(span.toMs)}`));
}

const OPEN_START = "..";

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A sentence on what no figure has in it; none where nothing is missing. */
export function unreadText({ parts: { venue } }: DeskContext, unread: readonly string[]): readonly string[] {
  const { closed_days: days } = venue.card.history;
  if (unread.length === 0 || days === null) return [];
  const spans = unread.map((span) => span.replace(/^\.\.\//, "before ").replace("/", " to ")).join(", ");
  return [
    `Trades are not known of this time: ${spans}. The exchange lists those of the last ${days * 24} hours alone, and hoga did not look in time. They are in no figure.`,
  ];
}
