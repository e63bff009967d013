/**
 * Owns the one decimal.js constructor this folder calculates with, and the limit on the numbers it may hold.
 *
 * Invariants: the constructor is a private clone, so nobody else's `Decimal.set` changes our results;
 * every value kept has at most {@link MAX_DIGITS} digits around the point, and the working precision holds the sum
 * and the product of any two such values in full, so addition and multiplication never round.
 */

import { Decimal as SharedDecimal } from "decimal.js";
import { invariant } from "./invariant.ts";

/** Most digits a value may have, integer and fraction digits together. A wire value has 26, a product of three has 78. */
export const MAX_DIGITS = 80;

/** Most fraction digits a caller may ask a result to be rounded to. */
export const MAX_ROUNDED_DECIMALS = 20;

const PLAIN_NOTATION = 9e15;

/** The private constructor. Never leaves this folder. */
export const Decimal: SharedDecimal.Constructor = SharedDecimal.clone({
  defaults: true,
  precision: 2 * MAX_DIGITS + 1,
  toExpNeg: -PLAIN_NOTATION,
  toExpPos: PLAIN_NOTATION,
});
export type Decimal = SharedDecimal;
/** decimal.js's own number for a rounding mode. */
export type DecimalRounding = SharedDecimal.Rounding;

/**
 * The same value, fit to be kept: finite, within {@link MAX_DIGITS}, and without a negative zero.
 * @throws DecimalInvariantError otherwise.
 */
export function kept(value: Decimal): Decimal {
  invariant(value.isFinite(), "a decimal must be finite");
  const integerDigits = Math.max(value.e + 1, 1);
  const digits = integerDigits + value.decimalPlaces();
  invariant(digits <= MAX_DIGITS, `a decimal may have ${MAX_DIGITS} digits, this result has ${digits}`);
  return value.isZero() ? ZERO : value;
}

const ZERO = new Decimal(0);
