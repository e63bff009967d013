/**
 * The tape of a market: its last public trades, its candles, its 24-hour statistics. Entry point: `Tape`.
 *
 * Invariants: what is kept is bounded (500 trades, minute candles of 3 days, hour candles of 60 days; candles of other
 * intervals are aggregated from these on request); trades and candles are in order of time, as the engine's clock never runs back.
 */
import { CANDLE_INTERVAL_MS } from "../../../contract/index.ts";
import type { CandleRecord, Millis, TickerRecord, TradeRecord, Units } from "../../model/index.ts";

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
  /** The last four are absent in rows written by a version that did not record them. */
  trades?: number,
  firstTradeSeq?: number,
  takerBuyVolume?: string,
  takerBuyQuoteVolume?: string,
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

  print(trade: TradeRecord, value: Units): void {
    const { time } = trade;
    const start = time - (time % this.#intervalMs);
    const last = this.#candles.at(-1);
    if (last?.start === start) extendBy(last, trade, value);
    else {
      this.#candles.push(candleOf(trade, value, start));
      this.#forget(start);
    }
  }

  /** Candles with `from <= start <= to`. */
  between(from: Millis, to: Millis): readonly CandleRecord[] {
    return this.#candles.slice(this.#position(from), this.#position(to + 1));
  }

  rows(): CandleRow[] {
    return this.#candles.map((candle) => [
      candle.start,
      candle.open.toString(),
      candle.high.toString(),
      candle.low.toString(),
      candle.close.toString(),
      candle.volume.toString(),
      candle.quoteVolume.toString(),
      candle.trades,
      candle.firstTradeSeq,
      candle.takerBuyVolume.toString(),
      candle.takerBuyQuoteVolume.toString(),
    ]);
  }

  restore(rows: readonly CandleRow[]): void {
    this.#candles = rows.map(
      ([start, open, high, low, close, volume, quoteVolume, trades = 0, first = 0, bought = "0", spent = "0"]) => ({
        start,
        open: BigInt(open),
        high: BigInt(high),
        low: BigInt(low),
        close: BigInt(close),
        volume: BigInt(volume),
        quoteVolume: BigInt(quoteVolume),
        trades,
        firstTradeSeq: first,
        takerBuyVolume: BigInt(bought),
        takerBuyQuoteVolume: BigInt(spent),
      }),
    );
  }

  /** Drops expired candles in batches of an eighth of what is kept, as each removal from the front moves all the rest. */
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

/** The candle of one trade. */
function candleOf(
  { price, volume, takerSide, tradeSeq: firstTradeSeq }: TradeRecord,
  value: Units,
  start: Millis,
): CandleRecord {
  const isBuy = takerSide === "buy";
  return {
    start,
    open: price,
    high: price,
    low: price,
    close: price,
    volume,
    quoteVolume: value,
    trades: 1,
    firstTradeSeq,
    takerBuyVolume: isBuy ? volume : 0n,
    takerBuyQuoteVolume: isBuy ? value : 0n,
  };
}

/** Adds a later trade to the candle. */
function extendBy(candle: CandleRecord, { price, volume, takerSide, tradeSeq }: TradeRecord, value: Units): void {
  if (price > candle.high) candle.high = price;
  if (price < candle.low) candle.low = price;
  candle.close = price;
  candle.volume += volume;
  candle.quoteVolume += value;
  if (candle.trades === 0) candle.firstTradeSeq = tradeSeq;
  candle.trades += 1;
  if (takerSide !== "buy") return;
  candle.takerBuyVolume += volume;
  candle.takerBuyQuoteVolume += value;
}

/** Merges a later candle, or a later part of the same one, into `candle`. */
function extend(candle: CandleRecord, later: CandleRecord): void {
  if (later.high > candle.high) candle.high = later.high;
  if (later.low < candle.low) candle.low = later.low;
  candle.close = later.close;
  candle.volume += later.volume;
  candle.quoteVolume += later.quoteVolume;
  if (candle.trades === 0) candle.firstTradeSeq = later.firstTradeSeq;
  candle.trades += later.trades;
  candle.takerBuyVolume += later.takerBuyVolume;
  candle.takerBuyQuoteVolume += later.takerBuyQuoteVolume;
}

/** Merges candles into candles of a longer interval; returns copies, so that a caller cannot change the engine's. */
function aggregate(candles: readonly CandleRecord[], intervalMs: Millis): CandleRecord[] {
  const longer: CandleRecord[] = [];
  for (const candle of candles) {
    const start = candle.start - (candle.start % intervalMs);
    const last = longer.at(-1);
    if (last?.start !== start) longer.push({ ...candle, start });
    else extend(last, candle);
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
    this.#minutes.print(trade, value);
    this.#hours.print(trade, value);
  }

  /** Newest first, at most 500. */
  trades(limit: number): TradeRecord[] {
    const count = Math.min(limit, TRADES_KEPT);
    return count > 0 ? this.#trades.slice(-count).reverse() : [];
  }

  /** The newest `limit` candles that start inside `[from, to]`, oldest first. */
  candles(intervalMs: Millis, from: Millis, to: Millis, limit: number): CandleRecord[] {
    const source = intervalMs % HOUR_MS === 0 ? this.#hours : this.#minutes;
    // A candle belongs to the period by its start, and then counts in full.
    const first = Math.ceil(from / intervalMs) * intervalMs;
    const last = Math.floor(to / intervalMs) * intervalMs + intervalMs - 1;
    return limit > 0 ? aggregate(source.between(first, last), intervalMs).slice(-limit) : [];
  }

  /** Statistics of the 24 hours before `at`, to the minute. */
  day(at: Millis): Omit<TickerRecord, "symbol" | "bestBid" | "bestAsk"> {
    const from = at - DAY_MS;
    const firstHour = Math.ceil(from / HOUR_MS) * HOUR_MS;
    const parts = [
      ...this.#minutes.between(from, firstHour - 1),
      ...this.#hours.between(firstHour, Number.MAX_SAFE_INTEGER),
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
    return { last, open, high, low, volume, quoteVolume, trades, firstTradeSeq: trades > 0 ? sum.firstTradeSeq : null };
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
