/**
 * The order book of one market, by price-time priority: price levels, each a first-in-first-out queue of which the orders themselves
 * are the links. Entry point: `createBook`.
 *
 * Invariants: the best level is last in each array; no level is empty; a level's volume is the sum of its queue. A level is searched by
 * its price where an order comes to it, and where it goes itself; an order leaves without anything being searched. The book does
 * not match orders, and so does not prevent crossing orders from resting. Messages are made where an invariant is broken alone: these are
 * the exchange's most frequent calls.
 */
import type { Side } from "../../../contract/index.ts";
import type { Units } from "../../model/index.ts";
import { InvariantError } from "../core/invariant.ts";

/** An order as the book sees it. While the order rests, only the book changes `remaining`. */
export interface RestingOrder {
  readonly orderId: string;
  readonly accountId: string;
  readonly side: Side;
  readonly price: Units;
  remaining: Units;
  /** The level that the order rests at; undefined where it does not rest. Only the book changes it, and the two below. */
  level?: Level | undefined;
  /** Its neighbours in the level's queue. */
  before?: RestingOrder | undefined;
  after?: RestingOrder | undefined;
}

export interface Book<T extends RestingOrder> {
  /** Adds the order behind all others of its price. */
  add(order: T): void;
  /** Reduces a resting order by a volume; an order with nothing left leaves the book. */
  reduce(order: T, volume: Units): void;
  remove(order: T): void;
  best(side: Side): Units | undefined;
  /** The order of a side that would be filled first. */
  first(side: Side): T | undefined;
  /** The order that would be filled after this one, which rests. */
  next(order: T): T | undefined;
  /** Best first: price and total volume. */
  depth(side: Side, levels: number): (readonly [Units, Units])[];
}

/** The orders of one price. */
export interface Level {
  readonly price: Units;
  /** Zero once the level is gone. */
  volume: Units;
  first: RestingOrder | undefined;
  last: RestingOrder | undefined;
  /** The event recorder's: the volume before the command that changes the level; null while none does. */
  recorded: Units | null;
}

/**
 * The levels of one side, best last, as most changes happen at the best prices. They are searched by floats, which lie beside one another in
 * memory and are compared without a call. A float never puts two prices in the wrong order; it may make them equal, and then the prices decide.
 */
class Levels {
  readonly sorted: Level[] = [];
  /** For each level its price, of sells negative, so that the best is the largest on both sides. */
  readonly #floats: number[] = [];
  readonly #isBuy: boolean;

  constructor(side: Side) {
    this.#isBuy = side === "buy";
  }

  /** The index of the level at a price, or where it would be inserted: searched from the best, in steps that double. */
  position(price: Units): number {
    const floats = this.#floats;
    const float = this.#floatOf(price);
    let high = floats.length;
    let low = high - 1;
    for (let step = 1; low >= 0 && (floats[low] ?? 0) >= float; step *= 2) {
      high = low;
      low -= step;
    }
    low = Math.max(0, low + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((floats[middle] ?? 0) < float) low = middle + 1;
      else high = middle;
    }
    while (floats[low] === float && this.#isWorse(low, price)) low += 1;
    return low;
  }

  add(order: RestingOrder): void {
    const { price, remaining } = order;
    if (order.level !== undefined) throw new InvariantError(`order ${order.orderId} rests twice`);
    const level = this.#levelAt(price);
    const { last } = level;
    order.level = level;
    order.before = last;
    if (last === undefined) level.first = order;
    else last.after = order;
    level.last = order;
    level.volume += remaining;
  }

  take(order: RestingOrder, volume: Units): void {
    const { level, before, after } = order;
    if (level === undefined) throw new InvariantError(`order ${order.orderId} does not rest`);
    level.volume -= volume;
    if (order.remaining > volume) return;
    order.level = undefined;
    order.before = undefined;
    order.after = undefined;
    if (before === undefined) level.first = after;
    else before.after = after;
    if (after === undefined) level.last = before;
    else after.before = before;
    if (level.first !== undefined) return;
    if (level.volume !== 0n) throw new InvariantError(`level ${level.price} is empty but has volume`);
    const position = this.position(level.price);
    this.sorted.splice(position, 1);
    this.#floats.splice(position, 1);
  }

  /** Opens the level where there is none. */
  #levelAt(price: Units): Level {
    const position = this.position(price);
    const found = this.sorted[position];
    if (found?.price === price) return found;
    const level: Level = { price, volume: 0n, first: undefined, last: undefined, recorded: null };
    this.sorted.splice(position, 0, level);
    this.#floats.splice(position, 0, this.#floatOf(price));
    return level;
  }

  #floatOf(price: Units): number {
    const float = Number(price); // not money: a place in the list
    return this.#isBuy ? float : -float;
  }

  #isWorse(index: number, price: Units): boolean {
    const found = this.sorted[index]?.price ?? 0n;
    return this.#isBuy ? found < price : found > price;
  }
}

/** Only orders of the book's own kind come in, so those that it links are of that kind. */
class LinkedBook<T extends RestingOrder> implements Book<T> {
  readonly #buys = new Levels("buy");
  readonly #sells = new Levels("sell");

  add(order: T): void {
    if (order.remaining <= 0n) throw new InvariantError(`order ${order.orderId} has nothing to rest`);
    this.#levels(order.side).add(order);
  }

  reduce(order: T, volume: Units): void {
    if (volume <= 0n || volume > order.remaining)
      throw new InvariantError(`order ${order.orderId} has not ${volume} left`);
    this.#levels(order.side).take(order, volume);
    order.remaining -= volume;
  }

  remove(order: T): void {
    this.#levels(order.side).take(order, order.remaining);
  }

  best(side: Side): Units | undefined {
    return this.#levels(side).sorted.at(-1)?.price;
  }

  first(side: Side): T | undefined {
    return this.#levels(side).sorted.at(-1)?.first as T | undefined;
  }

  next(order: T): T | undefined {
    if (order.level === undefined) throw new InvariantError(`order ${order.orderId} does not rest`);
    if (order.after !== undefined) return order.after as T;
    const levels = this.#levels(order.side);
    const position = levels.position(order.price);
    return levels.sorted[position - 1]?.first as T | undefined;
  }

  depth(side: Side, levels: number): (readonly [Units, Units])[] {
    const { sorted } = this.#levels(side);
    const best = sorted.slice(Math.max(0, sorted.length - levels)).reverse();
    return best.map(({ price, volume }) => [price, volume] as const);
  }

  #levels(side: Side): Levels {
    return side === "buy" ? this.#buys : this.#sells;
  }
}

/** A book in which the given orders rest, in the given order of arrival. */
export function createBook<T extends RestingOrder>(resting: Iterable<T> = []): Book<T> {
  const book = new LinkedBook<T>();
  for (const order of resting) book.add(order);
  return book;
}
