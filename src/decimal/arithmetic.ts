/**
 * Owns the one decimal.js constructor this folder calculates with, and the limit on the numbers it may hold.
 *
 * Invariants: the constructor is a private clone, so nobody else's `Decimal.set` changes our results;
 * every value kept has at most {@link MAX_DIGITS} digits around the point, and the working precision holds the sum
 * and the product of any two such values in full, so addition and multiplication never round.
 *
 * Owns the named rounding modes and the one place that rounds to a number of fraction digits.
 *
 * Invariants: the caller always names the mode; for every value, down <= value <= up, negative values included.
 *
 * Owns division, the only operation here whose result may not be exact.
 *
 * Invariant: the true quotient is rounded once. decimal.js would round it to its working precision first and to the
 * wanted digits second, and the first rounding can turn a near tie into a tie; so the quotient is found in integers.
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

/**
 * - `down`: the largest allowed number not above the value (toward minus infinity, so -1.5 becomes -2)
 * - `up`: the smallest allowed number not below the value (toward plus infinity, so -1.5 becomes -1)
 * - `half_even`: the nearest allowed number; of two equally near ones the even one
 */
export type RoundingMode = "down" | "up" | "half_even";

const ROUNDING_MODES: Readonly<Record<RoundingMode, DecimalRounding>> = {
  down: Decimal.ROUND_FLOOR,
  up: Decimal.ROUND_CEIL,
  half_even: Decimal.ROUND_HALF_EVEN,
};

/**
 * Rounds to `decimals` fraction digits.
 * @throws DecimalInvariantError when `decimals` is not an integer from 0 to 20.
 */
export function roundDecimal(value: Decimal, decimals: number, mode: RoundingMode): Decimal {
  requireDecimals(decimals);
  return value.toDecimalPlaces(decimals, ROUNDING_MODES[mode]);
}

/** @throws DecimalInvariantError unless `decimals` is an integer from 0 to 20. */
export function requireDecimals(decimals: number): void {
  const valid = Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_ROUNDED_DECIMALS;
  invariant(valid, `decimals must be an integer from 0 to ${MAX_ROUNDED_DECIMALS}, not ${decimals}`);
}

/**
 * `dividend / divisor`, rounded once to `decimals` fraction digits.
 * @throws DecimalInvariantError on a zero divisor, or when `decimals` is not an integer from 0 to 20.
 */
export function divideRounded(dividend: Decimal, divisor: Decimal, decimals: number, mode: RoundingMode): Decimal {
  invariant(!divisor.isZero(), "division by zero");
  requireDecimals(decimals);
  const scale = Math.max(dividend.decimalPlaces(), divisor.decimalPlaces());
  const sign = divisor.isNegative() ? -1n : 1n;
  const numerator = sign * unitsAt(dividend, scale) * 10n ** BigInt(decimals + 1);
  const denominator = sign * unitsAt(divisor, scale);
  const { quotient, exact } = floorDivide(numerator, denominator);
  // One digit more than wanted decides every mode, except whether anything follows it: a trailing 1 says so.
  const sticky = exact ? "0" : "1";
  const bracketed = new Decimal(`${quotient}e-${decimals + 1}`).plus(`${sticky}e-${decimals + 2}`);
  return roundDecimal(bracketed, decimals, mode);
}

/** The value as a whole number of units of 10^-scale. */
function unitsAt(value: Decimal, scale: number): bigint {
  return BigInt(value.toFixed(scale).replace(".", ""));
}

/** BigInt division truncates toward zero; this one goes toward minus infinity. `denominator` must be positive. */
function floorDivide(numerator: bigint, denominator: bigint): { quotient: bigint; exact: boolean } {
  const truncated = numerator / denominator;
  const exact = truncated * denominator === numerator;
  return { quotient: exact || numerator > 0n ? truncated : truncated - 1n, exact };
}
