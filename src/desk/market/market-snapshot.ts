/** Keeps what the market showed for one order when it was assessed. */
import type { CreateOrderBody, Market } from "../../contract/index.ts";
import type { Value } from "../../decimal/index.ts";
import { averagePrice, MAX_FRACTION_DIGITS, notionalOf, quantity } from "../../decimal/index.ts";
import type { JudgedBook } from "../model/policy.ts";
import { marketFill, quotesOf } from "./order-value.ts";

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
