/** The endpoints of the API: the group whose rate each shares, the right that its key needs, what answers it. */
import type { Permission } from "../../../contract/index.ts";
import { getKey, listBalances, listFees } from "./account-endpoints.ts";
import { listCandles } from "./candles.ts";
import type { PrivateHandler, PublicHandler } from "./korbit-call.ts";
import { cancelOrder, placeOrder } from "./order-endpoints.ts";
import { getOrder, listAll, listOpen, listTrades as listOwnTrades } from "./order-queries.ts";
import { getBook, getTime, listCurrencies, listPairs, listTickers, listTickSizes, listTrades } from "./quotation.ts";

/** By address for what is public, by account for the rest. */
export const GROUPS = {
  public: { perWindow: 50, windowMs: 1_000 },
  place: { perWindow: 30, windowMs: 1_000 },
  cancel: { perWindow: 30, windowMs: 1_000 },
  private: { perWindow: 50, windowMs: 1_000 },
} as const;

export type GroupName = keyof typeof GROUPS;

interface PrivateEndpoint {
  readonly group: GroupName;
  /** Any key will do without it. */
  readonly permission?: Permission;
  readonly handle: PrivateHandler;
}

/** Keyed by path; all are read with GET. */
export const PUBLIC_ENDPOINTS: ReadonlyMap<string, PublicHandler> = new Map([
  ["/v2/time", getTime],
  ["/v2/currencyPairs", listPairs],
  ["/v2/currencies", listCurrencies],
  ["/v2/tickSizePolicy", listTickSizes],
  ["/v2/tickers", listTickers],
  ["/v2/orderbook", getBook],
  ["/v2/trades", listTrades],
  ["/v2/candles", listCandles],
]);

const queried = (handle: PrivateHandler): PrivateEndpoint => ({ group: "private", permission: "query", handle });

/** Keyed by method and path. */
export const PRIVATE_ENDPOINTS: ReadonlyMap<string, PrivateEndpoint> = new Map<string, PrivateEndpoint>([
  ["POST /v2/orders", { group: "place", permission: "trade", handle: placeOrder }],
  ["DELETE /v2/orders", { group: "cancel", permission: "trade", handle: cancelOrder }],
  ["GET /v2/orders", queried(getOrder)],
  ["GET /v2/openOrders", queried(listOpen)],
  ["GET /v2/allOrders", queried(listAll)],
  ["GET /v2/myTrades", queried(listOwnTrades)],
  ["GET /v2/balance", queried(listBalances)],
  ["GET /v2/tradingFeePolicy", queried(listFees)],
  ["GET /v2/currentKeyInfo", { group: "private", handle: getKey }],
]);
