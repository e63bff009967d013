/**
 * The memory of all orders: rows of numbers in pages of typed arrays, which the garbage collector neither moves nor looks into. Entry points: `OrderRows`, `Page`.
 *
 * Invariants: a page never moves, so that a view of a row stays valid; an amount is exact, however large: what is beyond 63 bits is kept
 * beside the row. Source: decision 0052.
 */
import type { FillRecord, Units } from "../../model/index.ts";
import { LargeAmounts } from "../core/amounts.ts";
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
  createdAt: 3,
} as const;

/** Where it is in what a page keeps of orders that something has happened to since they were placed; until then there is nothing to say of them. */
export const CHANGED_SLOT = {
  executedVolume: 0,
  executedValue: 1,
  fee: 2,
  updatedAt: 3,
} as const;

/** Where the rest is in a row, counted in 32 bits. */
export const WORD = {
  /** Four of them. */
  id: 8,
  account: 12,
  key: 13,
  flags: 14,
  /** The number of the symbol, and above 16 bits that of the reason. */
  names: 15,
  /** Its place among all orders of the account, those in the archive included. */
  position: 16,
  /** The level that it rests at, and its neighbours there. */
  level: 17,
  before: 18,
  after: 19,
  /** Its neighbours among the open orders of the account. */
  older: 20,
  newer: 21,
  /** Its neighbours among all orders, in order of placing. */
  earlier: 22,
  later: 23,
} as const;

const ROW_WORDS = 24;
const CHANGED_SLOTS = 4;
/** By which amounts beside a row are named: those of the row, then those of its change. */
const ROW_NAMES = 8;
const PAGE_BITS = 10;
const PAGE_ROWS = 1 << PAGE_BITS;

/** What has happened to the orders of a page, each at its place. */
export interface Changes {
  readonly amounts: BigInt64Array;
  readonly times: Float64Array;
}

function changesIn(memory: ArrayBuffer): Changes {
  return { amounts: new BigInt64Array(memory), times: new Float64Array(memory) };
}

/** The memory of some rows, as 32-bit words, as amounts and as times. */
export class Page {
  readonly words: Int32Array;
  readonly amounts: BigInt64Array;
  readonly times: Float64Array;
  /** null while nothing has happened to any. */
  #changes: Changes | null = null;
  /** By place in the page; null while no order has one. */
  #userrefs: (string | null)[] | null = null;
  /** Places that are not in use; all from `untouched` on never were. */
  readonly #free: number[] = [];
  #untouched = 0;

  constructor(memory: ArrayBuffer = new ArrayBuffer(4 * ROW_WORDS * PAGE_ROWS)) {
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

  get changes(): Changes {
    this.#changes ??= changesIn(new ArrayBuffer(8 * CHANGED_SLOTS * PAGE_ROWS));
    return this.#changes;
  }

  userrefAt(place: number): string | null {
    return this.#userrefs?.[place] ?? null;
  }

  setUserref(place: number, userref: string | null): void {
    if (userref === null && this.#userrefs === null) return;
    this.#userrefs ??= [];
    this.#userrefs[place] = userref;
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
    this.#free.push(place);
  }

  /** Only to be read. */
  copy(): Page {
    const copy = new Page(this.words.slice().buffer);
    if (this.#changes !== null) copy.#changes = changesIn(this.#changes.amounts.slice().buffer);
    copy.#userrefs = this.#userrefs?.slice() ?? null;
    return copy;
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
  readonly #large: LargeAmounts;
  /** Of orders that have any, oldest first. */
  readonly fills = new Map<Row, FillRecord[]>();

  /** @param of what is copied, to be read, without the fills; without it there are no rows */
  constructor(of?: OrderRows) {
    this.#pages = of === undefined ? [] : of.#pages.map((page) => page?.copy());
    this.#large = new LargeAmounts(of === undefined ? undefined : of.#large);
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
    this.#large.forget(row * ROW_NAMES, ROW_NAMES);
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

  /** @param slot of the row, in which `stored` is */
  amountOf(row: Row, slot: number, stored: bigint): Units {
    return this.#large.read(row * ROW_NAMES + slot, stored);
  }

  /** @returns what the slot is to have for the amount */
  storedFor(row: Row, slot: number, amount: Units): bigint {
    return this.#large.stored(row * ROW_NAMES + slot, amount);
  }

  /** The same for a slot of what has happened to the order. */
  changedAmountOf(row: Row, slot: number, stored: bigint): Units {
    return this.#large.read(row * ROW_NAMES + CHANGED_SLOTS + slot, stored);
  }

  changedStoredFor(row: Row, slot: number, amount: Units): bigint {
    return this.#large.stored(row * ROW_NAMES + CHANGED_SLOTS + slot, amount);
  }

  /** Where what has happened to the order begins in its page's `changes`. */
  static changesStart(row: Row): number {
    return OrderRows.placeOf(row) * CHANGED_SLOTS;
  }
}
