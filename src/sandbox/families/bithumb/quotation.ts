/** Quotations: markets, tickers, books, trades. Numbers are JSON numbers. Entry point: one function for each. */
import type { Millis, TradeRecord, Units } from "../../model/index.ts";
import { type Json, type JsonObject, long } from "../../venue-kit/json-text.ts";
import { compactDateTime, KST_AHEAD_MS, kstDateTime, utcDateTime } from "../../venue-kit/kst.ts";
import { marketDay, previousClose, sequentialId } from "../../venue-kit/market-day.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
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

/** Of one market, and of several. */
const [DEPTH_ALONE, DEPTH_TOGETHER] = [30, 15];
const [TRADES_DEFAULT, TRADES_MAX] = [1, 500];

export function listMarkets({ service, parameters }: PublicCall): BithumbOutcome {
  const details = parameters.text("isDetails") === "true";
  return answer(
    service.exchange.markets().map(({ symbol, koreanName, englishName }) => ({
      market: codeOf(symbol),
      korean_name: koreanName,
      english_name: englishName,
      market_warning: details ? "NONE" : undefined,
    })),
  );
}

/** The markets of a list of codes, all of which have to be known. */
function marketsIn({ service, parameters }: PublicCall): readonly ListedMarket[] | BithumbError {
  const codes = parameters.list("markets");
  if (codes.length === 0) return MISSING_PARAMETER;
  const found = codes.flatMap((code) => marketOf(service, code) ?? []);
  return found.length === codes.length ? found : UNKNOWN_CODE;
}

export function listTickers(call: PublicCall): BithumbOutcome {
  const markets = marketsIn(call);
  return "ok" in markets ? markets : answer(markets.map((market) => tickerView(call, market)));
}

type Asked = Pick<PublicCall, "service" | "at" | "figures">;

/** Recorded tickers have the dates and times of nine hours before: those that are called Korea's are those of UTC. */
function tickerView({ service, at, figures }: Asked, market: ListedMarket): JsonObject {
  const { trade, highest, lowest } = marketDay(service.exchange, market, at);
  const tradedAt = trade?.time ?? at;
  const shownAt = figures.lateDates ? tradedAt - KST_AHEAD_MS : tradedAt;
  const [date, time] = compactDateTime(utcDateTime(shownAt));
  const [kstDate, kstTime] = compactDateTime(kstDateTime(shownAt));
  return {
    market: codeOf(market.symbol),
    ...{ trade_date: date, trade_time: time, trade_date_kst: kstDate, trade_time_kst: kstTime },
    trade_timestamp: long(tradedAt),
    ...dayView({ service, at, figures }, market),
    highest_52_week_price: figures.number(highest.price),
    highest_52_week_date: utcDateTime(highest.dayStart).slice(0, 10),
    lowest_52_week_price: figures.number(lowest.price),
    lowest_52_week_date: utcDateTime(lowest.dayStart).slice(0, 10),
    timestamp: long(at),
  };
}

/** What a market did today, and how it changed. */
export function dayView({ service, at, figures }: Asked, market: ListedMarket): JsonObject {
  const { number } = figures;
  const { price, before, trade, today, last24Hours } = marketDay(service.exchange, market, at);
  const change = price - before;
  const size = change < 0n ? -change : change;
  return {
    opening_price: number(today?.open ?? price),
    high_price: number(today?.high ?? price),
    low_price: number(today?.low ?? price),
    trade_price: number(price),
    prev_closing_price: number(before),
    change: changeWord(price, before),
    change_price: number(size),
    change_rate: number(quotient(size, before)),
    signed_change_price: number(change),
    signed_change_rate: number(quotient(change, before)),
    trade_volume: number(trade?.volume ?? 0n),
    acc_trade_price: number(today?.quoteVolume ?? 0n),
    acc_trade_price_24h: number(last24Hours.quoteVolume),
    acc_trade_volume: number(today?.volume ?? 0n),
    acc_trade_volume_24h: number(last24Hours.volume),
  };
}

export function changeWord(price: Units, before: Units): string {
  return price === before ? "EVEN" : price > before ? "RISE" : "FALL";
}

export function listBooks(call: PublicCall): BithumbOutcome {
  const markets = marketsIn(call);
  if ("ok" in markets) return markets;
  const depth = markets.length === 1 ? DEPTH_ALONE : DEPTH_TOGETHER;
  return answer(
    markets.map((market) => ({
      market: codeOf(market.symbol),
      timestamp: long(call.at),
      ...bookView(call, market, depth),
    })),
  );
}

export function bookView({ service, figures }: Asked, { symbol }: ListedMarket, depth: number): JsonObject {
  const { number } = figures;
  const { buys, asks } = service.exchange.book(symbol, depth);
  const sum = (levels: typeof buys): Units => levels.reduce((total, [, volume]) => total + volume, 0n);
  const units = Array.from({ length: Math.max(buys.length, asks.length) }, (_, index): Json => {
    const [askPrice, askSize] = asks[index] ?? [0n, 0n];
    const [bidPrice, bidSize] = buys[index] ?? [0n, 0n];
    return {
      ask_price: number(askPrice),
      bid_price: number(bidPrice),
      ask_size: number(askSize),
      bid_size: number(bidSize),
    };
  });
  return { total_ask_size: number(sum(asks)), total_bid_size: number(sum(buys)), orderbook_units: units };
}

/** Newest first; `to` is a time of today, in UTC. */
export function listTrades(call: PublicCall): BithumbOutcome {
  const { service, at, parameters } = call;
  const code = parameters.text("market");
  const market = code === undefined ? undefined : marketOf(service, code);
  if (code === undefined) return MISSING_PARAMETER;
  if (market === undefined) return UNKNOWN_CODE;
  const count = parameters.count("count", TRADES_DEFAULT, TRADES_MAX);
  if (typeof count !== "number") return WRONG_PARAMETER;
  const until = untilOf(parameters.text("to"), at);
  const trades = service.exchange.trades(market.symbol, TRADES_MAX).filter((trade) => trade.time < until);
  const before = previousClose(service.exchange, market, at);
  return answer(trades.slice(0, count).map((trade) => tradeView(call, trade, before)));
}

function untilOf(to: string | undefined, at: Millis): Millis {
  const [, hours = "", minutes = "", seconds = ""] = /^(\d{2}):?(\d{2}):?(\d{2})$/.exec(to ?? "") ?? [];
  return hours === "" ? at + 1 : Date.parse(`${utcDateTime(at).slice(0, 10)}T${hours}:${minutes}:${seconds}Z`);
}

function tradeView({ figures: { number } }: PublicCall, trade: TradeRecord, before: Units): JsonObject {
  const { symbol, time, price, volume, takerSide } = trade;
  const [date, clock] = utcDateTime(time).split("T");
  return {
    market: codeOf(symbol),
    trade_date_utc: date ?? "",
    trade_time_utc: clock ?? "",
    timestamp: long(time),
    trade_price: number(price),
    trade_volume: number(volume),
    prev_closing_price: number(before),
    change_price: number(price - before),
    ask_bid: takerSide === "buy" ? "BID" : "ASK",
    sequential_id: long(sequentialId(trade)),
  };
}
