/**
 * Lists an account's orders over the Trading API, which has one list of open orders and one of those that have ended.
 * Entry point: `listOrders`.
 *
 * Invariants: newest first. An order that ends while both lists are read is in at least one of them, because the open ones are read
 * first, and it is listed once, in its final state.
 *
 * Source: service.md#trading-queries, service.md#trading-paging.
 */
import {
  defined,
  type FillsRequest,
  LIMITS,
  type Order,
  type OrderPage,
  type OrdersRequest,
  ok,
  type PageRequest,
  type Result,
} from "../../../contract/index.ts";
import { ordersIn } from "./answer-view.ts";
import type { TradingAnswer, TradingFields } from "./operation-call.ts";

type Listing = "OpenOrders" | "ClosedOrders" | "QueryOrders";

/** Reads one of the service's lists. */
export type ReadList = <Id extends Listing>(id: Id, fields: TradingFields<Id>) => Promise<Result<TradingAnswer<Id>>>;

export async function listOrders(read: ReadList, request: OrdersRequest): Promise<Result<OrderPage>> {
  const { state = "open", userref } = request;
  switch (state) {
    case "open":
      return openOrders(read, request);
    case "closed":
      return closedOrders(read, request, undefined);
    case "filled":
      return closedOrders(read, request, "closed");
    case "canceled":
    case "expired":
      return closedOrders(read, request, state);
    case "rejected":
      // The service keeps no record of a rejected order.
      return ok({ orders: [], next_cursor: null });
    case "all":
      return userref === undefined ? allOrders(read, request) : byUserref(read, request, userref);
    default:
      return state satisfies never;
  }
}

/** The fields of a period. On the wire `start` is exclusive, and a period from the beginning has none. */
export function periodFields({ fromMs, toMs }: Pick<FillsRequest, "fromMs" | "toMs">): {
  readonly start?: string;
  readonly end?: string;
} {
  return defined({
    start: fromMs === undefined || fromMs <= 0 ? undefined : secondsText(fromMs - 1),
    end: toMs === undefined ? undefined : secondsText(toMs),
  });
}

function secondsText(ms: number): string {
  return (ms / 1000).toFixed(3); // not money: Unix seconds
}

function fieldsOf({ symbol, userref, limit, ...period }: OrdersRequest) {
  return { pair: symbol, userref, limit: limit?.toString(), ...periodFields(period) };
}

async function openOrders(read: ReadList, request: OrdersRequest): Promise<Result<OrderPage>> {
  const fields = { ...fieldsOf(request), limit: String(limitOf(request)), cursor: request.cursor };
  const answer = await read("OpenOrders", fields);
  if (!answer.ok) return answer;
  return ok({ orders: ordersIn(answer.value.open), next_cursor: answer.value.next_cursor });
}

async function closedOrders(
  read: ReadList,
  request: OrdersRequest,
  status: string | undefined,
): Promise<Result<OrderPage>> {
  const fields = { ...fieldsOf(request), ...AS_CREATED, cursor: request.cursor, status };
  const answer = await read("ClosedOrders", fields);
  if (!answer.ok) return answer;
  return ok({ orders: ordersIn(answer.value.closed), next_cursor: answer.value.next_cursor });
}

/** A period is about the time of creation, as on the Open API. */
const AS_CREATED = { closetime: "open", without_count: "true" } as const;

/** All orders with a userref in one answer, so that the nonce of that one request proves all of it. */
async function byUserref(read: ReadList, request: OrdersRequest, userref: string): Promise<Result<OrderPage>> {
  const answer = await read("QueryOrders", { userref, pair: request.symbol });
  if (!answer.ok) return answer;
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = request;
  const isInPeriod = ({ created_at }: Order): boolean => {
    const at = Date.parse(created_at);
    return fromMs <= at && at <= toMs;
  };
  return ok({ orders: ordersIn(answer.value).filter(isInPeriod), next_cursor: null });
}

/** Both lists as one. The cursor is the id of the last order listed. */
async function allOrders(read: ReadList, request: OrdersRequest): Promise<Result<OrderPage>> {
  const { cursor, ...rest } = request;
  const limit = limitOf(request);
  const behind = defined({ end: cursor });
  const open = await read("OpenOrders", { ...fieldsOf(rest), limit: undefined, ...behind });
  if (!open.ok) return open;
  // One more, because the order that the cursor names is in the answer too.
  const wanted = Math.min(limit + 1, LIMITS.pageSizeMax);
  const closed = await read("ClosedOrders", { ...fieldsOf(rest), ...AS_CREATED, limit: String(wanted), ...behind });
  if (!closed.ok) return closed;
  const ended = ordersIn(closed.value.closed);
  // Below that there may be more that have ended, between open ones.
  const lowest = closed.value.next_cursor === null ? "" : (ended.at(-1)?.orderId ?? "");
  const byId = new Map([...ordersIn(open.value.open), ...ended].map((order) => [order.orderId, order]));
  const found = [...byId.values()]
    .filter(({ orderId }) => orderId !== cursor && orderId >= lowest)
    .sort((a, b) => (a.orderId < b.orderId ? 1 : -1));
  const orders = found.slice(0, limit);
  const isMore = found.length > orders.length || closed.value.next_cursor !== null;
  return ok({ orders, next_cursor: isMore ? (orders.at(-1)?.orderId ?? null) : null });
}

function limitOf({ limit = LIMITS.pageSizeDefault }: PageRequest): number {
  return limit;
}
