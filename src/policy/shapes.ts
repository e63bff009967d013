/** Owns the forms that settings of `policy.toml` have in the file, each with the one sentence for whatever does not fit it. */
import { z } from "zod";
import { UNIT_DECIMALS, type Unit } from "../contract/index.ts";
import { inUnit, PLAIN_DECIMAL, rate } from "../decimal/index.ts";

/** Says one sentence of a field, whatever is wrong with it. */
function must(rule: string): { readonly error: string } {
  return { error: `must be ${rule}` };
}

/** Digits of a sum in its counting step: sums of many orders stay far inside what a store counts exactly. */
const SUM_DIGITS = 15;

function sumRule(unit: Unit): string {
  const decimals = UNIT_DECIMALS[unit];
  if (decimals === 0) return `a whole number of ${unit} in quotes, of at most ${SUM_DIGITS} digits, such as "1000000"`;
  return `an amount of ${unit} in quotes, of at most ${SUM_DIGITS - decimals} digits and ${decimals} decimals, such as "1000" or "12.5"`;
}

function sumText(unit: Unit): RegExp {
  const decimals = UNIT_DECIMALS[unit];
  const fraction = decimals === 0 ? "" : `(\\.\\d{1,${decimals}})?`;
  return new RegExp(`^(0|[1-9]\\d{0,${SUM_DIGITS - decimals - 1}})${fraction}$`);
}

/** A sum in the unit of account, in its counting step. */
export function sumIn(unit: Unit) {
  const rule = must(sumRule(unit));
  return z
    .string(rule)
    .regex(sumText(unit), rule)
    .transform((text) => inUnit(text));
}

/** A sum that a person may also switch off. */
export function sumOrOff(unit: Unit) {
  return z.union([z.literal("off"), sumIn(unit)], must(`${sumRule(unit)}, or "off"`));
}

export const HUNDRED = rate("100");
const PERCENT = rate("0.01");
const PCT_OR_OFF = must('a percentage from 0 to 100 in quotes, such as "0.5", or "off"');
const PCT = must('a percentage from 0 to 100 in quotes, such as "0.5"');
/** Reads it as a fraction: "5" is 0.05. */
export const percentage = z
  .string(PCT)
  .refine((text) => PLAIN_DECIMAL.test(text) && rate(text).lte(HUNDRED), PCT)
  .transform((text) => rate(text).scale(PERCENT));

/** A limit that a person may also switch off, by writing "off". */
export const percentageOrOff = z.union([z.literal("off"), percentage], PCT_OR_OFF);

/** Takes it without quotes. */
export function whole(least: number, most: number): z.ZodNumber {
  const rule = must(`a whole number from ${least} to ${most}, without quotes`);
  return z.int(rule).min(least, rule).max(most, rule);
}

function quotedList(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, must(`one of ${quotedList(words)}`));
}

export function someOf<const Word extends string>(words: readonly Word[]) {
  const rule = must(`a list with at least one of ${quotedList(words)}`);
  return z.array(z.enum(words, rule), rule).min(1, rule).readonly();
}

const MARKETS = must(
  'a list of markets written as "BTC/KRW", or ["*"] for all; to forbid all, set mode to "read-only"',
);
export const markets = z
  .array(z.string(MARKETS).regex(/^(\*|[A-Z0-9]{1,15}\/[A-Z0-9]{1,15})$/, MARKETS), MARKETS)
  .min(1, MARKETS)
  .readonly();

const COUNTRIES = must('a list with at least one country in two capital letters, such as ["US", "JP"]');
export const countries = z
  .array(z.string(COUNTRIES).regex(/^[A-Z]{2}$/, COUNTRIES), COUNTRIES)
  .min(1, COUNTRIES)
  .readonly();

const PAYEES = must('a list of "BANKCODE/ACCOUNT", such as ["CHASUS33/000123456789"]');
export const payees = z
  .array(z.string(PAYEES).regex(/^[A-Z0-9]{2,11}\/[A-Za-z0-9-]{1,34}$/, PAYEES), PAYEES)
  .min(1, PAYEES)
  .readonly();
