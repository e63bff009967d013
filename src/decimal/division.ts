/**
 * Owns division, the only operation here whose result may not be exact.
 *
 * Invariant: the true quotient is rounded once. decimal.js would round it to its working precision first and to the
 * wanted digits second, and the first rounding can turn a near tie into a tie; so the quotient is found in integers.
 */
import { Decimal } from "./arithmetic.ts";
import { invariant } from "./invariant.ts";
import { type RoundingMode, requireDecimals, roundDecimal } from "./rounding.ts";

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
