/**
 * The order book of one market, by price-time priority: price levels, each a first-in-first-out queue of which the orders themselves
 * are the links. Entry point: `Book`.
 *
 * Invariants: the best level is last in each array; no level is empty; a level's volume is the sum of its queue. A level is searched by
 * its price where an order comes to it, and where it goes itself; an order leaves without anything being searched. The book does
 * not match orders, and so does not prevent crossing orders from resting. Messages are made where an invariant is broken alone: these are
 * the exchange's most frequent calls.
 */
import type { Side } from "../../../contract/index.ts";
import type { Units } from "../../model/index.ts";
import { InvariantError } from "../core/invariant.ts";
import type { LiveOrder } from "../rows/live-order.ts";
import { NONE, type Row } from "../rows/order-rows.ts";
import type { Orders } from "../rows/orders.ts";

const FIRST_LEVELS = 64;

/** The orders of one price. */
export interface Level {
  readonly price: Units;
  /** By which its orders name it; another level may get it once this one is gone. */
  readonly number: number;
  /** Zero once the level is gone. */
  volume: Units;
  first: Row;
  last: Row;
  /** The event recorder's: the volume before the command that changes the level; null while none does. */
  recorded: Units | null;
}

/**
 * The levels of one side, best last, as most changes happen at the best prices. They are searched by floats, which lie beside one another in
 * memory and are compared without a call. A float never puts two prices in the wrong order; it may make them equal, and then the prices decide.
 */
class Levels {
  readonly #isBuy: boolean;
  readonly #byNumber: readonly Level[];
  /** For each level its price, of sells negative, so that the best is the largest on both sides; and its number. */
  #floats = new Float64Array(FIRST_LEVELS);
  #numbers = new Int32Array(FIRST_LEVELS);
  #length = 0;

  constructor(side: Side, byNumber: readonly Level[]) {
    this.#isBuy = side === "buy";
    this.#byNumber = byNumber;
  }

  get best(): Level | undefined {
    return this.#level(this.#length - 1);
  }

  at(price: Units): Level | undefined {
    const found = this.#level(this.#position(price));
    return found?.price === price ? found : undefined;
  }

  /** The next after that of a price. */
  after(price: Units): Level | undefined {
    return this.#level(this.#position(price) - 1);
  }

  /** Best first. */
  first(count: number): Level[] {
    return Array.from(this.#numbers.subarray(Math.max(0, this.#length - count), this.#length), (number) =>
      levelOf(this.#byNumber, number),
    ).reverse();
  }

  add({ price, number }: Level): void {
    if (this.#length === this.#numbers.length) this.#grow();
    const position = this.#position(price);
    this.#floats.copyWithin(position + 1, position, this.#length);
    this.#numbers.copyWithin(position + 1, position, this.#length);
    this.#floats[position] = this.#floatOf(price);
    this.#numbers[position] = number;
    this.#length += 1;
  }

  remove({ price }: Level): void {
    const position = this.#position(price);
    this.#floats.copyWithin(position, position + 1, this.#length);
    this.#numbers.copyWithin(position, position + 1, this.#length);
    this.#length -= 1;
  }

  /** The index of the level at a price, or where it would be inserted: searched from the best, in steps that double. */
  #position(price: Units): number {
    const floats = this.#floats;
    const float = this.#floatOf(price);
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
    while (low < this.#length && floats[low] === float && this.#isWorse(low, price)) low += 1;
    return low;
  }

  #level(position: number): Level | undefined {
    if (position < 0 || position >= this.#length) return undefined;
    return levelOf(this.#byNumber, this.#numbers[position] as number);
  }

  #grow(): void {
    const [floats, numbers] = [this.#floats, this.#numbers];
    this.#floats = new Float64Array(2 * this.#length);
    this.#floats.set(floats);
    this.#numbers = new Int32Array(2 * this.#length);
    this.#numbers.set(numbers);
  }

  #floatOf(price: Units): number {
    const float = Number(price); // not money: a place in the list
    return this.#isBuy ? float : -float;
  }

  #isWorse(position: number, price: Units): boolean {
    const found = this.#level(position)?.price ?? 0n;
    return this.#isBuy ? found < price : found > price;
  }
}

function levelOf(byNumber: readonly Level[], number: number): Level {
  const level = byNumber[number];
  if (level === undefined) throw new InvariantError(`no level has the number ${number}`);
  return level;
}

export class Book {
  readonly #orders: Orders;
  /** By their numbers, some of which no level has at present. */
  readonly #levels: Level[] = [];
  readonly #free: number[] = [];
  readonly #buys = new Levels("buy", this.#levels);
  readonly #sells = new Levels("sell", this.#levels);

