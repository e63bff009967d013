/**
 * The public endpoints of the Open API: time, markets, tickers, order book, trades, candles.
 * Source: service.md#v1-time, service.md#v1-markets, service.md#v1-tickers, service.md#v1-orderbook, service.md#v1-trades,
 * service.md#v1-candles.
 */
import {
  CANDLE_INTERVAL_MS,
  type CandleInterval,
  LIMITS,
  type Market,
  type PublicTrade,
  type ServerTime,
  type Ticker,
} from "../../../contract/index.ts";
import { answer, badArgument, type Fault, type Outcome, unknownPair } from "../../http/outcome.ts";
import { countOf, periodOf } from "../../http/query-value.ts";
import type { Service } from "../../service/service.ts";
import { candleView, marketView, publicTradeView, tickerView, timeText } from "../../wire/market-view.ts";
import type { Call, Handlers } from "./open-call.ts";

export const MARKET_ENDPOINTS: Handlers<"time" | "markets" | "tickers" | "orderbook" | "trades" | "candles"> = {
  time: ({ at }) => answer({ iso: timeText(at), unix_ms: at } satisfies ServerTime),
  markets: ({ service }) =>
    answer({ markets: service.exchange.markets().map(marketView) } satisfies { markets: Market[] }),
  tickers,
  orderbook({ service, at, params, query }) {
    const symbol = service.markets.symbolOf(params.symbol);
    if (symbol === undefined) return unknownPair(params.symbol);
    return answer(service.bookTexts.text(symbol, countOf(query.depth, LIMITS.bookDepthDefault), at));
  },
  trades({ service, params, query }) {
    const symbol = service.markets.symbolOf(params.symbol);
    if (symbol === undefined) return unknownPair(params.symbol);
    const trades = service.exchange.trades(symbol, countOf(query.limit, service.limits.pageSizeDefault));
    return answer({ symbol, trades: trades.map(publicTradeView) } satisfies { symbol: string; trades: PublicTrade[] });
  },
  candles,
};

function tickers({ service, at, query }: Call<"tickers">): Outcome {
  const symbols = requestedSymbols(service, query.symbols);
  if (!Array.isArray(symbols)) return symbols;
  const views: Ticker[] = symbols.map((symbol) => tickerView(service.exchange.ticker(symbol, at), at));
  return answer({ tickers: views });
}

/** The markets of a comma-separated list, without duplicates; all when there is no list. */
function requestedSymbols(service: Service, list: string | undefined): string[] | Fault {
  if (list === undefined) return service.exchange.markets().map(({ symbol }) => symbol);
  const symbols = new Set<string>();
  for (const written of list.split(",")) {
    if (written === "") return badArgument("symbols", "write the markets as BTC/KRW,ETH/KRW");
    const symbol = service.markets.symbolOf(written);
    if (symbol === undefined) return { ...unknownPair(written), field: "symbols" };
    symbols.add(symbol);
  }
  return [...symbols];
}

function candles({ service, at, params, query }: Call<"candles">): Outcome {
  const symbol = service.markets.symbolOf(params.symbol);
  if (symbol === undefined) return unknownPair(params.symbol);
  const period = periodOf(query);
  if (!period.ok) return period;
  const interval: CandleInterval = query.interval ?? "1m";
  const { from = 0, to = at } = period;
  const found = service.exchange.candles(symbol, CANDLE_INTERVAL_MS[interval], from, to, LIMITS.candlesMax);
  return answer({ symbol, interval, candles: found.map(candleView) });
}
