/**
 * Numbers of foreign JSON as plain decimals, every digit kept.
 *
 * Invariant: text in, text out, never a binary number in between.
 */
import { Decimal, MAX_DIGITS, type RoundingMode, roundDecimal } from "./arithmetic.ts";
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS } from "./grammar.ts";

/** A JSON number with an exponent. */
const EXPONENT = /[eE]/;

/**
 * The token of a JSON number without its exponent, every digit kept: "5.0E-5" as "0.00005".
 * @returns undefined for one that would be longer than any value kept here
 */
export function plainNumber(token: string): string | undefined {
  if (!EXPONENT.test(token)) return /^-0(?:\.0*)?$/.test(token) ? token.slice(1) : token;
  const value = new Decimal(token);
  return Math.abs(value.e) <= MAX_DIGITS && value.precision() <= MAX_DIGITS ? value.toString() : undefined;
}

/**
 * A number of another exchange as our wire has it: plain, at most {@link MAX_FRACTION_DIGITS} fraction digits, the rest of them rounded as the mode says.
 * @returns undefined for what is no number, or has too many integer digits
 */
export function wireNumber(text: string, mode: RoundingMode): string | undefined {
  const plain = FOREIGN.test(text) ? plainNumber(text) : undefined;
  if (plain === undefined) return undefined;
  const value = roundDecimal(new Decimal(plain), MAX_FRACTION_DIGITS, mode);
  return value.e < MAX_INTEGER_DIGITS ? (value.isZero() ? "0" : value.toString()) : undefined;
}

const FOREIGN = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
