/**
 * Owns how numbers are shown to people. The wire never carries these texts; they do not parse back.
 *
 * Invariants: amounts are shown in full, without trailing zeros; only `formatPercent` rounds, to the digits it is given.
 */
import { Decimal, kept, roundDecimal } from "./arithmetic.ts";
import { Exact, type Notional, type Price, type Quantity, type Rate, type Value } from "./exact.ts";
import { groupThousands } from "./grouping.ts";

/** Anything counted in an asset; a KRW balance, too, may be held as a quantity. */
export type Amount = Price | Quantity | Notional | Value;

/** Won with thousands grouped: "₩1,234,567", "₩1,234.5", "-₩5". */
export function formatKrw(amount: Amount): string {
  const grouped = groupThousands(amount.toString());
  return amount.isNegative() ? `-₩${grouped.slice(1)}` : `₩${grouped}`;
}

/** The amount with its asset: "0.015 BTC"; won as {@link formatKrw} shows it. */
export function formatAmount(amount: Amount, asset: string): string {
  return asset === "KRW" ? formatKrw(amount) : `${groupThousands(amount.toString())} ${asset}`;
}

/** The rate in percent, rounded half-even to exactly `decimals` (0 to 20) fraction digits: 0.0005 at 2 is "0.05%". */
export function formatPercent(rate: Rate, decimals: number): string {
  const percent = kept(roundDecimal(Exact.decimalOf(rate).times(HUNDRED), decimals, "half_even"));
  return `${groupThousands(percent.toFixed(decimals))}%`;
}

const HUNDRED = new Decimal(100);
