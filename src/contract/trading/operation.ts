/**
 * Owns the table of the Trading API's operations: a row for each, with everything a client and the sandbox need to know about it.
 *
 * Requests are form-encoded; a private one is a POST whose form also holds `nonce`, which the request schemas leave out. The
 * answer is HTTP 200 with `{ error: [], result }`, or `{ error: ["<Class>:<message>"], result: {} }`.
 *
 * Source: service.md#trading-api, service.md#trading-envelope, service.md#weights.
 */
import { z } from "zod";
import { type FaultCode, ORDER_FAULTS } from "../fault.ts";
import type { Permission } from "../limit.ts";
import {
  balances,
  balancesRequest,
  extendedBalances,
  tradeVolume,
  tradeVolumeRequest,
  webSocketsToken,
} from "./account.ts";
import {
  assetInfos,
  assetPairs,
  candleRows,
  candleRowsRequest,
  depth,
  depthRequest,
  pairsRequest,
  publicTradeRows,
  spreadRequest,
  spreadRows,
  systemStatus,
  tickerRequest,
  tradeRowsRequest,
  tradingTickers,
  tradingTime,
} from "./market.ts";
import {
  addOrderRequest,
  addOrderResult,
  cancelAllRequest,
  canceledOrders,
  cancelOrderRequest,
  cancelTimerRequest,
  cancelTimerResult,
  closedOrders,
  closedOrdersRequest,
  openOrders,
  openOrdersRequest,
  queriedOrders,
  queriedTrades,
  queryOrdersRequest,
  queryTradesRequest,
  tradesHistory,
  tradesHistoryRequest,
} from "./order.ts";
import { assetList } from "./wire.ts";

export interface TradingOperation {
  readonly auth: "none" | Permission;
  readonly weight: number;
  readonly summary: string;
  readonly request: z.ZodType;
  readonly result: z.ZodType;
  /** Faults of this operation besides those every (private) endpoint may answer with. */
  readonly faults: readonly FaultCode[];
}

const nothing = z.strictObject({});
const PAIR = ["EQuery:Unknown asset pair"] as const;

const publicCall = { auth: "none", weight: 1 } as const;
const trading = { auth: "trade", weight: 1 } as const;
const looking = { auth: "query", weight: 2 } as const;
const listing = { auth: "query", weight: 10 } as const;

export const TRADING_OPERATIONS = {
  Time: { ...publicCall, summary: "The service's clock", request: nothing, result: tradingTime, faults: [] },
  SystemStatus: {
    ...publicCall,
    summary: "Whether the service takes orders",
    request: nothing,
    result: systemStatus,
    faults: [],
  },
  Assets: {
    ...publicCall,
    summary: "Assets",
    request: z.strictObject({ asset: assetList.optional(), aclass: z.literal("currency").optional() }),
    result: assetInfos,
    faults: [],
  },
  AssetPairs: {
    ...publicCall,
    summary: "Asset pairs with their rules and fees",
    request: pairsRequest,
    result: assetPairs,
    faults: PAIR,
  },
  Ticker: {
    ...publicCall,
    summary: "Tickers; all markets unless some are named",
    request: tickerRequest,
    result: tradingTickers,
    faults: PAIR,
  },
  OHLC: {
    ...publicCall,
    summary: "Candles, the newest 720",
    request: candleRowsRequest,
    result: candleRows,
    faults: PAIR,
  },
  Depth: { ...publicCall, summary: "Order book", request: depthRequest, result: depth, faults: PAIR },
  Trades: {
    ...publicCall,
    summary: "Public trades, the newest 500",
    request: tradeRowsRequest,
    result: publicTradeRows,
    faults: PAIR,
  },
  Spread: { ...publicCall, summary: "Best bid and ask", request: spreadRequest, result: spreadRows, faults: PAIR },
  AddOrder: {
    ...trading,
    summary: "Create an order",
    request: addOrderRequest,
    result: addOrderResult,
    faults: [...PAIR, ...ORDER_FAULTS],
  },
  CancelOrder: {
    ...trading,
    summary: "Cancel an order, or the open orders with a userref",
    request: cancelOrderRequest,
    result: canceledOrders,
    faults: [...PAIR, "EOrder:Unknown order", "EOrder:Order already closed"],
  },
  CancelAll: {
    auth: "trade",
    weight: 5,
    summary: "Cancel all orders",
    request: cancelAllRequest,
    result: canceledOrders,
    faults: PAIR,
  },
  CancelAllOrdersAfter: {
    ...trading,
    summary: "Cancel all orders unless asked again in time; 0 disarms",
    request: cancelTimerRequest,
    result: cancelTimerResult,
    faults: [],
  },
  OpenOrders: {
    ...listing,
    summary: "Open orders, newest first",
    request: openOrdersRequest,
    result: openOrders,
    faults: PAIR,
  },
  ClosedOrders: {
    ...listing,
    summary: "Orders that have ended, newest first",
    request: closedOrdersRequest,
    result: closedOrders,
    faults: PAIR,
  },
  QueryOrders: {
    ...looking,
    summary: "Orders by id, by userref or of a period, in any state",
    request: queryOrdersRequest,
    result: queriedOrders,
    faults: [...PAIR, "EOrder:Unknown order"],
  },
  TradesHistory: {
    ...listing,
    summary: "Own executions, newest first",
    request: tradesHistoryRequest,
    result: tradesHistory,
    faults: PAIR,
  },
  QueryTrades: {
    ...looking,
    summary: "Own executions by id",
    request: queryTradesRequest,
    result: queriedTrades,
    faults: [],
  },
  Balance: { ...looking, summary: "Balances", request: balancesRequest, result: balances, faults: [] },
  BalanceEx: {
    ...looking,
    summary: "Balances, and what of them is in orders",
    request: balancesRequest,
    result: extendedBalances,
    faults: [],
  },
  TradeVolume: {
    ...looking,
    summary: "Volume of 30 days, and fees",
    request: tradeVolumeRequest,
    result: tradeVolume,
    faults: PAIR,
  },
  GetWebSocketsToken: {
    auth: "query",
    weight: 1,
    summary: "Token for private stream channels",
    request: nothing,
    result: webSocketsToken,
    faults: [],
  },
} as const satisfies Record<string, TradingOperation>;

export type TradingOperationId = keyof typeof TRADING_OPERATIONS;
export const TRADING_OPERATION_IDS = Object.keys(TRADING_OPERATIONS) as TradingOperationId[];

/** Path of an operation; a private one is a POST, a public one may also be a GET with its fields in the query. */
export function tradingPath(id: TradingOperationId): string {
  return `/0/${TRADING_OPERATIONS[id].auth === "none" ? "public" : "private"}/${id}`;
}

/** Wraps every answer. A failure has one entry in `error` and an empty result. */
export const tradingEnvelope = z.object({ error: z.array(z.string()), result: z.unknown().optional() });
