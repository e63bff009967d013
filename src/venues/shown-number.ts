/**
 * Numbers and times of other exchanges' answers, as our wire has them.
 *
 * Invariant: a number is text from the wire on. Digits beyond the house's are rounded half-even here, at the last moment, balances down.
 */
import { z } from "zod";
import { averagePrice, notional, quantity, wireNumber } from "../decimal/index.ts";

/** Of another type it is as good as absent. */
export const maybe = z.string().nullish().catch(undefined);
export const number = z.string().refine((text) => wire(text) !== undefined);
export const count = z.coerce.number().pipe(z.int().nonnegative());

export function signed(text: string | null | undefined): string | undefined {
  return text == null ? undefined : wireNumber(text, "half_even");
}

export function wire(text: string | null | undefined, mode: "half_even" | "down" = "half_even"): string | undefined {
  return text == null || text.startsWith("-") ? undefined : wireNumber(text, mode);
}

/** What is checked to be a number. */
export function exactly(text: string): string {
  return wire(text) ?? "0";
}

/** The moment that is told, or null for what is none: no number of milliseconds further from 1970 than a date goes. */
export function momentOf(time: string | number | null | undefined): string | null {
  const date = new Date(typeof time === "string" ? Date.parse(time) : (time ?? Number.NaN));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

export function isoOf(time: string | number | null | undefined, otherwiseMs: number): string {
  return momentOf(time) ?? new Date(otherwiseMs).toISOString();
}

/** Earlier than any exchange, in milliseconds. */
const LEAST_MS = 100_000_000_000;

/** Of an exchange that tells some times in seconds, the others in milliseconds. */
export function epochOf(at: number | null | undefined, otherwiseMs: number): string {
  return isoOf(at == null || at >= LEAST_MS ? at : at * 1_000, otherwiseMs);
}

export const isZero = (text: string): boolean => quantity(text).isZero();

/** The rest of a whole; none where the part is more. */
export function notMore(whole: string, part: string): string {
  const rest = quantity(whole).minus(quantity(part));
  return rest.isNegative() ? "0" : rest.toString();
}

export function average(value: string, executed: string): string {
  return averagePrice(notional(value), quantity(executed), 8, "half_even").toString();
}

/** Undefined also for none. */
export function positive(text: string | null | undefined): string | undefined {
  const told = wire(text);
  return told === undefined || isZero(told) ? undefined : told;
}

export function sum(values: readonly string[]): string | undefined {
  const [first, ...rest] = values.map(notional);
  return first === undefined ? undefined : rest.reduce((total, value) => total.plus(value), first).toString();
}
