/**
 * Public market data as the alias endpoints ask for it and answer: names and shapes of their dialect.
 *
 * Where a parameter can be wrong in a way the dialect has its own number for, the schema's message is the name of an
 * `ALIAS_PROBLEMS` entry. Amounts are texts with 8 decimals, lists bare arrays. Times are Unix milliseconds; beside them
 * stands the same time as the specification writes times, where an array has no fixed places.
 *
 * Source: decisions §4 (aliases); decision 0010.
 */
import { z } from "zod";
import { isoTime, symbolInput } from "./wire.ts";

/** An amount, price or quantity in answers. */
export const aliasDecimal = z.string().regex(/^\d{1,27}\.\d{8}$/);
const signedAliasDecimal = z.string().regex(/^-?\d{1,27}\.\d{8}$/);
/** A market in answers: both codes without a sign between them. */
export const aliasSymbol = z.string().regex(/^[A-Z0-9]{2,30}$/);
export const aliasAsset = z.string().regex(/^[A-Z0-9]{1,15}$/);
export const aliasTime = z.int().nonnegative();
/** Number of a trade. */
export const aliasTradeId = z.int().nonnegative();

/** A page size in a request, 1 to 1000. */
export const aliasLimit = z.string().regex(/^([1-9]\d{0,2}|1000)$/);
/** A time in a request. */
export const aliasTimeInput = z.string().regex(/^\d{1,15}$/);

const SYMBOL = "[A-Za-z0-9]{1,15}(/[A-Za-z0-9]{1,15})?";
/** A JSON array of markets. */
const symbolsInput = z.string().regex(new RegExp(`^\\["${SYMBOL}"(,"${SYMBOL}"){0,99}\\]$`));

const someSymbols = { symbol: symbolInput.optional(), symbols: symbolsInput.optional() };

interface SomeSymbols {
  readonly symbol?: string | undefined;
  readonly symbols?: string | undefined;
}

function oneOfBoth({ symbol, symbols }: SomeSymbols, context: z.RefinementCtx): void {
  if (symbol === undefined || symbols === undefined) return;
  context.addIssue({ code: "custom", path: ["symbols"], message: "badCombination", input: symbols });
}

export const aliasSymbolsParameters = z.strictObject(someSymbols).superRefine(oneOfBoth);

export const aliasDepthParameters = z.strictObject({
  symbol: symbolInput,
  /** 100 when absent; above 5000 as many as 5000. */
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .optional(),
});

export const aliasTradesParameters = z.strictObject({ symbol: symbolInput, limit: aliasLimit.optional() });

/** The dialect's intervals that fit into a day, with their length. */
export const ALIAS_INTERVAL_MS = {
  "1m": 60_000,
  "3m": 180_000,
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "1h": 3_600_000,
  "2h": 7_200_000,
  "4h": 14_400_000,
  "6h": 21_600_000,
  "8h": 28_800_000,
  "12h": 43_200_000,
  "1d": 86_400_000,
} as const;

type AliasInterval = keyof typeof ALIAS_INTERVAL_MS;

export const aliasKlinesParameters = z.strictObject({
  symbol: symbolInput,
  interval: z.enum(Object.keys(ALIAS_INTERVAL_MS) as AliasInterval[], { error: "invalidInterval" }),
  startTime: aliasTimeInput.optional(),
  endTime: aliasTimeInput.optional(),
  limit: aliasLimit.optional(),
});

export const aliasDayParameters = z
  .strictObject({ ...someSymbols, type: z.enum(["FULL", "MINI"], { error: "invalidTickerType" }).optional() })
  .superRefine(oneOfBoth);

export const aliasNothing = z.object({});
export const aliasServerTime = z.object({ serverTime: aliasTime, iso: isoTime });

const priceFilter = z.object({
  filterType: z.literal("PRICE_FILTER"),
  minPrice: aliasDecimal,
  maxPrice: aliasDecimal,
  tickSize: aliasDecimal,
});
const lotSize = z.object({
  filterType: z.literal("LOT_SIZE"),
  minQty: aliasDecimal,
  maxQty: aliasDecimal,
  stepSize: aliasDecimal,
});
const notional = z.object({
  filterType: z.literal("NOTIONAL"),
  minNotional: aliasDecimal,
  applyMinToMarket: z.boolean(),
  maxNotional: aliasDecimal,
  applyMaxToMarket: z.boolean(),
  avgPriceMins: z.int().nonnegative(),
});

