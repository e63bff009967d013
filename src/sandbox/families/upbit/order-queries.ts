/**
 * Finds orders: one by its uuid or identifier, several by ids, the open ones, the closed ones of at most seven days. Entry points: `getOrder`,
 * `listByIds`, `listOpen`, `listClosed`, `findOrder`, `findByIds`.
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
import { symbolOf } from "./market-rules.ts";
import { detailView, listedView, stateOf, type UpbitState } from "./order-view.ts";
import { answer, badValue, refuse, type UpbitError, type UpbitOutcome } from "./outcome.ts";
import type { PrivateCall } from "./upbit-call.ts";

const IDS_MAX = 100;
const OPEN_MAX = 100;
const [CLOSED_DEFAULT, CLOSED_MAX] = [100, 1_000];
const WINDOW_MS: Millis = 7 * 86_400_000;

/** By uuid where both are given. */
export function getOrder(call: PrivateCall): UpbitOutcome {
  const found = findOrder(call);
  if ("ok" in found) return found;
  const { service, key, memory } = call;
  const fills = service.exchange.fillsOf(key.accountId, found.orderId);
  return answer(detailView(found, memory.noteOf(found.orderId), fills));
}

export function findOrder(call: PrivateCall): OrderRecord | UpbitError {
  const [uuid, identifier] = [call.parameters.text("uuid"), call.parameters.text("identifier")];
  if (uuid === undefined && identifier === undefined) return badValue("uuid");
  const looking = lookingOf(call);
  const found = uuid === undefined ? orderByName(looking, identifier ?? "") : orderById(looking, uuid);
  return found === undefined || isLeftOut(looking, found, false) ? refuse("order_not_found") : found;
}

function lookingOf({ service, memory, key, at, effect }: PrivateCall): Looking {
  const isCanceled = (order: OrderRecord): boolean => stateOf(order, memory.noteOf(order.orderId)) === "cancel";
  return { exchange: service.exchange, memory, accountId: key.accountId, at, effect, isCanceled };
}

/** The orders of `uuids[]` or of `identifiers[]`; what is not found is left out. */
export function findByIds(call: PrivateCall, most: number): readonly OrderRecord[] | UpbitError {
  const [uuids, identifiers] = [call.parameters.list("uuids"), call.parameters.list("identifiers")];
  const count = uuids.length + identifiers.length;
  if (count === 0 || count > most || (uuids.length > 0 && identifiers.length > 0)) return badValue("uuids");
  const looking = lookingOf(call);
  const found = [
    ...uuids.map((uuid) => orderById(looking, uuid)),
    ...identifiers.map((identifier) => orderByName(looking, identifier)),
  ];
  return found.flatMap((order) => (order === undefined || isLeftOut(looking, order, true) ? [] : [order]));
}

export function listByIds(call: PrivateCall): UpbitOutcome {
  const found = findByIds(call, IDS_MAX);
  if ("ok" in found) return found;
  const market = marketIn(call);
  const order = directionOf(call);
  if (typeof order !== "string") return order;
  const chosen = found.filter(({ symbol }) => market === undefined || symbol === market);
  const sorted = chosen.toSorted((one, other) => other.createdAt - one.createdAt);
  return answer(views(call, order === "desc" ? sorted : sorted.toReversed()));
}

function marketIn({ parameters }: PrivateCall): string | undefined {
  const code = parameters.text("market");
  // What is no code matches no market.
  return code === undefined ? undefined : (symbolOf(code) ?? code);
}

function directionOf({ parameters }: PrivateCall): "asc" | "desc" | UpbitError {
  return parameters.choice("order_by", ["asc", "desc"], "desc");
}

/** The states that are asked for, out of some. */
function statesOf<State extends UpbitState>(
  { parameters }: PrivateCall,
  possible: readonly State[],
): readonly State[] | UpbitError {
  const single = parameters.text("state");
  const listed = parameters.list("states");
  if (single !== undefined && listed.length > 0) return badValue("states");
  const asked = single === undefined ? listed : [single];
  const chosen = possible.filter((state) => asked.some((word) => word === state));
  if (chosen.length < new Set(asked).size) return badValue(single === undefined ? "states" : "state");
  return asked.length === 0 ? possible : chosen;
}

export function listOpen(call: PrivateCall): UpbitOutcome {
  const { parameters } = call;
  const states = statesOf(call, ["wait", "watch"] as const);
  if ("ok" in states) return states;
  const [page, limit] = [parameters.count("page", 1, 100_000), parameters.count("limit", OPEN_MAX, OPEN_MAX)];
  const order = directionOf(call);
  if (typeof page !== "number") return page;
  if (typeof limit !== "number") return limit;
  if (typeof order !== "string") return order;
  const filter = { symbol: marketIn(call), oldestFirst: order === "asc" };
  const shown = states.includes("wait") ? openOrders(lookingOf(call), filter) : [];
  return answer(views(call, shown.slice((page - 1) * limit, page * limit)));
}

export function listClosed(call: PrivateCall): UpbitOutcome {
  const { parameters } = call;
  const states = statesOf(call, ["done", "cancel"] as const);
  if ("ok" in states) return states;
  const period = periodOf(call);
  if ("ok" in period) return period;
  const limit = parameters.count("limit", CLOSED_DEFAULT, CLOSED_MAX);
  const order = directionOf(call);
  if (typeof limit !== "number") return limit;
  if (typeof order !== "string") return order;
  const { memory } = call;
  const fits = (each: OrderRecord): boolean =>
    states.some((state) => state === stateOf(each, memory.noteOf(each.orderId)));
  const filter = { ...period, symbol: marketIn(call), oldestFirst: order === "asc", limit, fits };
  return answer(views(call, endedOrders(lookingOf(call), filter)));
}

interface Period {
  readonly from: Millis;
  readonly to: Millis;
}

/** Seven days at most: after the start, before the end, or before now. */
function periodOf({ parameters, at }: PrivateCall): Period | UpbitError {
  const [start, end] = [parameters.text("start_time"), parameters.text("end_time")];
  const [from, to] = [start === undefined ? undefined : timeOf(start), end === undefined ? undefined : timeOf(end)];
  if (start !== undefined && from === undefined) return badValue("start_time");
  if (end !== undefined && to === undefined) return badValue("end_time");
  if (from !== undefined && to !== undefined)
    return from > to || to - from > WINDOW_MS ? refuse("invalid_parameter") : { from, to };
  if (from !== undefined) return { from, to: from + WINDOW_MS };
  const until = to ?? at;
  return { from: until - WINDOW_MS, to: until };
}

function views({ service, key, memory, effect }: PrivateCall, orders: readonly OrderRecord[]): readonly JsonObject[] {
  return halved(effect, orders).map((order) =>
    listedView(order, memory.noteOf(order.orderId), service.exchange.fillsOf(key.accountId, order.orderId).length),
  );
}
