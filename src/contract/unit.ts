/**
 * Owns the units of account that a desk can count in: what limits, budgets, worth and profit are sums of.
 *
 * Source: decision 0091.
 */

/** Each with the fraction digits of its counting step: sums that are kept are whole steps. */
export const UNIT_DECIMALS = { KRW: 0, USDT: 2, USDC: 2, USD: 2, EUR: 2 } as const;

export type Unit = keyof typeof UNIT_DECIMALS;

export const UNITS = Object.keys(UNIT_DECIMALS) as readonly Unit[];

export const DEFAULT_UNIT: Unit = "KRW";

/** Fraction digits with which an amount of a quote currency is proposed. */
export function amountDecimals(quote: string): number {
  return isUnit(quote) ? UNIT_DECIMALS[quote] : 8;
}

export function isUnit(text: string): text is Unit {
  return Object.hasOwn(UNIT_DECIMALS, text);
}
