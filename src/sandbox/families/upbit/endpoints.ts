/** The endpoints of the API: the group whose rate each shares, the right that its key needs, what answers it. */
import type { Permission } from "../../../contract/index.ts";
import { getChance, listAccounts, listKeys, listWallets } from "./account-endpoints.ts";
import { cancelByIds, cancelOne, cancelOpen } from "./cancel-endpoints.ts";
import { dayCandles, longCandles, MINUTE_UNITS, minuteCandles, secondCandles } from "./candles.ts";
import { placeOne, testOrder } from "./order-endpoints.ts";
import { getOrder, listByIds, listClosed, listOpen } from "./order-queries.ts";
import { listBooks, listInstruments, listMarkets, listTickers, listTickersOf, listTrades } from "./quotation.ts";
import type { GroupName } from "./rate-groups.ts";
import type { PrivateHandler, PublicHandler } from "./upbit-call.ts";

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
  ["/v1/ticker/all", { group: "ticker", handle: listTickersOf }],
  ["/v1/orderbook", { group: "orderbook", handle: listBooks }],
  ["/v1/orderbook/instruments", { group: "orderbook", handle: listInstruments }],
  ["/v1/trades/ticks", { group: "trade", handle: listTrades }],
  ["/v1/candles/seconds", candle(secondCandles)],
  ...MINUTE_UNITS.map((unit) => [`/v1/candles/minutes/${unit}`, candle(minuteCandles(unit))] as const),
  ["/v1/candles/days", candle(dayCandles)],
  ...(["weeks", "months", "years"] as const).map(
    (period) => [`/v1/candles/${period}`, candle(longCandles(period))] as const,
  ),
]);

/** Keyed by method and path. */
export const PRIVATE_ENDPOINTS: ReadonlyMap<string, PrivateEndpoint> = new Map<string, PrivateEndpoint>([
  ["GET /v1/accounts", { group: "default", permission: "query", handle: listAccounts }],
  ["GET /v1/orders/chance", { group: "default", permission: "query", handle: getChance }],
  ["POST /v1/orders", { group: "order", permission: "trade", handle: placeOne }],
  ["POST /v1/orders/test", { group: "order-test", permission: "trade", handle: testOrder }],
  ["GET /v1/order", { group: "default", permission: "query", handle: getOrder }],
  ["DELETE /v1/order", { group: "default", permission: "trade", handle: cancelOne }],
  ["GET /v1/orders/uuids", { group: "default", permission: "query", handle: listByIds }],
  ["DELETE /v1/orders/uuids", { group: "default", permission: "trade", handle: cancelByIds }],
  ["GET /v1/orders/open", { group: "default", permission: "query", handle: listOpen }],
  ["DELETE /v1/orders/open", { group: "order-cancel-all", permission: "trade", handle: cancelOpen }],
  ["GET /v1/orders/closed", { group: "default", permission: "query", handle: listClosed }],
  ["GET /v1/api_keys", { group: "default", handle: listKeys }],
  ["GET /v1/status/wallet", { group: "default", permission: "query", handle: listWallets }],
]);
