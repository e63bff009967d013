/**
 * The open orders of an account, oldest first: a list of which the orders themselves are the links. Entry point: `OpenOrders`.
 *
 * Invariant: an order is in one list at most, its account's. Unlike a map's, the list's upkeep neither searches nor allocates.
 */
import { InvariantError } from "../core/invariant.ts";
import { type LiveOrder, OrderView } from "./live-order.ts";
import { NONE, type OrderRows, type Row, WORD } from "./order-rows.ts";

export class OpenOrders {
  readonly #rows: OrderRows;
  /** Changed by the list alone. */
  size = 0;
  #oldest: Row = NONE;
  #newest: Row = NONE;

  constructor(rows: OrderRows) {
    this.#rows = rows;
  }

  add({ handle: row }: LiveOrder): void {
    const newest = this.#newest;
    this.#rows.setWord(row, WORD.older, newest);
    if (newest === NONE) this.#oldest = row;
    else this.#rows.setWord(newest, WORD.newer, row);
    this.#newest = row;
    this.size += 1;
  }

  remove(order: LiveOrder): void {
    const rows = this.#rows;
    const row = order.handle;
    const [older, newer] = [rows.word(row, WORD.older), rows.word(row, WORD.newer)];
    if ((older === NONE ? this.#oldest : rows.word(older, WORD.newer)) !== row)
      throw new InvariantError(`order ${order.orderId} is not open`);
    if (older === NONE) this.#oldest = newer;
    else rows.setWord(older, WORD.newer, newer);
    if (newer === NONE) this.#newest = older;
    else rows.setWord(newer, WORD.older, older);
    rows.setWord(row, WORD.older, NONE);
    rows.setWord(row, WORD.newer, NONE);
    this.size -= 1;
  }

  /** A copy, so that they may end meanwhile. */
  list(): LiveOrder[] {
    const list: LiveOrder[] = [];
    for (let row = this.#oldest; row !== NONE; row = this.#rows.word(row, WORD.newer))
      list.push(new OrderView(this.#rows, row));
    return list;
  }
}
