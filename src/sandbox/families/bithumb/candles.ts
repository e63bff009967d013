/**
 * Candles of minutes, days, weeks and months, newest first; one without a trade is absent. Those of four hours and of days begin with Korea's
 * midnight. Entry points: `minuteCandles`, `dayCandles`, `longCandles`.
 */
import type { Millis, Units } from "../../model/index.ts";
import {
  type Candle,
  type CandleSpan,
  DAY_MS,
  evenCandles,
  koreanCandles,
  lengthOf,
  MINUTE_MS,
  type Period,
  periodCandles,
} from "../../venue-kit/candles.ts";
import { type JsonObject, long } from "../../venue-kit/json-text.ts";
import { kstDateTime, timeOf, utcDateTime } from "../../venue-kit/kst.ts";
import { quotient } from "../../wire/decimal-text.ts";
import { marketOf, type PublicCall } from "./bithumb-call.ts";
import { codeOf } from "./market-rules.ts";
import {
  answer,
  type BithumbError,
  type BithumbOutcome,
  MISSING_PARAMETER,
  UNKNOWN_CODE,
  WRONG_PARAMETER,
} from "./outcome.ts";

export const MINUTE_UNITS = [1, 3, 5, 10, 15, 30, 60, 240] as const;

const [COUNT_DEFAULT, COUNT_MAX] = [1, 200];
const FOUR_HOURS = 240;

/** A time without offset is Korea's. */
function readAsked({ service, at, parameters }: PublicCall): CandleSpan | BithumbError {
  const code = parameters.text("market");
  if (code === undefined) return MISSING_PARAMETER;
  const market = marketOf(service, code);
  if (market === undefined) return UNKNOWN_CODE;
  const count = parameters.count("count", COUNT_DEFAULT, COUNT_MAX);
  if (typeof count !== "number") return WRONG_PARAMETER;
  const to = parameters.text("to");
  const before = to === undefined ? at + 1 : timeOf(to, "+09:00");
  return before === undefined ? WRONG_PARAMETER : { symbol: market.symbol, count, before };
}

/** @param lengthMs of a candle, at most. @param view what a candle has besides; the second is the older one */
function answered(
  call: PublicCall,
  lengthMs: Millis,
  candlesOf: (span: CandleSpan) => readonly Candle[],
  view: (candle: Candle, older: Candle | undefined) => JsonObject,
): BithumbOutcome {
  const asked = readAsked(call);
  if ("ok" in asked) return asked;
  const { number } = call.figures;
  // One more, for the close before the oldest.
  const newestFirst = candlesOf({ ...asked, count: asked.count + 1 }).toReversed();
  return answer(
    newestFirst.slice(0, asked.count).map((candle, index) => ({
      market: codeOf(asked.symbol),
      candle_date_time_utc: utcDateTime(candle.start),
      candle_date_time_kst: kstDateTime(candle.start),
      opening_price: number(candle.open),
      high_price: number(candle.high),
      low_price: number(candle.low),
      trade_price: number(candle.close),
      timestamp: long(Math.min(call.at, candle.start + lengthMs - 1)),
      candle_acc_trade_price: number(candle.quoteVolume),
      candle_acc_trade_volume: number(candle.volume),
      ...view(candle, newestFirst[index + 1]),
    })),
  );
}

export function minuteCandles(unit: (typeof MINUTE_UNITS)[number]): (call: PublicCall) => BithumbOutcome {
  const lengthMs = unit * MINUTE_MS;
  return (call) =>
    answered(
      call,
      lengthMs,
      (span) =>
        unit === FOUR_HOURS
          ? koreanCandles(call.service.exchange, span, unit / 60)
          : evenCandles(call.service.exchange, span, lengthMs),
      () => ({ unit }),
    );
}

export function dayCandles(call: PublicCall): BithumbOutcome {
  const { number } = call.figures;
  const isConverted = call.parameters.text("convertingPriceUnit") !== undefined;
  const changeOf = (close: Units, before: Units): JsonObject => ({
    prev_closing_price: number(before),
    change_price: number(close - before),
    change_rate: number(quotient(close - before, before)),
  });
  return answered(
    call,
    DAY_MS,
    (span) => koreanCandles(call.service.exchange, span, 24),
    (candle, older) => ({
      ...changeOf(candle.close, older?.close ?? candle.open),
      converted_trade_price: isConverted ? number(candle.close) : undefined,
    }),
  );
}

export function longCandles(period: Period): (call: PublicCall) => BithumbOutcome {
  return (call) =>
    answered(
      call,
      lengthOf(period),
      (span) => periodCandles(call.service.exchange, span, period),
      ({ start }) => ({ first_day_of_period: kstDateTime(start).slice(0, 10) }),
    );
}
