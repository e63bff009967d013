/**
 * Holds what of a coin has a known cost: at one moving average, or purchase by purchase, of which the first goes first.
 *
 * Invariants: exact; what is taken out costs what it cost when it came in, and never more than is there is taken. What is kept of it (`toState`)
 * does not grow with the number of purchases: of those behind the first there is their sum, and they are read from the ledger again before they
 * are sold.
 *
 * Source: decision 0028, decision 0059.
 */
import { Fraction } from "../../decimal/index.ts";
import type { LedgerPlace } from "../ports/fill-ledger.ts";

/** Says how sold coins are told from those that stay. */
export type CostMethod = "average" | "fifo";

/** A quantity of a coin, and what it cost in the unit of account with its fees, and without. */
export interface Lot {
  readonly volume: Fraction;
  readonly cost: Fraction;
  readonly bareCost: Fraction;
}

/** Stands as it was bought. */
export interface PlacedLot extends Lot {
  /** The fill that brought it. */
  readonly at: LedgerPlace;
}

export interface Lots {
  readonly volume: Fraction;
  total(): Lot;
  add(lot: PlacedLot): void;
  /** @param volume at most what is there. @returns what it cost */
  take(volume: Fraction): Fraction;
  /** Behind which purchase more have to be read before so much can be taken; undefined: none. */
  wantedFor(volume: Fraction): LedgerPlace | undefined;
  /** @param lots the next purchases, up to a fill; of which it takes what was entered before */
  supply(lots: readonly PlacedLot[], readTo: LedgerPlace | undefined): void;
  /** Leaves what can be read again. */
  trim(): void;
  toState(): LotsState;
}

/** JSON. */
export interface LotsState {
  /** All that is held at the average, or all behind the first purchase. */
  readonly sum: LotState;
  readonly first?: { readonly lot: LotState; readonly left: string; readonly at: LedgerPlace };
}
type LotState = readonly [volume: string, cost: string, bareCost: string];

const NOTHING: Lot = { volume: Fraction.ZERO, cost: Fraction.ZERO, bareCost: Fraction.ZERO };

/** @param window purchases that stay in memory */
export function createLots(method: CostMethod, state?: LotsState, window = 4_096): Lots {
  return method === "average" ? new AverageLots(state) : new FifoLots(state, window);
}

class AverageLots implements Lots {
  #held: Lot;

  constructor(state: LotsState | undefined) {
    this.#held = state === undefined ? NOTHING : lotOf(state.sum);
  }

  get volume(): Fraction {
    return this.#held.volume;
  }

  total(): Lot {
    return this.#held;
  }

  add(lot: Lot): void {
    this.#held = sum(this.#held, lot);
  }

