import { parseQuantity, roundToStep } from "../decimal/index.ts";
import { amount } from "./amount.ts";

/** A figure with its asset, won as `shortWon` has them. */
export function shortAmount(text: string, asset: string): string {
  return amount(shortened(text, asset), asset);
}

/** The digits of it that are shown. */
export function shortened(text: string, asset: string): string {
  return asset === "KRW" ? shortWon(text) : text;
}

/** Won that were computed (an average, a fee, a value) may have 8 decimals: from one won on, more than four are shown as two. */
export function shortWon(text: string): string {
  const [, sign = "", unsigned = ""] = /^(-?)0*([1-9]\d*\.\d{5,})$/.exec(text) ?? [];
  if (unsigned === "") return text;
  const parsed = parseQuantity(unsigned);
  return parsed.ok ? `${sign}${roundToStep(parsed.value, 2, "half_even").toString()}` : text;
}

/** Won that were computed, where no decimals are wanted: from 100 won on none, below that two. */
export function wholeWon(text: string): string {
  const [, sign = "", unsigned = ""] = /^(-?)(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const parsed = parseQuantity(unsigned);
  if (!parsed.ok) return text;
  const decimals = /^0*\d{1,2}(\.|$)/.test(unsigned) ? 2 : 0;
  const rounded = roundToStep(parsed.value, decimals, "half_even");
  return `${rounded.isZero() ? "" : sign}${rounded.toString()}`;
}
