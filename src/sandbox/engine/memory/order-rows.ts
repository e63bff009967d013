/**
 * The memory of all orders: rows of numbers in pages of typed arrays, which the garbage collector neither moves nor looks into. Entry points: `OrderRows`, `Page`.
 *
 * Invariants: a page never moves, so that a view of a row stays valid; an amount is exact, however large: what is beyond 63 bits is kept
 * beside the row. Source: decision 0052.
 */
import type { FillRecord, Units } from "../../model/index.ts";
import { LargeAmounts } from "./amounts.ts";
import { Names } from "./names.ts";

/** The number of an order's row. */
export type Row = number;
/** In place of a row: there is none. */
export const NONE: Row = -1;

/** The number of a price level. */
export type Level = number;

/** Where an amount or a time is in a row, counted in 64 bits. */
export const SLOT = {
  price: 0,
  /** The volume that was ordered, or the amount. */
  wanted: 1,
  remaining: 2,
  createdAt: 3,
  updatedAt: 4,
} as const;

/** Where it is in what a page keeps of orders of which something is executed; of all others it is zero. */
export const EXECUTED_SLOT = {
  volume: 0,
  value: 1,
  fee: 2,
} as const;

/** Where the rest is in a row, counted in 32 bits. */
export const WORD = {
  /** Four of them. */
  id: 10,
  account: 14,
  key: 15,
  flags: 16,
  /** The number of the symbol, and above 16 bits that of the reason. */
  names: 17,
  /** Its place among all orders of the account, those in the archive included. */
  position: 18,
  /** The level that it rests at, and its neighbours there. */
  level: 19,
  before: 20,
  after: 21,
  /** Its neighbours among the open orders of the account. */
  older: 22,
  newer: 23,
  /** Its neighbours among all orders, in order of placing. */
  earlier: 24,
  later: 25,
} as const;

const EXECUTED_SLOTS = 3;
/** By how many names amounts beside a row go: by their slots, and those of what is executed by theirs beyond `EXECUTED_NAMES`. */
const ROW_NAMES = 8;
export const EXECUTED_NAMES = 4;
/** A row's words, and how a row is found: the bits that are its place in its page. As an object's, they are written into the code. */
const ROW = { words: 26, bits: 10, mask: 1_023 } as const;
const PAGE_ROWS = ROW.mask + 1;

const NO_FILLS: FillRecord[] = [];

/** The memory of some rows, as 32-bit words, as amounts and as times. */
export class Page {
  readonly words: Int32Array;
  readonly amounts: BigInt64Array;
  readonly times: Float64Array;
  /** null while nothing is executed of any. */
  #executed: BigInt64Array | null = null;
  /** By place in the page; null while no order has one. */
  #userrefs: (string | null)[] | null = null;
  /** By place in the page, oldest first; one alone is in no list, as most are. null while no order has any. */
  #fills: (FillRecord | FillRecord[] | null)[] | null = null;
  /** Places that are not in use; all from `untouched` on never were. */
  readonly #free: number[] = [];
  #untouched = 0;

  constructor(memory: ArrayBuffer = new ArrayBuffer(4 * ROW.words * PAGE_ROWS)) {
    this.words = new Int32Array(memory);
    this.amounts = new BigInt64Array(memory);
    this.times = new Float64Array(memory);
  }

  get isFull(): boolean {
    return this.#untouched === PAGE_ROWS && this.#free.length === 0;
  }

  get isEmpty(): boolean {
    return this.#untouched === this.#free.length;
  }

  /** What is executed of the orders, each at its place. */
  get executed(): BigInt64Array {
    this.#executed ??= new BigInt64Array(EXECUTED_SLOTS * PAGE_ROWS);
    return this.#executed;
  }

  userrefAt(place: number): string | null {
    return this.#userrefs?.[place] ?? null;
  }

  setUserref(place: number, userref: string | null): void {
    if (userref === null && this.#userrefs === null) return;
    this.#userrefs ??= [];
    this.#userrefs[place] = userref;
  }

  fillsAt(place: number): readonly FillRecord[] {
    const fills = this.#fills?.[place] ?? NO_FILLS;
    return Array.isArray(fills) ? fills : [fills];
  }

  addFill(place: number, fill: FillRecord): void {
    this.#fills ??= new Array<null>(PAGE_ROWS).fill(null);
    const fills = this.#fills[place] ?? null;
    if (fills === null) this.#fills[place] = fill;
    else if (Array.isArray(fills)) fills.push(fill);
    else this.#fills[place] = [fills, fill];
  }

  /** The place of a row that is not in use, with whatever is in it. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#untouched += 1;
    return this.#untouched - 1;
  }

  drop(place: number): void {
    this.setUserref(place, null);
    if (this.#fills !== null) this.#fills[place] = null;
    this.#free.push(place);
  }

  /** Only to be read; without the fills. */
  copy(): Page {
    const copy = new Page(this.words.slice().buffer);
    copy.#executed = this.#executed?.slice() ?? null;
    copy.#userrefs = this.#userrefs?.slice() ?? null;
    return copy;
  }
}

/** Texts that many orders share. */
class SharedNames {
  readonly accounts = new Names();
  readonly keys = new Names<string | null>();
  readonly symbols = new Names();
  readonly reasons = new Names<string | null>();
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
  readonly #large: LargeAmounts;

  /** @param of what is copied, to be read, without the fills; without it there are no rows */
  constructor(of?: OrderRows) {
    this.#pages = of === undefined ? [] : of.#pages.map((page) => page?.copy());
    this.#large = new LargeAmounts(of === undefined ? undefined : of.#large);
    this.ids = new Map(of?.ids);
    this.shared = of?.shared ?? new SharedNames();
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
    this.#large.forget(row * ROW_NAMES, ROW_NAMES);
    const page = this.pageOf(row);
    const number = row >> ROW.bits;
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
    return this.#pages[row >> ROW.bits] as Page;
  }

  /** Where the row begins in its page, counted in 32 bits; in 64 bits it is half of that. */
  static startOf(row: Row): number {
    return (row & ROW.mask) * ROW.words;
  }

  static placeOf(row: Row): number {
    return row & ROW.mask;
  }

  word(row: Row, word: number): number {
    return this.pageOf(row).words[(row & ROW.mask) * ROW.words + word] as number;
  }

  setWord(row: Row, word: number, value: number): void {
    this.pageOf(row).words[(row & ROW.mask) * ROW.words + word] = value;
  }

  /** @param slot of the row, in which `stored` is; of what is executed, beyond `EXECUTED_NAMES` */
  amountOf(row: Row, slot: number, stored: bigint): Units {
    return this.#large.read(row * ROW_NAMES + slot, stored);
  }

  /** @returns what the slot is to have for the amount */
  storedFor(row: Row, slot: number, amount: Units): bigint {
    return this.#large.stored(row * ROW_NAMES + slot, amount);
  }

  /** Where what is executed of the order begins in its page's `executed`. */
  static executedStart(row: Row): number {
    return OrderRows.placeOf(row) * EXECUTED_SLOTS;
  }
}
