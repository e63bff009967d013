/**
 * Owns the table of the alias endpoints: a row for each, as existing clients of the dialect call it. What they answer is in answer.ts.
 *
 * Weights are the service's, not those of the exchange the dialect comes from.
 *
 * Source: service.md#alias-endpoints, service.md#weights; decision 0010.
 */
import type { z } from "zod";
import type { Permission } from "../limit.ts";
import {
  aliasAggTradesParameters,
  aliasDayParameters,
  aliasDepthParameters,
  aliasExchangeInfoParameters,
  aliasHistoricalTradesParameters,
  aliasKlinesParameters,
  aliasSymbolParameters,
  aliasSymbolsParameters,
  aliasTradesParameters,
} from "./market.ts";
import {
  aliasAccountParameters,
  aliasAllOrdersParameters,
  aliasCancelAllParameters,
  aliasCancelParameters,
  aliasMyTradesParameters,
  aliasOpenOrdersParameters,
  aliasOrderParameters,
  aliasTestOrderParameters,
  aliasWhichOrder,
} from "./order.ts";

export interface AliasEndpoint {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly auth: "none" | Permission;
  readonly weight: number;
  /** Besides `timestamp`, `recvWindow` and `signature` of a signed call; in the query or, but for GET, as a form. */
  readonly parameters?: z.ZodType;
}

export const ALIAS_PREFIX = "/api/v3/";

export const ALIAS_ENDPOINTS = {
  ping: {
    method: "GET",
    path: "/api/v3/ping",
    summary: "Whether the service answers",
    auth: "none",
    weight: 1,
  },
  time: {
    method: "GET",
    path: "/api/v3/time",
    summary: "The service's clock",
    auth: "none",
    weight: 1,
  },
  exchangeInfo: {
    method: "GET",
    path: "/api/v3/exchangeInfo",
    summary: "Markets with their rules, and the limits",
    auth: "none",
    weight: 1,
    parameters: aliasExchangeInfoParameters,
  },
  depth: {
    method: "GET",
    path: "/api/v3/depth",
    summary: "Order book",
    auth: "none",
    weight: 1,
    parameters: aliasDepthParameters,
  },
  trades: {
    method: "GET",
    path: "/api/v3/trades",
    summary: "Recent public trades",
    auth: "none",
    weight: 1,
    parameters: aliasTradesParameters,
  },
  historicalTrades: {
    method: "GET",
    path: "/api/v3/historicalTrades",
    summary: "Public trades from a number on, of those that are kept",
    auth: "none",
    weight: 1,
    parameters: aliasHistoricalTradesParameters,
  },
  aggTrades: {
    method: "GET",
    path: "/api/v3/aggTrades",
    summary: "Public trades, those of one moment, side and price together",
    auth: "none",
    weight: 1,
    parameters: aliasAggTradesParameters,
  },
  klines: {
    method: "GET",
    path: "/api/v3/klines",
    summary: "Candles",
    auth: "none",
    weight: 1,
    parameters: aliasKlinesParameters,
  },
  uiKlines: {
    method: "GET",
    path: "/api/v3/uiKlines",
    summary: "Candles, the same",
    auth: "none",
    weight: 1,
    parameters: aliasKlinesParameters,
  },
  avgPrice: {
    method: "GET",
    path: "/api/v3/avgPrice",
    summary: "Average price of the last five minutes",
    auth: "none",
    weight: 1,
    parameters: aliasSymbolParameters,
  },
  day: {
    method: "GET",
    path: "/api/v3/ticker/24hr",
    summary: "24-hour tickers",
    auth: "none",
    weight: 1,
    parameters: aliasDayParameters,
  },
  price: {
    method: "GET",
    path: "/api/v3/ticker/price",
    summary: "Last prices",
    auth: "none",
    weight: 1,
    parameters: aliasSymbolsParameters,
  },
  bookTicker: {
    method: "GET",
    path: "/api/v3/ticker/bookTicker",
    summary: "Best prices and quantities",
    auth: "none",
    weight: 1,
    parameters: aliasSymbolsParameters,
  },
  newOrder: {
    method: "POST",
    path: "/api/v3/order",
    summary: "Create an order",
    auth: "trade",
    weight: 1,
    parameters: aliasOrderParameters,
  },
  testOrder: {
    method: "POST",
    path: "/api/v3/order/test",
    summary: "Check an order without creating it",
    auth: "trade",
    weight: 1,
    parameters: aliasTestOrderParameters,
  },
  order: {
    method: "GET",
    path: "/api/v3/order",
    summary: "One order",
    auth: "query",
    weight: 2,
    parameters: aliasWhichOrder,
  },
  cancelOrder: {
    method: "DELETE",
    path: "/api/v3/order",
    summary: "Cancel an order",
    auth: "trade",
    weight: 1,
    parameters: aliasCancelParameters,
  },
  openOrders: {
    method: "GET",
    path: "/api/v3/openOrders",
    summary: "Open orders",
    auth: "query",
    weight: 10,
    parameters: aliasOpenOrdersParameters,
  },
  cancelOpenOrders: {
    method: "DELETE",
    path: "/api/v3/openOrders",
    summary: "Cancel all open orders of a market",
    auth: "trade",
    weight: 5,
    parameters: aliasCancelAllParameters,
  },
  allOrders: {
    method: "GET",
    path: "/api/v3/allOrders",
    summary: "Orders of a market, open and ended",
    auth: "query",
    weight: 10,
    parameters: aliasAllOrdersParameters,
  },
  myTrades: {
    method: "GET",
    path: "/api/v3/myTrades",
    summary: "Own trades of a market",
    auth: "query",
    weight: 10,
    parameters: aliasMyTradesParameters,
  },
  account: {
    method: "GET",
    path: "/api/v3/account",
    summary: "Balances",
    auth: "query",
    weight: 2,
    parameters: aliasAccountParameters,
  },
  commission: {
    method: "GET",
    path: "/api/v3/account/commission",
    summary: "Fees of a market",
    auth: "query",
    weight: 2,
    parameters: aliasSymbolParameters,
  },
  orderLimits: {
    method: "GET",
    path: "/api/v3/rateLimit/order",
    summary: "What limits orders, and how much of it is used",
    auth: "query",
    weight: 1,
  },
} as const satisfies Record<string, AliasEndpoint>;

export type AliasEndpointId = keyof typeof ALIAS_ENDPOINTS;
export const ALIAS_ENDPOINT_IDS = Object.keys(ALIAS_ENDPOINTS) as AliasEndpointId[];
