/**
 * Owns the public market data of the Trading API, in the Kraken spot dialect: results are keyed by the market's symbol, rows are arrays.
 * Where the dialect says less than the Open API, or says it less exactly, the service's own field stands beside it.
 *
 * Source: service.md#trading-public; decision 0009.
 */
import { z } from "zod";
import { marketStatus, tickBand } from "../open/market.ts";
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
import { pairList, unixSeconds, unixTimeText } from "./wire.ts";

export const tradingTime = z.object({
  unixtime: z.int().nonnegative(),
  rfc1123: z.string(),
  unix_ms: z.int().nonnegative(),
  iso: isoTime,
});

export const systemStatus = z.object({ status: z.enum(["online", "maintenance"]), timestamp: isoTime });

export const assetInfo = z.object({
  aclass: z.literal("currency"),
  altname: asset,
  decimals: z.int(),
  display_decimals: z.int(),
  status: z.literal("enabled"),
});
export const assetInfos = z.record(asset, assetInfo);

/** `[from this 30-day volume on, percent]`. */
const feeStep = z.tuple([decimalString, decimalString]);

export const assetPair = z.object({
  altname: z.string(),
  wsname: symbol,
  aclass_base: z.literal("currency"),
  base: asset,
  aclass_quote: z.literal("currency"),
  quote: asset,
  cost_decimals: z.int(),
  pair_decimals: z.int().min(0).max(8),
  lot_decimals: z.int().min(0).max(8),
  lot_multiplier: z.int(),
  leverage_buy: z.array(z.int()),
  leverage_sell: z.array(z.int()),
  fees: z.array(feeStep),
  fees_maker: z.array(feeStep),
  fee_volume_currency: asset,
  ordermin: decimalString,
  costmin: decimalString,
  tick_size: decimalString,
  status: z.enum(["online", "cancel_only"]),
  market_status: marketStatus,
  tick_bands: z.array(tickBand),
  maker_fee_rate: decimalString,
  taker_fee_rate: decimalString,
  korean_name: z.string(),
  english_name: z.string(),
});
export const assetPairs = z.record(symbol, assetPair);

/** `[price, volume in whole lots, volume]`. */
const bestLevel = z.tuple([decimalString, decimalString, decimalString]);
/** `[today, last 24 hours]`; today begins at 00:00 UTC. */
const spans = z.tuple([decimalString.nullable(), decimalString.nullable()]);

export const tradingTicker = z.object({
  a: bestLevel.nullable(),
  b: bestLevel.nullable(),
  c: z.tuple([decimalString, decimalString]).nullable(),
  v: z.tuple([decimalString, decimalString]),
  p: spans,
  t: z.tuple([z.int(), z.int()]),
  l: spans,
  h: spans,
  o: decimalString.nullable(),
  open_24h: decimalString.nullable(),
  quote_volume_24h: decimalString,
  change_24h: signedDecimalString.nullable(),
  change_rate_24h: signedDecimalString.nullable(),
  time: isoTime,
});
export const tradingTickers = z.record(symbol, tradingTicker);

/** `[time, open, high, low, close, vwap, volume, trades, quote volume]`; the last is the service's own. */
export const candleRow = z.tuple([
  unixSeconds,
  decimalString,
  decimalString,
  decimalString,
  decimalString,
  decimalString,
  decimalString,
  z.int(),
  decimalString,
]);
/** The market's rows, oldest first, and `last`: `since` for what comes after them. */
export const candleRows = z.object({ last: z.int() }).catchall(z.array(candleRow));

/** `[price, volume, time of this answer]`, in whole seconds as the dialect has it here. */
export const depthRow = z.tuple([decimalString, decimalString, z.int().nonnegative()]);
export const depth = z.record(
  symbol,
  z.object({
    asks: z.array(depthRow),
    bids: z.array(depthRow),
    seq: z.int().nonnegative(),
    time: isoTime,
  }),
);

/** `[price, volume, time, b|s of the taker, order type (not kept: empty), misc, trade id]`. */
export const publicTradeRow = z.tuple([
  decimalString,
  decimalString,
  unixSeconds,
  z.enum(["b", "s"]),
  z.string(),
  z.string(),
  z.int(),
]);
/** The market's rows, oldest first, and `last`: `since` for what comes after them. */
export const publicTradeRows = z.object({ last: z.string().regex(/^\d{1,20}$/) }).catchall(z.array(publicTradeRow));

/** `[time, best bid, best ask]` of now, in whole seconds: earlier spreads are not kept. */
export const spreadRow = z.tuple([z.int().nonnegative(), decimalString, decimalString]);
export const spreadRows = z.object({ last: z.int() }).catchall(z.array(spreadRow));

/** Minutes, as the dialect counts candle intervals. */
export const TRADING_INTERVALS_MIN = [1, 5, 15, 30, 60, 240, 1440, 10080, 21600] as const;
export const TRADING_CANDLES_MAX = 720;

/** Whatever part `info` names, the whole is shown; of `margin` there is nothing, as the service has none. */
export const pairsRequest = z.strictObject({
  pair: pairList.optional(),
  info: z.enum(["info", "leverage", "fees", "margin"]).optional(),
  aclass_base: z.literal("currency").optional(),
});
export const tickerRequest = z.strictObject({ pair: pairList.optional() });
export const candleRowsRequest = z.strictObject({
  pair: symbolInput,
  interval: z
    .string()
    .regex(new RegExp(`^(${TRADING_INTERVALS_MIN.join("|")})$`), { error: "use a number of minutes the service has" })
    .optional(),
  since: unixTimeText.optional(),
  end: unixTimeText.optional(),
});
export const depthRequest = z.strictObject({
  pair: symbolInput,
  count: countTo500.optional().meta(describedAsInteger(1, 500)),
});
export const tradeRowsRequest = z.strictObject({
  pair: symbolInput,
  /** Also nanoseconds, as in `last`. */
  since: z.union([unixTimeText, z.string().regex(/^\d{16,20}$/)]).optional(),
  count: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, { error: "use a whole number from 1 to 1000" })
    .optional()
    .meta(describedAsInteger(1, 1000)),
});
export const spreadRequest = z.strictObject({
  pair: symbolInput,
  since: z.union([unixTimeText, unixMsText]).optional(),
});

export type AssetPair = z.infer<typeof assetPair>;
export type TradingTicker = z.infer<typeof tradingTicker>;
export type CandleRow = z.infer<typeof candleRow>;
export type DepthRow = z.infer<typeof depthRow>;
export type PublicTradeRow = z.infer<typeof publicTradeRow>;
