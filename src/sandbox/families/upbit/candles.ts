/**
 * Candles of seconds, minutes, days, weeks, months and years, newest first; one without a trade is absent. Entry points: `secondCandles`,
 * `minuteCandles`, `dayCandles`, `longCandles`.
 */
import type { Millis, Units } from "../../model/index.ts";
import {
  type Candle,
  type CandleSpan,
  DAY_MS,
  evenCandles,
  lengthOf,
  MINUTE_MS,
  type Period,
  periodCandles,
  SECOND_MS,
  secondCandles as secondsOf,
} from "../../venue-kit/candles.ts";
import { double, type JsonObject, long } from "../../venue-kit/json-text.ts";
import { kstDateTime, timeOf, utcDateTime } from "../../venue-kit/kst.ts";
import { quotient } from "../../wire/decimal-text.ts";
import { codeOf } from "./market-rules.ts";
import {
  answer,
  INVALID_PARAMETER,
  MISSING_PARAMETER,
  UNKNOWN_CODE,
  type UpbitError,
  type UpbitOutcome,
} from "./outcome.ts";
import { marketOf, type PublicCall } from "./upbit-call.ts";

export const MINUTE_UNITS = [1, 3, 5, 10, 15, 30, 60, 240] as const;

const [COUNT_DEFAULT, COUNT_MAX] = [1, 200];

function readAsked({ service, at, parameters }: PublicCall): CandleSpan | UpbitError {
  const code = parameters.text("market");
  if (code === undefined) return MISSING_PARAMETER;
  const market = marketOf(service, code);
  if (market === undefined) return UNKNOWN_CODE;
  const count = parameters.count("count", COUNT_DEFAULT, COUNT_MAX);
  if (typeof count !== "number") return INVALID_PARAMETER;
  const to = parameters.text("to");
  const before = to === undefined ? at + 1 : timeOf(to);
  return before === undefined ? INVALID_PARAMETER : { symbol: market.symbol, count, before };
}

/** @param lengthMs of a candle, at most. @param view what a candle has besides; the second is the older one */
function answered(
  call: PublicCall,
  lengthMs: Millis,
  candlesOf: (span: CandleSpan) => readonly Candle[],
  view: (candle: Candle, older: Candle | undefined) => JsonObject,
): UpbitOutcome {
  const asked = readAsked(call);
  if ("ok" in asked) return asked;
  const { symbol } = asked;
  // One more, for the close before the oldest.
  const newestFirst = candlesOf({ ...asked, count: asked.count + 1 }).toReversed();
  const shown = newestFirst.slice(0, asked.count);
  return answer(
    shown.map((candle, index) => ({
      market: codeOf(symbol),
      candle_date_time_utc: utcDateTime(candle.start),
      candle_date_time_kst: kstDateTime(candle.start),
      opening_price: double(candle.open),
      high_price: double(candle.high),
      low_price: double(candle.low),
      trade_price: double(candle.close),
      timestamp: long(Math.min(call.at, candle.start + lengthMs - 1)),
      candle_acc_trade_price: double(candle.quoteVolume),
      candle_acc_trade_volume: double(candle.volume),
      ...view(candle, newestFirst[index + 1]),
    })),
  );
}

export function secondCandles(call: PublicCall): UpbitOutcome {
  return answered(
    call,
    SECOND_MS,
    (span) => secondsOf(call.service.exchange, span),
    () => ({}),
  );
}

export function minuteCandles(unit: (typeof MINUTE_UNITS)[number]): (call: PublicCall) => UpbitOutcome {
  const lengthMs = unit * MINUTE_MS;
  return (call) =>
    answered(
      call,
      lengthMs,
      (span) => evenCandles(call.service.exchange, span, lengthMs),
      () => ({ unit }),
    );
}

export function dayCandles(call: PublicCall): UpbitOutcome {
  const isConverted = call.parameters.text("converting_price_unit") !== undefined;
  return answered(
    call,
    DAY_MS,
    (span) => evenCandles(call.service.exchange, span, DAY_MS),
    (candle, older) => ({
      ...changeOf(candle.close, older?.close ?? candle.open),
      converted_trade_price: isConverted ? double(candle.close) : undefined,
    }),
  );
}

function changeOf(close: Units, before: Units): JsonObject {
  return {
    prev_closing_price: double(before),
    change_price: double(close - before),
    change_rate: double(quotient(close - before, before)),
  };
}

export function longCandles(period: Period): (call: PublicCall) => UpbitOutcome {
  return (call) =>
    answered(
      call,
      lengthOf(period),
      (span) => periodCandles(call.service.exchange, span, period),
      ({ start }) => ({ first_day_of_period: utcDateTime(start).slice(0, 10) }),
    );
}
