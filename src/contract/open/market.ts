/**
 * Owns public market data: asset pairs, tickers, order books, public trades, candles.
 *
 * Invariant: requests are strict (an unknown field is refused); answers drop fields they do not know, as a minor version may add
 * some.
 *
 * Source: service.md#open-api, service.md#market.
 */
import { z } from "zod";
import {
  asset,
  countTo500,
  decimalString,
  describedAsInteger,
  isoTime,
  signedDecimalString,
  symbol,
  symbolInput,
  unixMsText,
} from "../wire.ts";

export const serverTime = z
  .object({ iso: isoTime, unix_ms: z.int().nonnegative() })
  .meta({ id: "ServerTime", description: "The service's clock." });

export const tickBand = z
  .object({ from_price: decimalString, tick_size: decimalString })
  .meta({ id: "TickBand", description: "From this price upward, prices are multiples of tick_size." });

export const marketStatus = z.enum(["trading", "halted", "delisting"]);

/** An asset pair: what may be traded, in which steps, at which fee. */
export const market = z
  .object({
    symbol,
    base: asset,
    quote: asset,
    korean_name: z.string(),
    english_name: z.string(),
    status: marketStatus,
    min_volume: decimalString,
    min_notional: decimalString,
    tick_size: decimalString,
    tick_bands: z.array(tickBand),
    price_decimals: z.int().min(0).max(8),
    volume_decimals: z.int().min(0).max(8),
    maker_fee_rate: decimalString,
    taker_fee_rate: decimalString,
  })
  .meta({ id: "Market", description: "An asset pair. tick_size is the tick at the last price; tick_bands give all." });

export const marketList = z.object({ markets: z.array(market) }).meta({ id: "MarketList" });

/** Ticker of the last 24 hours. Prices are null where the market has not traded or has no quote. */
export const ticker = z
  .object({
    symbol,
    last: decimalString.nullable(),
    open: decimalString.nullable(),
    high: decimalString.nullable(),
    low: decimalString.nullable(),
    volume: decimalString,
    quote_volume: decimalString,
    change: signedDecimalString.nullable(),
    change_rate: signedDecimalString.nullable(),
    best_bid: decimalString.nullable(),
    best_ask: decimalString.nullable(),
    time: isoTime,
  })
  .meta({ id: "Ticker", description: "24-hour summary; change is last − open, change_rate is change ÷ open." });

export const tickerList = z.object({ tickers: z.array(ticker) }).meta({ id: "TickerList" });

/** Holds one price level: `[price, volume]`. */
export const bookLevel = z.tuple([decimalString, decimalString]).meta({ id: "BookLevel" });

export const orderbook = z
  .object({
    symbol,
    seq: z.int().nonnegative(),
    tick: z.object({ buys: z.array(bookLevel), asks: z.array(bookLevel) }),
    time: isoTime,
  })
  .meta({ id: "Orderbook", description: "Best levels first on both sides." });

export const side = z.enum(["buy", "sell"]);

export const publicTrade = z
  .object({
    trade_id: z.string(),
    symbol,
    side: side.meta({ description: "Side of the taker." }),
    price: decimalString,
    volume: decimalString,
    time: isoTime,
  })
  .meta({ id: "PublicTrade" });

export const publicTradeList = z
  .object({ symbol, trades: z.array(publicTrade) })
  .meta({ id: "PublicTradeList", description: "Newest first." });

/** Candle intervals and their length in milliseconds. */
export const CANDLE_INTERVAL_MS = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
} as const;

export const candleInterval = z.enum(["1m", "5m", "15m", "1h", "4h", "1d"]);

export const candle = z
  .object({
    time: isoTime,
    open: decimalString,
    high: decimalString,
    low: decimalString,
    close: decimalString,
    volume: decimalString,
    quote_volume: decimalString,
  })
  .meta({ id: "Candle", description: "time is the start of the interval. Intervals without a trade are absent." });

/** A candle as any exchange may show it: one that does not say what was turned over leaves that out. */
export const shownCandle = candle.partial({ quote_volume: true });

export const candleList = z
  .object({ symbol, interval: candleInterval, candles: z.array(candle) })
  .meta({ id: "CandleList", description: "Oldest first, at most 500: the newest of the period." });

export const symbolPath = z.strictObject({ symbol: symbolInput });
export const tickersQuery = z.strictObject({
  symbols: z.string().max(2000).optional().meta({ description: "Comma-separated symbols; all markets when absent." }),
});
export const orderbookQuery = z.strictObject({
  depth: countTo500
    .optional()
    .meta({ ...describedAsInteger(1, 500), description: "Levels a side, 1 to 500; 20 when absent." }),
});
export const publicTradesQuery = z.strictObject({
  limit: countTo500.optional().meta({ ...describedAsInteger(1, 500), description: "1 to 500; 100 when absent." }),
});
export const candlesQuery = z.strictObject({
  interval: candleInterval.optional().meta({ description: "1m when absent." }),
  from: unixMsText.optional(),
  to: unixMsText.optional(),
});

export type ServerTime = z.infer<typeof serverTime>;
export type Market = z.infer<typeof market>;
export type Ticker = z.infer<typeof ticker>;
export type Orderbook = z.infer<typeof orderbook>;
export type BookLevel = z.infer<typeof bookLevel>;
export type PublicTrade = z.infer<typeof publicTrade>;
export type Candle = z.infer<typeof shownCandle>;
export type CandleInterval = z.infer<typeof candleInterval>;
export type Side = z.infer<typeof side>;
