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

const publicRead = { method: "GET", auth: "none", weight: 1 } as const;
const signedRead = { method: "GET", auth: "query" } as const;
const placing = { method: "POST", auth: "trade", weight: 1 } as const;
const canceling = { method: "DELETE", auth: "trade" } as const;

export const ALIAS_ENDPOINTS = {
  ping: { ...publicRead, path: "/api/v3/ping", summary: "Whether the service answers" },
  time: { ...publicRead, path: "/api/v3/time", summary: "The service's clock" },
  exchangeInfo: {
    ...publicRead,
    path: "/api/v3/exchangeInfo",
    summary: "Markets with their rules, and the limits",
    parameters: aliasExchangeInfoParameters,
  },
  depth: { ...publicRead, path: "/api/v3/depth", summary: "Order book", parameters: aliasDepthParameters },
  trades: { ...publicRead, path: "/api/v3/trades", summary: "Recent public trades", parameters: aliasTradesParameters },
  historicalTrades: {
    ...publicRead,
    path: "/api/v3/historicalTrades",
    summary: "Public trades from a number on, of those that are kept",
    parameters: aliasHistoricalTradesParameters,
  },
  aggTrades: {
    ...publicRead,
    path: "/api/v3/aggTrades",
    summary: "Public trades, those of one moment, side and price together",
    parameters: aliasAggTradesParameters,
  },
  klines: { ...publicRead, path: "/api/v3/klines", summary: "Candles", parameters: aliasKlinesParameters },
  uiKlines: {
    ...publicRead,
    path: "/api/v3/uiKlines",
    summary: "Candles, the same",
    parameters: aliasKlinesParameters,
  },
  avgPrice: {
    ...publicRead,
    path: "/api/v3/avgPrice",
    summary: "Average price of the last five minutes",
    parameters: aliasSymbolParameters,
  },
  day: { ...publicRead, path: "/api/v3/ticker/24hr", summary: "24-hour tickers", parameters: aliasDayParameters },
  price: { ...publicRead, path: "/api/v3/ticker/price", summary: "Last prices", parameters: aliasSymbolsParameters },
  bookTicker: {
    ...publicRead,
    path: "/api/v3/ticker/bookTicker",
    summary: "Best prices and quantities",
    parameters: aliasSymbolsParameters,
  },
  newOrder: { ...placing, path: "/api/v3/order", summary: "Create an order", parameters: aliasOrderParameters },
  testOrder: {
    ...placing,
    path: "/api/v3/order/test",
    summary: "Check an order without creating it",
    parameters: aliasTestOrderParameters,
  },
  order: { ...signedRead, path: "/api/v3/order", summary: "One order", weight: 2, parameters: aliasWhichOrder },
  cancelOrder: {
    ...canceling,
    path: "/api/v3/order",
    summary: "Cancel an order",
    weight: 1,
    parameters: aliasCancelParameters,
  },
  openOrders: {
    ...signedRead,
    path: "/api/v3/openOrders",
    summary: "Open orders",
    weight: 10,
    parameters: aliasOpenOrdersParameters,
  },
  cancelOpenOrders: {
    ...canceling,
    path: "/api/v3/openOrders",
    summary: "Cancel all open orders of a market",
    weight: 5,
    parameters: aliasCancelAllParameters,
  },
  allOrders: {
    ...signedRead,
    path: "/api/v3/allOrders",
    summary: "Orders of a market, open and ended",
    weight: 10,
    parameters: aliasAllOrdersParameters,
  },
  myTrades: {
    ...signedRead,
    path: "/api/v3/myTrades",
    summary: "Own trades of a market",
    weight: 10,
    parameters: aliasMyTradesParameters,
  },
  account: {
    ...signedRead,
    path: "/api/v3/account",
    summary: "Balances",
    weight: 2,
    parameters: aliasAccountParameters,
  },
  commission: {
    ...signedRead,
    path: "/api/v3/account/commission",
    summary: "Fees of a market",
    weight: 2,
    parameters: aliasSymbolParameters,
  },
  orderLimits: {
    ...signedRead,
    path: "/api/v3/rateLimit/order",
    summary: "What limits orders, and how much of it is used",
    weight: 1,
  },
} as const satisfies Record<string, AliasEndpoint>;

export type AliasEndpointId = keyof typeof ALIAS_ENDPOINTS;
export const ALIAS_ENDPOINT_IDS = Object.keys(ALIAS_ENDPOINTS) as AliasEndpointId[];
