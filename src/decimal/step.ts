/**
 * Owns the quantity step of a market: the fraction digits (`volume_decimals`) a quantity may have.
 *
 * Invariant: nothing here changes a quantity unasked; callers propose the rounded one.
 *
 * Source: service.md#market.
 */
import { Exact, type Quantity } from "./exact.ts";
import { type RoundingMode, requireDecimals, roundDecimal } from "./rounding.ts";

/** Tells whether the quantity has at most `decimals` (0 to 20) fraction digits. */
export function isOnStep(quantity: Quantity, decimals: number): boolean {
  requireDecimals(decimals);
  return quantity.decimals() <= decimals;
}

/** The quantity rounded to `decimals` (0 to 20) fraction digits. */
export function roundToStep(quantity: Quantity, decimals: number, mode: RoundingMode): Quantity {
  return Exact.of("quantity", roundDecimal(Exact.decimalOf(quantity), decimals, mode));
}
