/**
 * Candles, newest first. Those up to a day in which nothing was traded are there too, at the price before; none are before the market's first
 * trade. Entry point: `getChart`.
 */
import type { Exchange, Millis } from "../../model/index.ts";
import {
  type Candle,
  type CandleSpan,
  DAY_MS,
  evenCandles,
  MINUTE_MS,
  type Period,
  periodCandles,
} from "../../venue-kit/candles.ts";
import { pointed } from "./amounts.ts";
import type { PublicCall } from "./coinone-call.ts";
import { answer, type CoinoneOutcome, refuse } from "./outcome.ts";
import { marketAt } from "./quotation.ts";

const HOUR_MS = 60 * MINUTE_MS;
const EVEN: ReadonlyMap<string, Millis> = new Map([
  ["1m", MINUTE_MS],
  ["3m", 3 * MINUTE_MS],
  ["5m", 5 * MINUTE_MS],
  ["10m", 10 * MINUTE_MS],
  ["15m", 15 * MINUTE_MS],
  ["30m", 30 * MINUTE_MS],
  ["1h", HOUR_MS],
  ["2h", 2 * HOUR_MS],
  ["4h", 4 * HOUR_MS],
  ["6h", 6 * HOUR_MS],
  ["1d", DAY_MS],
]);
const PERIODS: ReadonlyMap<string, Period> = new Map([
  ["1w", "weeks"],
  ["1mon", "months"],
]);
const [SIZE_DEFAULT, SIZE_MAX] = [200, 500];

export function getChart(call: PublicCall): CoinoneOutcome {
  const market = marketAt(call);
  if ("ok" in market) return market;
  const interval = call.query.get("interval") ?? "";
  const [length, period] = [EVEN.get(interval), PERIODS.get(interval)];
  const [size, last] = [whole(call.query.get("size"), SIZE_DEFAULT), whole(call.query.get("timestamp"), call.at)];
  if (size === undefined || last === undefined || size < 1 || size > SIZE_MAX) return refuse(107);
  // One more, to tell whether there are older ones.
  const span = { symbol: market.symbol, count: size + 1, before: last + 1 };
  const { exchange } = call.service;
  if (length !== undefined) return chartOf(filled(exchange, span, length), size);
  return period === undefined ? refuse(107) : chartOf(periodCandles(exchange, span, period).toReversed(), size);
}

/** @returns undefined for what is no whole number */
function whole(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  return /^\d{1,13}$/.test(text) ? Number(text) : undefined; // not money: a count, or Unix milliseconds
}

/** Newest first. */
function filled(exchange: Exchange, span: CandleSpan, length: Millis): readonly Candle[] {
  const traded = evenCandles(exchange, span, length);
  const candles: Candle[] = [];
  let start = span.before - 1 - ((span.before - 1) % length);
  for (let older = traded.pop(); older !== undefined && candles.length < span.count; start -= length) {
    const { close } = older;
    if (older.start < start) candles.push({ ...older, start, open: close, high: close, low: close, ...NOTHING });
    else {
      candles.push(older);
      older = traded.pop();
    }
  }
  return candles;
}

const NOTHING = { volume: 0n, quoteVolume: 0n };

function chartOf(newestFirst: readonly Candle[], size: number): CoinoneOutcome {
  const chart = newestFirst.slice(0, size).map(({ start, open, high, low, close, volume, quoteVolume }) => ({
    timestamp: start,
    ...{ open: pointed(open), high: pointed(high), low: pointed(low), close: pointed(close) },
    ...{ target_volume: pointed(volume), quote_volume: pointed(quoteVolume) },
  }));
  return answer({ is_last: newestFirst.length <= size, chart });
}
