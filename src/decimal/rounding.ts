/**
 * Owns the named rounding modes and the one place that rounds to a number of fraction digits.
 *
 * Invariants: the caller always names the mode; for every value, down <= value <= up, negative values included.
 */
import { Decimal, type DecimalRounding, MAX_ROUNDED_DECIMALS } from "./arithmetic.ts";
import { invariant } from "./invariant.ts";

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
