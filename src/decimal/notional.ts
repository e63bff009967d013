/**
 * Owns the arithmetic between kinds: price × quantity = notional, and its two divisions.
 *
 * Invariants: multiplication is exact; each division rounds once, to the digits and in the mode the caller names.
 */
import { divideRounded } from "./division.ts";
import { Exact, type Notional, type Price, type Quantity, type Value } from "./exact.ts";
import { type RoundingMode, roundDecimal } from "./rounding.ts";

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

/**
 * What `notional` counts for in a unit of account that it is in already: rounded up to `decimals` (0 to 20) fraction digits, so that no sum of
 * such values is less than what it is the sum of.
 */
export function countedUp(notional: Notional, decimals: number): Value {
  return Exact.of("value", roundDecimal(Exact.decimalOf(notional), decimals, "up"));
}
