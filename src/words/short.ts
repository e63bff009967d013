import { parseQuantity, roundToStep } from "../decimal/index.ts";
import { amount } from "./amount.ts";

/** A figure with its asset, won as `shortWon` has them. */
export function shortAmount(text: string, asset: string): string {
  return amount(asset === "KRW" ? shortWon(text) : text, asset);
}

/** Won that were computed (an average, a fee, a value) may have 8 decimals: from one won on, more than four are shown as two. */
export function shortWon(text: string): string {
  const [, sign = "", unsigned = ""] = /^(-?)0*([1-9]\d*\.\d{5,})$/.exec(text) ?? [];
  const parsed = parseQuantity(unsigned);
  return parsed.ok ? `${sign}${roundToStep(parsed.value, 2, "half_even").toString()}` : text;
}
