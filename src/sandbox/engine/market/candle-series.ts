/**
 * Candles: how trades make them, how they are added up, and those of one interval that a market keeps. Entry points: `CandleSeries`,
 * `extend`, `aggregate`.
 *
 * Invariant: candles are in order of time, oldest first.
 */
import { CANDLE_INTERVAL_MS } from "../../../contract/index.ts";
import { prefixLength } from "../../lists.ts";
import type { CandleRecord, Millis, TradeRecord, Units } from "../../model/index.ts";

export const MINUTE_MS = CANDLE_INTERVAL_MS["1m"];
export const HOUR_MS = CANDLE_INTERVAL_MS["1h"];
export const DAY_MS = CANDLE_INTERVAL_MS["1d"];

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
  firstTradeSeq?: number | null,
  takerBuyVolume?: string,
  takerBuyQuoteVolume?: string,
];

/** Candles of one interval, oldest first. */
export class CandleSeries {
  #candles: CandleRecord[] = [];
  readonly #intervalMs: Millis;
  readonly keptMs: Millis;

  constructor(intervalMs: Millis, keptMs: Millis) {
    this.#intervalMs = intervalMs;
    this.keptMs = keptMs;
  }

  get oldest(): CandleRecord | undefined {
    return this.#candles[0];
  }

  get newest(): CandleRecord | undefined {
    return this.#candles.at(-1);
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
    return this.#candles.map(rowOf);
  }

  restore(rows: readonly CandleRow[]): void {
    this.#candles = rows.map(readRow);
  }

  /** Drops expired candles in batches of an eighth of what is kept, as each removal from the front moves all the rest. */
  #forget(now: Millis): void {
    const oldest = this.#candles[0]?.start ?? now;
    if (oldest < now - this.keptMs - this.keptMs / 8) this.#candles.splice(0, this.#position(now - this.keptMs));
  }

  #position(start: Millis): number {
    return prefixLength(this.#candles, (candle) => candle.start < start);
  }
}

function rowOf(candle: CandleRecord): CandleRow {
  return [
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
  ];
}

function readRow(row: CandleRow): CandleRecord {
  const [start, open, high, low, close, volume, quoteVolume, trades = 0, first = null, bought = "0", spent = "0"] = row;
  return {
    start,
    open: BigInt(open),
    high: BigInt(high),
    low: BigInt(low),
    close: BigInt(close),
    volume: BigInt(volume),
    quoteVolume: BigInt(quoteVolume),
    trades,
    firstTradeSeq: trades > 0 ? first : null,
    takerBuyVolume: BigInt(bought),
    takerBuyQuoteVolume: BigInt(spent),
  };
}

/** The rows of candles of a longer interval. */
export function aggregateRows(rows: readonly CandleRow[], intervalMs: Millis): CandleRow[] {
  return aggregate(rows.map(readRow), intervalMs).map(rowOf);
}

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

function extendBy(candle: CandleRecord, { price, volume, takerSide, tradeSeq }: TradeRecord, value: Units): void {
  if (price > candle.high) candle.high = price;
  if (price < candle.low) candle.low = price;
  candle.close = price;
  candle.volume += volume;
  candle.quoteVolume += value;
  candle.firstTradeSeq ??= tradeSeq;
  candle.trades += 1;
  if (takerSide !== "buy") return;
  candle.takerBuyVolume += volume;
  candle.takerBuyQuoteVolume += value;
}

/** Merges a later candle, or a later part of the same one, into `candle`. */
export function extend(candle: CandleRecord, later: CandleRecord): void {
  if (later.high > candle.high) candle.high = later.high;
  if (later.low < candle.low) candle.low = later.low;
  candle.close = later.close;
  candle.volume += later.volume;
  candle.quoteVolume += later.quoteVolume;
  candle.firstTradeSeq ??= later.firstTradeSeq;
  candle.trades += later.trades;
  candle.takerBuyVolume += later.takerBuyVolume;
  candle.takerBuyQuoteVolume += later.takerBuyQuoteVolume;
}

/** Merges candles into candles of a longer interval; returns copies, so that a caller cannot change the engine's. */
export function aggregate(candles: readonly CandleRecord[], intervalMs: Millis): CandleRecord[] {
  const longer: CandleRecord[] = [];
  for (const candle of candles) {
    const start = candle.start - (candle.start % intervalMs);
    const last = longer.at(-1);
    if (last?.start !== start) longer.push({ ...candle, start });
    else extend(last, candle);
  }
  return longer;
}
