/**
 * Queries an account's orders and fills: filtered, paged, counted. Entry points: `findOrders`, `countOrders`, `findFills`,
 * `countFills`, `allFills`. The bounds `from` and `to` are inclusive.
 *
 * Invariants: a page reads no more than it has to: a binary search finds where it begins, and it ends after its last item; what is in
 * memory and what is archived come as one list, in order of placing.
 */
import { prefixLength } from "../../lists.ts";
import type { FillFilter, FillRecord, OrderFilter, OrderRecord } from "../../model/index.ts";
import type { Account } from "../state/account-state.ts";
import type { State } from "../state/exchange-state.ts";
import type { FillScope, OrderScope, PlacedOrder } from "../state/order-archive.ts";

type OwnOrder = (orderId: string) => PlacedOrder | undefined;

/** What is searched; the archive is null where nothing is archived. */
export interface History extends Pick<State, "orders" | "archive"> {
  readonly account: Account;
}

/** Newest first unless the filter says otherwise. A cursor stays valid after its order has ended, as an order keeps its position. */
export function findOrders(history: History, filter: OrderFilter, own: OwnOrder) {
  const { account, archive } = history;
  const scope = scopeOf(filter, own);
  const older = archive === null || isOpenOnly(filter) ? [] : archive.orders(account.accountId, scope);
  const page = new Page<PlacedOrder>(filter);
  for (const order of merged(scope, ordersInMemory(history, scope), older, ({ position }) => position))
    if (!page.take(order)) break;
  const orders: OrderRecord[] = page.items.map(({ record }) => record);
  return { orders, more: page.more };
}

export function countOrders(history: History, filter: OrderFilter, own: OwnOrder): number {
  const { account, archive } = history;
  const scope = scopeOf(filter, own);
  const archived = archive === null || isOpenOnly(filter) ? 0 : archive.countOrders(account.accountId, scope);
  return archived + lengthOf(ordersInMemory(history, scope));
}

/** Newest first unless the filter says otherwise. */
export function findFills(history: History, filter: FillFilter) {
  const page = new Page<FillRecord>(filter);
  for (const fill of allFills(history, filter)) if (!page.take(fill)) break;
  return { fills: page.items, more: page.more };
}

export function countFills({ account, archive }: History, filter: FillFilter): number {
  return (archive?.countFills(account.accountId, filter) ?? 0) + lengthOf(fillsInMemory(account, filter));
}

/** All matches, in the order of `findFills`. */
export function allFills({ account, archive }: Omit<History, "orders">, filter: FillScope): Iterable<FillRecord> {
  const older = archive?.fills(account.accountId, filter) ?? [];
  return merged(filter, fillsInMemory(account, filter), older, ({ tradeSeq }) => tradeSeq);
}

/** What is in memory, newest first, and what is archived, in the order that is asked for, as one list in that order. */
function* merged<Item>(
  { oldestFirst = false }: { readonly oldestFirst?: boolean | undefined },
  inMemory: Iterable<Item>,
  archived: Iterable<Item>,
  rank: (item: Item) => number,
): Iterable<Item> {
  const rest = archived[Symbol.iterator]();
  let next = rest.next();
  for (const item of oldestFirst ? [...inMemory].reverse() : inMemory) {
    for (; next.done !== true && rank(next.value) > rank(item) !== oldestFirst; next = rest.next()) yield next.value;
    yield item;
  }
  for (; next.done !== true; next = rest.next()) yield next.value;
}

function lengthOf(items: Iterable<unknown>): number {
  let length = 0;
  for (const _ of items) length += 1;
  return length;
}

function isOpenOnly({ states }: Pick<OrderFilter, "states">): boolean {
  return states?.every((state) => state === "open") ?? false;
}

