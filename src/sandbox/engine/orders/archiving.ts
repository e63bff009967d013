/**
 * Which ended orders may leave memory for the archive, and how they leave. Entry points: `archivableOrders`, `endedOrder`,
 * `leaveToArchive`.
 *
 * Invariants: only what can never change leaves: an ended order, each fill of which has settled or failed and holds no proceeds; the
 * newest order of an account stays. Source: decision 0027.
 */
import { grouped } from "../../lists.ts";
import type { FillRecord } from "../../model/index.ts";
import type { Handle, LiveOrder } from "../memory/index.ts";
import type { Account } from "../state/account-state.ts";
import { accountOf, type State } from "../state/exchange-state.ts";
import type { EndedOrder, OrderArchive } from "../state/order-archive.ts";

/** One that may leave, as long as no command is given. */
export type ArchivableOrder = LiveOrder;

/** The ended orders of each account but its newest `kept`. */
export function archivableOrders(state: State, kept: number): ArchivableOrder[] {
  return [...state.accounts.values()].flatMap((account) => {
    const { history } = account;
    return history
      .slice(0, Math.max(0, history.length - Math.max(1, kept)))
      .map((handle) => state.orders.at(handle))
      .filter((order) => order.state !== "open" && !holdsProceeds(account, order));
  });
}

function holdsProceeds({ settlements }: Account, { fills }: LiveOrder): boolean {
  return fills.some(({ tradeSeq }) => settlements.get(tradeSeq)?.held === true);
}

export function endedOrder(state: State, { record, position, accountId, fills }: LiveOrder): EndedOrder {
  const { settlements } = accountOf(state, accountId);
  const archived = fills.map((fill) => {
    const entry = settlements.get(fill.tradeSeq);
    const settlement = entry && { state: entry.state, dueAt: entry.dueAt, endedAt: entry.endedAt };
    return { fill, settlement: settlement ?? null };
  });
  return { record, position, fills: archived };
}

/** Drops orders that the archive has. @param orders made by `archivableOrders`, in their order */
export function leaveToArchive(state: State, archive: OrderArchive, orders: readonly LiveOrder[]): void {
  state.archive = archive;
  for (const [accountId, leaving] of grouped(orders, (order) => order.accountId))
    leaveAccount(accountOf(state, accountId), leaving);
  for (const order of orders) state.orders.remove(order);
}

function leaveAccount(account: Account, orders: readonly LiveOrder[]): void {
  const fills = new Set<FillRecord>(orders.flatMap((order) => order.fills));
  removeAll(account.history, handlesOf(orders));
  removeAll(account.fills, fills);
  for (const { tradeSeq } of fills) account.settlements.delete(tradeSeq);
  for (const [userref, leaving] of grouped(orders, (order) => order.userref)) {
    const named = userref === null ? undefined : account.byUserref.get(userref);
    if (userref === null || named === undefined) continue;
    removeAll(named, handlesOf(leaving));
    if (named.length === 0) account.byUserref.delete(userref);
  }
}

function handlesOf(orders: readonly LiveOrder[]): ReadonlySet<Handle> {
  return new Set(orders.map(({ handle }) => handle));
}

/** Most of what leaves stands at the beginning of a list, so the rest of it is not read. */
function removeAll<Item>(list: Item[], leaving: ReadonlySet<Item>): void {
  const staying: Item[] = [];
  let end = 0;
  for (let found = 0; found < leaving.size && end < list.length; end += 1) {
    const item = list[end];
    if (item === undefined) continue;
    if (leaving.has(item)) found += 1;
    else staying.push(item);
  }
  const start = end - staying.length;
  // Not as arguments of `splice`: there may be more than a call takes.
  for (const [index, item] of staying.entries()) list[start + index] = item;
  list.splice(0, start);
}
