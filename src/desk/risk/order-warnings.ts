/**
 * What a person should know of an order before it is sent, though nothing forbids it: by the book, the last trades, the account's own
 * orders and its balance.
 *
 * Source: decision 0031.
 */
import type { Market } from "../../contract/index.ts";
import { formatPercent, type Price, price, type Quantity, quantity, rate } from "../../decimal/index.ts";
import type { FillAnswer } from "../market/fill-estimate.ts";
import { expectedFill } from "../market/order-estimate.ts";
import { quotesOf } from "../market/order-value.ts";
import type { IntentBody, OrderRequest, OwnIntent } from "../model/intent.ts";
import { requestOf } from "../model/order-body.ts";
import { isDuplicateOf } from "../model/order-match.ts";
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
  /** What was last traded at; undefined where that is not known. */
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
    farThrough(request, book) ?? farFromTrades(request, facts.lastPrice),
    ...(request.type === "market" ? thinBook(market, request, met) : [unfilled(market, request, met)]),
    alike(facts),
  ].filter((warning) => warning !== undefined);
}

function thinBook(market: Market, request: OrderRequest, met: FillAnswer): readonly (string | undefined)[] {
  const { slippage, averagePrice } = met;
  const isThin = slippage?.gt(THIN) === true && averagePrice !== undefined;
  const ends =
    request.base_volume === undefined
      ? `${met.value.toString()} ${market.quote}`
      : `${met.volume.toString()} ${market.base}`;
  return [
    met.complete
      ? undefined
      : `The book does not hold the whole size, only ${ends}; the remainder would expire unfilled.`,
    isThin
      ? `The book is thin for this size: the average price would be ${averagePrice.toString()}, ${formatPercent(slippage, 2)} from the best.`
      : undefined,
  ];
}

/** Of an order that may not rest. */
function unfilled(market: Market, request: OrderRequest, met: FillAnswer): string | undefined {
  const { time_in_force, base_volume = "", price: limit = "" } = request;
  if (met.complete || (time_in_force !== "IOC" && time_in_force !== "FOK")) return undefined;
  const holds = `The book holds ${met.volume.toString()} of ${base_volume} ${market.base} at ${limit} or better`;
  if (time_in_force === "FOK") return `${holds}, so a FOK order would expire unfilled.`;
  return met.volume.isZero()
    ? `${holds}, so an IOC order would expire unfilled.`
    : `${holds}; the rest of an IOC order would expire.`;
}

function farThrough({ side, price: limit }: OrderRequest, book: JudgedBook): string | undefined {
  const { ask, bid } = quotesOf(book);
  const best = side === "buy" ? ask : bid;
  if (limit === undefined || best === undefined) return undefined;
  const beyond = side === "buy" ? price(limit).minus(best) : best.minus(price(limit));
  if (beyond.lte(best.scale(FAR_THROUGH))) return undefined;
  const where =
    side === "buy" ? `above the best ask of ${best.toString()}` : `below the best bid of ${best.toString()}`;
  return `The price ${limit} is ${formatPercent(beyond.ratioTo(best), 2)} ${where}. Make sure that no digit is wrong.`;
}

function farFromTrades({ price: limit }: OrderRequest, last: Price | undefined): string | undefined {
  if (limit === undefined || last === undefined || last.isZero()) return undefined;
  const given = price(limit);
  const [distance, where] = given.gt(last) ? [given.minus(last), "above"] : [last.minus(given), "below"];
  if (distance.lte(last.scale(FAR_FROM_TRADES))) return undefined;
  return `The price ${limit} is ${formatPercent(distance.ratioTo(last), 2)} ${where} what was last traded at, ${last.toString()}.`;
}

/** @param available coins that can be sold before the order is sent */
export function leftOver({ market, body, book }: WarningFacts, available: string): Quantity {
  const request = requestOf(body.order);
  const sold =
    request.base_volume === undefined ? expectedFill(market, request, book).volume : quantity(request.base_volume);
  return quantity(available).minus(sold);
}

/** Of a sell that leaves what no order could sell any more. */
export function dustWarnings({ market, body: { order }, book }: WarningFacts, left: Quantity): readonly string[] {
  const { bid } = quotesOf(book);
  const least = leastVolume(market, order.price === undefined ? bid : price(order.price));
  if (order.side !== "sell" || left.isZero() || left.isNegative() || left.gte(least)) return [];
  return [
    `It leaves ${left.toString()} ${market.base}, too little to be sold by itself: ${market.symbol} takes at least ${least.toString()}. To sell all, base_volume "100%".`,
  ];
}

function alike({ own, body, nowMs }: WarningFacts): string | undefined {
  const last = own
    .filter((each) => nowMs - each.createdAtMs <= ALIKE_MS && isDuplicateOf(each.body, body))
    .sort((a, b) => b.createdAtMs - a.createdAtMs)[0];
  if (last === undefined) return undefined;
  const ago = Math.max(0, Math.round((nowMs - last.createdAtMs) / 1_000));
  return `An order just like this one was placed ${ago} s ago, userref ${last.userref} (${last.state}). Place this one only if a second one is wanted.`;
}
