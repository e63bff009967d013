/**
 * The price levels of a book, as rows of numbers, and their queues, of which the orders themselves are the links. Entry point: `Levels`.
 *
 * Invariants: an order is in one queue at most, the first come first; a level's number is another's only once it is gone and nobody watches it; prices and volumes are exact, however large.
 */
import type { Units } from "../../model/index.ts";
import { floatOf, LargeAmounts } from "./amounts.ts";
import { type LiveOrder, OrderView } from "./live-order.ts";
import { type Level, NONE, type OrderRows, type Row, WORD } from "./order-rows.ts";

const FIRST_LEVELS = 64;

/** A row has 32 bytes, so that no level lies in two cache lines. */
const ROW = { slots: 4, words: 8 } as const;
const SLOT = { price: 0, volume: 1 } as const;
const FIELD = { first: 4, last: 5, watched: 6 } as const;

export class Levels {
  /** The rows, as amounts and as words: hidden by the compiler alone, as methods are so short only by names without a hash. */
  private amounts: BigInt64Array;
  private words: Int32Array;
  readonly #large = new LargeAmounts();
  readonly #orders: OrderRows;
  #length = 0;
  /** Numbers that no level has at present. */
  readonly #free: Level[] = [];

  /** @param orders of which some rest */
  constructor(orders: OrderRows) {
    this.#orders = orders;
    const memory = new ArrayBuffer(8 * ROW.slots * FIRST_LEVELS);
    this.amounts = new BigInt64Array(memory);
    this.words = new Int32Array(memory);
  }

  /** A level without orders. */
  open(price: Units): Level {
    const level = this.#take();
    const words = this.words;
    const at = level * ROW.words;
    this.#setAmount(level * ROW.slots + SLOT.price, price);
    this.#setAmount(level * ROW.slots + SLOT.volume, 0n);
    words[at + FIELD.first] = NONE;
    words[at + FIELD.last] = NONE;
    words[at + FIELD.watched] = 0;
    return level;
  }

  close(level: Level): void {
    this.#free.push(level);
  }

  price(level: Level): Units {
    return this.#amount(level * ROW.slots + SLOT.price);
  }

  /** That of a level that is gone, and is watched still, is zero. */
  volume(level: Level): Units {
    return this.#amount(level * ROW.slots + SLOT.volume);
  }

  addVolume(level: Level, volume: Units): void {
    const at = level * ROW.slots + SLOT.volume;
    this.#setAmount(at, this.#amount(at) + volume);
  }

  takeVolume(level: Level, volume: Units): void {
    const at = level * ROW.slots + SLOT.volume;
    this.#setAmount(at, this.#amount(at) - volume);
  }

  /** The first in the queue of a level that has one. */
  first(level: Level): LiveOrder {
    return new OrderView(this.#orders, this.#end(level, FIELD.first));
  }

  /** The next in the order's queue; undefined where it is the last. */
  next({ handle }: LiveOrder): LiveOrder | undefined {
    const after = this.#orders.word(handle, WORD.after);
    return after === NONE ? undefined : new OrderView(this.#orders, after);
  }

  /** Adds an order that rests nowhere as the last in the queue. */
  append(level: Level, { handle: row }: LiveOrder): void {
    const orders = this.#orders;
    const last = this.#end(level, FIELD.last);
    orders.setWord(row, WORD.level, level);
    orders.setWord(row, WORD.before, last);
    if (last === NONE) this.words[level * ROW.words + FIELD.first] = row;
    else orders.setWord(last, WORD.after, row);
    this.words[level * ROW.words + FIELD.last] = row;
  }

  /** @returns whether the queue is empty now that the order has left it */
  leave(level: Level, { handle: row }: LiveOrder): boolean {
    const orders = this.#orders;
    const [before, after] = [orders.word(row, WORD.before), orders.word(row, WORD.after)];
    orders.setWord(row, WORD.level, NONE);
    orders.setWord(row, WORD.before, NONE);
    orders.setWord(row, WORD.after, NONE);
    if (before === NONE) this.words[level * ROW.words + FIELD.first] = after;
    else orders.setWord(before, WORD.after, after);
    if (after === NONE) this.words[level * ROW.words + FIELD.last] = before;
    else orders.setWord(after, WORD.before, before);
    return before === NONE && after === NONE;
  }

  /** Whether somebody, who is to say when it ends, still asks for the level by its number. */
  isWatched(level: Level): boolean {
    return this.words[level * ROW.words + FIELD.watched] !== 0;
  }

  watch(level: Level, watched: boolean): void {
    this.words[level * ROW.words + FIELD.watched] = watched ? 1 : 0;
  }

  /** The price as a float. Not money: where the level stands among others. */
  priceFloat(level: Level): number {
    const at = level * ROW.words + 2 * SLOT.price;
    const high = this.words[at + 1] as number;
    if (high < 0) return Number(this.price(level)); // not money: where the level stands among others
    return floatOf(this.words[at] as number, high);
  }

  #take(): Level {
    const { length } = this.#free;
    if (length > 0 && !this.isWatched(this.#free[length - 1] as Level)) return this.#free.pop() as Level;
    if (this.#length * ROW.words === this.words.length) this.#grow();
    this.#length += 1;
    return this.#length - 1;
  }

  #grow(): void {
    const memory = new ArrayBuffer(2 * this.words.byteLength);
    const words = new Int32Array(memory);
    words.set(this.words);
    this.words = words;
    this.amounts = new BigInt64Array(memory);
  }

  #end(level: Level, field: number): Row {
    return this.words[level * ROW.words + field] as Row;
  }

  #amount(at: number): Units {
    const stored = this.amounts[at] as bigint;
    return stored < 0n ? this.#large.read(at, stored) : stored;
  }

  #setAmount(at: number, amount: Units): void {
    this.amounts[at] = this.#large.stored(at, amount);
  }
}
