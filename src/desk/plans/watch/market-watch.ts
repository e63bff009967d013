/**
 * Watches markets for plans: a sample of each at every change of its book or trades and at least twice a second, as others make it. Where the stream does
 * not tell, the exchange is asked, by the same rule.
 *
 * Invariants: a sample follows the one before only where nothing can be missing between them (no reconnect, no gap, no leap of the exchange's clock, no
 * change of where it comes from); own orders are as the journal had them a second ago at most; for real money nothing is handed on while the exchange's
 * clock and ours are a minute apart; nobody is told that a market was watched while it was not.
 *
 * Entry point: `MarketWatch`. Source: decision 0107.
 */
import type { PublicTrade, Result } from "../../../contract/index.ts";
import { max, min, price } from "../../../decimal/index.ts";
import type { OwnIntent } from "../../model/intent.ts";
import type { JudgedBook } from "../../model/policy.ts";
import {
  JUDGED_LEVELS,
  JUDGED_TRADES,
  type MarketStream,
  type StreamPulse,
  type StreamWatch,
} from "../../ports/market-stream.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { MarketReads } from "../../ports/venue.ts";
import { ExchangeClock, type ExchangeMoment } from "./exchange-clock.ts";
import { OwnOrders } from "./own-orders-seen.ts";
import type { Sample } from "./trigger.ts";

export interface WatchParts {
  readonly venue: Pick<MarketReads, "orderbook" | "trades" | "candles" | "clockOffsetMs">;
  readonly stream?: MarketStream | undefined;
  readonly clock: Clock;
  /** Orders of the account that are open, or have lately executed something; `OWN_MAX` at most. */
  readonly own: () => Promise<Result<readonly OwnIntent[]>>;
  /** No real money is traded. */
  readonly isPractice: () => boolean;
}

/** A time that nobody watched a market. Times are the exchange's, Unix milliseconds. */
export interface WatchGap {
  readonly symbol: string;
  readonly why: "no stream" | "clock";
  readonly fromMs: number;
  /** Absent while it lasts. */
  readonly toMs?: number;
  /** Lowest and highest price meanwhile, of candles: what is known afterwards. Absent where they could not be had. */
  readonly low?: string;
  readonly high?: string;
}

export interface WatchListener {
  /** @returns at what time of the exchange's it is to be looked at again, unless there is a sample before that says otherwise */
  sampled(symbol: string, sample: Sample): number | undefined;
  /** Told when it begins, and once more when it has ended. */
  gap(gap: WatchGap): void;
  /** A defect, its own or the listener's: it is to be closed. Whoever told it of a change, a socket or a timer, goes on. */
  failed(error: unknown): void;
}

export interface WatchedMarket {
  /** The newest one; undefined while a gap lasts. */
  readonly sample: Sample | undefined;
  /** Since when it has been watched without a gap. */
  readonly sinceMs: number | undefined;
  readonly gap: WatchGap | undefined;
  /** Since when one side of the book has had nobody but the account. */
  readonly oneSidedSinceMs: number | undefined;
}

interface Watched {
  readonly symbol: string;
  readonly watches: readonly StreamWatch[];
  sample?: Sample | undefined;
  sinceMs?: number | undefined;
  gap?: WatchGap | undefined;
  oneSidedSinceMs?: number | undefined;
  /** Of the last good sample, or when the watch began, by `Clock.rising`. */
  goodAtMs: number;
  /** What the next sample must come from to follow; undefined where none does. */
  source?: Source | undefined;
  /** When it was last asked for, by `Clock.rising`. */
  askedAtMs: number;
  isAsking: boolean;
  /** It is looked at again at that time of the exchange's. */
  again?: { readonly atMs: number; readonly over: AbortController } | undefined;
}

interface Source {
  readonly kind: "stream" | "asked";
  /** Of one unbroken run. */
  readonly run: string;
}

interface Look {
  readonly source: Source;
  readonly moment: ExchangeMoment;
  readonly heardMs: number;
  readonly book: JudgedBook;
  readonly trades: readonly PublicTrade[];
}

