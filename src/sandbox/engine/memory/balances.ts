/**
 * The amounts of all balances as rows of numbers, each with what it was before the command that changes it. Entry point: `Balances`.
 *
 * Invariants: an amount is exact: a low part of 62 bits and a high part of 31, which throws before it overflows; none is negative. Source: decision 0056.
 */
import type { Units } from "../../model/index.ts";
import { InvariantError } from "../core/invariant.ts";

/** Where an amount of a balance is: its low part, counted in 64 bits, and its high part, in 32. */
export const AVAILABLE = 0;
export const LOCKED = 1;
export type AmountPlace = typeof AVAILABLE | typeof LOCKED;

/** A row is one cache line: two low parts, two high parts, and the same before the command. */
const ROW_SLOTS = 8;
const ROW_WORDS = 2 * ROW_SLOTS;
const HIGH_WORD = 4;
/** How much further the same is as it was before. */
const BEFORE_SLOTS = 4;
const BEFORE_WORDS = 2 * BEFORE_SLOTS;

const LOW_BITS = 62n;
const LOW_END = 1n << LOW_BITS;
const HIGH_MAX = 2 ** 31 - 1;
const FIRST_ROWS = 64;

/** The values of the high parts that occur most, as they are asked for. */
const HIGH_PARTS: (Units | undefined)[] = new Array(1_024).fill(undefined);

function highPart(high: number): Units {
  const known = HIGH_PARTS[high];
  if (known !== undefined) return known;
  const value = BigInt(high) << LOW_BITS;
  if (high < HIGH_PARTS.length) HIGH_PARTS[high] = value;
  return value;
}

export class Balances {
  #low: BigInt64Array;
  #words: Int32Array;
  #length = 0;

  constructor() {
    const memory = new ArrayBuffer(8 * ROW_SLOTS * FIRST_ROWS);
    this.#low = new BigInt64Array(memory);
    this.#words = new Int32Array(memory);
  }

  /** @returns the number of a row in which all is zero */
  add(): number {
    if (this.#length * ROW_WORDS === this.#words.length) this.#grow();
    this.#length += 1;
    return this.#length - 1;
  }

  read(row: number, place: AmountPlace): Units {
    const low = this.#low[row * ROW_SLOTS + place] as bigint;
    const high = this.#words[row * ROW_WORDS + HIGH_WORD + place] as number;
    return high === 0 ? low : highPart(high) + low;
  }

  /** @returns false, with nothing changed, where the amount would be negative */
  change(row: number, place: AmountPlace, change: Units): boolean {
    if (change >= LOW_END || change <= -LOW_END) return this.#write(row, place, this.read(row, place) + change);
    const at = row * ROW_SLOTS + place;
    const sum = (this.#low[at] as bigint) + change;
    if (sum >= 0n && sum < LOW_END) {
      this.#low[at] = sum;
      return true;
    }
    return this.#write(row, place, this.read(row, place) + change);
  }

  #write(row: number, place: AmountPlace, amount: Units): boolean {
    if (amount < 0n) return false;
    const high = amount >> LOW_BITS;
    if (high > HIGH_MAX) throw new InvariantError(`a balance of ${amount} is too large`);
    this.#low[row * ROW_SLOTS + place] = amount - (high << LOW_BITS);
    this.#words[row * ROW_WORDS + HIGH_WORD + place] = Number(high); // not money: the upper bits, which fit
    return true;
  }

  /** Keeps what the row has as what it was before. */
  remember(row: number): void {
    const [low, words] = [this.#low, this.#words];
    const slot = row * ROW_SLOTS;
    const word = row * ROW_WORDS + HIGH_WORD;
    low[slot + BEFORE_SLOTS] = low[slot] as bigint;
    low[slot + BEFORE_SLOTS + 1] = low[slot + 1] as bigint;
    words[word + BEFORE_WORDS] = words[word] as number;
    words[word + BEFORE_WORDS + 1] = words[word + 1] as number;
  }

  /** Whether the row has what it had when it was remembered. */
  isAsBefore(row: number): boolean {
    const words = this.#words;
    const start = row * ROW_WORDS;
    for (let word = start; word < start + BEFORE_WORDS; word += 1)
      if (words[word] !== words[word + BEFORE_WORDS]) return false;
    return true;
  }

  #grow(): void {
    const memory = new ArrayBuffer(2 * this.#words.byteLength);
    const words = new Int32Array(memory);
    words.set(this.#words);
    this.#words = words;
    this.#low = new BigInt64Array(memory);
  }
}
