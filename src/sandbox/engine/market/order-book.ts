/**
 * The order book of one market, by price-time priority: sorted price levels, each with a first-in-first-out queue. It is simple
 * on purpose: a faster book would be tested against it. Entry point: `createBook`.
 *
 * Invariants: the best level is last in each array; no level is empty; a level's volume is the sum of its queue. The book does
 * not match orders, and so does not prevent crossing orders from resting.
 */
import type { Side } from "../../../contract/index.ts";
import type { Units } from "../../model/index.ts";
import { invariant } from "../core/invariant.ts";

/** An order as the book sees it. While the order rests, only the book changes `remaining`. */
export interface RestingOrder {
  readonly orderId: string;
  readonly accountId: string;
  readonly side: Side;
  readonly price: Units;
  remaining: Units;
}

export interface Book<T extends RestingOrder> {
  /** Adds the order behind all others of its price. */
  add(order: T): void;
  /** Reduces a resting order by a volume; an order with nothing left leaves the book. */
  reduce(order: T, volume: Units): void;
  remove(order: T): void;
  best(side: Side): Units | undefined;
  /** Resting orders of a side in the order in which they would be filled. The book must not change during the iteration. */
  walk(side: Side): Iterable<T>;
  /** Total volume at a price; zero where there is no level. */
  volumeAt(side: Side, price: Units): Units;
  /** Best first: price and total volume. */
  depth(side: Side, levels: number): (readonly [Units, Units])[];
}

interface Level<T> {
  readonly price: Units;
  volume: Units;
  /** By order id, in order of arrival; removal takes constant time. */
  readonly queue: Map<string, T>;
}

/** The levels of one side, best last, as most changes happen at the best prices. */
class Levels<T extends RestingOrder> {
  readonly sorted: Level<T>[] = [];
  readonly side: Side;

  constructor(side: Side) {
    this.side = side;
  }

  /** The index of the level at a price, or where it would be inserted. */
  position(price: Units): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.sorted[middle]?.price ?? 0n;
      if (this.side === "buy" ? found < price : found > price) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(order: T): void {
    const position = this.position(order.price);
    let level = this.sorted[position];
    if (level?.price !== order.price) {
      level = { price: order.price, volume: 0n, queue: new Map() };
      this.sorted.splice(position, 0, level);
    }
    invariant(!level.queue.has(order.orderId), `order ${order.orderId} rests twice`);
    level.queue.set(order.orderId, order);
    level.volume += order.remaining;
  }

  take(order: T, volume: Units): void {
    const position = this.position(order.price);
    const level = this.sorted[position];
    invariant(level?.queue.get(order.orderId) === order, `order ${order.orderId} does not rest`);
    level.volume -= volume;
    if (order.remaining > volume) return;
    level.queue.delete(order.orderId);
    if (level.queue.size > 0) return;
    invariant(level.volume === 0n, `level ${level.price} is empty but has volume`);
    this.sorted.splice(position, 1);
  }
}

class PlainBook<T extends RestingOrder> implements Book<T> {
  readonly #buys = new Levels<T>("buy");
  readonly #sells = new Levels<T>("sell");

  add(order: T): void {
    invariant(order.remaining > 0n, `order ${order.orderId} has nothing to rest`);
    this.#levels(order.side).add(order);
  }

  reduce(order: T, volume: Units): void {
    invariant(volume > 0n && volume <= order.remaining, `order ${order.orderId} has not ${volume} left`);
    this.#levels(order.side).take(order, volume);
    order.remaining -= volume;
  }

  remove(order: T): void {
    this.#levels(order.side).take(order, order.remaining);
  }

  best(side: Side): Units | undefined {
    return this.#levels(side).sorted.at(-1)?.price;
  }

  *walk(side: Side): Iterable<T> {
    const { sorted } = this.#levels(side);
    for (let index = sorted.length - 1; index >= 0; index -= 1) yield* sorted[index]?.queue.values() ?? [];
  }

  volumeAt(side: Side, price: Units): Units {
    const levels = this.#levels(side);
    const level = levels.sorted[levels.position(price)];
    return level?.price === price ? level.volume : 0n;
  }

  depth(side: Side, levels: number): (readonly [Units, Units])[] {
    const { sorted } = this.#levels(side);
    const best = sorted.slice(Math.max(0, sorted.length - levels)).reverse();
    return best.map(({ price, volume }) => [price, volume] as const);
  }

  #levels(side: Side): Levels<T> {
    return side === "buy" ? this.#buys : this.#sells;
  }
}

/** A book in which the given orders rest, in the given order of arrival. */
export function createBook<T extends RestingOrder>(resting: Iterable<T> = []): Book<T> {
  const book = new PlainBook<T>();
  for (const order of resting) book.add(order);
  return book;
}