const LOOK_EVERY_MS = 500;
const ASK_EVERY_MS = 2_000;
/** What was under way for longer than the message before may have been said that much earlier: then the exchange is asked once more. */
const HEAR_APART_MS = 10;
/** A stream that has been silent for longer than its heartbeats are apart tells nothing. */
const SILENT_MS = 6_000;
/** Without a good sample for so long nobody watches. */
const BLIND_MS = 15_000;
/** For real money nothing is due where the clocks are further apart. */
export const APART_MS = 60_000;

export class MarketWatch {
  readonly #parts: WatchParts;
  readonly #listener: WatchListener;
  readonly #own: OwnOrders;
  readonly #streamClock: ExchangeClock;
  /** Apart from the stream's: the two may differ, and neither leaps for that. */
  readonly #askedClock: ExchangeClock;
  readonly #markets = new Map<string, Watched>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: WatchParts, listener: WatchListener) {
    const { clock, venue } = parts;
    this.#parts = parts;
    this.#listener = listener;
    this.#own = new OwnOrders(parts);
    this.#streamClock = new ExchangeClock(clock, () => venue.clockOffsetMs());
    this.#askedClock = new ExchangeClock(clock, () => venue.clockOffsetMs());
  }

  /** Watches these from now on, and no others. */
  follow(symbols: readonly string[]): void {
    if (this.#closing.signal.aborted) return;
    for (const [symbol, market] of this.#markets) if (!symbols.includes(symbol)) this.#leave(market);
    for (const symbol of symbols) if (!this.#markets.has(symbol)) this.#markets.set(symbol, this.#begin(symbol));
    this.#running ??= this.#run().catch((error: unknown) => this.#listener.failed(error));
  }

  market(symbol: string): WatchedMarket | undefined {
    const market = this.#markets.get(symbol);
    if (market === undefined) return undefined;
    const { sample, sinceMs, gap, oneSidedSinceMs } = market;
    return { sample: gap === undefined ? sample : undefined, sinceMs, gap, oneSidedSinceMs };
  }

  /** Unix milliseconds of the exchange's clock; undefined where it is not known, and for real money while it is too far from ours. */
  exchangeNowMs(): number | undefined {
    const moment = this.#streamMoment() ?? this.#askedClock.read(undefined);
    return moment === undefined || this.#isApart(moment) ? undefined : moment.nowMs;
  }

  /** For good. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const market of this.#markets.values()) this.#leave(market);
    await this.#running;
  }

  #streamMoment(): ExchangeMoment | undefined {
    for (const symbol of this.#markets.keys()) {
      const pulse = this.#parts.stream?.pulse({ channel: "orderbook", symbol });
      if (pulse?.exchange !== undefined) return this.#streamClock.read(pulse.exchange);
    }
    return undefined;
  }

  #begin(symbol: string): Watched {
    const { stream, clock } = this.#parts;
    const look = (): void => {
      const market = this.#markets.get(symbol);
      if (market !== undefined) this.#safely(() => this.#look(market));
    };
    const watches = (["orderbook", "trades"] as const).flatMap(
      (channel) => stream?.watch({ channel, symbol }, look) ?? [],
    );
    return { symbol, watches, goodAtMs: clock.rising(), askedAtMs: Number.NEGATIVE_INFINITY, isAsking: false };
  }

  #leave({ symbol, watches, again }: Watched): void {
    this.#markets.delete(symbol);
    again?.over.abort();
    for (const watch of watches) watch.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // Whatever the store does, which has to say which orders are the account's own.
      for (const market of this.#markets.values()) this.#noteBlindness(market);
      if (this.#markets.size > 0) void this.#own.refresh().then(() => this.#safely(() => this.#lookAtAll()));
      await this.#parts.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  #safely(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#listener.failed(error);
    }
  }

  #lookAtAll(): void {
    if (this.#closing.signal.aborted) return;
    for (const market of this.#markets.values()) this.#look(market);
  }

  #look(market: Watched): void {
    const look = this.#followed(market);
    if (look !== undefined) {
      this.#take(market, look);
      return;
    }
    if (market.source?.kind === "stream") market.source = undefined;
    const isDue = this.#parts.clock.rising() - market.askedAtMs >= ASK_EVERY_MS;
    if (isDue && !market.isAsking) void this.#ask(market).catch((error: unknown) => this.#listener.failed(error));
  }

  /** What the stream shows at this moment; undefined where it does not tell. */
  #followed({ symbol }: Watched): Look | undefined {
    const { stream, clock } = this.#parts;
    const [told, traded] = [
      stream?.pulse({ channel: "orderbook", symbol }),
      stream?.pulse({ channel: "trades", symbol }),
    ];
    if (told === undefined || traded === undefined) return undefined;
    const silentMs = clock.rising() - told.heardMs;
    const moment = silentMs > SILENT_MS ? undefined : this.#streamClock.read(told.exchange);
    const [book, trades] = [stream?.book(symbol), stream?.trades(symbol)?.trades];
    if (moment === undefined || book === undefined || trades === undefined) return undefined;
    const source = { kind: "stream", run: `${told.run} ${traded.run} ${moment.leaps}` } as const;
    const heardMs = Math.round(moment.nowMs - silentMs);
    // What was under way for long was said before it came.
    const saidMs = told.exchange?.isSent === true ? saidAtMs(told.exchange, told.answeredMs) : heardMs;
    return { source, moment, heardMs: Math.min(heardMs, saidMs), book, trades };
  }

  async #ask(market: Watched): Promise<void> {
    const { venue, clock } = this.#parts;
    const { symbol } = market;
    market.isAsking = true;
    market.askedAtMs = clock.rising();
    // The time of the request: the answer can only be more recent.
    const moment = this.#askedClock.read(undefined);
    const [book, trades] = await Promise.all([
      venue.orderbook(symbol, JUDGED_LEVELS),
      venue.trades(symbol, JUDGED_TRADES),
      this.#own.refresh(),
    ]);
    // Of the two, the second surely begins after the answer, which may show an order that has come meanwhile.
    await this.#own.refresh();
    await this.#own.refresh();
    market.isAsking = false;
    if (this.#closing.signal.aborted || this.#markets.get(symbol) !== market) return;
    if (market.source?.kind === "stream") return;
    if (!book.ok || !trades.ok || moment === undefined) {
      market.source = undefined;
      return;
    }
    const source = { kind: "asked", run: String(moment.leaps) } as const;
    const judged = { tick: book.value.tick, atMs: clock.now() };
    this.#take(market, { source, moment, heardMs: moment.nowMs, book: judged, trades: trades.value });
  }

  #take(market: Watched, { source, moment, heardMs, book, trades }: Look): void {
    const { clock } = this.#parts;
    const seen = this.#own.without(market.symbol, book, trades, moment.nowMs);
    if (this.#isApart(moment)) {
      this.#beginGap(market, "clock", moment.nowMs);
      return;
    }
    if (seen === undefined) {
      market.source = undefined;
      return;
    }
    const follows = market.source?.kind === source.kind && market.source.run === source.run;
    market.source = source;
    market.goodAtMs = clock.rising();
    market.sinceMs ??= moment.nowMs;
    market.sample = { atMs: moment.nowMs, heardMs, follows, ...seen };
    const isOneSided = seen.bid === undefined || seen.ask === undefined;
    market.oneSidedSinceMs = isOneSided ? (market.oneSidedSinceMs ?? moment.nowMs) : undefined;
    if (market.gap !== undefined)
      void this.#endGap(market, market.gap, moment.nowMs).catch((error: unknown) => this.#listener.failed(error));
    this.#lookAgain(market, moment.nowMs, this.#listener.sampled(market.symbol, market.sample));
  }

  #lookAgain(market: Watched, nowMs: number, atMs: number | undefined): void {
    if (atMs === market.again?.atMs) return;
    market.again?.over.abort();
    market.again = atMs === undefined ? undefined : { atMs, over: new AbortController() };
    if (market.again === undefined) return;
    const { signal } = market.again.over;
    void this.#hear(market, market.again.atMs, nowMs, signal).catch((error: unknown) => this.#listener.failed(error));
  }

  /** The exchange is asked to speak at that time, as silence fills no second: else it would be judged when it happens to. */
  async #hear(market: Watched, atMs: number, nowMs: number, signal: AbortSignal): Promise<void> {
    const { clock, stream } = this.#parts;
    for (let waitMs = atMs - nowMs; ; waitMs = atMs - (market.sample?.heardMs ?? nowMs)) {
      await clock.sleep(Math.max(waitMs, HEAR_APART_MS), signal);
      if (signal.aborted) return;
      const isStream = market.source?.kind === "stream";
      if (isStream && (await stream?.hear()) !== true) return;
      if (signal.aborted) return;
      this.#look(market);
      if (!isStream) return;
    }
  }

  #isApart({ nowMs }: ExchangeMoment): boolean {
    const { clock, isPractice } = this.#parts;
    return Math.abs(nowMs - clock.now()) > APART_MS && !isPractice();
  }

  #noteBlindness(market: Watched): void {
    const { clock, venue } = this.#parts;
    const blindMs = clock.rising() - market.goodAtMs;
    if (blindMs < BLIND_MS) return;
    const nowMs = clock.now() + (venue.clockOffsetMs() ?? 0);
    this.#beginGap(market, "no stream", market.sample?.atMs ?? Math.round(nowMs - blindMs));
  }

  #beginGap(market: Watched, why: WatchGap["why"], fromMs: number): void {
    market.source = undefined;
    market.sinceMs = undefined;
    market.oneSidedSinceMs = undefined;
    if (market.gap !== undefined) return;
    market.gap = { symbol: market.symbol, why, fromMs };
    this.#listener.gap(market.gap);
  }

  async #endGap(market: Watched, gap: WatchGap, toMs: number): Promise<void> {
    market.gap = undefined;
    const span = await priceSpan(this.#parts.venue, { ...gap, toMs });
    if (this.#closing.signal.aborted) return;
    this.#listener.gap({ ...gap, toMs, ...span });
  }
}