function scopeOf(filter: OrderFilter, own: OwnOrder): OrderScope {
  const { beforeId, untilId, afterId, sinceId } = filter;
  const [before, until, after, since] = [beforeId, untilId, afterId, sinceId].map((id) =>
    id === undefined ? undefined : own(id),
  );
  return {
    ...{ ...filter, before, until, after, since },
    // A cursor of an unknown order is compared by its id.
    beforeId: before === undefined ? beforeId : undefined,
    sinceId: since === undefined ? sinceId : undefined,
  };
}

function* ordersInMemory({ account, orders }: History, scope: OrderScope): Iterable<PlacedOrder> {
  const { before, until, after, since, beforeId, sinceId, from, to, by = "created" } = scope;
  const list = candidates(account, scope);
  const end = prefixLength(list, (handle) => {
    const { position, createdAt } = orders.at(handle);
    return (
      (before === undefined || position < before.position) &&
      (until === undefined || position <= until.position) &&
      (by !== "created" || to === undefined || createdAt <= to)
    );
  });
  for (let index = end - 1; index >= 0; index -= 1) {
    const handle = list[index];
    if (handle === undefined) continue;
    const order = orders.at(handle);
    if (after !== undefined && order.position <= after.position) return;
    if (since !== undefined && order.position < since.position) return;
    // Orders are in order of placing, so no older one can match.
    if (by === "created" && from !== undefined && order.createdAt < from) return;
    if (beforeId !== undefined && order.orderId >= beforeId) continue;
    if (sinceId !== undefined && order.orderId < sinceId) continue;
    if (matches(order, scope)) yield order;
  }
}

type Sought = Pick<OrderRecord, "symbol" | "state" | "userref" | "createdAt" | "updatedAt">;

function matches(order: Sought, { symbol, states, userref, from, to, by = "created" }: OrderScope): boolean {
  if (symbol !== undefined && order.symbol !== symbol) return false;
  if (states !== undefined && !states.includes(order.state)) return false;
  if (userref !== undefined && order.userref !== userref) return false;
  if (from === undefined && to === undefined) return true;
  const isIn = (time: number): boolean => (from === undefined || time >= from) && (to === undefined || time <= to);
  return (by !== "updated" && isIn(order.createdAt)) || (by !== "created" && isIn(order.updatedAt));
}

/** The shortest list, oldest first, that contains everything the filter can match. */
function candidates(account: Account, { states, userref }: OrderScope): Readonly<Account["history"]> {
  const openOnly = account.house || isOpenOnly({ states });
  const named = userref === undefined || account.house ? account.history : (account.byUserref.get(userref) ?? []);
  return openOnly && (account.house || account.open.size < named.length)
    ? account.open.list().map(({ handle }) => handle)
    : named;
}

function* fillsInMemory({ fills }: Account, filter: FillScope): Iterable<FillRecord> {
  const { symbol, from, to, beforeSeq, afterSeq } = filter;
  const end = prefixLength(
    fills,
    ({ tradeSeq, time }) => (beforeSeq === undefined || tradeSeq < beforeSeq) && (to === undefined || time <= to),
  );
  for (let index = end - 1; index >= 0; index -= 1) {
    const fill = fills[index];
    if (fill === undefined) continue;
    // Fills are in order of time and number, so no older one can match.
    if ((from !== undefined && fill.time < from) || (afterSeq !== undefined && fill.tradeSeq <= afterSeq)) return;
    if (symbol === undefined || fill.symbol === symbol) yield fill;
  }
}

/** Collects the items of a page, until there is one more than it holds. */
class Page<Item> {
  readonly items: Item[] = [];
  more = false;
  #skip: number;
  readonly #limit: number;

  constructor({ skip = 0, limit }: { readonly skip?: number | undefined; readonly limit: number }) {
    [this.#skip, this.#limit] = [skip, limit];
  }

  /** @returns whether to continue. */
  take(item: Item): boolean {
    if (this.#skip > 0) this.#skip -= 1;
    else if (this.items.length < this.#limit) this.items.push(item);
    else this.more = true;
    return !this.more;
  }
}
