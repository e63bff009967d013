/**
 * What is public: the time, markets and their ticks, tickers, books, trades. Amounts are text, ids and times are numbers. Entry point: one function
 * for each.
 */
import { type BookRecord, ONE, type TradeRecord, type Units } from "../../model/index.ts";
import { DAY_MS, MINUTE_MS } from "../../venue-kit/candles.ts";
import { type ListedMarket, unitAt } from "../../venue-kit/won-markets.ts";
import { decimalText, quotient, unitsOf } from "../../wire/decimal-text.ts";
import { namedMarket, namedMarkets, type PublicCall } from "./korbit-call.ts";
import { codeOf, publishedValues } from "./market-rules.ts";
import { answer, badRequest, type Json, type KorbitOutcome } from "./outcome.ts";

/** On each side of a book. */
const DEPTH_MAX = 30;
/** So much of a book is read to group it. */
const GROUPED_DEPTH = 500;
const TRADES_MAX = 500;
const [LEVELS, LEVEL_FACTOR] = [4, 10n];

export function getTime({ at }: PublicCall): KorbitOutcome {
  return answer({ time: at });
}

/** Older answers have no more than symbol and status. */
export function listPairs({ service, variant }: PublicCall): KorbitOutcome {
  return answer(
    service.exchange.markets().map((market) => {
      const status = market.status === "trading" ? "launched" : "stopped";
      if (variant === "other") return { symbol: codeOf(market.symbol), status };
      const { smallest, largest } = publishedValues(market);
      return {
        symbol: codeOf(market.symbol),
        status,
        baseCurrency: codeOf(market.base),
        quoteCurrency: codeOf(market.quote),
        minOrderValue: smallest === undefined ? undefined : decimalText(smallest),
        maxOrderValue: largest === undefined ? undefined : decimalText(largest),
      };
    }),
  );
}

/** Their names, and nothing of deposits and withdrawals. */
export function listCurrencies({ service }: PublicCall): KorbitOutcome {
  const coins = service.exchange
    .markets()
    .map(({ base, englishName }) => ({ name: codeOf(base), fullName: englishName }));
  return answer([{ name: "krw", fullName: "South Korean Won" }, ...coins]);
}

export function listTickSizes(call: PublicCall): KorbitOutcome {
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const { symbol, tickBands } = market;
  const tickSizePolicy = tickBands.map(({ from, tick }) => ({
    priceGte: decimalText(from),
    tickSize: decimalText(tick),
  }));
  return answer([{ symbol: codeOf(symbol), tickSizePolicy, orderbookLevels: levelsOf(market).map(decimalText) }]);
}

/** By which a book can be grouped: the tick size at the last price, and its multiples. */
function levelsOf(market: ListedMarket): readonly Units[] {
  const tick = unitAt(market.tickBands, market.last ?? market.anchorPrice);
  return Array.from({ length: LEVELS }, (_, place) => tick * LEVEL_FACTOR ** BigInt(place));
}

export function listTickers(call: PublicCall): KorbitOutcome {
  const markets = namedMarkets(call);
  if ("ok" in markets) return markets;
  return answer(markets.map((market) => ({ symbol: codeOf(market.symbol), ...tickerView(call, market) })));
}

/** Of the last 24 hours; the price before them is that of the last trade before. */
export function tickerView(
  { service, at }: Pick<PublicCall, "service" | "at">,
  market: ListedMarket,
): { readonly [name: string]: Json } {
  const { exchange } = service;
  const { symbol, last, anchorPrice } = market;
  const close = last ?? anchorPrice;
  const day = exchange.ticker(symbol, at);
  const [before] = exchange.candles(symbol, MINUTE_MS, at - 3 * DAY_MS, at - DAY_MS, 1);
  const previous = before?.close ?? anchorPrice;
  const [trade] = exchange.trades(symbol, 1);
  return {
    open: decimalText(day.open ?? close),
    high: decimalText(day.high ?? close),
    low: decimalText(day.low ?? close),
    close: decimalText(close),
    prevClose: decimalText(previous),
    priceChange: decimalText(close - previous),
    priceChangePercent: percentText(close - previous, previous),
    volume: decimalText(day.volume),
    quoteVolume: decimalText(day.quoteVolume),
    bestBidPrice: decimalText(day.bestBid ?? 0n),
    bestAskPrice: decimalText(day.bestAsk ?? 0n),
    lastTradedAt: trade?.time ?? at,
  };
}

/** With two decimals at most. */
function percentText(part: Units, whole: Units): string {
  const hundredth = ONE / 100n;
  const percent = quotient(part * 100n, whole);
  return decimalText(percent - (percent % hundredth));
}

export function getBook(call: PublicCall): KorbitOutcome {
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const level = groupingOf(market, call.parameters.text("level"));
  if (level === "none") return badRequest("level");
  return answer(bookView(call, market, level));
}

/** One of the market's levels; undefined without grouping, "none" for any other. */
export function groupingOf(market: ListedMarket, text: string | undefined): Units | undefined | "none" {
  if (text === undefined) return undefined;
  const asked = /^\d{1,15}(\.\d{1,8})?$/.test(text) ? unitsOf(text) : 0n;
  return levelsOf(market).find((level) => level === asked) ?? "none";
}

export function bookView(
  { service, at }: Pick<PublicCall, "service" | "at">,
  { symbol }: ListedMarket,
  level: Units | undefined,
): { readonly [name: string]: Json } {
  const { buys, asks } = service.exchange.book(symbol, level === undefined ? DEPTH_MAX : GROUPED_DEPTH);
  return { timestamp: at, bids: levelViews(buys, level, 0n), asks: levelViews(asks, level, 1n) };
}

/** @param up 1n where prices between two steps belong to the upper one */
function levelViews(levels: BookRecord["buys"], step: Units | undefined, up: 0n | 1n): Json {
  if (step === undefined)
    return levels.map(([price, volume]) => ({ price: decimalText(price), qty: decimalText(volume) }));
  const grouped = new Map<Units, { qty: Units; amt: Units }>();
  for (const [price, volume] of levels) {
    const group = ((price + up * (step - 1n)) / step) * step;
    const { qty, amt } = grouped.get(group) ?? { qty: 0n, amt: 0n };
    grouped.set(group, { qty: qty + volume, amt: amt + (price * volume) / ONE });
  }
  return [...grouped].slice(0, DEPTH_MAX).map(([price, { qty, amt }]) => ({
    price: decimalText(price),
    qty: decimalText(qty),
    amt: decimalText(amt),
  }));
}

/** Newest first. */
export function listTrades(call: PublicCall): KorbitOutcome {
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const limit = call.parameters.count("limit", TRADES_MAX, TRADES_MAX);
  if (typeof limit !== "number") return limit;
  return answer(call.service.exchange.trades(market.symbol, limit).map(tradeView));
}

export function tradeView({ time, price, volume, takerSide, tradeSeq }: TradeRecord): Json {
  const amounts = { price: decimalText(price), qty: decimalText(volume) };
  return { timestamp: time, ...amounts, isBuyerTaker: takerSide === "buy", tradeId: tradeSeq };
}
