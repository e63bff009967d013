/**
 * The operations of the Trading API that show orders and fills: open, closed, by id or userref, by period.
 *
 * Invariant: lists are newest first. Source: service.md#trading-queries, service.md#trading-paging.
 */
import { LIMITS, type OrderState } from "../../../contract/index.ts";
import { answer, badArgument, type Fault, type Outcome, unknownOrder, unknownPair } from "../../http/outcome.ts";
import { countOf } from "../../http/query-value.ts";
import type { FillFilter, FillRecord, OrderFilter, OrderRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { orderSetting } from "../../wire/order-view.ts";
import { type Listing, type PageRequest, type Place, pageOf, type Span, spanOf } from "./history-page.ts";
import { isTrue } from "./order-operations.ts";
import { fillIdOf, fillRow, orderRow } from "./order-rows.ts";
import type { PairDirectory } from "./pair-directory.ts";
import type { OperationCall, OperationHandlers } from "./trading-call.ts";

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
const WHOLE_LIST: Place = { before: undefined, skip: 0, limit: ALL };
const CLOSED: readonly OrderState[] = ["filled", "canceled", "expired", "rejected"];
const STATES: Readonly<Record<"closed" | "canceled" | "expired", readonly OrderState[]>> = {
  closed: ["filled"],
  canceled: ["canceled", "rejected"],
  expired: ["expired"],
};
/** Which of an order's times has to be in the period. */
const TIMES = { open: "created", close: "updated", both: "either" } as const;

function openOrders({ service, pairs, key, request }: OperationCall<"OpenOrders">): Outcome {
  // The dialect shows all open orders; a page is shown only on request.
  const isPaged = request.cursor !== undefined || request.limit !== undefined;
  const limit = isPaged ? countOf(request.limit, service.limits.pageSizeDefault) : ALL;
  const scope = { service, pairs, accountId: key.accountId };
  const listing = ordersOf(scope, request, { states: ["open"], by: "created" });
  const page = listing.ok ? pageOf(listing, request, limit, false) : listing;
  if (!page.ok) return page;
  return answer({ open: orderRows(service, key.accountId, page.items, request.trades), next_cursor: page.next });
}

function closedOrders({ service, pairs, key, request }: OperationCall<"ClosedOrders">): Outcome {
  const states = request.status === undefined ? CLOSED : STATES[request.status];
  const scope = { service, pairs, accountId: key.accountId };
  const listing = ordersOf(scope, request, { states, by: TIMES[request.closetime ?? "both"] });
  const page = listing.ok
    ? pageOf(listing, request, limitOf(service, request), !isTrue(request.without_count))
    : listing;
  if (!page.ok) return page;
  return answer({
    closed: orderRows(service, key.accountId, page.items, request.trades),
    count: page.count,
    next_cursor: page.next,
  });
}

function queryOrders({ service, pairs, key, request }: OperationCall<"QueryOrders">): Outcome {
  const { accountId } = key;
  const market = requestedMarket(pairs, request.pair);
  if (!market.ok) return market;
  const spanned = spanOf(request, (id) => service.exchange.order(accountId, id)?.orderId);
  if (!spanned.ok) return spanned;
  const [{ symbol }, { span }, userref] = [market, spanned, userrefOf(request)];
  if (request.txid === undefined) {
    const { from, to, after: afterId, until: untilId } = span;
    const filter = { symbol, userref, from, to, afterId, untilId, limit: LIMITS.pageSizeMax };
    const { orders, more } = service.exchange.orders(accountId, filter);
    // This answer has no room for a cursor, and a part of a period that looks like the whole would mislead.
    if (more && userref === undefined) return badArgument("start", TOO_MANY);
    return answer(orderRows(service, accountId, orders, request.trades));
  }
  const found = request.txid.split(",").flatMap((orderId) => service.exchange.order(accountId, orderId) ?? []);
  const matching = found.filter(
    (order) =>
      (symbol === undefined || order.symbol === symbol) &&
      (userref === undefined || order.userref === userref) &&
      isWithin(span, order),
  );
  return matching.length === 0 ? unknownOrder() : answer(orderRows(service, accountId, matching, request.trades));
}

const TOO_MANY = `there are more than ${LIMITS.pageSizeMax} orders: ask for a shorter period, or page through OpenOrders and ClosedOrders`;

function isWithin({ from, to, after, until }: Span, { createdAt, orderId }: OrderRecord): boolean {
  const isInTime = (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to);
  return isInTime && (after === undefined || orderId > after) && (until === undefined || orderId <= until);
}

function tradesHistory({ service, pairs, key, request }: OperationCall<"TradesHistory">): Outcome {
  const listing = fillsOf({ service, pairs, accountId: key.accountId }, request.pair);
  const page = listing.ok
    ? pageOf(listing, request, limitOf(service, request), !isTrue(request.without_count))
    : listing;
  if (!page.ok) return page;
  return answer({
    trades: fillRows(service, key.accountId, page.items),
    count: page.count,
    next_cursor: page.next,
  });
}

function queryTrades({ service, key, request }: OperationCall<"QueryTrades">): Outcome {
  const wanted = [...new Set(request.txid.split(","))];
  const found = wanted
    .flatMap((id) => fillOf(service, key.accountId, id) ?? [])
    .toSorted((a, b) => b.tradeSeq - a.tradeSeq);
  return found.length === 0
    ? badArgument("txid", "this account has no such execution")
    : answer(fillRows(service, key.accountId, found));
}

function limitOf({ limits }: Service, { limit }: { readonly limit?: string | undefined }): number {
  return countOf(limit, limits.pageSizeDefault);
}

interface Scope {
  readonly service: Service;
  readonly pairs: PairDirectory;
  readonly accountId: string;
}

type Found<Item> = ({ readonly ok: true } & Listing<Item>) | Fault;

interface OrderListing extends PageRequest {
  readonly pair?: string | undefined;
  readonly userref?: string | undefined;
  readonly cl_ord_id?: string | undefined;
}

function ordersOf(
  { service: { exchange }, pairs, accountId }: Scope,
  request: OrderListing,
  { states, by }: Pick<OrderFilter, "states" | "by">,
): Found<OrderRecord> {
  const market = requestedMarket(pairs, request.pair);
  if (!market.ok) return market;
  const userref = userrefOf(request);
  const filterOf = ({ from, to, after, until }: Span, { before, skip, limit }: Place): OrderFilter => ({
    ...{ symbol: market.symbol, states, by, userref, from, to, skip, limit },
    ...{ afterId: after, untilId: until, beforeId: before },
  });
  return {
    ok: true,
    kind: "order",
    nameOf: ({ orderId }) => orderId,
    nameById: (id) => exchange.order(accountId, id)?.orderId,
    find: (span, place) => {
      const { orders: items, more } = exchange.orders(accountId, filterOf(span, place));
      return { items, more };
    },
    count: (span) => exchange.countOrders(accountId, filterOf(span, WHOLE_LIST)),
  };
}

function fillsOf({ service, pairs, accountId }: Scope, pair: string | undefined): Found<FillRecord> {
  const { exchange } = service;
  const market = requestedMarket(pairs, pair);
  if (!market.ok) return market;
  const seqOf = (name: string | undefined): number | undefined => (name === undefined ? undefined : Number(name)); // not money: the number of a trade
  const filterOf = ({ from, to, after, until }: Span, { before, skip, limit }: Place): FillFilter => ({
    ...{ symbol: market.symbol, from, to, afterSeq: seqOf(after), skip, limit },
    beforeSeq: Math.min(seqOf(before) ?? ALL, (seqOf(until) ?? ALL) + 1),
  });
  return {
    ok: true,
    kind: "fill",
    nameOf: ({ tradeSeq }) => String(tradeSeq),
    nameById: (id) => fillOf(service, accountId, id)?.tradeSeq.toString(),
    find: (span, place) => {
      const { fills: items, more } = exchange.fills(accountId, filterOf(span, place));
      return { items, more };
    },
    count: (span) => exchange.countFills(accountId, filterOf(span, WHOLE_LIST)),
  };
}

function fillOf({ exchange }: Service, accountId: string, id: string): FillRecord | undefined {
  const seq = /^T\d+$/.test(id) ? Number(id.slice(1)) : 0; // not money: the number of a trade
  return exchange.fills(accountId, { afterSeq: seq - 1, beforeSeq: seq + 1, limit: 1 }).fills[0];
}

/** The market of a request; without a symbol when the request names none. */
function requestedMarket(
  pairs: PairDirectory,
  written: string | undefined,
): { readonly ok: true; readonly symbol: string | undefined } | Fault {
  if (written === undefined) return { ok: true, symbol: undefined };
  const symbol = pairs.symbolOf(written);
  return symbol === undefined ? unknownPair(written) : { ok: true, symbol };
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
  const tradesOf = (orderId: string): readonly FillRecord[] | undefined =>
    isTrue(trades) ? service.exchange.fillsOf(accountId, orderId) : undefined;
  return Object.fromEntries(
    orders.map((order) => [
      order.orderId,
      orderRow(order, orderSetting(service, accountId, order.symbol), tradesOf(order.orderId)),
    ]),
  );
}

function fillRows(service: Service, accountId: string, fills: readonly FillRecord[]): Record<string, object> {
  return Object.fromEntries(
    fills.map((fill) => {
      const { exchange, markets } = service;
      const orderType = exchange.order(accountId, fill.orderId)?.orderType ?? "limit";
      return [fillIdOf(fill), fillRow(fill, orderType, { quote: markets.quoteOf(fill.symbol), exchange })];
    }),
  );
}
