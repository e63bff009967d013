/**
 * What of a coin is held at a known cost: at one moving average, or purchase by purchase, of which the first goes first.
 *
 * Invariant: exact; what is taken out costs what it cost when it came in, and never more than is there is taken.
 */
import { Fraction } from "../../decimal/index.ts";

/** How sold coins are told from those that stay. */
export type CostMethod = "average" | "fifo";

/** A quantity of a coin, and what it cost in KRW with its fees, and without. */
export interface Lot {
  readonly volume: Fraction;
  readonly cost: Fraction;
  readonly bareCost: Fraction;
}

export interface Lots {
  readonly volume: Fraction;
  total(): Lot;
  add(lot: Lot): void;
  /** @param volume at most what is there. @returns what it cost */
  take(volume: Fraction): Fraction;
}

const NOTHING: Lot = { volume: Fraction.ZERO, cost: Fraction.ZERO, bareCost: Fraction.ZERO };

export function createLots(method: CostMethod): Lots {
  return method === "average" ? new AverageLots() : new FifoLots();
}

class AverageLots implements Lots {
  #held = NOTHING;

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
}

/** Each lot as it was bought, and what is left of the first: a part of a part would make its fraction longer every time. */
class FifoLots implements Lots {
  volume = Fraction.ZERO;
  readonly #lots: Lot[] = [];
  #first = 0;
  #leftOfFirst = Fraction.ZERO;

  total(): Lot {
    const [first, ...others] = this.#lots.slice(this.#first);
    return first === undefined ? NOTHING : others.reduce(sum, rest(first, this.#leftOfFirst));
  }

  add(lot: Lot): void {
    if (this.#first === this.#lots.length) this.#leftOfFirst = lot.volume;
    this.#lots.push(lot);
    this.volume = this.volume.plus(lot.volume);
  }

  take(volume: Fraction): Fraction {
    let cost = Fraction.ZERO;
    let wanted = volume;
    while (!wanted.isZero()) {
      const lot = this.#lots[this.#first];
      if (lot === undefined) break;
      const before = this.#leftOfFirst;
      const taken = before.cmp(wanted) <= 0 ? before : wanted;
      const left = before.minus(taken);
      cost = cost.plus(rest(lot, before).cost.minus(rest(lot, left).cost));
      wanted = wanted.minus(taken);
      this.#leftOfFirst = left;
      if (left.isZero()) this.#next();
    }
    this.volume = this.volume.minus(volume.minus(wanted));
    return cost;
  }

  #next(): void {
    this.#first += 1;
    this.#leftOfFirst = this.#lots[this.#first]?.volume ?? Fraction.ZERO;
  }
}

function sum(a: Lot, b: Lot): Lot {
  return { volume: a.volume.plus(b.volume), cost: a.cost.plus(b.cost), bareCost: a.bareCost.plus(b.bareCost) };
}

/** What is left of a lot. */
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
