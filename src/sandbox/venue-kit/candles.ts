/**
 * Candles of any length, oldest first; one without a trade is absent. Entry points: `evenCandles`, `secondCandles`, `periodCandles`,
 * `joinedCandles`.
 *
 * Those of seconds are made of the last 500 trades that the exchange keeps.
 */
import { type CandleRecord, type Exchange, type Millis, ONE, type TradeRecord } from "../model/index.ts";
import { utcDateTime } from "./kst.ts";

export const SECOND_MS: Millis = 1_000;
export const MINUTE_MS: Millis = 60_000;
export const DAY_MS: Millis = 86_400_000;
const TRADES_MAX = 500;

export type Candle = Pick<CandleRecord, "start" | "open" | "high" | "low" | "close" | "volume" | "quoteVolume">;

/** The last so many candles of a market that begin before a time. */
export interface CandleSpan {
  readonly symbol: string;
  readonly count: number;
  readonly before: Millis;
}

/** Minutes, hours and days, which begin with those of UTC. */
export function evenCandles(exchange: Exchange, { symbol, count, before }: CandleSpan, lengthMs: Millis): Candle[] {
  return [...exchange.candles(symbol, lengthMs, 0, before - 1, count)];
}

export function secondCandles(exchange: Exchange, { symbol, count, before }: CandleSpan): Candle[] {
  const trades = exchange.trades(symbol, TRADES_MAX).filter(({ time }) => time < before);
  return joinedCandles(trades.toReversed().map(tradeCandle), (at) => at - (at % SECOND_MS)).slice(-count);
}

function tradeCandle({ time, price, volume }: TradeRecord): Candle {
  const quoteVolume = (price * volume) / ONE;
  return { start: time, open: price, high: price, low: price, close: price, volume, quoteVolume };
}

/** The first day of the period of a day, all in UTC; a week begins on Monday. */
const PERIODS = {
  weeks: {
    days: 7,
    startOf: (at: Millis): Millis => at - (at % DAY_MS) - ((Math.floor(at / DAY_MS) + 3) % 7) * DAY_MS,
  },
  months: { days: 31, startOf: (at: Millis): Millis => Date.parse(`${utcDateTime(at).slice(0, 7)}-01T00:00:00Z`) },
  years: { days: 366, startOf: (at: Millis): Millis => Date.parse(`${utcDateTime(at).slice(0, 4)}-01-01T00:00:00Z`) },
} as const;

export type Period = keyof typeof PERIODS;

/** The most that a candle of the period lasts. */
export function lengthOf(period: Period): Millis {
  return PERIODS[period].days * DAY_MS;
}

export function periodCandles(exchange: Exchange, span: CandleSpan, period: Period): Candle[] {
  const { days, startOf } = PERIODS[period];
  const found = evenCandles(exchange, { ...span, count: (span.count + 1) * days }, DAY_MS);
  return joinedCandles(found, startOf).slice(-span.count);
}

/** @param oldestFirst each shorter than what they are joined to */
export function joinedCandles(oldestFirst: readonly Candle[], startOf: (at: Millis) => Millis): Candle[] {
  const joined: Candle[] = [];
  for (const candle of oldestFirst) {
    const start = startOf(candle.start);
    const last = joined.at(-1);
    if (last?.start === start) join(last, candle);
    else joined.push({ ...candle, start });
  }
  return joined;
}

function join(candle: Candle, later: Candle): void {
  if (later.high > candle.high) candle.high = later.high;
  if (later.low < candle.low) candle.low = later.low;
  candle.close = later.close;
  candle.volume += later.volume;
  candle.quoteVolume += later.quoteVolume;
}
