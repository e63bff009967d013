/**
 * Owns the answers of the alias endpoints, in names and shapes of their dialect. Entry point: `ALIAS_ANSWERS`.
 *
 * At run time not part of index.ts: no code here reads these answers, so no start pays for their schemas.
 *
 * Amounts are texts with 8 decimals, lists are bare arrays. Times are Unix milliseconds; where the shape is an object, the same
 * time stands beside them as the service writes times. A figure that does not exist is zero.
 *
 * Invariant: an order always has `orderId` and `txid`, and they are the id it has everywhere; `clientOrderId` is its `userref`,
 * or its id when it has none.
 *
 * Source: service.md#times, service.md#txid-and-orderid, service.md#alias-order-id; decision 0010.
 */
import { z } from "zod";
import { isoTime, uuid } from "../wire.ts";
import { aliasCommission, aliasOrderLimits, testedCommission } from "./charge.ts";
import type { AliasEndpointId } from "./endpoint.ts";
import { ALIAS_ORDER_TYPES, ALIAS_SIDES, ALIAS_TIMES_IN_FORCE } from "./order.ts";
import { aliasAsset, aliasDecimal, aliasSymbol, aliasTime, aliasTradeId, signedAliasDecimal } from "./scalar.ts";

const STATUSES = ["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "EXPIRED_IN_MATCH"] as const;

/** Body of every answer that is not 2xx. */
export const aliasError = z.object({ code: z.int().negative(), msg: z.string() }).meta({ id: "AliasError" });

const aliasNothing = z.object({});
const aliasServerTime = z.object({ serverTime: aliasTime, iso: isoTime });

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

const aliasMarket = z
  .object({
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
  })
  .meta({ id: "AliasMarket" });

const aliasExchangeInfo = z.object({
  timezone: z.literal("UTC"),
  serverTime: aliasTime,
  iso: isoTime,
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
const aliasDepth = z.object({ lastUpdateId: z.int().nonnegative(), bids: z.array(level), asks: z.array(level) });

/** Oldest first. */
const aliasTrades = z.array(
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

/** Oldest first. `a`, the number of the first of the trades, names them all; `f` and `l` are the first and the last. */
const aliasAggTrades = z.array(
  z.object({
    a: aliasTradeId,
    p: aliasDecimal,
    q: aliasDecimal,
    f: aliasTradeId,
    l: aliasTradeId,
    T: aliasTime,
    m: z.boolean(),
    M: z.boolean(),
    traded_at: isoTime,
  }),
);

/** Shows the last price where there was no trade in that time; `closeTime` is that of the last trade. */
const aliasAvgPrice = z.object({
  mins: z.literal(5),
  price: aliasDecimal,
  closeTime: aliasTime,
  closed_at: isoTime.nullable(),
});

/** Oldest first. Intervals without a trade are absent. */
const aliasKlines = z.array(
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

const miniDay = z
  .object({
    symbol: aliasSymbol,
    openPrice: aliasDecimal,
    highPrice: aliasDecimal,
    lowPrice: aliasDecimal,
    lastPrice: aliasDecimal,
    volume: aliasDecimal,
    quoteVolume: aliasDecimal,
    openTime: aliasTime,
    opened_at: isoTime,
    closeTime: aliasTime,
    closed_at: isoTime,
    /** -1 without a trade; `lastId` too. */
    firstId: z.int(),
    lastId: z.int(),
    count: z.int().nonnegative(),
  })
  .meta({ id: "AliasMiniDay" });
const fullDay = z
  .object({
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
  })
  .meta({ id: "AliasFullDay" });
const price = z.object({ symbol: aliasSymbol, price: aliasDecimal });
const touch = z
  .object({
    symbol: aliasSymbol,
    bidPrice: aliasDecimal,
    bidQty: aliasDecimal,
    askPrice: aliasDecimal,
    askQty: aliasDecimal,
  })
  .meta({ id: "AliasBookTicker" });

/** Shows one market as an object, several as an array. A figure that does not exist is zero. */
const aliasDay = z.union([fullDay, miniDay, z.array(fullDay), z.array(miniDay)]);
const aliasPrice = z.union([price, z.array(price)]);
const aliasBookTicker = z.union([touch, z.array(touch)]);

const ids = {
  symbol: aliasSymbol,
  orderId: uuid,
  txid: z.tuple([uuid]),
  orderListId: z.literal(-1),
  clientOrderId: z.string().min(1),
};

const times = { created_at: isoTime, updated_at: isoTime };

const terms = {
  price: aliasDecimal,
  origQty: aliasDecimal,
  executedQty: aliasDecimal,
  origQuoteOrderQty: aliasDecimal,
  cummulativeQuoteQty: aliasDecimal,
  status: z.enum(STATUSES),
  timeInForce: z.enum(ALIAS_TIMES_IN_FORCE),
  type: z.enum(ALIAS_ORDER_TYPES),
  side: z.enum(ALIAS_SIDES),
  selfTradePreventionMode: z.literal("EXPIRE_TAKER"),
};

const aliasAck = z.object({ ...ids, transactTime: aliasTime, ...times });
const aliasPlaced = z.object({ ...aliasAck.shape, ...terms, workingTime: aliasTime });

const aliasPlacedFill = z.object({
  price: aliasDecimal,
  qty: aliasDecimal,
  commission: aliasDecimal,
  commissionAsset: aliasAsset,
  tradeId: aliasTradeId,
});
const placedWithFills = z.object({ ...aliasPlaced.shape, fills: z.array(aliasPlacedFill) });

/** Follows `newOrderRespType`: ACK, RESULT or FULL. */
const aliasNewOrder = z.union([placedWithFills, aliasPlaced, aliasAck]);

const aliasOrder = z
  .object({
    ...ids,
    ...terms,
    stopPrice: aliasDecimal,
    icebergQty: aliasDecimal,
    time: aliasTime,
    updateTime: aliasTime,
    ...times,
    isWorking: z.boolean(),
    workingTime: aliasTime,
  })
  .meta({ id: "AliasOrder" });
/** Oldest first. */
const aliasOrders = z.array(aliasOrder);

/** `clientOrderId` is the cancellation's own. */
const aliasCanceled = z
  .object({ ...aliasAck.shape, origClientOrderId: z.string().min(1), ...terms })
  .meta({ id: "AliasCanceled" });
const aliasCanceledAll = z.array(aliasCanceled);

/** Oldest first. */
const aliasMyTrades = z.array(
  z.object({
    symbol: aliasSymbol,
    id: aliasTradeId,
    orderId: uuid,
    orderListId: z.literal(-1),
    price: aliasDecimal,
    qty: aliasDecimal,
    quoteQty: aliasDecimal,
    commission: aliasDecimal,
    commissionAsset: aliasAsset,
    time: aliasTime,
    traded_at: isoTime,
    isBuyer: z.boolean(),
    isMaker: z.boolean(),
    isBestMatch: z.boolean(),
  }),
);

/** Commissions are the highest of any market: in basis points, and as rates. */
const aliasAccount = z.object({
  makerCommission: z.int().nonnegative(),
  takerCommission: z.int().nonnegative(),
  buyerCommission: z.literal(0),
  sellerCommission: z.literal(0),
  commissionRates: z.object({
    maker: aliasDecimal,
    taker: aliasDecimal,
    buyer: aliasDecimal,
    seller: aliasDecimal,
  }),
  canTrade: z.boolean(),
  canWithdraw: z.boolean(),
  canDeposit: z.boolean(),
  brokered: z.boolean(),
  requireSelfTradePrevention: z.boolean(),
  preventSor: z.boolean(),
  updateTime: aliasTime,
  updated_at: isoTime,
  accountType: z.literal("SPOT"),
  balances: z.array(z.object({ asset: aliasAsset, free: aliasDecimal, locked: aliasDecimal })),
  permissions: z.array(z.literal("SPOT")),
  uid: z.string(),
});

/** Lists the answer of each operation, with status 200. */
export const ALIAS_ANSWERS = {
  ping: aliasNothing,
  time: aliasServerTime,
  exchangeInfo: aliasExchangeInfo,
  depth: aliasDepth,
  trades: aliasTrades,
  historicalTrades: aliasTrades,
  aggTrades: aliasAggTrades,
  klines: aliasKlines,
  uiKlines: aliasKlines,
  avgPrice: aliasAvgPrice,
  day: aliasDay,
  price: aliasPrice,
  bookTicker: aliasBookTicker,
  newOrder: aliasNewOrder,
  /** Empty unless `computeCommissionRates` was true. */
  testOrder: z.union([testedCommission, aliasNothing]),
  order: aliasOrder,
  cancelOrder: aliasCanceled,
  openOrders: aliasOrders,
  cancelOpenOrders: aliasCanceledAll,
  allOrders: aliasOrders,
  myTrades: aliasMyTrades,
  account: aliasAccount,
  commission: aliasCommission,
  orderLimits: aliasOrderLimits,
} as const satisfies Record<AliasEndpointId, z.ZodType>;

export type AliasMarket = z.infer<typeof aliasMarket>;
export type AliasExchangeInfo = z.infer<typeof aliasExchangeInfo>;
export type AliasDepth = z.infer<typeof aliasDepth>;
export type AliasTrade = z.infer<typeof aliasTrades>[number];
export type AliasAggTrade = z.infer<typeof aliasAggTrades>[number];
export type AliasAvgPrice = z.infer<typeof aliasAvgPrice>;
export type AliasTested = z.infer<typeof testedCommission>;
export type AliasCommission = z.infer<typeof aliasCommission>;
export type AliasOrderLimits = z.infer<typeof aliasOrderLimits>;
export type AliasKline = z.infer<typeof aliasKlines>[number];
export type AliasMiniDay = z.infer<typeof miniDay>;
export type AliasFullDay = z.infer<typeof fullDay>;
export type AliasPrice = z.infer<typeof price>;
export type AliasBookTicker = z.infer<typeof touch>;
export type AliasAck = z.infer<typeof aliasAck>;
export type AliasPlaced = z.infer<typeof aliasPlaced>;
export type AliasPlacedFill = z.infer<typeof aliasPlacedFill>;
export type AliasOrder = z.infer<typeof aliasOrder>;
export type AliasCanceled = z.infer<typeof aliasCanceled>;
export type AliasMyTrade = z.infer<typeof aliasMyTrades>[number];
export type AliasAccount = z.infer<typeof aliasAccount>;
