/**
 * The price levels of a book, as rows of numbers. Entry point: `Levels`.
 *
 * Invariants: a level's number is another's only once it is gone and nobody watches it; prices and volumes are exact, however large.
 */
import type { Units } from "../../model/index.ts";
import { floatOf, LargeAmounts } from "./amounts.ts";
import { NONE, type Row } from "./order-rows.ts";

const FIRST_LEVELS = 64;

/** A row has 32 bytes, so that no level lies in two cache lines. */
const ROW = { slots: 4, words: 8 } as const;
const SLOT = { price: 0, volume: 1 } as const;
const WORD = { first: 4, last: 5, watched: 6 } as const;

/** The number of a level. */
export type Level = number;

export class Levels {
  /** The rows, as amounts and as words: for the methods below, which are so short only by names that are not private. */
  amounts: BigInt64Array;
  words: Int32Array;
  readonly #large = new LargeAmounts();
  #length = 0;
  /** Numbers that no level has at present. */
  readonly #free: Level[] = [];

  constructor() {
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
    words[at + WORD.first] = NONE;
    words[at + WORD.last] = NONE;
    words[at + WORD.watched] = 0;
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

  first(level: Level): Row {
    return this.words[level * ROW.words + WORD.first] as Row;
  }

  setFirst(level: Level, row: Row): void {
    this.words[level * ROW.words + WORD.first] = row;
  }

  last(level: Level): Row {
    return this.words[level * ROW.words + WORD.last] as Row;
  }

  setLast(level: Level, row: Row): void {
    this.words[level * ROW.words + WORD.last] = row;
  }

  /** Whether somebody, who is to say when it ends, still asks for the level by its number. */
  isWatched(level: Level): boolean {
    return this.words[level * ROW.words + WORD.watched] !== 0;
  }

  watch(level: Level, watched: boolean): void {
    this.words[level * ROW.words + WORD.watched] = watched ? 1 : 0;
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

  #amount(at: number): Units {
    const stored = this.amounts[at] as bigint;
    return stored < 0n ? this.#large.read(at, stored) : stored;
  }

  #setAmount(at: number, amount: Units): void {
    this.amounts[at] = this.#large.stored(at, amount);
  }
}
