/**
 * Owns the arithmetic between kinds: price × quantity = notional, and its two divisions.
 *
 * Invariants: multiplication is exact; each division rounds once, to the digits and in the mode the caller names.
 */
import { divideRounded } from "./division.ts";
import { Exact, type Notional, type Price, type Quantity } from "./exact.ts";
import type { RoundingMode } from "./rounding.ts";

/** Tells what `quantity` (base) costs at `price` (quote per base), in quote, exactly. */
export function notionalOf(price: Price, quantity: Quantity): Notional {
  return Exact.of("notional", Exact.decimalOf(price).times(Exact.decimalOf(quantity)));
}

/**
 * The quantity (base) that `notional` (quote) buys at `price`, rounded to `decimals` (0 to 20) fraction digits. Rounded down,
 * its cost never exceeds `notional`.
 * @throws DecimalInvariantError when the price is zero.
 */
export function quantityFor(notional: Notional, price: Price, decimals: number, rounding: RoundingMode): Quantity {
  return Exact.of("quantity", divideRounded(Exact.decimalOf(notional), Exact.decimalOf(price), decimals, rounding));
}

/**
 * The price (quote per base) at which `quantity` cost `notional` on average, rounded to `decimals` (0 to 20) fraction digits.
 * @throws DecimalInvariantError when the quantity is zero; nothing executed has no average price.
 */
export function averagePrice(notional: Notional, quantity: Quantity, decimals: number, rounding: RoundingMode): Price {
  return Exact.of("price", divideRounded(Exact.decimalOf(notional), Exact.decimalOf(quantity), decimals, rounding));
}
