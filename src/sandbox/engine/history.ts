/**
 * What accounts did: their orders and fills, filtered and paged. Reads only; answers are copies.
 * Entry points: `findOrders`, `findFills`. `from` and `to` are both included.
 */
import type { FillFilter, FillRecord, OrderFilter, OrderRecord } from "../model.ts";
import type { Account, LiveOrder } from "./state.ts";

function matchesOrder({ record }: LiveOrder, filter: OrderFilter): boolean {
  const { symbol, states, userref, from, to } = filter;
  if (symbol !== undefined && record.symbol !== symbol) return false;
  if (states !== undefined && !states.includes(record.state)) return false;
  if (userref !== undefined && record.userref !== userref) return false;
  return (from === undefined || record.createdAt >= from) && (to === undefined || record.createdAt <= to);
}

/** The shortest list, oldest first, that holds all the filter can match. */
function candidates(account: Account, { states, userref }: OrderFilter): readonly LiveOrder[] {
  if (userref !== undefined && !account.house) return account.byUserref.get(userref) ?? [];
  const openOnly = states?.every((state) => state === "open") ?? false;
  return openOnly || account.house ? [...account.open.values()] : account.history;
}

/** Newest first. A cursor stays valid when its order has ended, as its place in the history is kept. */
export function findOrders(account: Account, filter: OrderFilter, cursor: LiveOrder | undefined) {
  const { beforeId, limit } = filter;
  const isOlder = (order: LiveOrder): boolean => {
    if (beforeId === undefined) return true;
    return cursor === undefined ? order.orderId < beforeId : order.position < cursor.position;
  };
  const orders: OrderRecord[] = [];
  const list = candidates(account, filter);
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const order = list[index];
    if (order === undefined || !isOlder(order) || !matchesOrder(order, filter)) continue;
    if (orders.length >= limit) return { orders, more: true };
    orders.push({ ...order.record });
  }
  return { orders, more: false };
}

/** Newest first. */
export function findFills(account: Account, filter: FillFilter) {
  const { symbol, from, to, beforeSeq, limit } = filter;
  const fills: FillRecord[] = [];
  for (let index = account.fills.length - 1; index >= 0; index -= 1) {
    const fill = account.fills[index];
    if (fill === undefined || (beforeSeq !== undefined && fill.tradeSeq >= beforeSeq)) continue;
    // Fills are in order of time, so nothing older can match.
    if (from !== undefined && fill.time < from) break;
    if ((symbol !== undefined && fill.symbol !== symbol) || (to !== undefined && fill.time > to)) continue;
    if (fills.length >= limit) return { fills, more: true };
    fills.push(fill);
  }
  return { fills, more: false };
}
