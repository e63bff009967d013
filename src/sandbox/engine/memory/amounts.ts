/**
 * Exact amounts as 64-bit integers in blocks of memory, which the garbage collector does not look into. Entry points: `LargeAmounts`,
 * `floatOf`.
 *
 * Invariant: an amount stays exact however large it is: what 63 bits do not hold is kept beside the block, and its slot says so. No
 * amount is negative. Source: decision 0052.
 */
import type { Units } from "../../model/index.ts";

/** The largest that fits a slot. */
const SLOT_MAX = 2n ** 63n - 1n;
/** In a slot: the amount is kept beside the block. */
const BESIDE = -1n;

/** What a slot has, by its two words, as a float: one rounding of an exact sum, as that of the amount itself. Not money: where it stands among others. */
export function floatOf(low: number, high: number): number {
  return high * 2 ** 32 + (low >>> 0);
}

/** Amounts that no slot holds, by any number that names the slot. There hardly ever are any. */
export class LargeAmounts {
  readonly #amounts: Map<number, Units>;

  constructor(of?: LargeAmounts) {
    this.#amounts = new Map(of === undefined ? [] : of.#amounts);
  }

  /** @param name of the slot that has `stored` */
  read(name: number, stored: bigint): Units {
    return stored < 0n ? (this.#amounts.get(name) as Units) : stored;
  }

  /** @returns what the slot of that name is to have for the amount */
  stored(name: number, amount: Units): bigint {
    if (this.#amounts.size > 0) this.#amounts.delete(name);
    if (amount <= SLOT_MAX) return amount;
    this.#amounts.set(name, amount);
    return BESIDE;
  }

  /** The slots with these names are not in use any more. */
  forget(first: number, count: number): void {
    if (this.#amounts.size === 0) return;
    for (let name = first; name < first + count; name += 1) this.#amounts.delete(name);
  }
}
