/**
 * Finds orders: one by its id or the account's own, several by ids, the open ones, the ended ones of at most seven days. Entry points:
 * `getOrder`, `listByIds`, `listOrders`, `listPending`, `listHistory`, `findOrder`, `isUnready`, `lookingOf`.
 */
import type { Millis, OrderRecord } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { timeOf } from "../../venue-kit/kst.ts";
import {
  endedOrders,
  halved,
  isLeftOut,
  type Looking,
  openOrders,
  orderById,
  orderByName,
} from "../../venue-kit/own-orders.ts";
import type { PrivateCall } from "./bithumb-call.ts";
import { rankOf, symbolOf } from "./market-rules.ts";
import { type BithumbState, detailView, firstView, secondView, stateOf } from "./order-view.ts";
import { answer, type BithumbError, type BithumbOutcome, badValue, refuse } from "./outcome.ts";

const IDS_MAX = 100;
const LIST_MAX = 100;
const [HISTORY_DEFAULT, HISTORY_MAX] = [100, 1_000];
const WINDOW_MS: Millis = 7 * 86_400_000;
const PAGE_MAX = 100_000;

export function lookingOf({ service, memory, key, at, effect }: PrivateCall): Looking {
  const isCanceled = (order: OrderRecord): boolean => stateOf(order) === "cancel";
  return { exchange: service.exchange, memory, accountId: key.accountId, at, effect, isCanceled };
}

/** Whether an order was taken and is still being processed. */
export function isUnready({ unready, at }: PrivateCall, { orderId }: OrderRecord): boolean {
  return (unready.get(orderId) ?? at) > at;
}

/** By id where both are given. */
export function getOrder(call: PrivateCall): BithumbOutcome {
  const found = findOrder(call, "uuid");
  if ("ok" in found) return found;
  const fills = call.service.exchange.fillsOf(call.key.accountId, found.orderId);
  return answer(detailView(shownOf(call, found, fills.length), fills, call.figures));
}

/** @param idName what the endpoint calls the id */
export function findOrder(call: PrivateCall, idName: "uuid" | "order_id"): OrderRecord | BithumbError {
  const [id, clientId] = [call.parameters.text(idName), call.parameters.text("client_order_id")];
  if (id === undefined && clientId === undefined) return badValue(idName);
  const looking = lookingOf(call);
  const found = id === undefined ? orderByName(looking, clientId ?? "") : orderById(looking, id);
  if (found === undefined || isLeftOut(looking, found, false)) return refuse("order_not_found");
  return isUnready(call, found) ? refuse("order_not_ready") : found;
}

function shownOf({ memory }: PrivateCall, order: OrderRecord, tradesCount: number): Parameters<typeof firstView>[0] {
  return { order, note: memory.noteOf(order.orderId), tradesCount };
}

function viewsOf(call: PrivateCall, orders: readonly OrderRecord[], view: typeof firstView): readonly JsonObject[] {
  const { service, key, figures } = call;
  return orders.map((order) =>
    view(shownOf(call, order, service.exchange.fillsOf(key.accountId, order.orderId).length), figures),
  );
}

/** The orders of ids, or of own ids; what is not found is left out. */
function ordersOfIds(
  call: PrivateCall,
  ids: readonly string[],
  clientIds: readonly string[],
): readonly OrderRecord[] | BithumbError {
  if (ids.length > IDS_MAX || (ids.length === 0 && clientIds.length > IDS_MAX)) return badValue("order_ids");
  const looking = lookingOf(call);
  const found =
    ids.length > 0
      ? [...new Set(ids)].map((id) => orderById(looking, id))
      : [...new Set(clientIds)].map((id) => orderByName(looking, id));
  const symbol = marketIn(call);
  return found.flatMap((order) => {
    if (order === undefined || (symbol !== undefined && order.symbol !== symbol)) return [];
    return isLeftOut(looking, order, true) || isUnready(call, order) ? [] : [order];
  });
}

export function listByIds(call: PrivateCall): BithumbOutcome {
  const { parameters } = call;
  const [ids, clientIds] = [parameters.list("order_ids"), parameters.list("client_order_ids")];
  if (ids.length + clientIds.length === 0) return badValue("order_ids");
  const found = ordersOfIds(call, ids, clientIds);
  if ("ok" in found) return found;
  const direction = directionOf(call);
  if (typeof direction !== "string") return direction;
  return answer(viewsOf(call, sorted(found, direction), secondView));
}

type Direction = "asc" | "desc";

function directionOf({ parameters }: PrivateCall): Direction | BithumbError {
  return parameters.choice("order_by", ["asc", "desc"], "desc");
}

function sorted(orders: readonly OrderRecord[], direction: Direction): readonly OrderRecord[] {
  const oldestFirst = orders.toSorted((one, other) => (rankOf(one.orderId) < rankOf(other.orderId) ? -1 : 1));
  return direction === "asc" ? oldestFirst : oldestFirst.toReversed();
}

function marketIn({ parameters }: PrivateCall): string | undefined {
  const code = parameters.text("market");
  // What is no code matches no market.
  return code === undefined ? undefined : (symbolOf(code) ?? code);
}

/** The states that are asked for, out of some. */
function statesOf(
  { parameters }: PrivateCall,
  possible: readonly BithumbState[],
): readonly BithumbState[] | BithumbError {
  const [single, listed] = [parameters.text("state"), parameters.list("states")];
  if (single !== undefined && listed.length > 0) return badValue("states");
  const asked = single === undefined ? listed : [single];
  const chosen = possible.filter((state) => asked.some((word) => word === state));
  if (chosen.length < new Set(asked).size) return badValue(single === undefined ? "states" : "state");
  return chosen;
}

