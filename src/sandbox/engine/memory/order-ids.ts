/**
 * Finds the row of an order by its id. Entry point: `OrderIds`.
 *
 * Invariants: a UUID is in its row, and in a table by its hash; any other id is text in a map. The table is at most half full, as large as its rows need, and has no gap
 * between where a row should be and where it is. A hash beside each row keeps a search, the removal of a row and the growth of
 * the table from reading rows that are elsewhere in memory.
 */
import { NONE, OrderRows, type Row, WORD } from "./order-rows.ts";
import { UuidWords } from "./uuid-words.ts";

const FIRST_SIZE = 1_024;

export class OrderIds {
  readonly #rows: OrderRows;
  readonly #named = new Map<string, Row>();
  readonly #wanted = new UuidWords();
  /** Places of two words: a row, one higher, so that zero is an empty place; and the hash of its id. */
  #table = new Int32Array(2 * FIRST_SIZE);
  #tabled = 0;

  constructor(rows: OrderRows) {
    this.#rows = rows;
  }

  get size(): number {
    return this.#tabled + this.#named.size;
  }

  /** `NONE` where no order has the id. */
  rowOf(orderId: string): Row {
    const wanted = this.#wanted;
    if (!wanted.read(orderId)) return this.#named.get(orderId) ?? NONE;
    return (this.#table[this.#placeOf(wanted)] as number) - 1;
  }

  /** @returns false where another row has the id */
  add(orderId: string, row: Row): boolean {
    const wanted = this.#wanted;
    if (!wanted.read(orderId)) return this.#addNamed(orderId, row);
    if (4 * this.#tabled >= this.#table.length) this.#resize(2 * this.#table.length);
    const place = this.#placeOf(wanted);
    if (this.#table[place] !== 0) return false;
    this.#table[place] = row + 1;
    this.#table[place + 1] = wanted.hash;
    this.#tabled += 1;
    const { words } = this.#rows.pageOf(row);
    const at = OrderRows.startOf(row) + WORD.id;
    words[at] = wanted.a;
    words[at + 1] = wanted.b;
    words[at + 2] = wanted.c;
    words[at + 3] = wanted.d;
    return true;
  }

  /** @param orderId of a row */
  delete(orderId: string): void {
    const wanted = this.#wanted;
    if (!wanted.read(orderId)) {
      this.#named.delete(orderId);
      return;
    }
    this.#tabled -= 1;
    this.#empty(this.#placeOf(wanted));
    const { length } = this.#table;
    if (32 * this.#tabled < length && length > 2 * FIRST_SIZE) this.#resize(length / 2);
  }

  #addNamed(orderId: string, row: Row): boolean {
    if (this.#named.has(orderId)) return false;
    this.#named.set(orderId, row);
    this.#rows.ids.set(row, orderId);
    return true;
  }

  /** Where the UUID is in the table, or the empty place that it would get. */
  #placeOf(wanted: UuidWords): number {
    const table = this.#table;
    const { hash } = wanted;
    const last = table.length - 1;
    let place = (hash << 1) & last;
    for (let row = table[place] as number; row !== 0; row = table[place] as number) {
      if (table[place + 1] === hash && this.#isOf(row - 1, wanted)) return place;
      place = (place + 2) & last;
    }
    return place;
  }

  #isOf(row: Row, wanted: UuidWords): boolean {
    const { words } = this.#rows.pageOf(row);
    const at = OrderRows.startOf(row) + WORD.id;
    return (
      words[at + 3] === wanted.d && words[at + 2] === wanted.c && words[at + 1] === wanted.b && words[at] === wanted.a
    );
  }

  /** Empties a place, and moves up whatever was put behind it because the place was taken. */
  #empty(place: number): void {
    const table = this.#table;
    const last = table.length - 1;
    let gap = place;
    for (let next = (gap + 2) & last; table[next] !== 0; next = (next + 2) & last) {
      const hash = table[next + 1] as number;
      const behind = (next - (hash << 1)) & last;
      if (behind < ((next - gap) & last)) continue;
      table[gap] = table[next] as number;
      table[gap + 1] = hash;
      gap = next;
    }
    table[gap] = 0;
  }

  #resize(length: number): void {
    const old = this.#table;
    const table = new Int32Array(length);
    const last = table.length - 1;
    for (let from = 0; from < old.length; from += 2) {
      const row = old[from] as number;
      if (row === 0) continue;
      const hash = old[from + 1] as number;
      let place = (hash << 1) & last;
      while (table[place] !== 0) place = (place + 2) & last;
      table[place] = row;
      table[place + 1] = hash;
    }
    this.#table = table;
  }
}
