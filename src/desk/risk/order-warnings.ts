/**
 * Tells what a person should know of an order before it is sent, though nothing forbids it: by the book, the last trades, the account's own
 * orders and its balance.
 *
 * Tells what orders leave of a coin, where no order could sell it any more. Looked at by the balance once they have ended, as nothing
 * waits for what only a warning is about.
 *
 * Invariant: however many orders, one read of the balances and one of the markets at most.
 *
 * Source: decision 0031.
 */
import { type Market, ORDER_TRAITS, type Order, type Side } from "../../contract/index.ts";
import {
  formatAmount,
  formatPercent,
  groupThousands,
  type Price,
  price,
  type Quantity,
  quantity,
  rate,
} from "../../decimal/index.ts";
import { withTimeout } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import { expectedFill } from "../market/order-estimate.ts";
import { type FillAnswer, quotesOf } from "../market/order-value.ts";
import { restingOrders, withoutOwn } from "../market/own-orders.ts";
import type { IntentBody, OrderRequest, OwnIntent } from "../model/intent.ts";
import { isDuplicateOf, requestOf } from "../model/order-body.ts";
import type { JudgedBook } from "../model/policy.ts";
import { leastVolume } from "./order-proposals.ts";

/** An average price further than this from the best one: the book is thin for the size. */
const THIN = rate("0.005");
/** A limit further than this beyond the best opposite price is more often a mistyped digit than intended. */
const FAR_THROUGH = rate("0.05");
const FAR_FROM_TRADES = rate("0.03");
/** An order just like another of the last minutes is more often asked for twice than wanted twice. */
const ALIKE_MS = 5 * 60_000;

export interface WarningFacts {
  readonly market: Market;
  readonly body: IntentBody;
  readonly book: JudgedBook;
  /** Tells what was last traded at; undefined where that is not known. */
  readonly lastPrice: Price | undefined;
  /** Orders of the account that are open or have lately executed something. */
  readonly own: readonly OwnIntent[];
  readonly nowMs: number;
}

export function orderWarnings(facts: WarningFacts): readonly string[] {
  const { market, body, book } = facts;
  const request = requestOf(body.order);
  const met = expectedFill(market, request, book);
  return [
    farThrough(market, request, book) ?? farFromTrades(market, request, facts.lastPrice),
    ownInTheWay(facts, request),
    ...(ORDER_TRAITS[request.type].mayRest ? [unfilled(market, request, met)] : thinBook(market, request, met)),
    alike(facts),
  ].filter((warning) => warning !== undefined);
}

function thinBook(market: Market, request: OrderRequest, met: FillAnswer): readonly (string | undefined)[] {
  const { slippage, averagePrice } = met;
  const isThin = slippage?.gt(THIN) === true && averagePrice !== undefined;
  const ends =
    request.base_volume === undefined ? formatAmount(met.value, market.quote) : formatAmount(met.volume, market.base);
  return [
    met.complete
      ? undefined
      : `The book does not hold the whole size, only ${ends}; the remainder would expire unfilled.`,
    isThin
      ? `The book is thin for this size: the average price would be ${formatAmount(averagePrice, market.quote)}, ${formatPercent(slippage, 2)} from the best.`
      : undefined,
  ];
}

/** Warns of an order that may not rest. */
function unfilled(market: Market, request: OrderRequest, met: FillAnswer): string | undefined {
  const { time_in_force, base_volume = "", price: limit = "" } = request;
  if (met.complete || (time_in_force !== "IOC" && time_in_force !== "FOK")) return undefined;
  const holds = `The book holds ${groupThousands(met.volume.toString())} of ${formatAmount(quantity(base_volume), market.base)} at ${formatAmount(price(limit), market.quote)} or better`;
  if (time_in_force === "FOK") return `${holds}, so a FOK order would expire unfilled.`;
  return met.volume.isZero()
    ? `${holds}, so an IOC order would expire unfilled.`
    : `${holds}; the rest of an IOC order would expire.`;
}

function farThrough({ quote }: Market, { side, price: limit }: OrderRequest, book: JudgedBook): string | undefined {
  const { ask, bid } = quotesOf(book);
  const best = side === "buy" ? ask : bid;
  if (limit === undefined || best === undefined) return undefined;
  const beyond = side === "buy" ? price(limit).minus(best) : best.minus(price(limit));
  if (beyond.lte(best.scale(FAR_THROUGH))) return undefined;
  const where = `${side === "buy" ? "above the best ask" : "below the best bid"} of ${formatAmount(best, quote)}`;
  return `The price ${formatAmount(price(limit), quote)} is ${formatPercent(beyond.ratioTo(best), 2)} ${where}. Make sure that no digit is wrong.`;
}

function farFromTrades({ quote }: Market, { price: limit }: OrderRequest, last: Price | undefined): string | undefined {
  if (limit === undefined || last === undefined || last.isZero()) return undefined;
  const given = price(limit);
  const [distance, where] = given.gt(last) ? [given.minus(last), "above"] : [last.minus(given), "below"];
  if (distance.lte(last.scale(FAR_FROM_TRADES))) return undefined;
  return `The price ${formatAmount(given, quote)} is ${formatPercent(distance.ratioTo(last), 2)} ${where} what was last traded at, ${formatAmount(last, quote)}.`;
}