  /** @param resting orders that rest in the book from the beginning, in order of arrival */
  constructor(orders: Orders, resting: Iterable<LiveOrder> = []) {
    this.#orders = orders;
    for (const order of resting) this.add(order);
  }

  /** Adds the order behind all others of its price. */
  add(order: LiveOrder): void {
    const { price, remaining, row } = order;
    if (remaining <= 0n) throw new InvariantError(`order ${order.orderId} has nothing to rest`);
    if (order.level !== NONE) throw new InvariantError(`order ${order.orderId} rests twice`);
    const levels = this.#side(order.side);
    const level = levels.at(price) ?? this.#open(levels, price);
    const { last } = level;
    order.level = level.number;
    order.before = last;
    if (last === NONE) level.first = row;
    else this.#orders.at(last).after = row;
    level.last = row;
    level.volume += remaining;
  }

  /** Reduces a resting order by a volume; an order with nothing left leaves the book. */
  reduce(order: LiveOrder, volume: Units): void {
    const { remaining } = order;
    if (volume <= 0n || volume > remaining) throw new InvariantError(`order ${order.orderId} has not ${volume} left`);
    this.#take(order, volume, remaining);
    order.remaining = remaining - volume;
  }

  remove(order: LiveOrder): void {
    const { remaining } = order;
    this.#take(order, remaining, remaining);
  }

  best(side: Side): Units | undefined {
    return this.#side(side).best?.price;
  }

  /** The order of a side that would be filled first. */
  first(side: Side): LiveOrder | undefined {
    return this.#firstOf(this.#side(side).best);
  }

  /** The order that would be filled after this one, which rests. */
  next(order: LiveOrder): LiveOrder | undefined {
    if (order.level === NONE) throw new InvariantError(`order ${order.orderId} does not rest`);
    if (order.after !== NONE) return this.#orders.at(order.after);
    return this.#firstOf(this.#side(order.side).after(order.price));
  }

  /** The level that the order rests at. */
  levelOf(order: LiveOrder): Level | undefined {
    return order.level === NONE ? undefined : this.#levels[order.level];
  }

  /** Best first: price and total volume. */
  depth(side: Side, levels: number): (readonly [Units, Units])[] {
    return this.#side(side)
      .first(levels)
      .map(({ price, volume }) => [price, volume] as const);
  }

  #take(order: LiveOrder, volume: Units, remaining: Units): void {
    const level = this.levelOf(order);
    if (level === undefined) throw new InvariantError(`order ${order.orderId} does not rest`);
    level.volume -= volume;
    if (remaining > volume) return;
    const { before, after } = order;
    order.level = NONE;
    order.before = NONE;
    order.after = NONE;
    if (before === NONE) level.first = after;
    else this.#orders.at(before).after = after;
    if (after === NONE) level.last = before;
    else this.#orders.at(after).before = before;
    if (level.first !== NONE) return;
    if (level.volume !== 0n) throw new InvariantError(`level ${level.price} is empty but has volume`);
    this.#side(order.side).remove(level);
    this.#free.push(level.number);
  }

  #open(levels: Levels, price: Units): Level {
    const number = this.#free.pop() ?? this.#levels.length;
    const level = { price, number, volume: 0n, first: NONE, last: NONE, recorded: null };
    this.#levels[number] = level;
    levels.add(level);
    return level;
  }

  #firstOf(level: Level | undefined): LiveOrder | undefined {
    return level === undefined ? undefined : this.#orders.at(level.first);
  }

  #side(side: Side): Levels {
    return side === "buy" ? this.#buys : this.#sells;
  }
}
