/**
 * Counts, in the unit of account, what an order is worth before it is sent.
 *
 * Invariants: a sell never counts for less than the book would pay, whatever its own price; nothing is rounded but the
 * result, which is rounded up to the step that the unit counts in; what cannot be valued has no value, not a value of zero.
 *
 * What the market showed for one order when it was assessed is kept by `MarketSnapshot`.
 *
 * Tells what an order would fill against a given order book: pure arithmetic, no request.
 *
 * Source: architecture.md#rule-3; policy.md#value.
 */
import type { BookLevel, CreateOrderBody, Market, Side, Unit } from "../../contract/index.ts";
import {
  averagePrice,
  MAX_FRACTION_DIGITS,
  max,
  type Notional,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  type Rate,
  rate,
  type Value,
} from "../../decimal/index.ts";
import { counted } from "../model/account-usage.ts";
import type { JudgedBook } from "../model/policy.ts";

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

const ONE = quantity("1");

/** Holds what the market showed for one order. */
export interface MarketSnapshot {
  /**
   * Measures drift, with at most 8 decimals: for an order with a price the middle of the book, or the best of its one side; for a market
   * order what it would trade at on average. Null without such a price.
   */
  readonly price: string | null;
  /** Undefined where it cannot be valued. */
  readonly value: Value | undefined;
}

/** The price of a `MarketSnapshot`. */
export function snapshotPrice(market: Market, order: CreateOrderBody, book: JudgedBook): string | null {
  const { bid, ask, mid } = quotesOf(book);
  const seen = order.price === undefined ? marketFill(market, order, book).averagePrice : (mid ?? bid ?? ask);
  // A mid may have one decimal more than any price.
  return seen === undefined
    ? null
    : averagePrice(notionalOf(seen, ONE), ONE, MAX_FRACTION_DIGITS, "half_even").toString();
}

export interface FillQuestion {
  readonly side: Side;
  /** Levels of the opposite side, best first: asks for a buy, bids for a sell. */
  readonly levels: readonly BookLevel[];
  /** Coins to trade; exactly one of the two sizes. */
  readonly volume?: Quantity;
  /** Quote currency to spend or receive. */
  readonly amount?: Notional;
  /** Stop at this price; absent for a market order. */
  readonly limit?: Price;
  readonly volumeDecimals: number;
  readonly takerFeeRate: Rate;
}

export interface FillAnswer {
  readonly volume: Quantity;
  readonly value: Notional;
  readonly fee: Notional;
  readonly averagePrice: Price | undefined;
  /** Tells how far the average is from the best price, 0.01 being 1 %; undefined when nothing would fill. */
  readonly slippage: Rate | undefined;
  /** Tells whether the book holds enough for the whole size. */
  readonly complete: boolean;
}

const ZERO_VOLUME = quantity("0");
const ZERO_VALUE = notional("0");

function smaller(a: Quantity, b: Quantity): Quantity {
  return a.lt(b) ? a : b;
}

/** Volume to take at one level. By amount, a buy never spends more than the amount; a sell continues until it is reached. */
function wanted(question: FillQuestion, at: Price, volume: Quantity, value: Notional): Quantity {
  if (question.volume !== undefined) return question.volume.minus(volume);
  const left = (question.amount ?? ZERO_VALUE).minus(value);
  // A level that holds no whole step may have exceeded the amount; nothing is taken back at the next.
  if (left.isNegative()) return ZERO_VOLUME;
  return quantityFor(left, at, question.volumeDecimals, question.side === "buy" ? "down" : "up");
}

function beyond(question: FillQuestion, at: Price): boolean {
  if (question.limit === undefined) return false;
  return question.side === "buy" ? at.gt(question.limit) : at.lt(question.limit);
}

/** Walks the levels until the size is filled, the limit is passed or the book ends. */
export function estimateFill(question: FillQuestion): FillAnswer {
  let volume = ZERO_VOLUME;
  let value = ZERO_VALUE;
  let complete = false;
  for (const [levelPrice, levelVolume] of question.levels) {
    const at = price(levelPrice);
    if (beyond(question, at)) break;
    const want = wanted(question, at, volume, value);
    const take = smaller(want, quantity(levelVolume));
    volume = volume.plus(take);
    value = value.plus(notionalOf(at, take));
    complete = take.eq(want);
    if (complete) break;
  }
  const best = question.levels[0];
  const average = volume.isZero() ? undefined : averagePrice(value, volume, 8, "half_even");
  return {
    volume,
    value,
    fee: flooredFee(value.scale(question.takerFeeRate)),
    averagePrice: average,
    slippage: average === undefined || best === undefined ? undefined : distance(average, price(best[0])),
    complete,
  };
}

/** Floors to 8 decimals, as the service takes it. */
function flooredFee(fee: Notional): Notional {
  return notional(quantityFor(fee, price("1"), 8, "down").toString());
}

/** Relative distance of two prices, never negative. */
function distance(average: Price, best: Price): Rate {
  const ratio = average.gt(best) ? average.minus(best) : best.minus(average);
  return best.isZero() ? rate("0") : ratio.ratioTo(best);
}
