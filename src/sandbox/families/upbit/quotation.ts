/** Quotations: markets, tickers, books, trades. Numbers are JSON numbers. Entry point: one function for each. */
import type { Millis, TradeRecord, Units } from "../../model/index.ts";
import { DAY_MS } from "../../venue-kit/candles.ts";
import { double, type Json, type JsonObject, long } from "../../venue-kit/json-text.ts";
import { compactDateTime, kstDateTime, utcDateTime } from "../../venue-kit/kst.ts";
import { marketDay, previousClose, sequentialId } from "../../venue-kit/market-day.ts";
import { type ListedMarket, unitAt } from "../../venue-kit/won-markets.ts";
import { decimalText, quotient } from "../../wire/decimal-text.ts";
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

const DEPTH_MAX = 30;
const [TRADES_DEFAULT, TRADES_MAX] = [1, 500];
const DAYS_AGO_MAX = 7;
const CAUTIONS = [
  "PRICE_FLUCTUATIONS",
  "TRADING_VOLUME_SOARING",
  "DEPOSIT_AMOUNT_SOARING",
  "GLOBAL_PRICE_DIFFERENCES",
  "CONCENTRATION_OF_SMALL_ACCOUNTS",
];

export function listMarkets({ service, parameters }: PublicCall): UpbitOutcome {
  const details = (parameters.text("is_details") ?? parameters.text("isDetails")) === "true";
  const event = { warning: false, caution: Object.fromEntries(CAUTIONS.map((name) => [name, false])) };
  return answer(
    service.exchange.markets().map(({ symbol, koreanName, englishName }) => ({
      market: codeOf(symbol),
      korean_name: koreanName,
      english_name: englishName,
      market_event: details ? event : undefined,
    })),
  );
}

/** The markets of a list of codes, all of which have to be known. */
export function marketsIn({ service, parameters }: PublicCall): readonly ListedMarket[] | UpbitError {
  const codes = parameters.list("markets");
  if (codes.length === 0) return MISSING_PARAMETER;
  const found = codes.flatMap((code) => marketOf(service, code) ?? []);
  return found.length === codes.length ? found : UNKNOWN_CODE;
}

export function listTickers(call: PublicCall): UpbitOutcome {
  const markets = marketsIn(call);
  return "ok" in markets ? markets : answer(markets.map((market) => tickerView(call, market)));
}

export function listTickersOf(call: PublicCall): UpbitOutcome {
  const quotes = call.parameters.list("quote_currencies");
  if (quotes.length === 0) return MISSING_PARAMETER;
  const markets = call.service.exchange.markets().filter(({ quote }) => quotes.includes(quote));
  return answer(markets.map((market) => tickerView(call, market)));
}

export function tickerView({ service, at }: Pick<PublicCall, "service" | "at">, market: ListedMarket): JsonObject {
  const { price, before, trade, today, last24Hours, highest, lowest } = marketDay(service.exchange, market, at);
  const tradedAt = trade?.time ?? at;
  const [date, time] = compactDateTime(utcDateTime(tradedAt));
  const [kstDate, kstTime] = compactDateTime(kstDateTime(tradedAt));
  return {
    market: codeOf(market.symbol),
    ...{ trade_date: date, trade_time: time, trade_date_kst: kstDate, trade_time_kst: kstTime },
    trade_timestamp: long(tradedAt),
    opening_price: double(today?.open ?? price),
    high_price: double(today?.high ?? price),
    low_price: double(today?.low ?? price),
    trade_price: double(price),
    ...changeView(price, before),
    trade_volume: double(trade?.volume ?? 0n),
    acc_trade_price: double(today?.quoteVolume ?? 0n),
    acc_trade_price_24h: double(last24Hours.quoteVolume),
    acc_trade_volume: double(today?.volume ?? 0n),
    acc_trade_volume_24h: double(last24Hours.volume),
    highest_52_week_price: double(highest.price),
    highest_52_week_date: dateOf(highest.dayStart),
    lowest_52_week_price: double(lowest.price),
    lowest_52_week_date: dateOf(lowest.dayStart),
    timestamp: long(at),
  };
}

function dateOf(at: Millis): string {
  return utcDateTime(at).slice(0, 10);
}

function changeView(price: Units, before: Units): JsonObject {
  const change = price - before;
  const size = change < 0n ? -change : change;
  return {
    prev_closing_price: double(before),
    change: change === 0n ? "EVEN" : change > 0n ? "RISE" : "FALL",
    change_price: double(size),
    change_rate: double(quotient(size, before)),
    signed_change_price: double(change),
    signed_change_rate: double(quotient(change, before)),
  };
}

