/** Candles, oldest first; one without a trade is absent. Days and weeks begin at midnight in Korea, weeks on Monday. Entry point: `listCandles`. */
import type { Exchange, Millis } from "../../model/index.ts";
import { type Candle, DAY_MS, joinedCandles, MINUTE_MS } from "../../venue-kit/candles.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { namedMarket, type PublicCall } from "./korbit-call.ts";
import { answer, badRequest, type KorbitOutcome } from "./outcome.ts";

const LIMIT_MAX = 200;
const HOUR_MS: Millis = 60 * MINUTE_MS;
const WEEK_MS: Millis = 7 * DAY_MS;
const KST_AHEAD_MS: Millis = 9 * HOUR_MS;
/** The first day of 1970 was a Thursday. */
const MONDAY_MS: Millis = 3 * DAY_MS;
/** No market is older: longer candles are added up of hours, and those of a past are made on request. */
const HISTORY_MS: Millis = 400 * DAY_MS;

type Interval = [name: string, lengths: readonly [lengthMs: Millis, aheadMs: Millis]];

/** How long a candle is, and how far ahead of a multiple of that in UTC it begins. */
const INTERVALS: ReadonlyMap<string, readonly [lengthMs: Millis, aheadMs: Millis]> = new Map([
  ...[1, 5, 15, 30, 60, 240].map((minutes): Interval => [String(minutes), [minutes * MINUTE_MS, 0]]),
  ["1D", [DAY_MS, KST_AHEAD_MS]],
  ["1W", [WEEK_MS, KST_AHEAD_MS + MONDAY_MS]],
]);

export function listCandles(call: PublicCall): KorbitOutcome {
  const { at, parameters, service } = call;
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const interval = INTERVALS.get(parameters.text("interval") ?? "");
  if (interval === undefined) return badRequest("interval");
  const limit = parameters.count("limit", undefined, LIMIT_MAX);
  const [start, end] = [parameters.time("start", 1), parameters.time("end", at)];
  if (typeof limit !== "number") return limit;
  if (typeof start !== "number") return start;
  if (typeof end !== "number") return end;
  if (end <= start) return badRequest("end");
  const [lengthMs, aheadMs] = interval;
  const asked = { symbol: market.symbol, start, end: Math.min(end, at), limit };
  const found =
    aheadMs === 0
      ? service.exchange.candles(asked.symbol, lengthMs, start, asked.end, limit)
      : joinedOf(service.exchange, asked, (time) => time - ((time + aheadMs) % lengthMs), lengthMs);
  return answer(
    found.map(({ start: timestamp, open, high, low, close, volume }) => ({
      timestamp,
      ...{ open: decimalText(open), high: decimalText(high), low: decimalText(low) },
      ...{ close: decimalText(close), volume: decimalText(volume) },
    })),
  );
}

interface Asked {
  readonly symbol: string;
  readonly start: Millis;
  readonly end: Millis;
  readonly limit: number;
}

function joinedOf(
  exchange: Exchange,
  { symbol, start, end, limit }: Asked,
  startOf: (time: Millis) => Millis,
  lengthMs: Millis,
): readonly Candle[] {
  const last = startOf(end);
  const first = Math.max(last - (limit - 1) * lengthMs, startOf(Math.max(0, end - HISTORY_MS)));
  const hours = exchange.candles(symbol, HOUR_MS, first, last + lengthMs - 1, (last + lengthMs - first) / HOUR_MS);
  return joinedCandles(hours, startOf).filter((candle) => candle.start >= start);
}
