/**
 * Counts, in the unit of account, what an order is worth before it is sent.
 *
 * Invariants: a sell never counts for less than the book would pay, whatever its own price; nothing is rounded but the
 * result, which is rounded up to the step that the unit counts in; what cannot be valued has no value, not a value of zero.
 *
 * Source: architecture.md#rule-3; policy.md#value.
 */

import type { BookLevel, CreateOrderBody, Market, Unit } from "../../contract/index.ts";
import type { Notional, Price, Quantity, Value } from "../../decimal/index.ts";
import { max, notional, notionalOf, price, quantity, rate } from "../../decimal/index.ts";
import { counted } from "../model/account-usage.ts";
import type { JudgedBook } from "../model/policy.ts";
import type { FillAnswer } from "./fill-estimate.ts";
import { estimateFill } from "./fill-estimate.ts";

const HALF = rate("0.5");

const NO_FEE = rate("0");

/** Holds what a book quotes; undefined where a side is empty, and `mid` where either is. */
export interface Quotes {
  readonly bid: Price | undefined;
  readonly ask: Price | undefined;
  readonly mid: Price | undefined;
}

export function quotesOf(book: JudgedBook | undefined): Quotes {
  const bid = bestOf(book?.tick.buys);
  const ask = bestOf(book?.tick.asks);
  return { bid, ask, mid: bid === undefined || ask === undefined ? undefined : bid.plus(ask).scale(HALF) };
}

/** A price or volume of zero is no quote, and nothing can be divided by it. By the text, as books are long. */
function isQuote([at, volume]: BookLevel): boolean {
  return /[1-9]/.test(at) && /[1-9]/.test(volume);
}

function bestOf(levels: readonly BookLevel[] | undefined): Price | undefined {
  const best = levels?.find(isQuote);
  return best === undefined ? undefined : price(best[0]);
}

/** The side of the book that an order takes from. */
function oppositeLevels({ side }: CreateOrderBody, book: JudgedBook | undefined): readonly BookLevel[] {
  const levels = side === "buy" ? book?.tick.asks : book?.tick.buys;
  return levels?.filter(isQuote) ?? [];
}

/** Tells what a market order would fill against the book, without the fee; nothing where there is no book. */
export function marketFill(market: Market, order: CreateOrderBody, book: JudgedBook | undefined): FillAnswer {
  return estimateFill({
    side: order.side,
    levels: oppositeLevels(order, book),
    ...(order.volume === undefined ? {} : { volume: quantity(order.volume) }),
    ...(order.amount === undefined ? {} : { amount: notional(order.amount) }),
    volumeDecimals: market.volume_decimals,
    takerFeeRate: NO_FEE,
  });
}

/**
 * Counts the order in every limit and budget: rounded up. A limit buy at its own price; an order by
 * amount at the amount, or what the last step of a sell makes of it; a market buy by volume at the asks it would take, and
 * what they do not hold at the worst of them; a sell at the best of its own price, the best bid and mid.
 * @returns undefined when there is no price to value it by, and in a market of another quote than the unit.
 */
export function orderValue(
  market: Market,
  order: CreateOrderBody,
  book: JudgedBook | undefined,
  unit: Unit,
): Value | undefined {
  const value = market.quote === unit ? exactValue(market, order, book) : undefined;
  return value === undefined ? undefined : counted(value, unit);
}

/** Values by the book as it is and as others make it, whichever is more: an order may execute against one of the account's own. */
export function judgedValue(
  market: Market,
  order: CreateOrderBody,
  book: JudgedBook | undefined,
  others: JudgedBook | undefined,
  unit: Unit,
): Value | undefined {
  const value = orderValue(market, order, others, unit);
  const whole = others === book || value === undefined ? undefined : orderValue(market, order, book, unit);
  return value === undefined || whole === undefined ? value : max(value, whole);
}

function exactValue(market: Market, order: CreateOrderBody, book: JudgedBook | undefined): Notional | undefined {
  if (order.amount !== undefined) return amountValue(market, order, notional(order.amount), book);
  if (order.volume === undefined) return undefined;
  const volume = quantity(order.volume);
  if (order.side === "sell") return sellValue(order, volume, quotesOf(book));
  return order.price === undefined
    ? marketBuyValue(market, order, volume, book)
    : notionalOf(price(order.price), volume);
}

/** A sell continues until the amount is reached, so its last step may exceed it. */
function amountValue(market: Market, order: CreateOrderBody, amount: Notional, book: JudgedBook | undefined): Notional {
  return order.side === "sell" ? max(amount, marketFill(market, order, book).value) : amount;
}

function sellValue(order: CreateOrderBody, volume: Quantity, { bid, mid }: Quotes): Notional | undefined {
  const own = order.price === undefined ? undefined : price(order.price);
  const [first, ...others] = [own, bid, mid].filter((each) => each !== undefined);
  return first === undefined ? undefined : notionalOf(others.reduce(max, first), volume);
}

function marketBuyValue(
  market: Market,
  order: CreateOrderBody,
  volume: Quantity,
  book: JudgedBook | undefined,
): Notional | undefined {
  const worst = oppositeLevels(order, book).at(-1);
  if (worst === undefined) return undefined;
  const fill = marketFill(market, order, book);
  return fill.value.plus(notionalOf(price(worst[0]), volume.minus(fill.volume)));
}
