/**
 * The markets that the family lists, with the price units of Coinone's won markets, and how a pair is named: by its quote and its target.
 * Entry points: `COINONE_MARKETS`, `marketOf`, `pairOf`.
 */
import { type MarketRule, ONE, SCALE, type TickBandUnits, type Units } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { type ListedMarket, wonMarkets } from "../../venue-kit/won-markets.ts";

const PRICE_UNITS: readonly TickBandUnits[] = [
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
  { from: 100_000_000n * ONE, tick: 10_000n * ONE },
];

export const FEE_RATE: Units = ONE / 5_000n;
export const MAX_TOTAL: Units = 1_000_000_000n * ONE;
/** A price is below it. */
export const MAX_PRICE: Units = 10_000_000_000n * ONE;
export const MAX_QTY: Units = 10_000_000_000n * ONE;
/** What is below it of an amount is cut off. */
export const AMOUNT_UNIT: Units = ONE / 10_000n;

export const COINONE_MARKETS: readonly MarketRule[] = wonMarkets({
  priceUnits: PRICE_UNITS,
  priceDecimals: { ADA: 1, DOGE: 1, HBAR: 2, VTHO: 3, SHIB: 4 },
  feeRate: FEE_RATE,
  minTotal: 5_000n * ONE,
});

/** The smallest step of a quantity. */
export function qtyUnit({ volumeDecimals }: Pick<MarketRule, "volumeDecimals">): Units {
  return 10n ** BigInt(SCALE - volumeDecimals);
}

/** In capitals or not, as clients write it; undefined where there is none. */
export function marketOf(
  { exchange }: Pick<Service, "exchange">,
  quote: string,
  target: string,
): ListedMarket | undefined {
  return exchange.market(`${target}/${quote}`.toUpperCase());
}

/** What names a market in answers. */
export interface Pair {
  readonly quote_currency: string;
  readonly target_currency: string;
}

export function pairOf(symbol: string): Pair {
  const [target = "", quote = ""] = symbol.split("/");
  return { quote_currency: quote, target_currency: target };
}

/** The market of a record, which is always there. */
export function listed({ exchange }: Pick<Service, "exchange">, symbol: string): ListedMarket {
  const market = exchange.market(symbol);
  if (market === undefined) throw new Error(`a record names ${symbol}, which is no market`);
  return market;
}
