/**
 * What a market has printed: its last public trades, its candles, its 24-hour figures.
 *
 * Retention is bounded: 500 trades, minute candles of 3 days, hour candles of 60 days. Every other
 * interval is put together from these when asked for. Times are in order: the engine's clock never runs back.
 */
import { CANDLE_INTERVAL_MS } from "../../contract/index.ts";
import type { CandleRecord, Millis, TickerRecord, TradeRecord, Units } from "../model.ts";

const MINUTE_MS = CANDLE_INTERVAL_MS["1m"];
const HOUR_MS = CANDLE_INTERVAL_MS["1h"];
export const DAY_MS = CANDLE_INTERVAL_MS["1d"];
const TRADES_KEPT = 500;

export type CandleRow = readonly [
  start: Millis,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
  quoteVolume: string,
];

export interface TapeRows {
  readonly trades: readonly (readonly [tradeSeq: number, takerBuys: 0 | 1, price: string, volume: string, Millis])[];
  readonly minutes: readonly CandleRow[];
  readonly hours: readonly CandleRow[];
}

/** Candles of one interval, oldest first. */
class Series {
  #candles: CandleRecord[] = [];
  readonly #intervalMs: Millis;
  readonly #keptMs: Millis;

  constructor(intervalMs: Millis, keptMs: Millis) {
    this.#intervalMs = intervalMs;
    this.#keptMs = keptMs;
  }

  print(price: Units, volume: Units, value: Units, time: Millis): void {
    const start = time - (time % this.#intervalMs);
    const last = this.#candles.at(-1);
    if (last?.start === start) extend(last, price, price, price, volume, value);
    else {
      this.#candles.push({ start, open: price, high: price, low: price, close: price, volume, quoteVolume: value });
      this.#forget(start);
    }
  }

  /** Candles with `from <= start <= to`. */
  between(from: Millis, to: Millis): readonly CandleRecord[] {
    return this.#candles.slice(this.#position(from), this.#position(to + 1));
  }

  rows(): CandleRow[] {
    return this.#candles.map(({ start, open, high, low, close, volume, quoteVolume }) => [
      start,
      open.toString(),
      high.toString(),
      low.toString(),
      close.toString(),
      volume.toString(),
      quoteVolume.toString(),
    ]);
  }

  restore(rows: readonly CandleRow[]): void {
    this.#candles = rows.map(([start, open, high, low, close, volume, quoteVolume]) => ({
      start,
      open: BigInt(open),
      high: BigInt(high),
      low: BigInt(low),
      close: BigInt(close),
      volume: BigInt(volume),
      quoteVolume: BigInt(quoteVolume),
    }));
  }

  /** In batches of an eighth of what is kept, as dropping from the front moves all the rest. */
  #forget(now: Millis): void {
    const oldest = this.#candles[0]?.start ?? now;
    if (oldest < now - this.#keptMs - this.#keptMs / 8) this.#candles.splice(0, this.#position(now - this.#keptMs));
  }

  #position(start: Millis): number {
    let low = 0;
    let high = this.#candles.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#candles[middle]?.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function extend(candle: CandleRecord, high: Units, low: Units, close: Units, volume: Units, value: Units): void {
  if (high > candle.high) candle.high = high;
  if (low < candle.low) candle.low = low;
  candle.close = close;
  candle.volume += volume;
  candle.quoteVolume += value;
}

/** Puts candles together into longer ones; copies, so that what leaves the engine cannot change it. */
function aggregate(candles: readonly CandleRecord[], intervalMs: Millis): CandleRecord[] {
  const longer: CandleRecord[] = [];
  for (const candle of candles) {
    const start = candle.start - (candle.start % intervalMs);
    const last = longer.at(-1);
    if (last?.start !== start) longer.push({ ...candle, start });
    else extend(last, candle.high, candle.low, candle.close, candle.volume, candle.quoteVolume);
  }
  return longer;
}

export class Tape {
  #trades: TradeRecord[] = [];
  readonly #minutes = new Series(MINUTE_MS, 3 * DAY_MS);
  readonly #hours = new Series(HOUR_MS, 60 * DAY_MS);

  get last(): Units | null {
    return this.#trades.at(-1)?.price ?? null;
  }

  print(trade: TradeRecord, value: Units): void {
    this.#trades.push(trade);
    if (this.#trades.length > 2 * TRADES_KEPT) this.#trades = this.#trades.slice(-TRADES_KEPT);
    this.#minutes.print(trade.price, trade.volume, value, trade.time);
    this.#hours.print(trade.price, trade.volume, value, trade.time);
  }

  /** Newest first, at most 500. */
  trades(limit: number): TradeRecord[] {
    const count = Math.min(limit, TRADES_KEPT);
    return count > 0 ? this.#trades.slice(-count).reverse() : [];
  }

  /** Candles that start inside `[from, to]`, oldest first, the newest `limit`. */
  candles(intervalMs: Millis, from: Millis, to: Millis, limit: number): CandleRecord[] {
    const source = intervalMs % HOUR_MS === 0 ? this.#hours : this.#minutes;
    // A candle counts by its own start, and then with all that is in it.
    const first = Math.ceil(from / intervalMs) * intervalMs;
    const last = Math.floor(to / intervalMs) * intervalMs + intervalMs - 1;
    return limit > 0 ? aggregate(source.between(first, last), intervalMs).slice(-limit) : [];
  }

  /** Figures of the 24 hours before `at`, to the minute. */
  day(at: Millis): Pick<TickerRecord, "last" | "open" | "high" | "low" | "volume" | "quoteVolume"> {
    const from = at - DAY_MS;
    const firstHour = Math.ceil(from / HOUR_MS) * HOUR_MS;
    const parts = [
      ...this.#minutes.between(from, firstHour - 1),
      ...this.#hours.between(firstHour, Number.MAX_SAFE_INTEGER),
    ];
    const [first] = parts;
    const quiet = { last: this.last, open: null, high: null, low: null, volume: 0n, quoteVolume: 0n };
    if (first === undefined) return quiet;
    const sum = { ...first };
    for (const part of parts.slice(1)) extend(sum, part.high, part.low, part.close, part.volume, part.quoteVolume);
    const { open, high, low, volume, quoteVolume } = sum;
    return { last: this.last, open, high, low, volume, quoteVolume };
  }

  rows(): TapeRows {
    const trades = this.#trades
      .slice(-TRADES_KEPT)
      .map(
        (trade) =>
          [trade.tradeSeq, trade.takerSide === "buy" ? 1 : 0, `${trade.price}`, `${trade.volume}`, trade.time] as const,
      );
    return { trades, minutes: this.#minutes.rows(), hours: this.#hours.rows() };
  }

  static fromRows(symbol: string, rows: TapeRows): Tape {
    const tape = new Tape();
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
    return tape;
  }
}