/** What the exchange has answered it has said after it was asked. */
function saidAtMs({ timeMs, cameMs }: NonNullable<StreamPulse["exchange"]>, answeredMs = cameMs): number {
  return Math.floor(timeMs + Math.max(0, answeredMs - cameMs));
}

const MINUTE_MS = 60_000;
/** As many as every exchange gives at once. */
const CANDLES_MAX = 200;
const INTERVALS = [
  ["1m", MINUTE_MS],
  ["1h", 60 * MINUTE_MS],
  ["1d", 1_440 * MINUTE_MS],
] as const;

/** The lowest and the highest price of the candles that a time lies in, the finest that cover it; nothing where they cannot be had. */
export async function priceSpan(
  venue: Pick<MarketReads, "candles">,
  { symbol, fromMs, toMs }: { readonly symbol: string; readonly fromMs: number; readonly toMs: number },
): Promise<Pick<WatchGap, "low" | "high">> {
  const fits = INTERVALS.find(([, lengthMs]) => (toMs - fromMs) / lengthMs < CANDLES_MAX - 1);
  const [interval, lengthMs] = fits ?? INTERVALS[2];
  const found = await venue.candles(symbol, interval, { fromMs: fromMs - (fromMs % lengthMs), toMs });
  if (!found.ok) return {};
  const [first] = found.value;
  if (first === undefined) return {};
  const low = found.value.reduce((lowest, each) => min(lowest, price(each.low)), price(first.low));
  const high = found.value.reduce((highest, each) => max(highest, price(each.high)), price(first.high));
  return { low: low.toString(), high: high.toString() };
}
