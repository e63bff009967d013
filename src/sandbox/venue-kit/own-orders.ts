/**
 * Finds an account's orders for a family's queries: those of the exchange, and those that are late on purpose. Entry points: `orderById`,
 * `orderByName`, `openOrders`, `endedOrders`, `isLeftOut`, `halved`.
 *
 * Invariant: what is hidden on purpose is in no list that it is hidden from.
 */
import type { FamilyEffect } from "../http/family-effect.ts";
import type { Exchange, Millis, OrderRecord } from "../model/index.ts";
import type { OrderMemory } from "./order-memory.ts";

/** Read from the exchange at once. */
const CHUNK = 1_000;

/** Who looks, and what this request is to do wrong. */
export interface Looking {
  readonly exchange: Exchange;
  readonly memory: OrderMemory<object>;
  readonly accountId: string;
  readonly at: Millis;
  readonly effect: FamilyEffect | undefined;
  /** Whether the exchange calls it canceled. */
  readonly isCanceled: (order: OrderRecord) => boolean;
}

/** Hidden ones too. */
export function orderById({ exchange, memory, accountId }: Looking, orderId: string): OrderRecord | undefined {
  const late = memory.lateOrders(accountId).find((order) => order.orderId === orderId);
  return late ?? exchange.order(accountId, orderId);
}

/** By the account's own name of it; the newest where there are several, and hidden ones too. */
export function orderByName({ exchange, memory, accountId }: Looking, name: string): OrderRecord | undefined {
  const late = memory.lateOrders(accountId).find(({ userref }) => userref === name);
  return late ?? exchange.orders(accountId, { userref: name, limit: 1 }).orders[0];
}

/** Whether the query is not to find it. */
export function isLeftOut({ memory, at, effect, isCanceled }: Looking, order: OrderRecord, inList: boolean): boolean {
  if (memory.isHidden(order.orderId, at, inList)) return true;
  return effect?.kind === "omit_canceled" && isCanceled(order);
}

interface OpenFilter {
  readonly symbol: string | undefined;
  readonly oldestFirst: boolean;
}

export function openOrders(looking: Looking, { symbol, oldestFirst }: OpenFilter): readonly OrderRecord[] {
  const { exchange, memory, accountId } = looking;
  const late = memory
    .lateOrders(accountId)
    .filter((each) => each.state === "open" && (symbol === undefined || each.symbol === symbol));
  const placed = exchange.orders(accountId, { symbol, states: ["open"], limit: CHUNK, oldestFirst }).orders;
  const all = oldestFirst ? [...placed, ...late] : [...late.toReversed(), ...placed];
  return all.filter((each) => !isLeftOut(looking, each, true));
}

interface EndedFilter extends OpenFilter {
  readonly from: Millis;
  readonly to: Millis;
  readonly limit: number;
  readonly fits: (order: OrderRecord) => boolean;
}

export function endedOrders(looking: Looking, { limit, fits, ...filter }: EndedFilter): readonly OrderRecord[] {
  const { exchange, accountId } = looking;
  const found: OrderRecord[] = [];
  const ended = { ...filter, states: ["filled", "canceled", "expired"] as const };
  for (let skip = 0; ; skip += CHUNK) {
    const page = exchange.orders(accountId, { ...ended, limit: CHUNK, skip });
    for (const order of page.orders) {
      if (fits(order) && !isLeftOut(looking, order, true)) found.push(order);
      if (found.length === limit) return found;
    }
    if (!page.more) return found;
  }
}

/** The first half of a list that is to end in its middle. */
export function halved<Item>(effect: FamilyEffect | undefined, list: readonly Item[]): readonly Item[] {
  return effect?.kind === "half_list" ? list.slice(0, Math.floor(list.length / 2)) : list;
}
