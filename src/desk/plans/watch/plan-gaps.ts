/**
 * Writes down when nobody watched a market that plans wait for, and tells it: what is not known of that time is never acted on.
 *
 * Invariants: of a market one gap lasts at a time; what a store that is away did not take is written when it is back; a plan is told of a gap that it was
 * active in.
 *
 * Source: decision 0108.
 */
import { defined, ok, type Result } from "../../../contract/index.ts";
import { withTimeout } from "../../core/attempt.ts";
import type { DeskContext, ReadingParts } from "../../core/context.ts";
import { activeSinceMs, type PlanRecord } from "../../model/plan.ts";
import type { NewNotice } from "../../ports/notices.ts";
import type { PlanBook, PlanGap } from "../../ports/plan-book.ts";
import { isoTime, watchedSymbolOf } from "../plan-view.ts";
import { priceSpan, type WatchGap } from "./market-watch.ts";
import { HOLD_MS } from "./trigger.ts";

/** The candles of it are for information: the watch is not held up for them. */
const CANDLES_MS = 2_000;
const GAPS_MAX = 200;

/** Somebody begins to look, after nobody has. Times are of our clock. */
export interface TakeOver {
  readonly atMs: number;
  /** When somebody looked last; undefined where nobody ever has. */
  readonly seenBeforeMs: number | undefined;
}

export class PlanGaps {
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #account: string;
  /** Those that last, by market. */
  readonly #lasting = new Map<string, PlanGap>();
  /** What the watch of markets has told and was not written yet. */
  readonly #news: WatchGap[] = [];

  constructor({ parts }: Pick<DeskContext, "parts">, book: PlanBook, account: string) {
    this.#parts = parts;
    this.#book = book;
    this.#account = account;
  }

  tell(gap: WatchGap): void {
    this.#news.push(gap);
  }

  /** Another looks from now on, and tells what lasts. */
  forget(): void {
    this.#lasting.clear();
    this.#news.length = 0;
  }

  /**
   * Ends what whoever looked before has left open, and writes down the time between: only what is long enough that a price could have stood in it.
   * @returns a fault of the store: it is to be called again
   */
  async takeOver(takeOver: TakeOver, plans: readonly PlanRecord[]): Promise<Result<void>> {
    const offsetMs = this.#offsetMs;
    const [atMs, seenBeforeMs] = [takeOver.atMs + offsetMs, (takeOver.seenBeforeMs ?? 0) + offsetMs];
    const lasting = await this.#book.gaps(this.#account, atMs, GAPS_MAX);
    if (!lasting.ok) return lasting;
    const left = new Map(lasting.value.flatMap((gap) => (gap.toMs === null ? [[gap.symbol, gap] as const] : [])));
    const symbols = new Set([...left.keys(), ...plans.flatMap(({ terms }) => watchedSymbolOf(terms) ?? [])]);
    const written = await Promise.all(
      [...symbols].map(async (symbol): Promise<Result<unknown>> => {
        const own = plans.filter(({ terms }) => watchedSymbolOf(terms) === symbol);
        const sinceMs = Math.max(seenBeforeMs, Math.min(atMs, ...own.map((plan) => activeSinceMs(plan, offsetMs))));
        const known = left.get(symbol);
        if (known === undefined && atMs - sinceMs < HOLD_MS) return ok(undefined);
        const gap = known === undefined ? await this.#ofNobody(symbol, sinceMs) : ok(known);
        return gap.ok ? this.#end(gap.value, atMs, own) : gap;
      }),
    );
    const failure = written.find((each) => !each.ok);
    return failure?.ok === false ? failure : ok(undefined);
  }

  /** Writes what was told, in its order. What a store that is away does not take waits. */
  async write(plans: readonly PlanRecord[]): Promise<void> {
    for (let gap = this.#news[0]; gap !== undefined; gap = this.#news[0]) {
      const own = plans.filter(({ terms }) => watchedSymbolOf(terms) === gap?.symbol);
      const written = await (gap.toMs === undefined ? this.#beginTold(gap, own) : this.#endTold(gap, gap.toMs, own));
      if (!written.ok) return;
      this.#news.shift();
    }
    const waited = new Set(plans.map(({ terms }) => watchedSymbolOf(terms)));
    for (const gap of this.#lasting.values())
      if (!waited.has(gap.symbol)) await this.#close(gap, this.#parts.clock.now() + this.#offsetMs);
  }

  get #offsetMs(): number {
    return Math.round(this.#parts.venue.clockOffsetMs() ?? 0);
  }

  /** A time in which no process looked. */
  #ofNobody(symbol: string, fromMs: number): Promise<Result<PlanGap>> {
    const gap = { account: this.#account, symbol, fromMs, why: "no server" } as const;
    // It ends at once, and is told then.
    return this.#book.beginGap(gap, new Map(), this.#parts.clock.now());
  }

  async #beginTold({ symbol, why, fromMs }: WatchGap, plans: readonly PlanRecord[]): Promise<Result<unknown>> {
    const body = { symbol, why, from: isoTime(fromMs) };
    const notices = noticesOf(plans, { type: "plan.gap", key: String(fromMs), body });
    const gap = { account: this.#account, symbol, fromMs, why };
    const begun = await this.#book.beginGap(gap, notices, this.#parts.clock.now());
    if (begun.ok) this.#lasting.set(symbol, begun.value);
    return begun;
  }

  async #endTold(
    { symbol, low, high }: WatchGap,
    toMs: number,
    plans: readonly PlanRecord[],
  ): Promise<Result<unknown>> {
    const gap = this.#lasting.get(symbol);
    return gap === undefined ? ok(undefined) : this.#close(gap, toMs, { plans, ...defined({ low, high }) });
  }

  /** With the lowest and the highest price of that time, as far as they can be had. */
  async #end(gap: PlanGap, toMs: number, plans: readonly PlanRecord[]): Promise<Result<unknown>> {
    const { clock, venue } = this.#parts;
    const { symbol, fromMs } = gap;
    const asked = plans.length === 0 ? undefined : priceSpan(venue, { symbol, fromMs, toMs });
    const span = asked && (await withTimeout(clock, CANDLES_MS, asked));
    return this.#close(gap, toMs, { plans, ...span });
  }

  async #close(
    { account, symbol, fromMs, why }: PlanGap,
    toMs: number,
    { plans, low, high }: Told = { plans: [] },
  ): Promise<Result<unknown>> {
    const told = plans.filter((plan) => activeSinceMs(plan, this.#offsetMs) < toMs);
    const body = { symbol, why, from: isoTime(fromMs), to: isoTime(toMs), ...defined({ low, high }) };
    const notices = noticesOf(told, { type: "plan.gap", key: `${fromMs} to ${toMs}`, body });
    const ended = await this.#book.endGap({ account, symbol, fromMs, toMs }, notices, this.#parts.clock.now());
    if (ended.ok) this.#lasting.delete(symbol);
    return ended;
  }
}

interface Told extends Pick<WatchGap, "low" | "high"> {
  readonly plans: readonly PlanRecord[];
}

function noticesOf(plans: readonly PlanRecord[], notice: NewNotice): ReadonlyMap<string, readonly NewNotice[]> {
  return new Map(plans.map(({ planId }) => [planId, [notice]]));
}
