/**
 * Converts the engine's public market data into the objects and rows of the Trading API. Source: service.md#trading-public.
 */
import type { AssetPair, CandleRow, DepthRow, PublicTradeRow, TradingTicker } from "../../../contract/index.ts";
import {
  type BookRecord,
  type CandleRecord,
  type Exchange,
  type Millis,
  ONE,
  SCALE,
  type TradeRecord,
  type Units,
} from "../../model/index.ts";
import { decimalText, nullableText, quotient } from "../../wire/decimal-text.ts";
import { marketView, tickerView, timeText } from "../../wire/market-view.ts";
import { secondsOf, wholeSecondsOf } from "./unix-time.ts";

export function assetPairView(market: ReturnType<Exchange["markets"]>[number]): AssetPair {
  const { symbol, base, quote, korean_name, english_name, status, ...rest } = marketView(market);
  return {
    altname: `${base}${quote}`,
    wsname: symbol,
    aclass_base: "currency",
    base,
    aclass_quote: "currency",
    quote,
    cost_decimals: SCALE,
    pair_decimals: rest.price_decimals,
    lot_decimals: rest.volume_decimals,
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: [["0", percentText(market.takerFeeRate)]],
    fees_maker: [["0", percentText(market.makerFeeRate)]],
    fee_volume_currency: quote,
    ordermin: rest.min_volume,
    costmin: rest.min_notional,
    tick_size: rest.tick_size,
    // A halted or delisting market accepts cancels only.
    status: status === "trading" ? "online" : "cancel_only",
    market_status: status,
    tick_bands: rest.tick_bands,
    maker_fee_rate: rest.maker_fee_rate,
    taker_fee_rate: rest.taker_fee_rate,
    korean_name,
    english_name,
  };
}

/** 0.0005 is "0.05". */
export function percentText(rate: Units): string {
  return decimalText(rate * 100n);
}

const DAY_MS = 86_400_000;

export function tickerViewOf(exchange: Exchange, symbol: string, at: Millis): TradingTicker {
  const ticker = exchange.ticker(symbol, at);
  const { open, change, change_rate, time } = tickerView(ticker, at);
  const midnight = at - (at % DAY_MS);
  const [today] = exchange.candles(symbol, DAY_MS, midnight, at, 1);
  const [last] = exchange.trades(symbol, 1);
  const { buys, asks } = exchange.book(symbol, 1);
  const { volume, quoteVolume } = ticker;
  return {
    a: bestLevel(asks),
    b: bestLevel(buys),
    c: last === undefined ? null : [decimalText(last.price), decimalText(last.volume)],
    v: [decimalText(today?.volume ?? 0n), decimalText(volume)],
    p: [averageText(today?.quoteVolume ?? 0n, today?.volume ?? 0n), averageText(quoteVolume, volume)],
    t: [today?.trades ?? 0, ticker.trades],
    l: [nullableText(today?.low ?? null), nullableText(ticker.low)],
    h: [nullableText(today?.high ?? null), nullableText(ticker.high)],
    o: nullableText(today?.open ?? null),
    open_24h: open,
    quote_volume_24h: decimalText(quoteVolume),
    change_24h: change,
    change_rate_24h: change_rate,
    time,
  };
}

function bestLevel([level]: BookRecord["asks"]): [string, string, string] | null {
  if (level === undefined) return null;
  const [price, volume] = level;
  return [decimalText(price), decimalText(volume - (volume % ONE)), decimalText(volume)];
}

function averageText(value: Units, volume: Units): string | null {
  return volume === 0n ? null : decimalText(quotient(value, volume));
}

export function candleRowOf(candle: CandleRecord): CandleRow {
  const { start, open, high, low, close, volume, quoteVolume, trades } = candle;
  return [
    secondsOf(start),
    decimalText(open),
    decimalText(high),
    decimalText(low),
    decimalText(close),
    averageText(quoteVolume, volume) ?? decimalText(close),
    decimalText(volume),
    trades,
    decimalText(quoteVolume),
  ];
}

export function depthView(book: BookRecord, at: Millis) {
  const rows = (side: BookRecord["asks"]): DepthRow[] =>
    side.map(([price, volume]) => [decimalText(price), decimalText(volume), wholeSecondsOf(at)]);
  return { asks: rows(book.asks), bids: rows(book.buys), seq: book.seq, time: timeText(at) };
}

export function publicTradeRowOf({ price, volume, time, takerSide, tradeSeq }: TradeRecord): PublicTradeRow {
  return [decimalText(price), decimalText(volume), secondsOf(time), takerSide === "buy" ? "b" : "s", "", "", tradeSeq];
}
