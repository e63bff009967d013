/** The endpoints of the API: how their paths go on, the group whose rate each shares, the right that its key needs, what answers it. */
import type { Permission } from "../../../contract/index.ts";
import type { Rate } from "../../venue-kit/rate-groups.ts";
import { listBalances, listFeeRates, listSomeBalances } from "./account-endpoints.ts";
import { getChart } from "./chart.ts";
import type { PrivateHandler, PublicHandler } from "./coinone-call.ts";
import { cancelAll, cancelOrder, placeOrder } from "./order-endpoints.ts";
import { getDetail, listActive, listAllCompleted, listCompleted } from "./order-queries.ts";
import { getBook, listCurrencies, listMarkets, listRangeUnits, listTickers, listTrades } from "./quotation.ts";

/** Of an address. */
export const PUBLIC_RATE: Rate = { perWindow: 1_200, windowMs: 60_000 };
/** What an older page says: who goes on is blocked for a minute. */
export const OLD_PUBLIC_RATE: Rate = { perWindow: 300, windowMs: 60_000 };
export const OLD_BLOCK = { strikes: 1, withinMs: 1, firstMs: 60_000, maxMs: 60_000 } as const;

/** Of an account. */
export const PRIVATE_RATES = {
  order: { perWindow: 40, windowMs: 1_000 },
  other: { perWindow: 80, windowMs: 1_000 },
} as const;

export type PrivateGroup = keyof typeof PRIVATE_RATES;

interface Endpoint<Handler> {
  /** How many parts of the path may follow: a quote, and a target. */
  readonly parts: readonly number[];
  readonly handle: Handler;
}

interface PrivateEndpoint extends Endpoint<PrivateHandler> {
  readonly group: PrivateGroup;
  readonly permission: Permission;
}

export const PUBLIC_PREFIX = "/public/v2/";
export const PRIVATE_PREFIX = "/v2.1/";

/** Keyed by path; all are read with GET. */
const PUBLIC_ENDPOINTS: ReadonlyMap<string, Endpoint<PublicHandler>> = new Map([
  ["markets", { parts: [1, 2], handle: listMarkets }],
  ["range_units", { parts: [2], handle: listRangeUnits }],
  ["ticker_new", { parts: [1, 2], handle: listTickers }],
  ["orderbook", { parts: [2], handle: getBook }],
  ["trades", { parts: [2], handle: listTrades }],
  ["chart", { parts: [2], handle: getChart }],
  ["currencies", { parts: [0, 1], handle: listCurrencies }],
]);

const read = (handle: PrivateHandler, parts: readonly number[] = [0]): PrivateEndpoint => ({
  ...{ parts, handle, group: "other", permission: "query" },
});
const ordered = (handle: PrivateHandler): PrivateEndpoint => ({
  ...{ parts: [0], handle, group: "order", permission: "trade" },
});

/** Keyed by path; all are sent with POST. */
const PRIVATE_ENDPOINTS: ReadonlyMap<string, PrivateEndpoint> = new Map([
  ["account/balance/all", read(listBalances)],
  ["account/balance", read(listSomeBalances)],
  ["account/trade_fee", read(listFeeRates, [0, 2])],
  ["order", ordered(placeOrder)],
  ["order/cancel", ordered(cancelOrder)],
  ["order/cancel/all", ordered(cancelAll)],
  ["order/detail", read(getDetail)],
  ["order/active_orders", read(listActive)],
  ["order/completed_orders", read(listCompleted)],
  ["order/completed_orders/all", read(listAllCompleted)],
]);

interface Found<Row> {
  readonly endpoint: Row;
  /** What follows the endpoint's path. */
  readonly path: readonly string[];
}

/** The endpoint of a path; the longest where one begins another. */
function find<Row extends Endpoint<unknown>>(rows: ReadonlyMap<string, Row>, path: string): Found<Row> | undefined {
  const parts = path.split("/");
  for (let count = parts.length; count > 0; count -= 1) {
    const endpoint = rows.get(parts.slice(0, count).join("/"));
    const rest = parts.slice(count);
    if (endpoint?.parts.includes(rest.length) === true && !rest.includes("")) return { endpoint, path: rest };
  }
  return undefined;
}

export function publicEndpoint(path: string): Found<Endpoint<PublicHandler>> | undefined {
  return path.startsWith(PUBLIC_PREFIX) ? find(PUBLIC_ENDPOINTS, path.slice(PUBLIC_PREFIX.length)) : undefined;
}

export function privateEndpoint(path: string): Found<PrivateEndpoint> | undefined {
  return path.startsWith(PRIVATE_PREFIX) ? find(PRIVATE_ENDPOINTS, path.slice(PRIVATE_PREFIX.length)) : undefined;
}