export const aliasMarket = z.object({
  symbol: aliasSymbol,
  status: z.enum(["TRADING", "HALT", "BREAK"]),
  baseAsset: aliasAsset,
  baseAssetPrecision: z.int(),
  quoteAsset: aliasAsset,
  quotePrecision: z.int(),
  quoteAssetPrecision: z.int(),
  baseCommissionPrecision: z.int(),
  quoteCommissionPrecision: z.int(),
  orderTypes: z.array(z.enum(["LIMIT", "LIMIT_MAKER", "MARKET"])),
  icebergAllowed: z.boolean(),
  ocoAllowed: z.boolean(),
  otoAllowed: z.boolean(),
  quoteOrderQtyMarketAllowed: z.boolean(),
  allowTrailingStop: z.boolean(),
  cancelReplaceAllowed: z.boolean(),
  amendAllowed: z.boolean(),
  pegInstructionsAllowed: z.boolean(),
  isSpotTradingAllowed: z.boolean(),
  isMarginTradingAllowed: z.boolean(),
  /** The tick is that of the last price; further up the market may have a coarser one. */
  filters: z.tuple([priceFilter, lotSize, notional]),
  permissions: z.array(z.string()),
  permissionSets: z.array(z.array(z.string())),
  defaultSelfTradePreventionMode: z.literal("EXPIRE_TAKER"),
  allowedSelfTradePreventionModes: z.array(z.literal("EXPIRE_TAKER")),
});

export const aliasExchangeInfo = z.object({
  timezone: z.literal("UTC"),
  serverTime: aliasTime,
  rateLimits: z.array(
    z.object({
      rateLimitType: z.enum(["REQUEST_WEIGHT", "RAW_REQUESTS"]),
      interval: z.enum(["SECOND", "MINUTE"]),
      intervalNum: z.int(),
      limit: z.int(),
    }),
  ),
  exchangeFilters: z.array(
    z.object({ filterType: z.literal("EXCHANGE_MAX_NUM_ORDERS"), maxNumOrders: z.int().positive() }),
  ),
  symbols: z.array(aliasMarket),
});

const level = z.tuple([aliasDecimal, aliasDecimal]);
/** Best levels first. */
export const aliasDepth = z.object({ lastUpdateId: z.int().nonnegative(), bids: z.array(level), asks: z.array(level) });

/** Oldest first. */
export const aliasTrades = z.array(
  z.object({
    id: aliasTradeId,
    price: aliasDecimal,
    qty: aliasDecimal,
    quoteQty: aliasDecimal,
    time: aliasTime,
    traded_at: isoTime,
    isBuyerMaker: z.boolean(),
    isBestMatch: z.boolean(),
  }),
);

/** Oldest first. Intervals without a trade are absent. */
export const aliasKlines = z.array(
  z.tuple([
    aliasTime,
    aliasDecimal,
    aliasDecimal,
    aliasDecimal,
    aliasDecimal,
    aliasDecimal,
    aliasTime,
    aliasDecimal,
    z.int().nonnegative(),
    aliasDecimal,
    aliasDecimal,
    z.literal("0"),
  ]),
);

const miniDay = z.object({
  symbol: aliasSymbol,
  openPrice: aliasDecimal,
  highPrice: aliasDecimal,
  lowPrice: aliasDecimal,
  lastPrice: aliasDecimal,
  volume: aliasDecimal,
  quoteVolume: aliasDecimal,
  openTime: aliasTime,
  closeTime: aliasTime,
  /** -1 without a trade; `lastId` too. */
  firstId: z.int(),
  lastId: z.int(),
  count: z.int().nonnegative(),
});
const fullDay = z.object({
  ...miniDay.shape,
  priceChange: signedAliasDecimal,
  priceChangePercent: signedAliasDecimal,
  weightedAvgPrice: aliasDecimal,
  prevClosePrice: aliasDecimal,
  lastQty: aliasDecimal,
  bidPrice: aliasDecimal,
  bidQty: aliasDecimal,
  askPrice: aliasDecimal,
  askQty: aliasDecimal,
});
const price = z.object({ symbol: aliasSymbol, price: aliasDecimal });
const touch = z.object({
  symbol: aliasSymbol,
  bidPrice: aliasDecimal,
  bidQty: aliasDecimal,
  askPrice: aliasDecimal,
  askQty: aliasDecimal,
});

/** Of one market as an object, of several as an array. A figure that does not exist is zero. */
export const aliasDay = z.union([fullDay, miniDay, z.array(fullDay), z.array(miniDay)]);
export const aliasPrice = z.union([price, z.array(price)]);
export const aliasBookTicker = z.union([touch, z.array(touch)]);

export type AliasMarket = z.infer<typeof aliasMarket>;
export type AliasExchangeInfo = z.infer<typeof aliasExchangeInfo>;
export type AliasDepth = z.infer<typeof aliasDepth>;
export type AliasTrade = z.infer<typeof aliasTrades>[number];
export type AliasKline = z.infer<typeof aliasKlines>[number];
export type AliasMiniDay = z.infer<typeof miniDay>;
export type AliasFullDay = z.infer<typeof fullDay>;
export type AliasPrice = z.infer<typeof price>;
export type AliasBookTicker = z.infer<typeof touch>;