  take(volume: Fraction): Fraction {
    const before = this.#held;
    this.#held = rest(before, before.volume.minus(volume));
    return before.cost.minus(this.#held.cost);
  }

  wantedFor(): undefined {
    return undefined;
  }

  supply(): void {}

  trim(): void {}

  toState(): LotsState {
    return { sum: stateOf(this.#held) };
  }
}

/** Each lot as it was bought, and what is left of the first: a part of a part would make its fraction longer every time. */
class FifoLots implements Lots {
  volume = Fraction.ZERO;
  #first: PlacedLot | undefined;
  #leftOfFirst = Fraction.ZERO;
  /** All of them. */
  #behind = NOTHING;
  /** Those right behind the first that are in memory, from `#next` on, and what is in memory with the first. */
  #window: PlacedLot[] = [];
  #next = 0;
  #inMemory = Fraction.ZERO;
  #isAllInMemory = true;
  /** Up to where they were read, where that is beyond the last in memory. */
  #readTo: LedgerPlace | undefined;

  readonly #windowMax: number;

  constructor(state: LotsState | undefined, windowMax: number) {
    this.#windowMax = windowMax;
    if (state?.first === undefined) return;
    this.#behind = lotOf(state.sum);
    this.#first = { ...lotOf(state.first.lot), at: state.first.at };
    this.#leftOfFirst = Fraction.ofExactText(state.first.left);
    this.#inMemory = this.#leftOfFirst;
    this.#isAllInMemory = this.#behind.volume.isZero();
    this.volume = this.#leftOfFirst.plus(this.#behind.volume);
  }

  total(): Lot {
    return this.#first === undefined ? NOTHING : sum(this.#behind, rest(this.#first, this.#leftOfFirst));
  }

  add(lot: PlacedLot): void {
    this.volume = this.volume.plus(lot.volume);
    if (this.#isAllInMemory) this.#inMemory = this.#inMemory.plus(lot.volume);
    if (this.#first === undefined) {
      this.#first = lot;
      this.#leftOfFirst = lot.volume;
      return;
    }
    this.#behind = sum(this.#behind, lot);
    if (this.#isAllInMemory) this.#window.push(lot);
  }

  take(volume: Fraction): Fraction {
    let cost = Fraction.ZERO;
    let wanted = volume;
    while (!wanted.isZero()) {
      const lot = this.#first;
      if (lot === undefined) break;
      const before = this.#leftOfFirst;
      const taken = before.cmp(wanted) <= 0 ? before : wanted;
      const left = before.minus(taken);
      cost = cost.plus(rest(lot, before).cost.minus(rest(lot, left).cost));
      wanted = wanted.minus(taken);
      this.#leftOfFirst = left;
      if (left.isZero()) this.#takeNext();
    }
    const gone = volume.minus(wanted);
    this.volume = this.volume.minus(gone);
    this.#inMemory = this.#inMemory.minus(gone);
    return cost;
  }

  /** More than that has to be there, as the one behind it becomes the first. */
  wantedFor(volume: Fraction): LedgerPlace | undefined {
    if (this.#isAllInMemory || this.#inMemory.cmp(volume) > 0) return undefined;
    return this.#readTo ?? (this.#window.at(-1) ?? this.#first)?.at;
  }

  supply(lots: readonly PlacedLot[], readTo: LedgerPlace | undefined): void {
    this.#readTo = readTo;
    for (const lot of lots) {
      if (this.#isAllInMemory) return;
      this.#window.push(lot);
      this.#inMemory = this.#inMemory.plus(lot.volume);
      this.#isAllInMemory = this.#inMemory.cmp(this.volume) >= 0;
    }
  }

  trim(): void {
    const end = this.#next + this.#windowMax;
    const kept = this.#window.slice(this.#next, end);
    for (const { volume } of this.#window.slice(end)) {
      this.#inMemory = this.#inMemory.minus(volume);
      this.#isAllInMemory = false;
      this.#readTo = undefined;
    }
    this.#window = kept;
    this.#next = 0;
  }

  toState(): LotsState {
    if (this.#first === undefined) return { sum: stateOf(NOTHING) };
    const { at, ...lot } = this.#first;
    const first = { lot: stateOf(lot), left: this.#leftOfFirst.exactText(), at };
    return { sum: stateOf(this.#behind), first };
  }

  #takeNext(): void {
    const next = this.#window[this.#next];
    if (next === undefined && !this.#isAllInMemory) throw new Error("a purchase is sold before it was read again");
    this.#first = next;
    this.#leftOfFirst = next?.volume ?? Fraction.ZERO;
    this.#behind = next === undefined ? NOTHING : difference(this.#behind, next);
    if (next !== undefined) this.#next += 1;
  }
}

function sum(a: Lot, b: Lot): Lot {
  return { volume: a.volume.plus(b.volume), cost: a.cost.plus(b.cost), bareCost: a.bareCost.plus(b.bareCost) };
}

function difference(a: Lot, b: Lot): Lot {
  return { volume: a.volume.minus(b.volume), cost: a.cost.minus(b.cost), bareCost: a.bareCost.minus(b.bareCost) };
}

/** Leaves the rest of a lot. */
function rest(lot: Lot, volume: Fraction): Lot {
  // Not a share of it: that would keep its denominator for ever.
  if (volume.isZero()) return NOTHING;
  if (volume.cmp(lot.volume) === 0) return lot;
  return {
    volume,
    cost: lot.cost.share(volume, lot.volume).bounded(),
    bareCost: lot.bareCost.share(volume, lot.volume).bounded(),
  };
}

function stateOf({ volume, cost, bareCost }: Lot): LotState {
  return [volume.exactText(), cost.exactText(), bareCost.exactText()];
}

function lotOf([volume, cost, bareCost]: LotState): Lot {
  return {
    volume: Fraction.ofExactText(volume),
    cost: Fraction.ofExactText(cost),
    bareCost: Fraction.ofExactText(bareCost),
  };
}
