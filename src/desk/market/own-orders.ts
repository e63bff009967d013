/**
 * The account's own orders in a market, as the journal knows them: what they show in the book and among the trades is not the market's word.
 *
 * Invariants: an order without an answer may be in the book; of one that is there, as much as was last seen to remain counts, which is never less
 * than remains.
 *
 * Source: decision 0023.
 */
import type { BookLevel } from "../../contract/index.ts";
import { priceText, quantity } from "../../decimal/index.ts";
import type { OwnIntent } from "../model/intent.ts";
import type { JudgedBook, OwnOrder } from "../model/policy.ts";

/** Orders read at once, of all markets. */
export const OWN_MAX = 1_000;

/** Picks what of these may be in the book of the market. Read twice, an order counts as it was read first. */
export function restingOrders(symbol: string, intents: readonly OwnIntent[]): readonly OwnOrder[] {
  const resting = new Map<string, OwnOrder>();
  for (const { intentId, isLive, body } of intents) {
    const { side, price: at, volume } = body.order;
    if (!isLive || body.order.symbol !== symbol || at === undefined || resting.has(intentId)) continue;
    resting.set(intentId, { side, price: at, volume: body.seen?.remaining_volume ?? volume ?? "0" });
  }
  return [...resting.values()];
}

/** The book as others make it. */
export function withoutOwn(book: JudgedBook, own: readonly OwnOrder[]): JudgedBook {
  if (own.length === 0) return book;
  const { buys, asks } = book.tick;
  return { ...book, tick: { buys: othersIn(buys, own, "buy"), asks: othersIn(asks, own, "sell") } };
}

function othersIn(levels: readonly BookLevel[], own: readonly OwnOrder[], side: OwnOrder["side"]): BookLevel[] {
  const ownAt = grouped(
    own.filter((each) => each.side === side),
    (each) => priceText(each.price),
  );
  return levels.flatMap(([at, volume]): BookLevel[] => {
    const ours = ownAt.get(priceText(at));
    if (ours === undefined) return [[at, volume]];
    const others = ours.reduce((rest, each) => rest.minus(quantity(each.volume)), quantity(volume));
    return others.isZero() || others.isNegative() ? [] : [[at, others.toString()]];
  });
}

/** The items of each key, in their order. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
