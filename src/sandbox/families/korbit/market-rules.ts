/**
 * The markets that the family lists, with the tick sizes of Korbit's won markets, and their symbols: base and quote in small letters, joined by an underscore. Entry points: `KORBIT_MARKETS`,
 * `codeOf`, `symbolOf`.
 *
 * Invariant: the fee of a taker is the highest, and so what a buy reserves.
 */
import { type MarketRule, ONE, type TickBandUnits, type Units } from "../../model/index.ts";
import { wonMarkets } from "../../venue-kit/won-markets.ts";

/** From each price on, the tick size, lowest price first. */
const TICKS: readonly TickBandUnits[] = [
  { from: 0n, tick: ONE / 10_000n },
  { from: ONE, tick: ONE / 1_000n },
  { from: 10n * ONE, tick: ONE / 100n },
  { from: 100n * ONE, tick: ONE / 10n },
  { from: 1_000n * ONE, tick: ONE },
  { from: 5_000n * ONE, tick: 5n * ONE },
  { from: 10_000n * ONE, tick: 10n * ONE },
  { from: 50_000n * ONE, tick: 50n * ONE },
  { from: 100_000n * ONE, tick: 100n * ONE },
  { from: 500_000n * ONE, tick: 500n * ONE },
  { from: 1_000_000n * ONE, tick: 1_000n * ONE },
];

const MIN_VALUE: Units = 5_000n * ONE;
export const MAX_VALUE: Units = 1_000_000_000n * ONE;

export const KORBIT_MARKETS: readonly MarketRule[] = wonMarkets({
  priceUnits: TICKS,
  priceDecimals: { XRP: 1, ADA: 1, DOGE: 1, HBAR: 2, VTHO: 3, SHIB: 4 },
  feeRate: (ONE * 15n) / 10_000n,
  minTotal: MIN_VALUE,
}).map((market) => ({ ...market, makerFeeRate: 0n }));

/** Korbit publishes the bounds of an order's value for most markets, and holds to them in all. */
const UNPUBLISHED: Readonly<Record<string, "largest" | "both">> = { SOL: "largest", HBAR: "both" };

/** The bounds that are published; undefined for one that is not. */
export function publishedValues({ base, minNotional }: Pick<MarketRule, "base" | "minNotional">): {
  readonly smallest: Units | undefined;
  readonly largest: Units | undefined;
} {
  const unpublished = UNPUBLISHED[base];
  return {
    smallest: unpublished === "both" ? undefined : minNotional,
    largest: unpublished === undefined ? MAX_VALUE : undefined,
  };
}

/** What Korbit calls a market, or a currency. */
export function codeOf(symbol: string): string {
  return symbol.replace("/", "_").toLowerCase();
}

/** The market's own symbol; undefined for what is no code. */
export function symbolOf(code: string): string | undefined {
  return /^[a-z0-9]{1,15}_[a-z0-9]{1,15}$/.test(code) ? code.replace("_", "/").toUpperCase() : undefined;
}
