/**
 * Owns the operations that show orders and executions (decisions §4): open, closed, by name; history by period.
 *
 * Invariant: newest first.
 */
import { LIMITS, type OrderState } from "../../contract/index.ts";
import { settingOf } from "../http/order-setting.ts";
import { answer, badArgument, type Fault, type Outcome, unknownOrder, unknownPair } from "../http/outcome.ts";
import { countOf } from "../http/query-value.ts";
import type { Service } from "../http/service.ts";
import type { FillRecord, OrderRecord } from "../model.ts";
import { type HistoryPage, type ListReading, type PageRequest, pageOf } from "./history-page.ts";
import type { OperationCall, OperationHandlers } from "./operation-call.ts";
import { isTrue } from "./order-operations.ts";
import { fillIdOf, fillRow, orderRow } from "./order-rows.ts";
import type { PairDirectory } from "./pair-directory.ts";

export const HISTORY_OPERATIONS: OperationHandlers<
  "OpenOrders" | "ClosedOrders" | "QueryOrders" | "TradesHistory" | "QueryTrades"
> = {
  OpenOrders: openOrders,
  ClosedOrders: closedOrders,
  QueryOrders: queryOrders,
  TradesHistory: tradesHistory,
  QueryTrades: queryTrades,
};

const ALL = Number.MAX_SAFE_INTEGER;
const CLOSED: readonly OrderState[] = ["filled", "canceled", "expired", "rejected"];
const STATES: Readonly<Record<"closed" | "canceled" | "expired", readonly OrderState[]>> = {
  closed: ["filled"],
  canceled: ["canceled", "rejected"],
  expired: ["expired"],
};

const ORDER_READING: Omit<ListReading<OrderRecord>, "timesOf"> = {
  kind: "order",
  idOf: ({ orderId }) => orderId,
  nameOf: ({ orderId }) => orderId,
  isOlder: (name, than) => name < than,
};

const FILL_READING: ListReading<FillRecord> = {
  kind: "fill",
  idOf: fillIdOf,
  nameOf: ({ tradeSeq }) => String(tradeSeq),
  timesOf: ({ time }) => [time],
  isOlder: (name, than) => BigInt(name) < BigInt(than),
};

function openOrders({ service, pairs, key, request }: OperationCall<"OpenOrders">): Outcome {
  // The dialect shows all of them; a page is shown where one was asked for.
  const isPaged = request.cursor !== undefined || request.limit !== undefined;
  const limit = isPaged ? countOf(request.limit, service.limits.pageSizeDefault) : ALL;
  const page = ordersOf({ service, pairs, accountId: key.accountId }, request, ["open"], "open", limit);
  if (!page.ok) return page;
  return answer({ open: orderRows(service, key.accountId, page.items, request.trades), next_cursor: page.next });
}

function closedOrders({ service, pairs, key, request }: OperationCall<"ClosedOrders">): Outcome {
  const states = request.status === undefined ? CLOSED : STATES[request.status];
  const scope = { service, pairs, accountId: key.accountId };
  const limit = countOf(request.limit, service.limits.pageSizeDefault);
  const page = ordersOf(scope, request, states, request.closetime ?? "both", limit);
  if (!page.ok) return page;
  return answer({
    closed: orderRows(service, key.accountId, page.items, request.trades),
    ...(isTrue(request.without_count) ? {} : { count: page.count }),
    next_cursor: page.next,
  });
}

function queryOrders({ service, pairs, key, request }: OperationCall<"QueryOrders">): Outcome {
  const { accountId } = key;
  const market = wantedMarket(pairs, request.pair);
  if (!market.ok) return market;
  const userref = userrefOf(request);
  const filter = { ...market.filter, ...(userref === undefined ? {} : { userref }) };
  if (request.txid === undefined) {
    const { orders } = service.exchange.orders(accountId, { ...filter, limit: LIMITS.pageSizeMax });
    return answer(orderRows(service, accountId, orders, request.trades));
  }
  const found = request.txid.split(",").flatMap((orderId) => service.exchange.order(accountId, orderId) ?? []);
  const meant = found.filter(
    (order) =>
      (filter.symbol === undefined || order.symbol === filter.symbol) &&
      (userref === undefined || order.userref === userref),
  );
  return meant.length === 0 ? unknownOrder() : answer(orderRows(service, accountId, meant, request.trades));
}