/** @param available coins that can be sold before the order is sent */
export function leftOver({ market, body, book }: WarningFacts, available: string): Quantity {
  const request = requestOf(body.order);
  const sold =
    request.base_volume === undefined ? expectedFill(market, request, book).volume : quantity(request.base_volume);
  return quantity(available).minus(sold);
}

/** Warns of a sell that leaves what no order could sell any more. */
export function dustWarnings({ market, body: { order }, book }: WarningFacts, left: Quantity): readonly string[] {
  const { bid } = quotesOf(book);
  const dust =
    order.side !== "sell" ? undefined : dustOf(market, left, order.price === undefined ? bid : price(order.price));
  return dust === undefined ? [] : [`It leaves ${dust} To sell all, base_volume "100%".`];
}

/** @returns the sentence of it where no order could sell what is left at a price; undefined where one could, and where nothing is left */
export function dustOf(market: Market, left: Quantity, at: Price | undefined): string | undefined {
  const least = leastVolume(market, at);
  if (left.isZero() || left.isNegative() || left.gte(least)) return undefined;
  return `${formatAmount(left, market.base)}, too little to be sold by itself: ${market.symbol} takes at least ${formatAmount(least, market.base)}.`;
}

/** The exchange lets nobody trade with oneself: what would meet an own order ends there. */
function ownInTheWay({ market, own, book }: WarningFacts, request: OrderRequest): string | undefined {
  const { side, price: limit, post_only: rests } = request;
  if (rests === true) return undefined;
  const resting = restingOrders(market.symbol, own);
  const others = withoutOwn(book, resting);
  const [met] = resting
    .filter((each) => each.side !== side && (limit === undefined || !isBefore(side, limit, each.price)))
    .sort((a, b) => (isBefore(side, a.price, b.price) ? -1 : 1))
    // Unless others sell or buy all of it before.
    .filter(({ price: at }) => !expectedFill(market, request, { tick: before(others, side, at) }).complete);
  if (met === undefined) return undefined;
  return `An own ${met.side} order at ${formatAmount(price(met.price), market.quote)} is in the way: the exchange lets nobody trade with oneself, so this one would end where it meets that. Cancel or move that one first.`;
}

/** Tells whether an incoming order meets one price before another. */
function isBefore(side: Side, one: string, other: string): boolean {
  return side === "buy" ? price(one).lt(price(other)) : price(one).gt(price(other));
}

function before({ tick: { buys, asks } }: JudgedBook, side: Side, at: string): JudgedBook["tick"] {
  const met = (levels: typeof asks) => levels.filter(([each]) => isBefore(side, each, at));
  return { buys: met(buys), asks: met(asks) };
}

function alike({ own, body, nowMs }: WarningFacts): string | undefined {
  const last = own
    .filter((each) => nowMs - each.createdAtMs <= ALIKE_MS && isDuplicateOf(each.body, body))
    .sort((a, b) => b.createdAtMs - a.createdAtMs)[0];
  if (last === undefined) return undefined;
  const ago = Math.max(0, Math.round((nowMs - last.createdAtMs) / 1_000));
  return `An order just like this one was placed ${ago} s ago, userref ${last.userref} (${last.state}). Place this one only if a second one is wanted.`;
}

/** Bounds how long a report waits for them. */
const SOON_MS = 250;

/** Tells what of a coin can be sold, decimal text; undefined where that cannot be had soon. */
export async function availableSoon(
  { parts: { venue, clock } }: DeskContext,
  coin: string,
): Promise<string | undefined> {
  const accounts = await withTimeout(clock, SOON_MS, venue.accounts());
  if (accounts?.ok !== true) return undefined;
  return accounts.value.balances.find(({ asset }) => asset === coin)?.available ?? "0";
}

/** Looks at those that ended with part of them executed, once for each market. @param orders as they are now */
export async function dustLeft(context: DeskContext, orders: readonly Order[]): Promise<readonly string[]> {
  const { venue, clock } = context.parts;
  const ended = orders.filter((order) => order.state !== "open" && !quantity(order.executed_volume).isZero());
  if (ended.length === 0) return [];
  const [markets, accounts] =
    (await withTimeout(clock, SOON_MS, Promise.all([context.markets(), venue.accounts()]))) ?? [];
  if (markets?.ok !== true || accounts?.ok !== true) return [];
  return [...new Map(ended.map((order) => [order.symbol, order])).values()].flatMap((order) => {
    const market = markets.value.find(({ symbol }) => symbol === order.symbol);
    if (market === undefined) return [];
    const available = accounts.value.balances.find(({ asset }) => asset === market.base)?.available ?? "0";
    const at = order.price ?? order.avg_price;
    const dust = dustOf(market, quantity(available), at === null ? undefined : price(at));
    return dust === undefined ? [] : [`The account is left with ${dust}`];
  });
}
