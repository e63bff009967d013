/**
 * Converts the engine's public market data into the wire's shapes.
 * Source: service.md#market, service.md#v1-tickers, service.md#v1-orderbook, service.md#v1-trades, service.md#v1-candles.
 */
import type { BookLevel, Candle, Market, Orderbook, PublicTrade, Ticker } from "../../contract/index.ts";
import type {
  BookRecord,
  CandleRecord,
  Exchange,
  MarketRule,
  Millis,
  TickerRecord,
  TradeRecord,
  Units,
} from "../model/index.ts";
import { decimalText, nullableText, quotient } from "./decimal-text.ts";

let written = { at: Number.NaN, text: "" };

/** Most texts of a moment are of the same millisecond. */
export function timeText(at: Millis): string {
  if (written.at !== at) written = { at, text: new Date(at).toISOString() };
  return written.text;
}

export function marketView(market: ReturnType<Exchange["markets"]>[number]): Market {
  return {
    symbol: market.symbol,
    base: market.base,
    quote: market.quote,
    korean_name: market.koreanName,
    english_name: market.englishName,
    status: market.status,
    min_volume: decimalText(market.minVolume),
    min_notional: decimalText(market.minNotional),
    tick_size: decimalText(tickAt(market, market.last ?? market.anchorPrice)),
    tick_bands: market.tickBands.map(({ from, tick }) => ({
      from_price: decimalText(from),
      tick_size: decimalText(tick),
    })),
    price_decimals: market.priceDecimals,
    volume_decimals: market.volumeDecimals,
    maker_fee_rate: decimalText(market.makerFeeRate),
    taker_fee_rate: decimalText(market.takerFeeRate),
  };
}

/** The tick of the highest band that begins at or below the price. */
export function tickAt({ tickBands }: MarketRule, price: Units): Units {
  const reached = tickBands.filter(({ from }) => from <= price);
  const band = reached.reduce(
    (best, next) => (next.from > best.from ? next : best),
    reached[0] ?? { from: 0n, tick: 0n },
  );
  return band.tick;
}

export function tickerView(ticker: TickerRecord, at: Millis): Ticker {
  const { last, open } = ticker;
  const change = last === null || open === null ? null : last - open;
  return {
    symbol: ticker.symbol,
    last: nullableText(last),
    open: nullableText(open),
    high: nullableText(ticker.high),
    low: nullableText(ticker.low),
    volume: decimalText(ticker.volume),
    quote_volume: decimalText(ticker.quoteVolume),
    change: nullableText(change),
    change_rate: change === null || open === null || open === 0n ? null : decimalText(quotient(change, open)),
    best_bid: nullableText(ticker.bestBid),
    best_ask: nullableText(ticker.bestAsk),
    time: timeText(at),
  };
}

export function orderbookView(symbol: string, book: BookRecord, at: Millis): Orderbook {
  return { symbol, seq: book.seq, tick: { buys: levels(book.buys), asks: levels(book.asks) }, time: timeText(at) };
}

function levels(side: BookRecord["buys"]): BookLevel[] {
  return side.map(([price, volume]) => [decimalText(price), decimalText(volume)]);
}

export function publicTradeView(trade: TradeRecord): PublicTrade {
  return {
    trade_id: String(trade.tradeSeq),
    symbol: trade.symbol,
    side: trade.takerSide,
    price: decimalText(trade.price),
    volume: decimalText(trade.volume),
    time: timeText(trade.time),
  };
}

export function candleView(candle: CandleRecord): Candle {
  return {
    time: timeText(candle.start),
    open: decimalText(candle.open),
    high: decimalText(candle.high),
    low: decimalText(candle.low),
    close: decimalText(candle.close),
    volume: decimalText(candle.volume),
    quote_volume: decimalText(candle.quoteVolume),
  };
}
