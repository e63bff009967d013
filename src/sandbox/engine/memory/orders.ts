/**
 * All orders in memory, in order of placing. Entry point: `Orders`.
 *
 * Invariants: the links `earlier` and `later` hold each order once, oldest first; an order that was removed leaves its row to another, so nobody keeps a
 * view of it. Source: decision 0052.
 */
import type { OrderRecord } from "../../model/index.ts";
import { InvariantError } from "../core/invariant.ts";
import { Levels } from "./levels.ts";
import { type Handle, type LiveOrder, type NumberedAccount, OrderView } from "./live-order.ts";
import { OpenOrders } from "./open-orders.ts";
import { OrderIds } from "./order-ids.ts";
import { NONE, OrderRows, type Row, WORD } from "./order-rows.ts";

export class Orders implements Iterable<LiveOrder> {
  readonly #rows = new OrderRows();
  readonly #ids = new OrderIds(this.#rows);
  /** Views are short-lived, and V8 forgets, with all code compiled for it, what an object looks like of which a collection finds none. */
  readonly view = this.at(this.#rows.take());
  #earliest: Row = NONE;
  #latest: Row = NONE;

  get size(): number {
    return this.#ids.size;
  }

  has(orderId: string): boolean {
    return this.#ids.rowOf(orderId) !== NONE;
  }

  get(orderId: string): LiveOrder | undefined {
    const row = this.#ids.rowOf(orderId);
    return row === NONE ? undefined : new OrderView(this.#rows, row, orderId);
  }

  /** @param handle of an order that is in memory */
  at(handle: Handle): LiveOrder {
    return new OrderView(this.#rows, handle);
  }

  /** A list of those of an account that are open, without any. */
  noneOpen(): OpenOrders {
    return new OpenOrders(this.#rows);
  }

  /** The levels of a book, without any, whose queues are of these orders. */
  noLevels(): Levels {
    return new Levels(this.#rows);
  }

  /** The number that orders of an account have in place of its id. */
  accountNumber(accountId: string): number {
    return this.#rows.shared.accounts.numberOf(accountId);
  }

  /** @throws InvariantError where the id is taken */
  add(record: OrderRecord, account: NumberedAccount, position: number): LiveOrder {
    const { orderId } = record;
    const rows = this.#rows;
    const row = rows.take();
    if (!this.#ids.add(orderId, row)) throw new InvariantError(`order ${orderId} exists`);
    const order = new OrderView(rows, row, orderId);
    order.write(record, account, position);
    rows.setWord(row, WORD.earlier, this.#latest);
    rows.setWord(row, WORD.later, NONE);
    if (this.#latest === NONE) this.#earliest = row;
    else rows.setWord(this.#latest, WORD.later, row);
    this.#latest = row;
    return order;
  }

  remove({ handle: row, orderId }: LiveOrder): void {
    const rows = this.#rows;
    const [earlier, later] = [rows.word(row, WORD.earlier), rows.word(row, WORD.later)];
    if (earlier === NONE) this.#earliest = later;
    else rows.setWord(earlier, WORD.later, later);
    if (later === NONE) this.#latest = earlier;
    else rows.setWord(later, WORD.earlier, earlier);
    this.#ids.delete(orderId);
    rows.drop(row);
  }

  /** No order may be removed meanwhile. */
  *[Symbol.iterator](): Iterator<LiveOrder> {
    for (let row = this.#earliest; row !== NONE; row = this.#rows.word(row, WORD.later)) yield this.at(row);
  }

  /** As they are now, however they change later; their fills apart. */
  copy() {
    const rows = new Int32Array(this.size);
    let row = this.#earliest;
    for (let at = 0; at < rows.length; at += 1) {
      rows[at] = row;
      row = this.#rows.word(row, WORD.later);
    }
    const then = new OrderRows(this.#rows);
    return {
      length: rows.length,
      /** From `start` on, before `end`, in order of placing. */
      between: (start: number, end: number): readonly LiveOrder[] =>
        Array.from(rows.subarray(start, end), (at) => new OrderView(then, at)),
    };
  }
}
