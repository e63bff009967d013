/**
 * The price levels of a book, as rows of numbers. Entry point: `Levels`.
 *
 * Invariants: a level's number is another's only once it is gone and nobody watches it; prices and volumes are exact, however large.
 */
import type { Units } from "../../model/index.ts";
import { LargeAmounts } from "../core/amounts.ts";
import { NONE, type Row } from "../rows/order-rows.ts";

const FIRST_LEVELS = 64;

/** A row has 32 bytes, so that no level lies in two cache lines. */
const ROW_SLOTS = 4;
const ROW_WORDS = 2 * ROW_SLOTS;
const SLOT = { price: 0, volume: 1 } as const;
const WORD = { first: 4, last: 5, watched: 6 } as const;

/** The number of a level. */
export type Level = number;

export class Levels {
  #amounts: BigInt64Array;
  #words: Int32Array;
  readonly #large = new LargeAmounts();
  #length = 0;
  /** Numbers that no level has at present. */
  readonly #free: Level[] = [];

  constructor() {
    const memory = new ArrayBuffer(8 * ROW_SLOTS * FIRST_LEVELS);
    this.#amounts = new BigInt64Array(memory);
    this.#words = new Int32Array(memory);
  }

  /** A level without orders. */
  open(price: Units): Level {
    const level = this.#take();
    this.#setAmount(level, SLOT.price, price);
    this.#setAmount(level, SLOT.volume, 0n);
    this.#setWord(level, WORD.first, NONE);
    this.#setWord(level, WORD.last, NONE);
    this.#setWord(level, WORD.watched, 0);
    return level;
  }

  close(level: Level): void {
    this.#free.push(level);
  }

  /** The volume of a level that is gone, and is watched still, is zero. */
  price(level: Level): Units {
    return this.#amount(level, SLOT.price);
  }

  volume(level: Level): Units {
    return this.#amount(level, SLOT.volume);
  }

  setVolume(level: Level, volume: Units): void {
    this.#setAmount(level, SLOT.volume, volume);
  }

  first(level: Level): Row {
    return this.#word(level, WORD.first);
  }

  setFirst(level: Level, row: Row): void {
    this.#setWord(level, WORD.first, row);
  }

  last(level: Level): Row {
    return this.#word(level, WORD.last);
  }

  setLast(level: Level, row: Row): void {
    this.#setWord(level, WORD.last, row);
  }

  /** Whether somebody, who is to say when it ends, still asks for the level by its number. */
  isWatched(level: Level): boolean {
    return this.#word(level, WORD.watched) !== 0;
  }

  watch(level: Level, watched: boolean): void {
    this.#setWord(level, WORD.watched, watched ? 1 : 0);
  }

  /** The price as a float. Not money: where the level stands among others. */
  priceFloat(level: Level): number {
    const at = level * ROW_WORDS + 2 * SLOT.price;
    const high = this.#words[at + 1] as number;
    // One rounding of an exact sum, as that of the price itself.
    return high < 0 ? Number(this.price(level)) : high * 2 ** 32 + ((this.#words[at] as number) >>> 0);
  }

  #take(): Level {
    const { length } = this.#free;
    if (length > 0 && !this.isWatched(this.#free[length - 1] as Level)) return this.#free.pop() as Level;
    if (this.#length * ROW_WORDS === this.#words.length) this.#grow();
    this.#length += 1;
    return this.#length - 1;
  }

  #grow(): void {
    const memory = new ArrayBuffer(2 * this.#words.byteLength);
    const words = new Int32Array(memory);
    words.set(this.#words);
    this.#words = words;
    this.#amounts = new BigInt64Array(memory);
  }

  #amount(level: Level, slot: number): Units {
    const at = level * ROW_SLOTS + slot;
    return this.#large.read(at, this.#amounts[at] as bigint);
  }

  #setAmount(level: Level, slot: number, amount: Units): void {
    const at = level * ROW_SLOTS + slot;
    this.#amounts[at] = this.#large.stored(at, amount);
  }

  #word(level: Level, word: number): number {
    return this.#words[level * ROW_WORDS + word] as number;
  }

  #setWord(level: Level, word: number, value: number): void {
    this.#words[level * ROW_WORDS + word] = value;
  }
}
