/** Quotations: markets, tickers, books, trades. Numbers are JSON numbers. Entry point: one function for each. */
import { type Millis, ONE, type TickBandUnits, type TradeRecord, type Units } from "../../model/index.ts";
import { decimalText, quotient } from "../../wire/decimal-text.ts";
import { double, type Json, type JsonObject, long } from "./json-text.ts";
import { compactDateTime, kstDateTime, utcDateTime } from "./kst.ts";
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

const DAY_MS: Millis = 86_400_000;
/** Upbit's highest and lowest price are of 52 weeks; making so much of a past takes seconds. */
const EXTREMES_DAYS = 30;
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

/** The close of the day before, by which changes are counted; what the market began at where there was none. */
export function previousClose({ service, at }: Pick<PublicCall, "service" | "at">, market: ListedMarket): Units {
  const today = at - (at % DAY_MS);
  const [before] = service.exchange.candles(market.symbol, DAY_MS, 0, today - 1, 1);
  return before?.close ?? market.anchorPrice;
}

export function tickerView(call: Pick<PublicCall, "service" | "at">, market: ListedMarket): JsonObject {
  const { exchange } = call.service;
  const { at } = call;
  const { symbol, last, anchorPrice } = market;
  const price = last ?? anchorPrice;
  const days = exchange.candles(symbol, DAY_MS, at - EXTREMES_DAYS * DAY_MS, at, EXTREMES_DAYS + 1);
  const today = days.find(({ start }) => start === at - (at % DAY_MS));
  const day = exchange.ticker(symbol, at);
  const [trade] = exchange.trades(symbol, 1);
  const tradedAt = trade?.time ?? at;
  const [date, time] = compactDateTime(utcDateTime(tradedAt));
  const [kstDate, kstTime] = compactDateTime(kstDateTime(tradedAt));
  const highest = days.reduce((most, { high }) => (high > most ? high : most), price);
  const lowest = days.reduce((least, { low }) => (low < least ? low : least), price);
  return {
    market: codeOf(symbol),
    ...{ trade_date: date, trade_time: time, trade_date_kst: kstDate, trade_time_kst: kstTime },
    trade_timestamp: long(tradedAt),
    opening_price: double(today?.open ?? price),
    high_price: double(today?.high ?? price),
    low_price: double(today?.low ?? price),
    trade_price: double(price),
    ...changeView(price, previousClose(call, market)),
    trade_volume: double(trade?.volume ?? 0n),
    acc_trade_price: double(today?.quoteVolume ?? 0n),
    acc_trade_price_24h: double(day.quoteVolume),
    acc_trade_volume: double(today?.volume ?? 0n),
    acc_trade_volume_24h: double(day.volume),
    highest_52_week_price: double(highest),
    highest_52_week_date: dateOf(days.find(({ high }) => high === highest)?.start ?? at),
    lowest_52_week_price: double(lowest),
    lowest_52_week_date: dateOf(days.find(({ low }) => low === lowest)?.start ?? at),
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

function unitAt(bands: readonly TickBandUnits[], price: Units): Units {
  return bands.findLast(({ from }) => from <= price)?.tick ?? ONE;
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
  const before = previousClose(call, market);
  return answer(trades.slice(0, count).map((trade) => tradeView(trade, before)));
}

function untilOf(to: string | undefined, daysAgo: number, at: Millis): Millis {
  const day = at - (at % DAY_MS) - daysAgo * DAY_MS;
  const [, hours = "", minutes = "", seconds = ""] = /^(\d{2}):?(\d{2}):?(\d{2})$/.exec(to ?? "") ?? [];
  if (hours === "") return daysAgo === 0 ? at + 1 : day + DAY_MS;
  return Date.parse(`${utcDateTime(day).slice(0, 10)}T${hours}:${minutes}:${seconds}Z`);
}

const IDS_PER_MS = 10_000n;

/** Larger than the integers that a double keeps apart, as Upbit's are. */
function sequentialId({ time, tradeSeq }: TradeRecord): bigint {
  return BigInt(time) * IDS_PER_MS + (BigInt(tradeSeq) % IDS_PER_MS);
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
