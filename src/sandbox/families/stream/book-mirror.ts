/**
 * A copy of a market's book with the levels in their form on the wire, updated by events. Entry point: `BookMirror`.
 *
 * Invariants: the copy equals the engine's book as of the last event; levels are immutable.
 */
import type { BookLevel } from "../../../contract/index.ts";
import { prefixLength } from "../../lists.ts";
import type { BookRecord, ExchangeEvent, Units } from "../../model/index.ts";
import { decimalText } from "../../wire/decimal-text.ts";

export interface MirrorLevel {
  readonly price: Units;
  readonly wire: BookLevel;
}

/** The levels of one side, best last, as most changes happen at the best prices. */
export class MirrorSide {
  readonly #levels: MirrorLevel[];
  /** 1 where higher prices are better. */
  readonly #direction: 1n | -1n;

  constructor(levels: BookRecord["buys"], direction: 1n | -1n) {
    this.#levels = levels.map(levelOf).reverse();
    this.#direction = direction;
  }

  get size(): number {
    return this.#levels.length;
  }

  /** Best first. */
  top(depth: number): MirrorLevel[] {
    return this.#levels.slice(Math.max(0, this.#levels.length - depth)).reverse();
  }

  change(price: Units, volume: Units): void {
    const at = this.#position(price);
    const found = this.#levels[at]?.price === price ? 1 : 0;
    if (volume === 0n) this.#levels.splice(at, found);
    else this.#levels.splice(at, found, levelOf([price, volume]));
  }

  /** Lists what changed among the best `depth` levels since `before`, best first. */
  changesSince(before: readonly MirrorLevel[], depth: number): BookLevel[] {
    const after = this.top(depth);
    const changes: BookLevel[] = [];
    for (let i = 0, j = 0; i < before.length || j < after.length; ) {
      const [was, is] = [before[i], after[j]];
      if (was !== undefined && (is === undefined || this.#isBetter(was.price, is.price))) {
        changes.push([was.wire[0], "0"]);
        i++;
      } else if (is !== undefined) {
        const same = was?.price === is.price;
        if (was !== is) changes.push(is.wire);
        if (same) i++;
        j++;
      }
    }
    return changes;
  }

  #isBetter(a: Units, b: Units): boolean {
    return (a - b) * this.#direction > 0n;
  }

  /** The index of the level at a price, or where it would be inserted. */
  #position(price: Units): number {
    return prefixLength(this.#levels, (level) => this.#isBetter(price, level.price));
  }
}

export class BookMirror {
  readonly buys: MirrorSide;
  readonly asks: MirrorSide;
  #seq: number;

  constructor({ seq, buys, asks }: BookRecord) {
    this.#seq = seq;
    this.buys = new MirrorSide(buys, 1n);
    this.asks = new MirrorSide(asks, -1n);
  }

  get seq(): number {
    return this.#seq;
  }

  take({ seq, buys, asks }: Extract<ExchangeEvent, { kind: "book" }>): void {
    if (seq !== this.#seq + 1) throw new Error(`book event ${seq} follows ${this.#seq}`);
    this.#seq = seq;
    for (const [price, volume] of buys) this.buys.change(price, volume);
    for (const [price, volume] of asks) this.asks.change(price, volume);
  }
}

function levelOf([price, volume]: readonly [Units, Units]): MirrorLevel {
  return { price, wire: [decimalText(price), decimalText(volume)] };
}
