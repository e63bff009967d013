/**
 * The public operations of the Trading API: time, status, assets, markets, tickers, candles, book, trades, spread.
 * Source: service.md#trading-public.
 */
import { LIMITS, TRADING_CANDLES_MAX } from "../../../contract/index.ts";
import { answer, badArgument, type Fault, type Outcome, unknownPair } from "../../http/outcome.ts";
import { countOf } from "../../http/query-value.ts";
import type { TradeRecord } from "../../model/index.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";
import { assetPairView, candleRowOf, depthView, publicTradeRowOf, tickerViewOf } from "./market-rows.ts";
import type { PairDirectory } from "./pair-directory.ts";
import type { OperationCall, OperationHandlers } from "./trading-call.ts";
import { markOf, millisOf, readMark, seqEndOf, wholeSecondsOf } from "./unix-time.ts";

const ASSET_DECIMALS = 8;
const MINUTE_MS = 60_000;
/** The engine keeps no more. */
const TRADES_MAX = 500;

export const MARKET_OPERATIONS: OperationHandlers<
  "Time" | "SystemStatus" | "Assets" | "AssetPairs" | "Ticker" | "OHLC" | "Depth" | "Trades" | "Spread"
> = {
  Time: ({ at }) =>
    answer({ unixtime: wholeSecondsOf(at), rfc1123: new Date(at).toUTCString(), unix_ms: at, iso: timeText(at) }),
  SystemStatus: ({ service, at }) =>
    answer({ status: service.journaled.failed === undefined ? "online" : "maintenance", timestamp: timeText(at) }),
  Assets: assets,
  AssetPairs({ service, pairs, request }) {
    const wanted = requestedSymbols(pairs, request.pair);
    if (wanted !== undefined && !Array.isArray(wanted)) return wanted;
    const listed = service.exchange.markets().filter(({ symbol }) => wanted?.includes(symbol) ?? true);
    return answer(Object.fromEntries(listed.map((market) => [market.symbol, assetPairView(market)])));
  },
  Ticker({ service, pairs, at, request }) {
    const wanted = requestedSymbols(pairs, request.pair) ?? service.exchange.markets().map(({ symbol }) => symbol);
    if (!Array.isArray(wanted)) return wanted;
    return answer(Object.fromEntries(wanted.map((symbol) => [symbol, tickerViewOf(service.exchange, symbol, at)])));
  },
  OHLC: candles,
  Depth({ service, pairs, at, request }) {
    const symbol = pairs.symbolOf(request.pair);
    if (symbol === undefined) return unknownPair(request.pair);
    const book = service.exchange.book(symbol, countOf(request.count, LIMITS.pageSizeDefault));
    return answer({ [symbol]: depthView(book, at) });
  },
  Trades: trades,
  Spread: spread,
};

function assets({ pairs, request }: OperationCall<"Assets">): Outcome {
  const wanted = request.asset?.split(",").map((written) => pairs.assetOf(written)) ?? pairs.assets;
  const found: Record<string, object> = {};
  for (const asset of wanted) {
    if (asset === undefined) return badArgument("asset", "there is no such asset");
    const decimals = { decimals: ASSET_DECIMALS, display_decimals: ASSET_DECIMALS };
    found[asset] = { aclass: "currency", altname: asset, ...decimals, status: "enabled" };
  }
  return answer(found);
}

/** The markets of a list, without duplicates; undefined when there is no list. */
function requestedSymbols(pairs: PairDirectory, list: string | undefined): string[] | Fault | undefined {
  if (list === undefined) return undefined;
  const symbols = new Set<string>();
  for (const written of list.split(",")) {
    const symbol = pairs.symbolOf(written);
    if (symbol === undefined) return unknownPair(written);
    symbols.add(symbol);
  }
  return [...symbols];
}

function candles({ service, pairs, at, request }: OperationCall<"OHLC">): Outcome {
  const symbol = pairs.symbolOf(request.pair);
  if (symbol === undefined) return unknownPair(request.pair);
  const intervalMs = countOf(request.interval, 1) * MINUTE_MS;
  // The caller has the candle that began at `since`.
  const from = request.since === undefined ? 0 : millisOf(request.since) + 1;
  const to = request.end === undefined ? at : millisOf(request.end);
  const found = service.exchange.candles(symbol, intervalMs, from, to, TRADING_CANDLES_MAX);
  // The newest candle may still change, so the caller is to request it again.
  const newest = found.at(-2)?.start ?? 0;
  return answer({ [symbol]: found.map(candleRowOf), last: wholeSecondsOf(newest) });
}

function trades({ service, pairs, request }: OperationCall<"Trades">): Outcome {
  const symbol = pairs.symbolOf(request.pair);
  if (symbol === undefined) return unknownPair(request.pair);
  const kept = service.exchange.trades(symbol, TRADES_MAX).toReversed();
  const count = countOf(request.count, TRADES_MAX);
  const found = request.since === undefined ? kept.slice(-count) : after(kept, request.since).slice(0, count);
  const last = found.at(-1);
  const mark = last === undefined ? (request.since ?? "0") : markOf(last.time, last.tradeSeq);
  return answer({ [symbol]: found.map(publicTradeRowOf), last: mark.replace(/\..*/, "") });
}

/** The trades after the one that a mark names, or after a time, oldest first. */
function after(kept: readonly TradeRecord[], since: string): readonly TradeRecord[] {
  const { at, seqEnd } = readMark(since);
  const named = kept.findIndex(({ time, tradeSeq }) => time === at && seqEndOf(tradeSeq) === seqEnd);
  return named < 0 ? kept.filter(({ time }) => time > at) : kept.slice(named + 1);
}

function spread({ service, pairs, at, request }: OperationCall<"Spread">): Outcome {
  const symbol = pairs.symbolOf(request.pair);
  if (symbol === undefined) return unknownPair(request.pair);
  const { bestBid, bestAsk } = service.exchange.ticker(symbol, at);
  const isRequested = request.since === undefined || at >= millisOf(request.since);
  const rows =
    bestBid === null || bestAsk === null || !isRequested
      ? []
      : [[wholeSecondsOf(at), decimalText(bestBid), decimalText(bestAsk)]];
  return answer({ [symbol]: rows, last: wholeSecondsOf(at) });
}
