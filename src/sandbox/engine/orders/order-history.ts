/**
 * Queries an account's orders and fills: filtered, paged, counted. Entry points: `findOrders`, `countOrders`, `findFills`,
 * `countFills`. The bounds `from` and `to` are inclusive; results are copies.
 *
 * Invariant: a page reads no more than it has to: a binary search finds where it begins, and it ends after its last item.
 */
import type { FillFilter, FillRecord, OrderFilter, OrderRecord } from "../../model/index.ts";
import type { Account } from "../state/account-state.ts";
import type { LiveOrder } from "../state/market-state.ts";

/** Finds an order of the account. */
type OwnOrder = (orderId: string) => LiveOrder | undefined;

/** Newest first. A cursor stays valid after its order has ended, as the history keeps the order's position. */
export function findOrders(account: Account, filter: OrderFilter, own: OwnOrder) {
  const page = new Page<LiveOrder>(filter);
  visitOrders(account, filter, own, (order) => page.take(order));
  const orders: OrderRecord[] = page.items.map(({ record }) => ({ ...record }));
  return { orders, more: page.more };
}

export function countOrders(account: Account, filter: OrderFilter, own: OwnOrder): number {
  let count = 0;
  visitOrders(account, filter, own, () => {
    count += 1;
    return true;
  });
  return count;
}

/** Newest first. */
export function findFills(account: Account, filter: FillFilter) {
  const page = new Page<FillRecord>(filter);
  visitFills(account, filter, (fill) => page.take(fill));
  return { fills: page.items, more: page.more };
}

export function countFills(account: Account, filter: FillFilter): number {
  let count = 0;
  visitFills(account, filter, () => {
    count += 1;
    return true;
  });
  return count;
}

/** @returns whether to continue. */
type Visit<Item> = (item: Item) => boolean;

/** Calls `visit` for each match, newest first; a callback rather than a list, as a count may visit every order. */
function visitOrders(account: Account, filter: OrderFilter, own: OwnOrder, visit: Visit<LiveOrder>): void {
  const { beforeId, untilId, afterId, from, to, by = "created" } = filter;
  const [before, until, after] = [beforeId, untilId, afterId].map((id) => (id === undefined ? undefined : own(id)));
  // A cursor of an unknown order is compared by its id.
  const isOlder = ({ orderId }: LiveOrder): boolean =>
    beforeId === undefined || before !== undefined || orderId < beforeId;
  const list = candidates(account, filter);
  const end = prefixLength(
    list,
    ({ position, record }) =>
      (before === undefined || position < before.position) &&
      (until === undefined || position <= until.position) &&
      (by !== "created" || to === undefined || record.createdAt <= to),
  );
  for (let index = end - 1; index >= 0; index -= 1) {
    const order = list[index];
    if (order === undefined) continue;
    if (after !== undefined && order.position <= after.position) return;
    // Orders are in order of placing, so no older one can match.
    if (by === "created" && from !== undefined && order.record.createdAt < from) return;
    if (isOlder(order) && matches(order.record, filter) && !visit(order)) return;
  }
}

function matches(record: OrderRecord, { symbol, states, userref, from, to, by = "created" }: OrderFilter): boolean {
  if (symbol !== undefined && record.symbol !== symbol) return false;
  if (states !== undefined && !states.includes(record.state)) return false;
  if (userref !== undefined && record.userref !== userref) return false;
  if (from === undefined && to === undefined) return true;
  const isIn = (time: number): boolean => (from === undefined || time >= from) && (to === undefined || time <= to);
  return (by !== "updated" && isIn(record.createdAt)) || (by !== "created" && isIn(record.updatedAt));
}

/** The shortest list, oldest first, that contains everything the filter can match. */
function candidates(account: Account, { states, userref }: OrderFilter): readonly LiveOrder[] {
  const openOnly = account.house || (states?.every((state) => state === "open") ?? false);
  const named = userref === undefined || account.house ? account.history : (account.byUserref.get(userref) ?? []);
  return openOnly && (account.house || account.open.size < named.length) ? [...account.open.values()] : named;
}

function visitFills({ fills }: Account, filter: FillFilter, visit: Visit<FillRecord>): void {
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
    if ((symbol === undefined || fill.symbol === symbol) && !visit(fill)) return;
  }
}

/** The number of items at the beginning of a list that match, where all items before a match match too. */
function prefixLength<Item>(list: readonly Item[], matches: (item: Item) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = list[middle];
    if (item !== undefined && matches(item)) low = middle + 1;
    else high = middle;
  }
  return low;
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