/** The older list: by ids, or by states, of which the default is `wait`. */
export function listOrders(call: PrivateCall): BithumbOutcome {
  const { parameters } = call;
  const states = statesOf(call, ["wait", "watch", "done", "cancel"]);
  if ("ok" in states) return states;
  const [page, limit] = [parameters.count("page", 1, PAGE_MAX), parameters.count("limit", LIST_MAX, LIST_MAX)];
  const direction = directionOf(call);
  if (typeof page !== "number") return page;
  if (typeof limit !== "number") return limit;
  if (typeof direction !== "string") return direction;
  const [ids, clientIds] = [parameters.list("uuids"), parameters.list("client_order_ids")];
  const wanted = states.length === 0 ? ["wait"] : states;
  const all = ids.length + clientIds.length > 0 ? ordersOfIds(call, ids, clientIds) : ordersIn(call, wanted);
  if ("ok" in all) return all;
  const fitting = all.filter((order) => wanted.includes(stateOf(order)));
  const shown = sorted(fitting, direction).slice((page - 1) * limit, page * limit);
  return answer(viewsOf(call, halved(call.effect, shown), firstView));
}

/** Of all times. */
function ordersIn(call: PrivateCall, states: readonly string[]): readonly OrderRecord[] {
  const filter = { symbol: marketIn(call), oldestFirst: false };
  const open = states.includes("wait") ? openOrders(lookingOf(call), filter) : [];
  const isEnded = states.includes("done") || states.includes("cancel");
  const everything = { ...filter, from: 0, to: call.at, limit: PAGE_MAX, fits: () => true };
  const ended = isEnded ? endedOrders(lookingOf(call), everything) : [];
  return [...open, ...ended].filter((order) => !isUnready(call, order));
}

export function listPending(call: PrivateCall): BithumbOutcome {
  const state = call.parameters.choice("state", ["wait", "watch"], "wait");
  const limit = call.parameters.count("limit", LIST_MAX, LIST_MAX);
  const direction = directionOf(call);
  if (typeof state !== "string") return state;
  if (typeof limit !== "number") return limit;
  if (typeof direction !== "string") return direction;
  const filter = { symbol: marketIn(call), oldestFirst: direction === "asc" };
  const found = state === "wait" ? openOrders(lookingOf(call), filter) : [];
  return pageOf(call, found, limit, direction);
}

export function listHistory(call: PrivateCall): BithumbOutcome {
  const possible = ["done", "cancel"] as const;
  const asked = statesOf(call, possible);
  if ("ok" in asked) return asked;
  const period = periodOf(call);
  if ("ok" in period) return period;
  const limit = call.parameters.count("limit", HISTORY_DEFAULT, HISTORY_MAX);
  const direction = directionOf(call);
  if (typeof limit !== "number") return limit;
  if (typeof direction !== "string") return direction;
  const states = asked.length === 0 ? possible : asked;
  const fits = (each: OrderRecord): boolean => states.some((state) => state === stateOf(each));
  const filter = { ...period, symbol: marketIn(call), oldestFirst: direction === "asc", limit: PAGE_MAX, fits };
  return pageOf(call, endedOrders(lookingOf(call), filter), limit, direction);
}

/** One page after the cursor, and the cursor of the next one; a list that ends in its middle has none. */
function pageOf(
  call: PrivateCall,
  orders: readonly OrderRecord[],
  limit: number,
  direction: Direction,
): BithumbOutcome {
  const key = call.parameters.text("next_key");
  const after = key === undefined ? undefined : orderOfKey(key);
  if (key !== undefined && after === undefined) return badValue("next_key");
  const isAfter = ({ orderId }: OrderRecord): boolean =>
    after === undefined || (direction === "asc" ? rankOf(orderId) > rankOf(after) : rankOf(orderId) < rankOf(after));
  const rest = orders.filter((order) => !isUnready(call, order) && isAfter(order));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const hasNext = call.effect?.kind !== "half_list" && last !== undefined && rest.length > limit;
  const data = viewsOf(call, halved(call.effect, page), secondView);
  return answer({ data, has_next: hasNext, next_key: hasNext ? keyOf(last.orderId) : null });
}

/** Before the last order of a page; so the text has the characters that a URL has to encode. */
const KEY_HEAD = Buffer.from([0xfb, 0xff]);

function keyOf(orderId: string): string {
  return Buffer.concat([KEY_HEAD, Buffer.from(orderId)]).toString("base64");
}

function orderOfKey(key: string): string | undefined {
  const orderId = Buffer.from(key, "base64").subarray(KEY_HEAD.length).toString("latin1");
  return /^C\d{19,24}$/.test(orderId) && keyOf(orderId) === key ? orderId : undefined;
}

interface Period {
  readonly from: Millis;
  readonly to: Millis;
}

/** Seven days at most: after the start, before the end, or before now. */
function periodOf({ parameters, at }: PrivateCall): Period | BithumbError {
  const [start, end] = [parameters.text("start_time"), parameters.text("end_time")];
  const [from, to] = [start === undefined ? undefined : timeOf(start), end === undefined ? undefined : timeOf(end)];
  if (start !== undefined && from === undefined) return badValue("start_time");
  if (end !== undefined && to === undefined) return badValue("end_time");
  if (from !== undefined && to !== undefined)
    return from > to || to - from > WINDOW_MS ? badValue("end_time") : { from, to };
  if (from !== undefined) return { from, to: from + WINDOW_MS };
  const until = to ?? at;
  return { from: until - WINDOW_MS, to: until };
}
