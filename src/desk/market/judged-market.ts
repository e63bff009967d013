/**
 * Tells what a market shows for one order: its book, the account's own orders in that, and what others lately traded at.
 *
 * Works out once what several rules of the policy need of it.
 */

import { ok, type PublicTrade, type Result, type Unit } from "../../contract/index.ts";
import type { Value } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { OwnIntent } from "../model/intent.ts";
import type { JudgedBook, Policy, PolicyQuestion } from "../model/policy.ts";
import type { TimedBook } from "../ports/market-stream.ts";
import { currentBook, followedBook } from "./current-book.ts";
import { judgedValue, type Quotes, quotesOf } from "./order-value.ts";
import { OWN_MAX, restingOrders, withoutOwn } from "./own-orders.ts";
import { currentTrades, followedTrades, RECENT_MS, tradedPrice } from "./recent-trades.ts";

export type JudgedMarket = Required<Pick<PolicyQuestion, "ownOrders" | "tradedPrice">> & {
  readonly book: NonNullable<PolicyQuestion["book"]>;
  /** Orders of the account in any market that are open, or have lately executed something. */
  readonly own: readonly OwnIntent[];
};

/** @returns a fault where the book, the trades or the own orders cannot be had */
export async function judgedMarket(
  context: DeskContext,
  symbol: string,
  policy: Policy,
): Promise<Result<JudgedMarket>> {
  const judged = await judgedMarketBeside(context, symbol, policy, () => Promise.resolve(undefined));
  return judged.ok ? ok(judged.value[0]) : judged;
}

/** The same, and what is read of the journal in the same moment as the own orders. */
export async function judgedMarketBeside<T>(
  context: DeskContext,
  symbol: string,
  policy: Policy,
  read: () => Promise<T>,
): Promise<Result<readonly [JudgedMarket, T]>> {
  const { clock, venue, journal } = context.parts;
  const readOwn = () => journal.openOrExecuted(context.journalAccount(), clock.now() - RECENT_MS, OWN_MAX);
  const shown = followedMarket(context, symbol, policy) ?? (await askedMarket(context, symbol, policy, readOwn));
  if (!shown.ok) return shown;
  const { book, trades, before } = shown.value;
  const [after, beside] = await Promise.all([readOwn(), read()]);
  if (!after.ok) return after;
  const own = [...before, ...after.value];
  const isAll = Math.max(before.length, after.value.length) < OWN_MAX;
  const market = {
    book,
    own,
    ownOrders: isAll ? restingOrders(symbol, own) : ("too many" as const),
    tradedPrice: tradedPrice(trades, own, { nowMs: clock.now(), offsetMs: venue.clockOffsetMs() ?? 0 }),
  };
  return ok([market, beside]);
}

interface Shown {
  readonly book: TimedBook;
  readonly trades: readonly PublicTrade[];
  /** The own orders as they were before; none where nothing was waited for. */
  readonly before: readonly OwnIntent[];
}

/** Reads the market as the stream has it at this moment. */
function followedMarket(
  context: DeskContext,
  symbol: string,
  { bookMaxAgeMs, priceCollar }: Policy,
): Result<Shown> | undefined {
  const book = followedBook(context, symbol, bookMaxAgeMs);
  // Nothing is bound by the trades where the collar is off.
  const trades = priceCollar === "off" ? [] : followedTrades(context, symbol, bookMaxAgeMs);
  return book === undefined || trades === undefined ? undefined : ok({ book, trades, before: [] });
}

/** The own orders are read before too: the book may show one that has gone meanwhile, as it may show one that came. */
async function askedMarket(
  context: DeskContext,
  symbol: string,
  { bookMaxAgeMs, priceCollar }: Policy,
  readOwn: () => Promise<Result<readonly OwnIntent[]>>,
): Promise<Result<Shown>> {
  const [before, book, trades] = await Promise.all([
    readOwn(),
    currentBook(context, symbol, bookMaxAgeMs),
    priceCollar === "off" ? ok([]) : currentTrades(context, symbol, bookMaxAgeMs),
  ]);
  if (!before.ok) return before;
  if (!book.ok) return book;
  return trades.ok ? ok({ book: book.value, trades: trades.value, before: before.value }) : trades;
}

/** Holds what an order is worth and what the market quotes, whatever the policy and the account's usage are. */
export interface MarketCase {
  /** Tells what the order counts for; undefined when there is no price to value it by. */
  readonly value: Value | undefined;
  /** Leaves out, as the quotes do, what others have not made: the account's own orders say nothing of the market. */
  readonly book: JudgedBook | undefined;
  readonly quotes: Quotes;
  /** With the own orders in it. */
  readonly whole: JudgedBook | undefined;
}

export interface PolicyCase extends PolicyQuestion, MarketCase {
  readonly policy: Policy;
  readonly book: JudgedBook | undefined;
}

export function marketCase(
  { market, order, book: whole, ownOrders }: Pick<PolicyQuestion, "market" | "order" | "book" | "ownOrders">,
  unit: Unit,
): MarketCase {
  const book = whole && withoutOwn(whole, ownOrders === "too many" ? [] : ownOrders);
  return { whole, book, value: judgedValue(market, order, whole, book, unit), quotes: quotesOf(book) };
}

/** @param seen of this very question, where it is known already */
export function policyCase(
  policy: Policy,
  question: PolicyQuestion,
  seen = marketCase(question, policy.unit),
): PolicyCase {
  return { ...question, policy, ...seen };
}
