/**
 * Amounts and symbols as the alias endpoints write them: amounts with all 8 decimals, symbols without a slash.
 */

import { ONE, type Units } from "../../model/index.ts";
import { fixedText } from "../../wire/decimal-text.ts";

/** 1_500_000n is "0.01500000". */
export function amountText(units: Units): string {
  return units < 0n ? `-${fixedText(-units)}` : fixedText(units);
}

/** Writes as `amountText` does; the dialect writes an absent amount as zero. */
export function amountOrZero(units: Units | null): string {
  return amountText(units ?? 0n);
}

export function notionalOf(price: Units, volume: Units): Units {
  return (price * volume) / ONE;
}

/** "BTC/KRW" is "BTCKRW". */
export function aliasSymbolOf(symbol: string): string {
  return symbol.replace("/", "");
}
