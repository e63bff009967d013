/**
 * Finds orders and trades of one market: one order by its id or the account's own, the open ones, those and the trades of the last 36 hours. Entry
 * points: `getOrder`, `listOpen`, `listAll`, `listTrades`, `findOrder`, `isForgotten`.
 *
 * Invariant: what is hidden on purpose is found by nothing that it is hidden from.
 */
import type { Millis, OrderRecord } from "../../model/index.ts";
import { halved } from "../../venue-kit/own-orders.ts";
import { namedMarket, type PrivateCall } from "./korbit-call.ts";
import { type KorbitState, orderView, shownState, tradeView } from "./order-view.ts";
import { answer, badRequest, type Json, type KorbitError, type KorbitOutcome, refuse } from "./outcome.ts";

const [LIMIT_DEFAULT, LIMIT_MAX] = [500, 1_000];
const HOUR_MS: Millis = 3_600_000;
const HISTORY_MS: Millis = 36 * HOUR_MS;
/** An order that ended without a trade is found for so long. */
const FOUND_MS: Millis = 72 * HOUR_MS;
/** Histories are behind by so much. */
const LAG_MS: Millis = 1_000;
/** Read from the exchange at once; more than an account may have of one id, or open in one market. */
const CHUNK = 1_000;

export function getOrder(call: PrivateCall): KorbitOutcome {
  const found = findOrder(call);
  return "ok" in found ? found : answer(viewOf(call, found));
}

/** By exactly one of the two ids, in the market that is named. */
export function findOrder(call: PrivateCall): OrderRecord | KorbitError {
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const [orderId, clientId] = [call.parameters.text("orderId"), call.parameters.text("clientOrderId")];
  if ((orderId === undefined) === (clientId === undefined)) return badRequest("orderId");
  if (orderId !== undefined && !/^[1-9]\d{0,15}$/.test(orderId)) return badRequest("orderId");
  const found = orderId === undefined ? byClientId(call, clientId ?? "") : byId(call, orderId);
  if (found === undefined || found.symbol !== market.symbol || isLeftOut(call, found, false))
    return refuse("ORDER_NOT_FOUND");
  return found;
}

function byId({ service, key, memory }: PrivateCall, orderId: string): OrderRecord | undefined {
  const pending = memory.lateOrders(key.accountId).find((order) => order.orderId === orderId);
  return pending ?? service.exchange.order(key.accountId, orderId);
}

/** The one that still has the name; by other sources one that ended without a trade never has it. */
function byClientId(call: PrivateCall, clientId: string): OrderRecord | undefined {
  const found = ordersNamed(call, clientId).find((order) => !isForgotten(call, order));
  const isEnded = found !== undefined && isWithoutTrade(shownState(found, call.memory, call.variant));
  return isEnded && call.variant === "other" ? undefined : found;
}

/** All orders of an account that ever had a name, newest first. */
export function ordersNamed({ service, key, memory }: PrivateCall, clientId: string): readonly OrderRecord[] {
  const pending = memory.lateOrders(key.accountId).filter(({ userref }) => userref === clientId);
  const placed = service.exchange.orders(key.accountId, { userref: clientId, limit: CHUNK }).orders;
  return [...pending, ...placed].toSorted((one, other) => other.createdAt - one.createdAt);
}

function isWithoutTrade(state: KorbitState): boolean {
  return state === "canceled" || state === "expired";
}

/** Whether an order ended without a trade so long ago that it is not found, and its own id is free. */
export function isForgotten({ at, memory, variant }: PrivateCall, order: OrderRecord): boolean {
  return isWithoutTrade(shownState(order, memory, variant)) && at - order.updatedAt >= FOUND_MS;
}

function isLeftOut(call: PrivateCall, order: OrderRecord, inList: boolean): boolean {
  const { memory, at, effect, variant } = call;
  if (memory.isHidden(order.orderId, at, inList)) return true;
  const state = shownState(order, memory, variant);
  const isCanceled = isWithoutTrade(state) || state === "partiallyFilledCanceled";
  return isForgotten(call, order) || (effect?.kind === "omit_canceled" && isCanceled);
}

/** Pending orders are not open. */
export function listOpen(call: PrivateCall): KorbitOutcome {
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const limit = call.parameters.count("limit", LIMIT_DEFAULT, LIMIT_MAX);
  if (typeof limit !== "number") return limit;
  const filter = { symbol: market.symbol, states: ["open"] as const, limit: CHUNK };
  const { orders } = call.service.exchange.orders(call.key.accountId, filter);
  const shown = orders.filter((order) => !isLeftOut(call, order, true)).slice(0, limit);
  return answer(halved(call.effect, shown).map((order) => openView(call, order)));
}

/** The list of open orders names neither market nor condition; by other sources it does. */
function openView(call: PrivateCall, order: OrderRecord): Json {
  const { symbol, timeInForce, ...view } = viewOf(call, order);
  return call.variant === "other" ? { symbol, timeInForce, ...view } : view;
}

function viewOf({ service, key, memory, variant }: PrivateCall, order: OrderRecord): ReturnType<typeof orderView> {
  const { orderId } = order;
  const lastFill = service.exchange.fillsOf(key.accountId, orderId).at(-1);
  return orderView({ order, note: memory.noteOf(orderId), state: shownState(order, memory, variant), lastFill });
}

/** Newest first, by the time of placing. */
export function listAll(call: PrivateCall): KorbitOutcome {
  const asked = periodOf(call);
  if ("ok" in asked) return asked;
  const { symbol, from, to, limit } = asked;
  const { service, key, memory } = call;
  const placed = service.exchange.orders(key.accountId, { symbol, from, to, limit: LIMIT_MAX }).orders;
  const pending = memory
    .lateOrders(key.accountId)
    .filter((order) => order.symbol === symbol && order.createdAt >= from && order.createdAt <= to);
  const shown = [...pending, ...placed]
    .filter((order) => !isLeftOut(call, order, true))
    .toSorted((one, other) => other.createdAt - one.createdAt);
  return answer(halved(call.effect, shown.slice(0, limit)).map((order) => viewOf(call, order)));
}

export function listTrades(call: PrivateCall): KorbitOutcome {
  const asked = periodOf(call);
  if ("ok" in asked) return asked;
  const { service, key, memory, at } = call;
  const { fills } = service.exchange.fills(key.accountId, asked);
  const shown = fills.filter(({ orderId }) => !memory.isHidden(orderId, at, true));
  return answer(halved(call.effect, shown).map(tradeView));
}

interface Period {
  readonly symbol: string;
  readonly from: Millis;
  /** Inclusive. */
  readonly to: Millis;
  readonly limit: number;
}

/** With the start, and without the end. */
function periodOf(call: PrivateCall): Period | KorbitError {
  const { at, parameters } = call;
  const market = namedMarket(call);
  if ("ok" in market) return market;
  const [start, end] = [parameters.time("startTime", at - HISTORY_MS), parameters.time("endTime", at + 1)];
  const limit = parameters.count("limit", LIMIT_DEFAULT, LIMIT_MAX);
  if (typeof start !== "number") return start;
  if (typeof end !== "number") return end;
  if (typeof limit !== "number") return limit;
  if (end <= start) return badRequest("endTime");
  return { symbol: market.symbol, from: Math.max(start, at - HISTORY_MS), to: Math.min(end - 1, at - LAG_MS), limit };
}
