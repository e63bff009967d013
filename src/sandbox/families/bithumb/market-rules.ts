/**
 * The markets that the family lists, with the price units of Bithumb's won markets; their codes, `{quote}-{base}`, and their numbers, which are
 * in the ids of orders. Entry points: `BITHUMB_MARKETS`, `codeOf`, `symbolOf`, `orderIdOf`, `tradeIdOf`, `rankOf`.
 */
import { type MarketRule, ONE, type TickBandUnits, type Units } from "../../model/index.ts";
import { wonMarkets } from "../../venue-kit/won-markets.ts";

/** From each price on, the unit, lowest price first. */
const PRICE_UNITS: readonly TickBandUnits[] = [
  { from: 0n, tick: ONE / 10_000n },
  { from: ONE, tick: ONE / 1_000n },
  { from: 10n * ONE, tick: ONE / 100n },
  { from: 100n * ONE, tick: ONE },
  { from: 5_000n * ONE, tick: 5n * ONE },
  { from: 10_000n * ONE, tick: 10n * ONE },
  { from: 50_000n * ONE, tick: 50n * ONE },
  { from: 100_000n * ONE, tick: 100n * ONE },
  { from: 500_000n * ONE, tick: 500n * ONE },
  { from: 1_000_000n * ONE, tick: 1_000n * ONE },
];

/** Of a buy and of a sell, taking and making. */
export const FEE_RATE: Units = ONE / 400n;
export const MAX_TOTAL: Units = 1_000_000_000n * ONE;

export const BITHUMB_MARKETS: readonly MarketRule[] = wonMarkets({
  priceUnits: PRICE_UNITS,
  priceDecimals: { HBAR: 3, VTHO: 4, SHIB: 4 },
  feeRate: FEE_RATE,
  minTotal: 5_000n * ONE,
});

/** What Bithumb calls a market. */
export function codeOf(symbol: string): string {
  const [base, quote] = symbol.split("/");
  return `${quote}-${base}`;
}

/** The market's own symbol; undefined for what is no code. */
export function symbolOf(code: string): string | undefined {
  const [, quote, base] = /^([A-Z0-9]+)-([A-Z0-9]+)$/.exec(code) ?? [];
  return base === undefined ? undefined : `${base}/${quote}`;
}

const FIRST_NUMBER = 101;
const NUMBER_DIGITS = 4;
const COUNT_DIGITS = 15;

/** `C0101000003152350309`: the market's number, and a count that rises over all markets. */
function idOf(symbol: string, count: bigint): string {
  const place = BITHUMB_MARKETS.findIndex((market) => market.symbol === symbol);
  const number = String(FIRST_NUMBER + place).padStart(NUMBER_DIGITS, "0");
  return `C${number}${String(count).padStart(COUNT_DIGITS, "0")}`;
}

/** Counts begin with 2025, so that they have as many digits as Bithumb's for years. */
const COUNTS_FROM = BigInt(Date.UTC(2025, 0));
const COUNTS_PER_MS = 4_096n;

/** @param uuid of version 7: its time and the counter after it become the count */
export function orderIdOf(symbol: string, uuid: string): string {
  const hex = uuid.replaceAll("-", "");
  const [time, counter] = [BigInt(`0x${hex.slice(0, 12)}`), BigInt(`0x${hex.slice(13, 16)}`)];
  return idOf(symbol, (time - COUNTS_FROM) * COUNTS_PER_MS + counter);
}

/** Both sides of a trade have the same. */
export function tradeIdOf(symbol: string, tradeSeq: number): string {
  return idOf(symbol, BigInt(tradeSeq));
}

/** Orders as they came, over all markets. */
export function rankOf(orderId: string): bigint {
  return BigInt(orderId.slice(1 + NUMBER_DIGITS));
}
