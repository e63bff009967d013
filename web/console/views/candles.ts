/**
 * Owns the candles of a market while they go on: what the exchange has told, and on top of it the public trades since then. Read anew
 * now and then, so that what was missed does not stay missed.
 */
import type { ConsoleCandles, ConsoleTrades } from "../../../src/serve/console/console-api.ts";
import { drawn } from "../figures.ts";

export type Interval = ConsoleCandles["interval"];
type Candle = ConsoleCandles["candles"][number];
type Trade = ConsoleTrades["trades"][number];

export const INTERVALS: Readonly<Record<Interval, number>> = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
};

/**
 * The candles with the trades of the newest one and of those that have begun since. Volumes are left as they were read:
 * they follow with the next reading.
 * @param trades newest first
 */
export function withTrades(
  candles: readonly Candle[],
  interval: Interval,
  trades: readonly Trade[],
): readonly Candle[] {
  const last = candles.at(-1);
  if (last === undefined) return candles;
  const lengthMs = INTERVALS[interval];
  const grown = [...candles];
  for (const { time, price } of [...trades].reverse()) {
    const startMs = Math.floor(Date.parse(time) / lengthMs) * lengthMs;
    const newest = grown.at(-1) ?? last;
    const newestMs = Date.parse(newest.time);
    if (startMs < newestMs) continue;
    if (startMs === newestMs) grown[grown.length - 1] = reached(newest, price);
    else {
      const only = { open: price, high: price, low: price, close: price, volume: "0", quote_volume: "0" };
      grown.push({ time: new Date(startMs).toISOString(), ...only });
    }
  }
  return grown;
}

function reached(candle: Candle, price: string): Candle {
  const high = drawn(price) > drawn(candle.high) ? price : candle.high;
  const low = drawn(price) < drawn(candle.low) ? price : candle.low;
  return { ...candle, high, low, close: price };
}
