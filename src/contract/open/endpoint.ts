/**
 * Owns the endpoint table of the Open API: a row for each, with everything a client, the sandbox and the generated description
 * need to know about it.
 *
 * Source: service.md#open-api, service.md#weights.
 */
import type { z } from "zod";
import { type FaultCode, ORDER_FAULTS } from "../fault.ts";
import type { Permission } from "../limit.ts";
import type { ApiVersion } from "../version.ts";
import {
  candleList,
  candlesQuery,
  marketList,
  orderbook,
  orderbookQuery,
  publicTradeList,
  publicTradesQuery,
  serverTime,
  symbolPath,
  tickerList,
  tickersQuery,
} from "./market.ts";
import {
  accounts,
  batchCancel,
  batchCancelQuery,
  createOrderBody,
  fillList,
  fillsQuery,
  order,
  orderList,
  orderPath,
  ordersQuery,
  streamToken,
} from "./order.ts";

export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path with `{symbol}` and `{uuid}` placeholders. */
  readonly path: string;
  readonly summary: string;
  readonly auth: "none" | Permission;
  readonly weight: number;
  readonly addedIn: ApiVersion;
  readonly status: 200 | 201;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Faults of this endpoint besides those every (private) endpoint may answer with. */
  readonly faults: readonly FaultCode[];
}

const PAIR = ["EGeneral:Invalid arguments", "EQuery:Unknown asset pair"] as const;

const publicRead = { method: "GET", auth: "none", weight: 1, addedIn: "1.0.0", status: 200 } as const;
const signedRead = { method: "GET", auth: "query", status: 200 } as const;
const canceling = { method: "DELETE", auth: "trade", status: 200 } as const;

export const ENDPOINTS = {
  time: { ...publicRead, path: "/v1/time", summary: "The service's clock", response: serverTime, faults: [] },
  markets: {
    ...publicRead,
    path: "/v1/markets",
    summary: "Asset pairs with their rules and fees",
    response: marketList,
    faults: [],
  },
  tickers: {
    ...publicRead,
    path: "/v1/tickers",
    summary: "24-hour tickers",
    query: tickersQuery,
    response: tickerList,
    faults: PAIR,
  },
  orderbook: {
    ...publicRead,
    path: "/v1/orderbook/{symbol}",
    summary: "Order book",
    params: symbolPath,
    query: orderbookQuery,
    response: orderbook,
    faults: PAIR,
  },
  trades: {
    ...publicRead,
    path: "/v1/trades/{symbol}",
    summary: "Recent public trades",
    params: symbolPath,
    query: publicTradesQuery,
    response: publicTradeList,
    faults: PAIR,
  },
  candles: {
    ...publicRead,
    path: "/v1/candles/{symbol}",
    summary: "Candles",
    params: symbolPath,
    query: candlesQuery,
    response: candleList,
    faults: PAIR,
  },
  accounts: {
    ...signedRead,
    path: "/v1/accounts",
    summary: "Balances",
    weight: 2,
    addedIn: "1.0.0",
    response: accounts,
    faults: [],
  },
  createOrder: {
    method: "POST",
    path: "/v1/orders",
    summary: "Create an order",
    auth: "trade",
    weight: 1,
    addedIn: "1.0.0",
    status: 201,
    body: createOrderBody,
    response: order,
    faults: [...PAIR, ...ORDER_FAULTS],
  },
  orders: {
    ...signedRead,
    path: "/v1/orders",
    summary: "Orders, newest first",
    weight: 10,
    addedIn: "1.0.0",
    query: ordersQuery,
    response: orderList,
    faults: PAIR,
  },
  cancelOrder: {
    ...canceling,
    path: "/v1/orders/{symbol}/{uuid}",
    summary: "Cancel an order",
    weight: 1,
    addedIn: "1.0.0",
    params: orderPath,
    response: order,
    faults: [...PAIR, "EOrder:Unknown order", "EOrder:Order already closed"],
  },
  fills: {
    ...signedRead,
    path: "/v1/trades/history",
    summary: "Own fills, newest first",
    weight: 10,
    addedIn: "1.0.0",
    query: fillsQuery,
    response: fillList,
    faults: PAIR,
  },
  streamToken: {
    method: "POST",
    path: "/v1/ws/token",
    summary: "Token for private stream channels",
    auth: "query",
    weight: 1,
    addedIn: "1.0.0",
    status: 200,
    response: streamToken,
    faults: [],
  },
  cancelBatch: {
    ...canceling,
    path: "/v1/orders/batch",
    summary: "Cancel all orders",
    weight: 5,
    addedIn: "1.3.0",
    query: batchCancelQuery,
    response: batchCancel,
    faults: PAIR,
  },
  order: {
    ...signedRead,
    path: "/v1/orders/{symbol}/{uuid}",
    summary: "One order with its trades",
    weight: 2,
    addedIn: "1.4.0",
    params: orderPath,
    response: order,
    faults: [...PAIR, "EOrder:Unknown order"],
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof ENDPOINTS;
export const ENDPOINT_IDS = Object.keys(ENDPOINTS) as EndpointId[];
