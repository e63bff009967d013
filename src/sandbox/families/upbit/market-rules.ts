/**
 * The markets that the family lists, with the price units of Upbit's won markets, and their codes: `{quote}-{base}`. Entry points:
 * `UPBIT_MARKETS`, `codeOf`, `symbolOf`.
 */
import { type MarketRule, ONE, type TickBandUnits, type Units } from "../../model/index.ts";
import { wonMarkets } from "../../venue-kit/won-markets.ts";

/** From each price on, the unit, lowest price first. */
const PRICE_UNITS: readonly TickBandUnits[] = [
  { from: 0n, tick: 1n },
  { from: ONE / 100_000n, tick: 10n },
  { from: ONE / 10_000n, tick: 100n },
  { from: ONE / 1_000n, tick: 1_000n },
  { from: ONE / 100n, tick: 10_000n },
  { from: ONE / 10n, tick: 100_000n },
  { from: ONE, tick: 1_000_000n },
  { from: 10n * ONE, tick: 10_000_000n },
  { from: 100n * ONE, tick: ONE },
  { from: 5_000n * ONE, tick: 5n * ONE },
  { from: 10_000n * ONE, tick: 10n * ONE },
  { from: 50_000n * ONE, tick: 50n * ONE },
  { from: 100_000n * ONE, tick: 100n * ONE },
  { from: 500_000n * ONE, tick: 500n * ONE },
  { from: 1_000_000n * ONE, tick: 1_000n * ONE },
];

/** Of a buy and of a sell, taking and making. */
export const FEE_RATE: Units = ONE / 2_000n;
export const MAX_TOTAL: Units = 1_000_000_000n * ONE;

export const UPBIT_MARKETS: readonly MarketRule[] = wonMarkets({
  priceUnits: PRICE_UNITS,
  priceDecimals: { HBAR: 1, VTHO: 3, SHIB: 6 },
  feeRate: FEE_RATE,
  minTotal: 5_000n * ONE,
});

/** What Upbit calls a market. */
export function codeOf(symbol: string): string {
  const [base, quote] = symbol.split("/");
  return `${quote}-${base}`;
}

/** The market's own symbol; undefined for what is no code. */
export function symbolOf(code: string): string | undefined {
  const [, quote, base] = /^([A-Z0-9]+)-([A-Z0-9]+)$/.exec(code) ?? [];
  return base === undefined ? undefined : `${base}/${quote}`;
}
