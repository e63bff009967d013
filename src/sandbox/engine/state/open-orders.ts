/**
 * The open orders of an account, oldest first: a list of which the orders themselves are the links. Entry points: `addOpen`,
 * `removeOpen`, `openOrdersOf`.
 *
 * Invariant: an order is in one list at most, its account's. Unlike a map's, the list's upkeep neither searches nor allocates.
 */
import { InvariantError } from "../core/invariant.ts";
import type { LiveOrder, Orders } from "../memory/index.ts";
import { NONE, type OrderRows, WORD } from "../memory/index.ts";
import type { OpenOrders } from "./account-state.ts";

export function addOpen(rows: OrderRows, open: OpenOrders, order: LiveOrder): void {
  const { row } = order;
  order.older = open.newest;
  if (open.newest === NONE) open.oldest = row;
  else rows.setWord(open.newest, WORD.newer, row);
  open.newest = row;
  open.size += 1;
}

export function removeOpen(rows: OrderRows, open: OpenOrders, order: LiveOrder): void {
  const { older, newer, row } = order;
  if ((older === NONE ? open.oldest : rows.word(older, WORD.newer)) !== row)
    throw new InvariantError(`order ${order.orderId} is not open`);
  if (older === NONE) open.oldest = newer;
  else rows.setWord(older, WORD.newer, newer);
  if (newer === NONE) open.newest = older;
  else rows.setWord(newer, WORD.older, older);
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
