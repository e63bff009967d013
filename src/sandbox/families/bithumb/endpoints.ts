/** The endpoints of the API: the group whose rate each shares, the right that its key needs, what answers it. */
import type { Permission } from "../../../contract/index.ts";
import { getChance, listAccounts, listKeys } from "./account-endpoints.ts";
import type { PrivateHandler, PublicHandler } from "./bithumb-call.ts";
import { cancelByIds, cancelOne } from "./cancel-endpoints.ts";
import { dayCandles, longCandles, MINUTE_UNITS, minuteCandles } from "./candles.ts";
import { placeOne } from "./order-endpoints.ts";
import { getOrder, listByIds, listHistory, listOrders, listPending } from "./order-queries.ts";
import { listBooks, listMarkets, listTickers, listTrades } from "./quotation.ts";
import type { GroupName } from "./rate-groups.ts";

interface PublicEndpoint {
  readonly group: GroupName;
  readonly handle: PublicHandler;
}

interface PrivateEndpoint {
  readonly group: GroupName;
  /** Any key will do without it. */
  readonly permission?: Permission;
  readonly handle: PrivateHandler;
}

const candle = (handle: PublicHandler): PublicEndpoint => ({ group: "candle", handle });

/** Keyed by path; all are read with GET. */
export const PUBLIC_ENDPOINTS: ReadonlyMap<string, PublicEndpoint> = new Map([
  ["/v1/market/all", { group: "market", handle: listMarkets }],
  ["/v1/ticker", { group: "ticker", handle: listTickers }],
  ["/v1/orderbook", { group: "orderbook", handle: listBooks }],
  ["/v1/trades/ticks", { group: "trade", handle: listTrades }],
  ...MINUTE_UNITS.map((unit) => [`/v1/candles/minutes/${unit}`, candle(minuteCandles(unit))] as const),
  ["/v1/candles/days", candle(dayCandles)],
  ...(["weeks", "months"] as const).map((period) => [`/v1/candles/${period}`, candle(longCandles(period))] as const),
]);

/** Keyed by method and path. */
export const PRIVATE_ENDPOINTS: ReadonlyMap<string, PrivateEndpoint> = new Map<string, PrivateEndpoint>([
  ["GET /v1/accounts", { group: "private", permission: "query", handle: listAccounts }],
  ["GET /v1/orders/chance", { group: "private", permission: "query", handle: getChance }],
  ["POST /v2/orders", { group: "order", permission: "trade", handle: placeOne }],
  ["GET /v1/order", { group: "private", permission: "query", handle: getOrder }],
  ["GET /v1/orders", { group: "private", permission: "query", handle: listOrders }],
  ["POST /v2/orders/search", { group: "private", permission: "query", handle: listByIds }],
  ["GET /v2/orders/pending", { group: "private", permission: "query", handle: listPending }],
  ["GET /v2/orders/history", { group: "private", permission: "query", handle: listHistory }],
  ["DELETE /v2/order", { group: "cancel", permission: "trade", handle: cancelOne }],
  ["POST /v2/orders/cancel", { group: "batch", permission: "trade", handle: cancelByIds }],
  ["GET /v1/api_keys", { group: "private", handle: listKeys }],
]);
