/**
 * The order book of one market, by price-time priority: price levels, each a first-in-first-out queue. Entry point: `Book`.
 *
 * Invariants: no level is empty; a level's volume is the sum of its queue. A level is searched by
 * its price where an order comes to it, and where it goes itself; an order leaves without anything being searched. The book does
 * not match orders, and so does not prevent crossing orders from resting. Messages are made where an invariant is broken alone: these are
 * the exchange's most frequent calls.
 */
import type { Side } from "../../../contract/index.ts";
import type { Units } from "../../model/index.ts";
import { InvariantError } from "../core/invariant.ts";
import { type Level, type Levels, type LiveOrder, type Orders, PriceLadder } from "../memory/index.ts";

export class Book {
  readonly levels: Levels;
  readonly #buys: PriceLadder;
  readonly #sells: PriceLadder;

  /** @param resting orders that rest in the book from the beginning, in order of arrival */
  constructor(orders: Orders, resting: Iterable<LiveOrder> = []) {
    this.levels = orders.noLevels();
    this.#buys = new PriceLadder("buy", this.levels);
    this.#sells = new PriceLadder("sell", this.levels);
    for (const order of resting) this.add(order);
  }

  /**
   * Adds the order behind all others of its price.
   * @param price and what remains, where they are known without being read
   * @returns its level
   */
  add(order: LiveOrder, price = order.price, remaining = order.remaining): Level {
    const { priceFloat } = order;
    if (remaining <= 0n) throw new InvariantError(`order ${order.orderId} has nothing to rest`);
    if (order.level !== undefined) throw new InvariantError(`order ${order.orderId} rests twice`);
    const { levels } = this;
    const ladder = this.#side(order.side);
    let level = ladder.at(price, priceFloat);
    if (level === undefined) {
      level = levels.open(price);
      ladder.add(level, priceFloat);
    }
    levels.append(level, order);
    levels.addVolume(level, remaining);
    return level;
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
    const { best } = this.#side(side);
    return best === undefined ? undefined : this.levels.price(best);
  }

  /** The order of a side that would be filled first. */
  first(side: Side): LiveOrder | undefined {
    return this.#firstOf(this.#side(side).best);
  }

  /** The order that would be filled after this one, which rests. */
  next(order: LiveOrder): LiveOrder | undefined {
    if (order.level === undefined) throw new InvariantError(`order ${order.orderId} does not rest`);
    return this.levels.next(order) ?? this.#firstOf(this.#side(order.side).after(order.price, order.priceFloat));
  }

  /** Best first: price and total volume. */
  depth(side: Side, count: number): (readonly [Units, Units])[] {
    const { levels } = this;
    return this.#side(side)
      .first(count)
      .map((level) => [levels.price(level), levels.volume(level)] as const);
  }

  #take(order: LiveOrder, volume: Units, remaining: Units): void {
    const { levels } = this;
    const { level } = order;
    if (level === undefined) throw new InvariantError(`order ${order.orderId} does not rest`);
    levels.takeVolume(level, volume);
    if (remaining === volume && levels.leave(level, order)) this.#close(order.side, level);
  }

  #close(side: Side, level: Level): void {
    const { levels } = this;
    if (levels.volume(level) !== 0n) throw new InvariantError(`level ${levels.price(level)} is empty but has volume`);
    this.#side(side).remove(level);
    levels.close(level);
  }

  #firstOf(level: Level | undefined): LiveOrder | undefined {
    return level === undefined ? undefined : this.levels.first(level);
  }

  #side(side: Side): PriceLadder {
    return side === "buy" ? this.#buys : this.#sells;
  }
}
