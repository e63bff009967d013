/**
 * Candles of seconds, minutes, days, weeks, months and years, newest first; one without a trade is absent. Entry points: `secondCandles`,
 * `minuteCandles`, `dayCandles`, `longCandles`.
 *
 * Those of seconds are made of the last 500 trades that the exchange keeps.
 */
import { type CandleRecord, type Millis, ONE, type TradeRecord, type Units } from "../../model/index.ts";
import { quotient } from "../../wire/decimal-text.ts";
import { double, type JsonObject, long } from "./json-text.ts";
import { kstDateTime, timeOf, utcDateTime } from "./kst.ts";
import { codeOf } from "./market-rules.ts";
import {
  answer,
  INVALID_PARAMETER,
  MISSING_PARAMETER,
  UNKNOWN_CODE,
  type UpbitError,
  type UpbitOutcome,
} from "./outcome.ts";
import { type ListedMarket, marketOf, type PublicCall } from "./upbit-call.ts";

export const MINUTE_UNITS = [1, 3, 5, 10, 15, 30, 60, 240] as const;

const [COUNT_DEFAULT, COUNT_MAX] = [1, 200];
const SECOND_MS: Millis = 1_000;
const MINUTE_MS: Millis = 60_000;
const DAY_MS: Millis = 86_400_000;
const TRADES_MAX = 500;

type Candle = Pick<CandleRecord, "start" | "open" | "high" | "low" | "close" | "volume" | "quoteVolume">;

interface Asked {
  readonly market: ListedMarket;
  readonly count: number;
  /** The candles begin before it. */
  readonly before: Millis;
}

function readAsked({ service, at, parameters }: PublicCall): Asked | UpbitError {
  const code = parameters.text("market");
  if (code === undefined) return MISSING_PARAMETER;
  const market = marketOf(service, code);
  if (market === undefined) return UNKNOWN_CODE;
  const count = parameters.count("count", COUNT_DEFAULT, COUNT_MAX);
  if (typeof count !== "number") return INVALID_PARAMETER;
  const to = parameters.text("to");
  const before = to === undefined ? at + 1 : timeOf(to);
  return before === undefined ? INVALID_PARAMETER : { market, count, before };
}

/** @param lengthMs of a candle, at most. @param view what a candle has besides; the second is the older one */
function answered(
  call: PublicCall,
  lengthMs: Millis,
  candlesOf: (asked: Asked) => readonly Candle[],
  view: (candle: Candle, older: Candle | undefined) => JsonObject,
): UpbitOutcome {
  const asked = readAsked(call);
  if ("ok" in asked) return asked;
  const { symbol } = asked.market;
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
  const { exchange } = call.service;
  return answered(
    call,
    SECOND_MS,
    ({ market, count, before }) =>
      secondsOf(exchange.trades(market.symbol, TRADES_MAX).filter(({ time }) => time < before)).slice(-count),
    () => ({}),
  );
}

function secondsOf(newestFirst: readonly TradeRecord[]): readonly Candle[] {
  const candles: Candle[] = [];
  for (const { time, price, volume } of newestFirst.toReversed()) {
    const quoteVolume = (price * volume) / ONE;
    const one = {
      start: time - (time % SECOND_MS),
      open: price,
      high: price,
      low: price,
      close: price,
      volume,
      quoteVolume,
    };
    const last = candles.at(-1);
    if (last?.start === one.start) join(last, one);
    else candles.push(one);
  }
  return candles;
}

function join(candle: Candle, later: Candle): void {
  if (later.high > candle.high) candle.high = later.high;
  if (later.low < candle.low) candle.low = later.low;
  candle.close = later.close;
  candle.volume += later.volume;
  candle.quoteVolume += later.quoteVolume;
}

export function minuteCandles(unit: (typeof MINUTE_UNITS)[number]): (call: PublicCall) => UpbitOutcome {
  return (call) =>
    answered(
      call,
      unit * MINUTE_MS,
      ({ market, count, before }) =>
        call.service.exchange.candles(market.symbol, unit * MINUTE_MS, 0, before - 1, count),
      () => ({ unit }),
    );
}

export function dayCandles(call: PublicCall): UpbitOutcome {
  const isConverted = call.parameters.text("converting_price_unit") !== undefined;
  return answered(
    call,
    DAY_MS,
    ({ market, count, before }) => call.service.exchange.candles(market.symbol, DAY_MS, 0, before - 1, count),
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

export function longCandles(period: Period): (call: PublicCall) => UpbitOutcome {
  const { days, startOf } = PERIODS[period];
  return (call) =>
    answered(
      call,
      days * DAY_MS,
      ({ market, count, before }) => {
        const found = call.service.exchange.candles(market.symbol, DAY_MS, 0, before - 1, (count + 1) * days);
        const joined: Candle[] = [];
        for (const day of found) {
          const start = startOf(day.start);
          const last = joined.at(-1);
          if (last?.start === start) join(last, day);
          else joined.push({ ...day, start });
        }
        return joined.slice(-count);
      },
      ({ start }) => ({ first_day_of_period: utcDateTime(start).slice(0, 10) }),
    );
}
