/**
 * The memory of all orders: rows of numbers in pages of typed arrays, which the garbage collector neither moves nor looks into. Entry points: `OrderRows`, `Page`.
 *
 * Invariants: a page never moves, so that a view of a row stays valid; an amount is exact, however large: what is beyond 63 bits is kept
 * beside the row. Source: decision 0052.
 */
import type { FillRecord, Units } from "../../model/index.ts";
import { Names } from "./names.ts";

/** The number of an order's row. */
export type Row = number;
/** In place of a row: there is none. */
export const NONE: Row = -1;

/** Where an amount or a time is in a row, counted in 64 bits. */
export const SLOT = {
  price: 0,
  /** The volume that was ordered, or the amount. */
  wanted: 1,
  remaining: 2,
  executedVolume: 3,
  executedValue: 4,
  fee: 5,
  hold: 6,
  createdAt: 7,
  updatedAt: 8,
} as const;

/** Where the rest is, counted in 32 bits. */
export const WORD = {
  /** Four of them. */
  id: 18,
  account: 22,
  key: 23,
  flags: 24,
  /** The number of the symbol, and above 16 bits that of the reason. */
  names: 25,
  /** Its place among all orders of the account, those in the archive included. */
  position: 26,
  /** The level that it rests at, and its neighbours there. */
  level: 27,
  before: 28,
  after: 29,
  /** Its neighbours among the open orders of the account. */
  older: 30,
  newer: 31,
  /** Its neighbours among all orders, in order of placing. */
  earlier: 32,
  later: 33,
} as const;

const ROW_WORDS = 34;
const ROW_SLOTS = ROW_WORDS / 2;
const PAGE_BITS = 12;
const PAGE_ROWS = 1 << PAGE_BITS;

/** The largest that fits a slot. */
const SLOT_MAX = 2n ** 63n - 1n;
/** In a slot: the amount is kept beside the row. No amount is negative. */
const BESIDE = -1n;

/** The memory of some rows, as 32-bit words, as amounts and as times. */
export class Page {
  readonly words: Int32Array;
  readonly amounts: BigInt64Array;
  readonly times: Float64Array;
  /** By place in the page. */
  readonly userrefs: (string | null)[];
  /** Places that are not in use; all from `untouched` on never were. */
  readonly #free: number[] = [];
  #untouched = 0;

  constructor(memory: ArrayBuffer = new ArrayBuffer(4 * ROW_WORDS * PAGE_ROWS), userrefs: (string | null)[] = []) {
    this.words = new Int32Array(memory);
    this.amounts = new BigInt64Array(memory);
    this.times = new Float64Array(memory);
    this.userrefs = userrefs;
  }

  get isFull(): boolean {
    return this.#untouched === PAGE_ROWS && this.#free.length === 0;
  }

  get isEmpty(): boolean {
    return this.#untouched === this.#free.length;
  }

  /** The place of a row that is not in use, with whatever is in it. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#untouched += 1;
    return this.#untouched - 1;
  }

  drop(place: number): void {
    this.userrefs[place] = null;
    this.#free.push(place);
  }

  /** Only to be read. */
  copy(): Page {
    return new Page(this.words.slice().buffer, this.userrefs.slice());
  }
}

/** Texts that many orders share. */
export interface SharedNames {
  readonly accounts: Names;
  readonly keys: Names<string | null>;
  readonly symbols: Names;
  readonly reasons: Names<string | null>;
}

export class OrderRows {
  /** undefined where a page is not in use, so that what was archived leaves memory. */
  readonly #pages: (Page | undefined)[];
  /** The numbers of the pages with room, and of those that are not in use. */
  readonly #roomy: number[] = [];
  readonly #gone: number[] = [];
  readonly shared: SharedNames;
  /** Ids that are no UUIDs, of which there are few. */
  readonly ids: Map<Row, string>;
  /** By where they would be, counted in slots. */
  readonly #large: Map<number, Units>;
  /** Of orders that have any, oldest first. */
  readonly fills = new Map<Row, FillRecord[]>();

  /** @param of what is copied, to be read, without the fills; without it there are no rows */
  constructor(of?: OrderRows) {
    this.#pages = of === undefined ? [] : of.#pages.map((page) => page?.copy());
    this.#large = new Map(of === undefined ? [] : of.#large);
    this.ids = new Map(of?.ids);
    this.shared = of?.shared ?? {
      accounts: new Names(),
      keys: new Names<string | null>(),
      symbols: new Names(),
      reasons: new Names<string | null>(),
    };
  }

  /** A row that is not in use, with whatever is in it. */
  take(): Row {
    const number = this.#roomy.at(-1) ?? this.#addPage();
    const page = this.#pages[number] as Page;
    const row = number * PAGE_ROWS + page.take();
    if (page.isFull) this.#roomy.pop();
    return row;
  }

  /** The row may be taken again. */
  drop(row: Row): void {
    this.ids.delete(row);
    this.fills.delete(row);
    if (this.#large.size > 0)
      for (let slot = 0; slot < ROW_SLOTS; slot += 1) this.#large.delete(row * ROW_SLOTS + slot);
    const page = this.pageOf(row);
    const number = row >> PAGE_BITS;
    if (page.isFull) this.#roomy.push(number);
    page.drop(OrderRows.placeOf(row));
    // The last page with room stays, for the next order.
    if (page.isEmpty && this.#roomy.length > 1) this.#dropPage(number);
  }

  #addPage(): number {
    const number = this.#gone.pop() ?? this.#pages.length;
    this.#pages[number] = new Page();
    this.#roomy.push(number);
    return number;
  }

  #dropPage(number: number): void {
    this.#pages[number] = undefined;
    this.#roomy.splice(this.#roomy.indexOf(number), 1);
    this.#gone.push(number);
  }

  pageOf(row: Row): Page {
    return this.#pages[row >> PAGE_BITS] as Page;
  }

  /** Where the row begins in its page, counted in 32 bits; in 64 bits it is half of that. */
  static startOf(row: Row): number {
    return OrderRows.placeOf(row) * ROW_WORDS;
  }

  static placeOf(row: Row): number {
    return row & (PAGE_ROWS - 1);
  }

  word(row: Row, word: number): number {
    return this.pageOf(row).words[OrderRows.startOf(row) + word] as number;
  }

  setWord(row: Row, word: number, value: number): void {
    this.pageOf(row).words[OrderRows.startOf(row) + word] = value;
  }

  /** An amount that a slot says is beside it. */
  largeAmount(row: Row, slot: number): Units {
    return this.#large.get(row * ROW_SLOTS + slot) as Units;
  }

  /** @returns what the slot is to have for the amount */
  slotFor(row: Row, slot: number, amount: Units): bigint {
    if (amount <= SLOT_MAX) {
      if (this.#large.size > 0) this.#large.delete(row * ROW_SLOTS + slot);
      return amount;
    }
    this.#large.set(row * ROW_SLOTS + slot, amount);
    return BESIDE;
  }
}
