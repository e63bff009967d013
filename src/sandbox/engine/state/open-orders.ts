/**
 * The open orders of an account, oldest first: a list of which the orders themselves are the links. Entry point: `OpenOrders`.
 *
 * Invariant: an order is in one list at most, its account's. Unlike a map's, the list's upkeep neither searches nor allocates.
 */
import { InvariantError } from "../core/invariant.ts";

/** What the list needs of an order. */
interface Chained<T> {
  readonly orderId: string;
  older: T | undefined;
  newer: T | undefined;
}

export class OpenOrders<T extends Chained<T>> implements Iterable<T> {
  #size = 0;
  #oldest: T | undefined;
  #newest: T | undefined;

  get size(): number {
    return this.#size;
  }

  add(order: T): void {
    order.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = order;
    else this.#newest.newer = order;
    this.#newest = order;
    this.#size += 1;
  }

  remove(order: T): void {
    const { older, newer } = order;
    if ((older?.newer ?? this.#oldest) !== order) throw new InvariantError(`order ${order.orderId} is not open`);
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    order.older = undefined;
    order.newer = undefined;
    this.#size -= 1;
  }

  /** The list may not change meanwhile: copy it first. */
  *[Symbol.iterator](): Iterator<T> {
    for (let order = this.#oldest; order !== undefined; order = order.newer) yield order;
  }
}
