/**
 * The public alias endpoints: ping, time, markets, book, trades, candles, tickers.
 *
 * Invariant: lists are oldest first; a list with a start has its oldest items, any other its newest.
 * Source: service.md#alias-public.
 */
import { ALIAS_INTERVAL_MS, type AliasDepth, type AliasPrice } from "../../contract/index.ts";
import { answer } from "../http/outcome.ts";
import { countOf } from "../http/query-value.ts";
import type { BookRecord, Millis } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import { timeText } from "../wire/market-view.ts";
import type { AliasCall, AliasHandlers } from "./alias-call.ts";
import { type AliasFault, type AliasOutcome, fault, problem } from "./alias-outcome.ts";
import { aliasSymbolOf, amountOrZero, amountText } from "./amount-text.ts";
import { exchangeInfoView } from "./exchange-info.ts";
import { bookTickerView, dayView, klineView, miniDayView, tradeView } from "./market-view.ts";

const DEPTH_DEFAULT = 100;
const DEPTH_MAX = 5000;
const LIST_DEFAULT = 500;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export const ALIAS_MARKET_ENDPOINTS: AliasHandlers<
  "ping" | "time" | "exchangeInfo" | "depth" | "trades" | "klines" | "day" | "price" | "bookTicker"
> = {
  ping: () => answer({}),
  time: ({ at }) => answer({ serverTime: at, iso: timeText(at) }),
  exchangeInfo({ service, at, parameters }) {
    const chosen = chosenMarkets(service, parameters);
    return chosen.ok ? answer(exchangeInfoView(service, chosen.symbols, at)) : chosen;
  },
  depth({ service, parameters }) {
    const symbol = service.markets.symbolOf(parameters.symbol);
    if (symbol === undefined) return fault("EQuery:Unknown asset pair");
    const depth = Math.min(countOf(parameters.limit, DEPTH_DEFAULT), DEPTH_MAX);
    const { seq, buys, asks } = service.exchange.book(symbol, depth);
    return answer({ lastUpdateId: seq, bids: levels(buys), asks: levels(asks) } satisfies AliasDepth);
  },
  trades({ service, parameters }) {
    const symbol = service.markets.symbolOf(parameters.symbol);
    if (symbol === undefined) return fault("EQuery:Unknown asset pair");
    const newestFirst = service.exchange.trades(symbol, countOf(parameters.limit, LIST_DEFAULT));
    return answer(newestFirst.map(tradeView).reverse());
  },
  klines,
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

/** One market, several, or all when none is named. */
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

function klines({ service, at, parameters }: AliasCall<"klines">): AliasOutcome {
  const symbol = service.markets.symbolOf(parameters.symbol);
  if (symbol === undefined) return fault("EQuery:Unknown asset pair");
  const { startTime, endTime, interval } = parameters;
  const from = countOf(startTime, 0);
  const to = countOf(endTime, at);
  if (from > to) return problem("badCombination");
  const limit = countOf(parameters.limit, LIST_DEFAULT);
  const intervalMs = ALIAS_INTERVAL_MS[interval];
  const newest = startTime === undefined ? limit : Number.MAX_SAFE_INTEGER;
  const candles = service.exchange.candles(symbol, intervalMs, from, to, newest).slice(0, limit);
  return answer(candles.map((candle) => klineView(candle, intervalMs)));
}
