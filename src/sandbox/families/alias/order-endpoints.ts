/**
 * The alias endpoints that place, cancel and show orders.
 *
 * Invariants: a call that changes the exchange does so in one command, and its answer is marked as changed; no two open orders
 * of an account have the same `newClientOrderId`, as the dialect's clients rely on that when they send an order again.
 * Source: service.md#alias-private, service.md#alias-duplicate; decision 0010.
 */
import type { AliasOrderParameters } from "../../../contract/index.ts";
import { answer, changedAnswer } from "../../http/outcome.ts";
import { countOf } from "../../http/query-value.ts";
import type { KeyRecord, OrderRecord, PlaceCommand, Refusal } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import type { AliasCall, AliasHandlers } from "./alias-call.ts";
import { type AliasFault, type AliasOutcome, fault, faultOf, problem, withDetail } from "./alias-outcome.ts";
import { testedView } from "./commission-view.ts";
import { ackView, canceledView, clientOrderIdOf, orderView, placedFillView, placedView } from "./order-view.ts";
import { timeRangeOf } from "./time-range.ts";

const LIST_DEFAULT = 500;
const ALL = Number.MAX_SAFE_INTEGER;

export const ALIAS_ORDER_ENDPOINTS: AliasHandlers<
  "newOrder" | "testOrder" | "order" | "cancelOrder" | "openOrders" | "cancelOpenOrders" | "allOrders"
> = {
  newOrder,
  testOrder,
  order(call) {
    const found = findOrder(call, fault("EOrder:Unknown order"));
    return found.ok ? answer(orderView(found.order)) : found;
  },
  cancelOrder,
  openOrders({ service, key, symbol }) {
    const { orders } = service.exchange.orders(key.accountId, { symbol, states: ["open"], limit: ALL });
    return answer(orders.map(orderView).reverse());
  },
  cancelOpenOrders,
  allOrders,
};

type Placing = { readonly ok: true; readonly command: PlaceCommand } | AliasFault;

/** The command of an order, with the checks that the exchange does not make. */
function placing({ service, key, symbol, parameters }: AliasCall<"newOrder" | "testOrder">): Placing {
  if (service.exchange.account(key.accountId)?.krwAccountLinked !== true)
    return fault("ECompliance:KRW account not linked");
  const userref = parameters.newClientOrderId;
  if (userref !== undefined && hasOpenOrder(service, key, userref)) return fault("EOrder:Duplicate userref");
  return { ok: true, command: placeCommand(service, key, symbol, parameters) };
}

function hasOpenOrder({ exchange }: Service, { accountId }: KeyRecord, userref: string): boolean {
  return exchange.orders(accountId, { userref, states: ["open"], limit: 1 }).orders.length > 0;
}

function placeCommand(
  service: Service,
  { accountId, keyId }: KeyRecord,
  symbol: string,
  { side, type, timeInForce, quantity, quoteOrderQty, price, newClientOrderId }: AliasOrderParameters,
): PlaceCommand {
  return {
    type: "place",
    accountId,
    keyId,
    orderId: service.nextOrderId(),
    symbol,
    side: side === "BUY" ? "buy" : "sell",
    orderType: type === "MARKET" ? "market" : "limit",
    price: price === undefined ? null : unitsOf(price),
    volume: quantity === undefined ? null : unitsOf(quantity),
    amount: quoteOrderQty === undefined ? null : unitsOf(quoteOrderQty),
    timeInForce: timeInForce ?? "GTC",
    postOnly: type === "LIMIT_MAKER",
    userref: newClientOrderId ?? null,
    settlementMode: "INSTANT_KRW",
  };
}

function newOrder(call: AliasCall<"newOrder">): AliasOutcome {
  const { service, at, parameters } = call;
  const placed = placing(call);
  if (!placed.ok) return placed;
  const applied = service.journaled.apply(placed.command, at);
  if (!applied.ok) return rejection(service, placed.command, applied);
  if (applied.kind !== "order") return fault("EService:Unavailable");
  const { order, fills } = applied;
  switch (parameters.newOrderRespType ?? (parameters.type === "LIMIT_MAKER" ? "ACK" : "FULL")) {
    case "ACK":
      return changedAnswer(ackView(order), 200);
    case "RESULT":
      return changedAnswer(placedView(order), 200);
    case "FULL": {
      const quote = service.markets.quoteOf(order.symbol);
      return changedAnswer({ ...placedView(order), fills: fills.map((fill) => placedFillView(fill, quote)) }, 200);
    }
  }
}