/** A count out of range counts as none; a grouping that is not supported gives an empty list. */
export function listBooks(call: PublicCall): UpbitOutcome {
  const markets = marketsIn(call);
  if ("ok" in markets) return markets;
  const count = call.parameters.count("count", DEPTH_MAX, DEPTH_MAX);
  if (!/^0(\.0+)?$/.test(call.parameters.text("level") ?? "0")) return answer([]);
  return answer(markets.map((market) => bookView(call, market, typeof count === "number" ? count : DEPTH_MAX)));
}

export function bookView(
  { service, at }: Pick<PublicCall, "service" | "at">,
  { symbol }: ListedMarket,
  depth: number,
): JsonObject {
  const { buys, asks } = service.exchange.book(symbol, depth);
  const sum = (levels: typeof buys): Units => levels.reduce((total, [, volume]) => total + volume, 0n);
  const units = Array.from({ length: Math.max(buys.length, asks.length) }, (_, index): Json => {
    const [askPrice, askSize] = asks[index] ?? [0n, 0n];
    const [bidPrice, bidSize] = buys[index] ?? [0n, 0n];
    return {
      ask_price: double(askPrice),
      bid_price: double(bidPrice),
      ask_size: double(askSize),
      bid_size: double(bidSize),
    };
  });
  return {
    market: codeOf(symbol),
    timestamp: long(at),
    total_ask_size: double(sum(asks)),
    total_bid_size: double(sum(buys)),
    orderbook_units: units,
    level: 0,
  };
}

/** The price unit at the last price. */
export function listInstruments(call: PublicCall): UpbitOutcome {
  const markets = marketsIn(call);
  if ("ok" in markets) return markets;
  return answer(
    markets.map(({ symbol, quote, tickBands, last, anchorPrice }) => ({
      market: codeOf(symbol),
      quote_currency: quote,
      tick_size: decimalText(unitAt(tickBands, last ?? anchorPrice)),
      supported_levels: ["0"],
    })),
  );
}

/** Newest first. `to` is a time of the day that `days_ago` names, in UTC; `cursor` is a trade, after which the older ones follow. */
export function listTrades(call: PublicCall): UpbitOutcome {
  const { service, at, parameters } = call;
  const code = parameters.text("market");
  const market = code === undefined ? undefined : marketOf(service, code);
  if (code === undefined) return MISSING_PARAMETER;
  if (market === undefined) return UNKNOWN_CODE;
  const count = parameters.count("count", TRADES_DEFAULT, TRADES_MAX);
  if (typeof count !== "number") return INVALID_PARAMETER;
  const [cursor, daysAgo] = [parameters.text("cursor"), parameters.count("days_ago", 0, DAYS_AGO_MAX)];
  if (cursor !== undefined && !/^\d{1,20}$/.test(cursor)) return INVALID_PARAMETER;
  if (typeof daysAgo !== "number") return INVALID_PARAMETER;
  const until = untilOf(parameters.text("to"), daysAgo, at);
  const trades = service.exchange
    .trades(market.symbol, TRADES_MAX)
    .filter((trade) => trade.time < until && (cursor === undefined || sequentialId(trade) < BigInt(cursor)));
  const before = previousClose(service.exchange, market, at);
  return answer(trades.slice(0, count).map((trade) => tradeView(trade, before)));
}

function untilOf(to: string | undefined, daysAgo: number, at: Millis): Millis {
  const day = at - (at % DAY_MS) - daysAgo * DAY_MS;
  const [, hours = "", minutes = "", seconds = ""] = /^(\d{2}):?(\d{2}):?(\d{2})$/.exec(to ?? "") ?? [];
  if (hours === "") return daysAgo === 0 ? at + 1 : day + DAY_MS;
  return Date.parse(`${utcDateTime(day).slice(0, 10)}T${hours}:${minutes}:${seconds}Z`);
}

export function tradeView(trade: TradeRecord, before: Units): JsonObject {
  const { symbol, time, price, volume, takerSide } = trade;
  const [date, clock] = utcDateTime(time).split("T");
  return {
    market: codeOf(symbol),
    trade_date_utc: date ?? "",
    trade_time_utc: clock ?? "",
    timestamp: long(time),
    trade_price: double(price),
    trade_volume: double(volume),
    prev_closing_price: double(before),
    change_price: double(price - before),
    ask_bid: takerSide === "buy" ? "BID" : "ASK",
    sequential_id: long(sequentialId(trade)),
  };
}
