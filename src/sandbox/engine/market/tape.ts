/**
 * The tape of a market: its last public trades, its candles, its 24-hour statistics, with those of the past before its live trading.
 * Entry point: `Tape`.
 *
 * Invariants: what is kept is bounded (500 trades, candles of minutes for 3 days, of hours for 60, of days for 400; those of other
 * intervals are aggregated on request); trades and candles are in order of time, as the engine's clock never runs back.
 */
import type { CandleEnd, CandleRecord, Millis, TickerRecord, TradeRecord, Units } from "../../model/index.ts";
import { aggregate, type CandleRow, CandleSeries, DAY_MS, extend, HOUR_MS, MINUTE_MS } from "./candle-series.ts";
import type { Past } from "./past.ts";

const TRADES_KEPT = 500;

export interface TapeRows {
  readonly trades: readonly (readonly [tradeSeq: number, takerBuys: 0 | 1, price: string, volume: string, Millis])[];
  readonly minutes: readonly CandleRow[];
  readonly hours: readonly CandleRow[];
  readonly days: readonly CandleRow[];
}

export class Tape {
  #trades: TradeRecord[] = [];
  readonly #minutes = new CandleSeries(MINUTE_MS, 3 * DAY_MS);
  readonly #hours = new CandleSeries(HOUR_MS, 60 * DAY_MS);
  readonly #days = new CandleSeries(DAY_MS, 400 * DAY_MS);

  readonly past: Past | null;

  /** @param past null where there was none */
  constructor(past: Past | null = null) {
    this.past = past;
  }

  get last(): Units | null {
    return this.#trades.at(-1)?.price ?? this.past?.end.price ?? null;
  }

  print(trade: TradeRecord, value: Units): void {
    this.#trades.push(trade);
    if (this.#trades.length > 2 * TRADES_KEPT) this.#trades = this.#trades.slice(-TRADES_KEPT);
    this.#minutes.print(trade, value);
    this.#hours.print(trade, value);
    this.#days.print(trade, value);
  }

  /** Newest first, at most 500. */
  trades(limit: number): TradeRecord[] {
    const count = Math.min(limit, TRADES_KEPT);
    return count > 0 ? this.#trades.slice(-count).reverse() : [];
  }

  /** The newest or the oldest `limit` candles that start inside `[from, to]`, oldest first. */
  candles(intervalMs: Millis, from: Millis, to: Millis, limit: number, end: CandleEnd = "newest"): CandleRecord[] {
    const series = this.#seriesOf(intervalMs);
    const { start, last } = this.#spanOf(series);
    const startOf = (at: Millis): Millis => at - (at % intervalMs);
    // A candle belongs to the period by its start, and then counts in full.
    let first = Math.max(Math.ceil(from / intervalMs) * intervalMs, startOf(start));
    let until = startOf(Math.min(to, last)) + intervalMs;
    // A past is made on request, so no more of it is asked for than is likely to be enough.
    const stretch = Math.max(limit, Math.ceil(HOUR_MS / intervalMs)) * intervalMs;
    let found: CandleRecord[] = [];
    while (found.length < limit && first < until)
      if (end === "oldest") {
        const next = Math.min(until, first + stretch);
        found = found.concat(aggregate(this.#between(series, first, next - 1), intervalMs));
        first = next;
      } else {
        const next = Math.max(first, until - stretch);
        found = aggregate(this.#between(series, next, until - 1), intervalMs).concat(found);
        until = next;
      }
    return end === "oldest" ? found.slice(0, limit) : found.slice(Math.max(0, found.length - limit));
  }

  #seriesOf(intervalMs: Millis): CandleSeries {
    if (intervalMs % DAY_MS === 0) return this.#days;
    return intervalMs % HOUR_MS === 0 ? this.#hours : this.#minutes;
  }

  /** Where its candles begin, and where the last one does. */
  #spanOf(series: CandleSeries): { readonly start: Millis; readonly last: Millis } {
    const { oldest, newest } = series;
    const past = this.#pastBefore(series);
    const last = newest?.start ?? (past === null ? 0 : past.end.at - 1);
    return { start: past?.start ?? oldest?.start ?? 0, last };
  }

  /** Candles with `from <= start <= to`, in the interval of the series; those of the past may be of a shorter one. */
  #between(series: CandleSeries, from: Millis, to: Millis): readonly CandleRecord[] {
    const live = series.between(from, to);
    const past = this.#pastBefore(series);
    if (past === null || from >= past.end.at) return live;
    return [...(series === this.#minutes ? past.minutes(from, to) : past.hours(from, to)), ...live];
  }

  /** The past as long as all that came after it is kept, so that there is no gap between them. */
  #pastBefore({ newest, keptMs }: CandleSeries): Past | null {
    if (this.past === null || newest === undefined) return this.past;
    return newest.start - this.past.end.at > keptMs ? null : this.past;
  }

  /** Statistics of the 24 hours before `at`, to the minute. */
  day(at: Millis): Omit<TickerRecord, "symbol" | "bestBid" | "bestAsk"> {
    const from = at - DAY_MS;
    const firstHour = Math.ceil(from / HOUR_MS) * HOUR_MS;
    const parts = [
      ...this.#between(this.#minutes, from, firstHour - 1),
      ...this.#between(this.#hours, firstHour, Number.MAX_SAFE_INTEGER),
    ];
    const [first] = parts;
    const { last } = this;
    if (first === undefined) {
      const nothing = { volume: 0n, quoteVolume: 0n, trades: 0, firstTradeSeq: null };
      return { last, open: null, high: null, low: null, ...nothing };
    }
    const sum = { ...first };
    for (const part of parts.slice(1)) extend(sum, part);
    const { open, high, low, volume, quoteVolume, trades } = sum;
    return { last, open, high, low, volume, quoteVolume, trades, firstTradeSeq: sum.firstTradeSeq };
  }

  rows(): TapeRows {
    const trades = this.#trades
      .slice(-TRADES_KEPT)
      .map(
        (trade) =>
          [trade.tradeSeq, trade.takerSide === "buy" ? 1 : 0, `${trade.price}`, `${trade.volume}`, trade.time] as const,
      );
    return { trades, minutes: this.#minutes.rows(), hours: this.#hours.rows(), days: this.#days.rows() };
  }

  static fromRows(symbol: string, rows: TapeRows, past: Past | null = null): Tape {
    const tape = new Tape(past);
    tape.#trades = rows.trades.map(([tradeSeq, takerBuys, price, volume, time]) => ({
      tradeSeq,
      symbol,
      takerSide: takerBuys === 1 ? "buy" : "sell",
      price: BigInt(price),
      volume: BigInt(volume),
      time,
    }));
    tape.#minutes.restore(rows.minutes);
    tape.#hours.restore(rows.hours);
    tape.#days.restore(rows.days);
    return tape;
  }
}
