/** What a market shows for one order: its book, the account's own orders in that, and what others lately traded at. */
import { ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { Policy, PolicyQuestion } from "../model/policy.ts";
import { currentBook } from "./current-book.ts";
import { OWN_MAX, restingOrders } from "./own-orders.ts";
import { currentTrades, RECENT_MS, tradedPrice } from "./recent-trades.ts";

export type JudgedMarket = Required<Pick<PolicyQuestion, "ownOrders" | "tradedPrice">> & {
  readonly book: NonNullable<PolicyQuestion["book"]>;
  /** Orders of the account in any market that are open, or have lately executed something. */
  readonly own: readonly IntentRecord[];
};

/** @returns a fault where the book, the trades or the own orders cannot be had */
export async function judgedMarket(
  context: DeskContext,
  symbol: string,
  { bookMaxAgeMs, priceCollar }: Policy,
): Promise<Result<JudgedMarket>> {
  const { clock, venue, journal } = context.parts;
  const readOwn = () => journal.openOrExecuted(context.journalAccount(), clock.now() - RECENT_MS, OWN_MAX);
  const [before, book, trades] = await Promise.all([
    readOwn(),
    currentBook(context, symbol, bookMaxAgeMs),
    // Nothing is bound by them where the collar is off.
    priceCollar === "off" ? ok([]) : currentTrades(context, symbol, bookMaxAgeMs),
  ]);
  if (!before.ok) return before;
  if (!book.ok) return book;
  if (!trades.ok) return trades;
  // Once more: the book may show an order that came meanwhile, as it may show one that has gone meanwhile.
  const after = await readOwn();
  if (!after.ok) return after;
  const own = [...before.value, ...after.value];
  const isAll = Math.max(before.value.length, after.value.length) < OWN_MAX;
  return ok({
    book: book.value,
    own,
    ownOrders: isAll ? restingOrders(symbol, own) : "too many",
    tradedPrice: tradedPrice(trades.value, own, { nowMs: clock.now(), offsetMs: venue.clockOffsetMs() ?? 0 }),
  });
}
