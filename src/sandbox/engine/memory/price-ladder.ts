/**
 * The levels of one side of a book by their prices, the best last, as most changes happen at the best prices. Entry point: `PriceLadder`.
 *
 * Invariant: levels are searched by floats, which lie beside one another in memory and are compared without a call. A float never puts two prices
 * in the wrong order; it may make them equal, and then the prices decide. Source: decision 0049.
 */
import type { Side } from "../../../contract/index.ts";
import type { Units } from "../../model/index.ts";
import type { Levels } from "./levels.ts";
import type { Level } from "./order-rows.ts";

const FIRST_LEVELS = 64;
/** Fewer are moved faster one by one than by a call. */
const FEW_MOVED = 32;

export class PriceLadder {
  readonly #isBuy: boolean;
  readonly #levels: Levels;
  /** For each level its price, of sells negative, so that the best is the largest on both sides; and its number. */
  #floats = new Float64Array(FIRST_LEVELS);
  #numbers = new Int32Array(FIRST_LEVELS);
  #length = 0;
  /** Where the price that was asked for last is, or would be. */
  #found = 0;

  constructor(side: Side, levels: Levels) {
    this.#isBuy = side === "buy";
    this.#levels = levels;
  }

  /** undefined where there is none, as everywhere. */
  get best(): Level | undefined {
    return this.#at(this.#length - 1);
  }

  /** @param float of the price */
  at(price: Units, float: number): Level | undefined {
    this.#found = this.#position(price, float);
    const level = this.#at(this.#found);
    return level !== undefined && this.#levels.price(level) === price ? level : undefined;
  }

  /** The next after that of a price. */
  after(price: Units, float: number): Level | undefined {
    return this.#at(this.#position(price, float) - 1);
  }

  /** Best first. */
  first(count: number): Level[] {
    return Array.from(this.#numbers.subarray(Math.max(0, this.#length - count), this.#length)).reverse();
  }

  /** Adds a level of the price that was asked for last, which has none. */
  add(level: Level, float: number): void {
    const { length } = this.#numbers;
    if (this.#length === length) this.#grow();
    const [floats, numbers, found] = [this.#floats, this.#numbers, this.#found];
    if (this.#length - found > FEW_MOVED) {
      floats.copyWithin(found + 1, found, this.#length);
      numbers.copyWithin(found + 1, found, this.#length);
    } else
      for (let at = this.#length; at > found; at -= 1) {
        floats[at] = floats[at - 1] as number;
        numbers[at] = numbers[at - 1] as number;
      }
    floats[found] = this.#isBuy ? float : -float;
    numbers[found] = level;
    this.#length += 1;
  }

  remove(level: Level): void {
    const [floats, numbers] = [this.#floats, this.#numbers];
    const position = this.#position(this.#levels.price(level), this.#levels.priceFloat(level));
    this.#length -= 1;
    if (this.#length - position > FEW_MOVED) {
      floats.copyWithin(position, position + 1, this.#length + 1);
      numbers.copyWithin(position, position + 1, this.#length + 1);
    } else
      for (let at = position; at < this.#length; at += 1) {
        floats[at] = floats[at + 1] as number;
        numbers[at] = numbers[at + 1] as number;
      }
  }

  /** The index of the level at a price, or where it would be inserted: searched from the best, in steps that double. */
  #position(price: Units, unsigned: number): number {
    const floats = this.#floats;
    const float = this.#isBuy ? unsigned : -unsigned;
    let high = this.#length;
    let low = high - 1;
    for (let step = 1; low >= 0 && (floats[low] as number) >= float; step *= 2) {
      high = low;
      low -= step;
    }
    low = Math.max(0, low + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((floats[middle] as number) < float) low = middle + 1;
      else high = middle;
    }
    if (unsigned <= Number.MAX_SAFE_INTEGER) return low;
    while (low < this.#length && floats[low] === float && this.#isWorse(low, price)) low += 1;
    return low;
  }

  #isWorse(position: number, price: Units): boolean {
    const found = this.#levels.price(this.#numbers[position] as Level);
    return this.#isBuy ? found < price : found > price;
  }

  #at(position: number): Level | undefined {
    return position < 0 || position >= this.#length ? undefined : this.#numbers[position];
  }

  #grow(): void {
    const [floats, numbers] = [this.#floats, this.#numbers];
    this.#floats = new Float64Array(2 * this.#length);
    this.#floats.set(floats);
    this.#numbers = new Int32Array(2 * this.#length);
    this.#numbers.set(numbers);
  }
}