function testOrder(call: AliasCall<"testOrder">): AliasOutcome {
  const placed = placing(call);
  if (!placed.ok) return placed;
  const { service, parameters } = call;
  const checked = service.exchange.check(placed.command, call.at);
  if (!checked.ok) return rejection(service, placed.command, checked);
  const market = service.exchange.market(placed.command.symbol);
  return answer(parameters.computeCommissionRates === "true" && market !== undefined ? testedView(market) : {});
}

/** The catalogue has one code for an order that is too small; the dialect distinguishes a small quantity from a small value. */
function rejection({ exchange }: Service, { symbol, volume }: PlaceCommand, refusal: Refusal): AliasFault {
  const minimum = exchange.market(symbol)?.minVolume ?? 0n;
  const smallLot = refusal.code === "EOrder:Order minimum not met" && volume !== null && volume < minimum;
  return smallLot ? withDetail(problem("lotSize"), refusal.message) : faultOf(refusal);
}

type Found = { readonly ok: true; readonly order: OrderRecord } | AliasFault;

function findOrder(call: AliasCall<"order" | "cancelOrder">, absent: AliasFault): Found {
  const { service, key, symbol } = call;
  const { orderId, origClientOrderId: client } = call.parameters;
  const order =
    orderId === undefined
      ? byClientOrderId(service, key, symbol, client ?? "")
      : service.exchange.order(key.accountId, orderId);
  if (order?.symbol !== symbol) return absent;
  if (client !== undefined && clientOrderIdOf(order) !== client) return problem("otherClientOrderId");
  return { ok: true, order };
}

/** The open order with a client order id, otherwise the newest one. */
function byClientOrderId({ exchange }: Service, { accountId }: KeyRecord, symbol: string, client: string) {
  const named = { symbol, userref: client, limit: 1 };
  const [open] = exchange.orders(accountId, { ...named, states: ["open"] }).orders;
  const [newest] = exchange.orders(accountId, named).orders;
  return open ?? newest ?? exchange.order(accountId, client);
}

function cancelOrder(call: AliasCall<"cancelOrder">): AliasOutcome {
  const { service, at, key, parameters } = call;
  const found = findOrder(call, problem("unknownToCancel"));
  if (!found.ok) return found;
  const { symbol, orderId } = found.order;
  const applied = service.journaled.apply({ type: "cancel", accountId: key.accountId, symbol, orderId }, at);
  if (!applied.ok) return faultOf(applied);
  const after = applied.kind === "order" ? applied.order : service.exchange.order(key.accountId, orderId);
  if (after === undefined) return fault("EService:Unavailable");
  return changedAnswer(canceledView(after, parameters.newClientOrderId ?? service.nextRequestId()), 200);
}

function cancelOpenOrders({ service, at, key, symbol }: AliasCall<"cancelOpenOrders">): AliasOutcome {
  const { accountId } = key;
  const applied = service.journaled.apply({ type: "cancelAll", accountId, symbol }, at);
  if (!applied.ok) return faultOf(applied);
  if (applied.kind !== "canceled") return fault("EService:Unavailable");
  if (applied.orderIds.length === 0) return problem("unknownToCancel");
  const cancelId = service.nextRequestId();
  const canceled = applied.orderIds.flatMap((orderId) => service.exchange.order(accountId, orderId) ?? []);
  return changedAnswer(
    canceled.map((order) => canceledView(order, cancelId)),
    200,
  );
}

/** Orders, oldest first: after an order or a time the oldest of them, otherwise the newest. */
function allOrders({ service, key, symbol, parameters }: AliasCall<"allOrders">): AliasOutcome {
  const { orderId: first, startTime, endTime } = parameters;
  const range = timeRangeOf(startTime, endTime);
  if (!range.ok) return range;
  const { from, to } = range;
  const limit = countOf(parameters.limit, LIST_DEFAULT);
  const forward = first !== undefined || startTime !== undefined;
  const filter = { symbol, from, to, sinceId: first, limit, oldestFirst: forward };
  const { orders } = service.exchange.orders(key.accountId, filter);
  return answer((forward ? orders : orders.toReversed()).map(orderView));
}