function tradesHistory({ service, pairs, key, request }: OperationCall<"TradesHistory">): Outcome {
  const market = wantedMarket(pairs, request.pair);
  if (!market.ok) return market;
  const { fills } = service.exchange.fills(key.accountId, { ...market.filter, limit: ALL });
  const limit = countOf(request.limit, service.limits.pageSizeDefault);
  const page = pageOf(fills, () => true, request, limit, FILL_READING);
  if (!page.ok) return page;
  return answer({
    trades: fillRows(service, key.accountId, page.items),
    ...(isTrue(request.without_count) ? {} : { count: page.count }),
    next_cursor: page.next,
  });
}

function queryTrades({ service, key, request }: OperationCall<"QueryTrades">): Outcome {
  const wanted = new Set(request.txid.split(","));
  const { fills } = service.exchange.fills(key.accountId, { limit: ALL });
  const found = fills.filter((fill) => wanted.has(fillIdOf(fill)));
  return found.length === 0
    ? badArgument("txid", "this account has no such execution")
    : answer(fillRows(service, key.accountId, found));
}

interface Scope {
  readonly service: Service;
  readonly pairs: PairDirectory;
  readonly accountId: string;
}

interface OrderListing extends PageRequest {
  readonly pair?: string | undefined;
  readonly userref?: string | undefined;
  readonly cl_ord_id?: string | undefined;
}

/** @param by which of an order's times has to lie in the period */
function ordersOf(
  { service, pairs, accountId }: Scope,
  request: OrderListing,
  states: readonly OrderState[],
  by: "open" | "close" | "both",
  limit: number,
): HistoryPage<OrderRecord> {
  const market = wantedMarket(pairs, request.pair);
  if (!market.ok) return market;
  const userref = userrefOf(request);
  const filter = { ...market.filter, ...(userref === undefined ? {} : { userref }), limit: ALL };
  const { orders } = service.exchange.orders(accountId, filter);
  return pageOf(orders, ({ state }) => states.includes(state), request, limit, {
    ...ORDER_READING,
    timesOf: ({ createdAt, updatedAt }) =>
      by === "open" ? [createdAt] : by === "close" ? [updatedAt] : [createdAt, updatedAt],
  });
}

function wantedMarket(
  pairs: PairDirectory,
  written: string | undefined,
): { readonly ok: true; readonly filter: { readonly symbol?: string } } | Fault {
  if (written === undefined) return { ok: true, filter: {} };
  const symbol = pairs.symbolOf(written);
  return symbol === undefined ? unknownPair(written) : { ok: true, filter: { symbol } };
}

function userrefOf({ userref, cl_ord_id }: OrderListing): string | undefined {
  return userref ?? cl_ord_id;
}

function orderRows(
  service: Service,
  accountId: string,
  orders: readonly OrderRecord[],
  trades: string | undefined,
): Record<string, object> {
  const fillsOf = (orderId: string): readonly FillRecord[] | undefined =>
    isTrue(trades) ? service.exchange.fillsOf(accountId, orderId) : undefined;
  return Object.fromEntries(
    orders.map((order) => [
      order.orderId,
      orderRow(order, settingOf(service, accountId, order.symbol), fillsOf(order.orderId)),
    ]),
  );
}

function fillRows(service: Service, accountId: string, fills: readonly FillRecord[]): Record<string, object> {
  return Object.fromEntries(
    fills.map((fill) => {
      const orderType = service.exchange.order(accountId, fill.orderId)?.orderType ?? "limit";
      return [fillIdOf(fill), fillRow(fill, orderType, service.markets.quoteOf(fill.symbol))];
    }),
  );
}
