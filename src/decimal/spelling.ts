/**
 * Owns the respelling of a number somebody wrote in another notation: for a proposal in an error message, and of numbers in foreign JSON.
 *
 * Invariants: text in, text out, never a number in between; the output is bounded (two exponent digits at most).
 */
import { Decimal, MAX_DIGITS } from "./arithmetic.ts";
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS } from "./grammar.ts";
import { type RoundingMode, roundDecimal } from "./rounding.ts";

/** "1.5e3" as "1500"; unchanged when it is malformed or does not fit the grammar's width anyway. */
export function spelledOut(text: string): string {
  const [, integer = "", fraction = "", exponentText = ""] = /^(\d+)(?:\.(\d+))?e([+-]?\d{1,2})$/i.exec(text) ?? [];
  if (integer === "") return text;
  const point = integer.length + Number.parseInt(exponentText, 10); // not money: a count of digits
  const digits = `${"0".repeat(Math.max(1 - point, 0))}${integer}${fraction}`.padEnd(Math.max(point, 0), "0");
  const at = Math.max(point, 1);
  const plain = `${digits.slice(0, at).replace(/^0+(?=\d)/, "")}.${digits.slice(at)}`;
  return plain.replace(/\.?0*$/, "");
}

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

/** Full-width digits and point, as Korean and Japanese keyboards type them. Unicode folding would also read "10²" as 102. */
export function halfWidth(text: string): string {
  return text.replace(/[０-９．]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}
