/**
 * The open orders of an account, oldest first: a list of which the orders themselves are the links. Entry points: `addOpen`,
 * `removeOpen`, `openOrdersOf`.
 *
 * Invariant: an order is in one list at most, its account's. Unlike a map's, the list's upkeep neither searches nor allocates.
 */
import { InvariantError } from "../core/invariant.ts";
import type { LiveOrder } from "../rows/live-order.ts";
import { NONE } from "../rows/order-rows.ts";
import type { Orders } from "../rows/orders.ts";
import type { OpenOrders } from "./account-state.ts";

export function addOpen(orders: Orders, open: OpenOrders, order: LiveOrder): void {
  order.older = open.newest;
  if (open.newest === NONE) open.oldest = order.row;
  else orders.at(open.newest).newer = order.row;
  open.newest = order.row;
  open.size += 1;
}

export function removeOpen(orders: Orders, open: OpenOrders, order: LiveOrder): void {
  const { older, newer, row } = order;
  if ((older === NONE ? open.oldest : orders.at(older).newer) !== row)
    throw new InvariantError(`order ${order.orderId} is not open`);
  if (older === NONE) open.oldest = newer;
  else orders.at(older).newer = newer;
  if (newer === NONE) open.newest = older;
  else orders.at(newer).older = older;
  order.older = NONE;
  order.newer = NONE;
  open.size -= 1;
}

/** A copy, so that they may end meanwhile. */
export function openOrdersOf(orders: Orders, open: OpenOrders): LiveOrder[] {
  const list: LiveOrder[] = [];
  for (let row = open.oldest; row !== NONE; ) {
    const order = orders.at(row);
    list.push(order);
    row = order.newer;
  }
  return list;
}
