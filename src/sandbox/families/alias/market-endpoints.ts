/**
 * The public alias endpoints: ping, time, markets, book, trades, candles, tickers.
 *
 * Invariant: lists are oldest first; a list with a start has its oldest items, any other its newest.
 * Source: service.md#alias-public.
 */
import { ALIAS_INTERVAL_MS, type AliasAvgPrice, type AliasDepth, type AliasPrice } from "../../../contract/index.ts";
import { answer } from "../../http/outcome.ts";
import { countOf } from "../../http/query-value.ts";
import type { BookRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { quotient } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";
import type { AliasCall, AliasHandlers } from "./alias-call.ts";
import { type AliasFault, type AliasOutcome, fault, problem } from "./alias-outcome.ts";
import { aliasSymbolOf, amountOrZero, amountText } from "./amount-text.ts";
import { exchangeInfoView } from "./exchange-info.ts";
import { aggTradesView, bookTickerView, dayView, klineView, miniDayView, tradeView } from "./market-view.ts";

const DEPTH_DEFAULT = 100;
const DEPTH_MAX = 5000;
const LIST_DEFAULT = 500;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const AVERAGE_MINUTES = 5 as const;
const KEPT = Number.MAX_SAFE_INTEGER;

export const ALIAS_MARKET_ENDPOINTS: AliasHandlers<
  | "ping"
  | "time"
  | "exchangeInfo"
  | "depth"
  | "trades"
  | "historicalTrades"
  | "aggTrades"
  | "klines"
  | "uiKlines"
  | "avgPrice"
  | "day"
  | "price"
  | "bookTicker"
> = {
  ping: () => answer({}),
  time: ({ at }) => answer({ serverTime: at, iso: timeText(at) }),
  exchangeInfo({ service, at, parameters }) {
    const chosen = chosenMarkets(service, parameters);
    if (!chosen.ok) return chosen;
    const info = exchangeInfoView(service, chosen.symbols, at);
    if (parameters.showPermissionSets !== "false") return answer(info);
    return answer({ ...info, symbols: info.symbols.map((market) => ({ ...market, permissionSets: [] })) });
  },
  depth({ service, symbol, parameters }) {
    const depth = Math.min(countOf(parameters.limit, DEPTH_DEFAULT), DEPTH_MAX);
    const { seq, buys, asks } = service.exchange.book(symbol, depth);
    return answer({ lastUpdateId: seq, bids: levels(buys), asks: levels(asks) } satisfies AliasDepth);
  },
  trades({ service, symbol, parameters }) {
    const newestFirst = service.exchange.trades(symbol, countOf(parameters.limit, LIST_DEFAULT));
    return answer(newestFirst.map(tradeView).reverse());
  },
  historicalTrades({ service, symbol, parameters }) {
    const { fromId } = parameters;
    const limit = countOf(parameters.limit, LIST_DEFAULT);
    const kept = service.exchange.trades(symbol, KEPT).toReversed();
    const from = countOf(fromId, 0);
    const chosen = fromId === undefined ? kept.slice(-limit) : kept.filter(({ tradeSeq }) => tradeSeq >= from);
    return answer(chosen.slice(0, limit).map(tradeView));
  },
  aggTrades,
  klines,
  uiKlines: klines,
  avgPrice({ service, at, symbol }) {
    const candles = service.exchange.candles(symbol, MINUTE_MS, at - AVERAGE_MINUTES * MINUTE_MS + 1, at, KEPT);
    const volume = candles.reduce((sum, candle) => sum + candle.volume, 0n);
    const value = candles.reduce((sum, candle) => sum + candle.quoteVolume, 0n);
    const [last] = service.exchange.trades(symbol, 1);
    const price = volume === 0n ? (last?.price ?? null) : quotient(value, volume);
    const closed = { closeTime: last?.time ?? 0, closed_at: last === undefined ? null : timeText(last.time) };
    return answer({ mins: AVERAGE_MINUTES, price: amountOrZero(price), ...closed } satisfies AliasAvgPrice);
  },
  day({ service, at, parameters }) {
    const view = parameters.type === "MINI" ? miniDayView : dayView;
    return eachMarket(service, parameters, (symbol) => view(dayOf(service, symbol, at)));
  },
  price: ({ service, parameters }) =>
    eachMarket(service, parameters, (symbol) => {
      const last = service.exchange.market(symbol)?.last ?? null;
      return { symbol: aliasSymbolOf(symbol), price: amountOrZero(last) } satisfies AliasPrice;
    }),
  bookTicker: ({ service, parameters }) =>
    eachMarket(service, parameters, (symbol) => bookTickerView(symbol, service.exchange.book(symbol, 1))),
};

function levels(side: BookRecord["buys"]): AliasDepth["bids"] {
  return side.map(([price, volume]) => [amountText(price), amountText(volume)]);
}

interface MarketChoice {
  readonly symbol?: string | undefined;
  readonly symbols?: string | undefined;
}

type ChosenMarkets = { readonly ok: true; readonly symbols: readonly string[]; readonly single: boolean } | AliasFault;

/** Picks one market, several, or all when none is named. */
function chosenMarkets({ markets, exchange }: Service, { symbol, symbols: list }: MarketChoice): ChosenMarkets {
  if (symbol === undefined && list === undefined)
    return { ok: true, symbols: exchange.markets().map((each) => each.symbol), single: false };
  const written = symbol === undefined ? namesIn(list ?? "[]") : [symbol];
  const symbols = new Set<string>();
  for (const name of written) {
    const known = markets.symbolOf(name);
    if (known === undefined) return fault("EQuery:Unknown asset pair");
    symbols.add(known);
  }
  return { ok: true, symbols: [...symbols], single: symbol !== undefined };
}

/** The names in a list, which was checked to hold texts without escapes. */
function namesIn(list: string): readonly string[] {
  return list.slice(2, -2).split('","');
}

/** An object when one market was requested by `symbol`, otherwise an array. */
function eachMarket(service: Service, choice: MarketChoice, view: (symbol: string) => object): AliasOutcome {
  const chosen = chosenMarkets(service, choice);
  if (!chosen.ok) return chosen;
  const views = chosen.symbols.map(view);
  const [first = {}] = views;
  return answer(chosen.single ? first : views);
}

function dayOf({ exchange }: Service, symbol: string, at: Millis) {
  const from = at - DAY_MS;
  const [before] = exchange.candles(symbol, MINUTE_MS, 0, from - 1, 1);
  const [lastTrade] = exchange.trades(symbol, 1);
  return { from, at, ticker: exchange.ticker(symbol, at), book: exchange.book(symbol, 1), before, lastTrade };
}

/** After a number or a time the oldest, otherwise the newest, of those that are kept. */
function aggTrades({ service, symbol, parameters }: AliasCall<"aggTrades">): AliasOutcome {
  const { fromId, startTime, endTime } = parameters;
  const [first, from, to] = [countOf(fromId, 0), countOf(startTime, 0), countOf(endTime, KEPT)];
  if (from > to) return problem("badCombination");
  const all = aggTradesView(service.exchange.trades(symbol, KEPT).toReversed());
  const found = all.filter(({ a, T }) => a >= first && T >= from && T <= to);
  const limit = countOf(parameters.limit, LIST_DEFAULT);
  const isForward = fromId !== undefined || startTime !== undefined;
  return answer(isForward ? found.slice(0, limit) : found.slice(-limit));
}

function klines({ service, at, symbol, parameters }: AliasCall<"klines" | "uiKlines">): AliasOutcome {
  const { startTime, endTime, interval } = parameters;
  const from = countOf(startTime, 0);
  const to = countOf(endTime, at);
  if (from > to) return problem("badCombination");
  const limit = countOf(parameters.limit, LIST_DEFAULT);
  const intervalMs = ALIAS_INTERVAL_MS[interval];
  const end = startTime === undefined ? "newest" : "oldest";
  const candles = service.exchange.candles(symbol, intervalMs, from, to, limit, end);
  return answer(candles.map((candle) => klineView(candle, intervalMs)));
}
