/**
 * The markets a new exchange opens with, and the validation of a market's rule. Entry points: `KRW_MARKETS`,
 * `assertMarketRules`.
 */
import { type MarketRule, ONE, type TickBandUnits, type Units } from "../../model/index.ts";
import { InvariantError, invariant } from "../core/invariant.ts";
import { stepFor, tickAt } from "./pricing.ts";

/** Tick sizes of Korean won markets by price, lowest price first, in units. */
const KRW_TICKS: readonly TickBandUnits[] = [
  { from: 0n, tick: 1n },
  { from: 10_000n, tick: 10n },
  { from: 100_000n, tick: 100n },
  { from: 1_000_000n, tick: 1_000n },
  { from: 10_000_000n, tick: 10_000n },
  { from: ONE, tick: 100_000n },
  { from: 10n * ONE, tick: 1_000_000n },
  { from: 100n * ONE, tick: 10_000_000n },
  { from: 1_000n * ONE, tick: ONE },
  { from: 10_000n * ONE, tick: 10n * ONE },
  { from: 100_000n * ONE, tick: 50n * ONE },
  { from: 500_000n * ONE, tick: 100n * ONE },
  { from: 1_000_000n * ONE, tick: 500n * ONE },
  { from: 2_000_000n * ONE, tick: 1_000n * ONE },
];

/** The bands whose tick fits the market's price decimals; the smallest of them starts at price zero. */
function krwTicks(priceDecimals: number): readonly TickBandUnits[] {
  const usable = KRW_TICKS.filter((band) => band.tick >= stepFor(priceDecimals));
  return usable.map((band, index) => (index === 0 ? { ...band, from: 0n } : band));
}

type Listing = readonly [
  base: string,
  korean: string,
  english: string,
  anchor: Units,
  decimals: readonly [price: number, volume: number],
  minVolume: Units,
  makerFeeRate?: Units,
];

const FEE_RATE = 50_000n;
const LARGE_MARKET_MAKER_RATE = 40_000n;

const LISTINGS: readonly Listing[] = [
  ["BTC", "비트코인", "Bitcoin", 150_000_000n * ONE, [0, 8], ONE / 100_000n, LARGE_MARKET_MAKER_RATE],
  ["ETH", "이더리움", "Ethereum", 5_200_000n * ONE, [0, 8], ONE / 10_000n, LARGE_MARKET_MAKER_RATE],
  ["XRP", "엑스알피(리플)", "XRP(Ripple)", 3_400n * ONE, [1, 6], ONE / 10n],
  ["SOL", "솔라나", "Solana", 240_000n * ONE, [0, 8], ONE / 1_000n],
  ["DOGE", "도지코인", "Dogecoin", 290n * ONE, [2, 6], ONE],
  ["ADA", "에이다", "Cardano", 980n * ONE, [2, 6], ONE / 10n],
  ["LINK", "체인링크", "Chainlink", 27_000n * ONE, [0, 8], ONE / 100n],
  ["DOT", "폴카닷", "Polkadot", 5_600n * ONE, [1, 7], ONE / 10n],
  ["AVAX", "아발란체", "Avalanche", 36_000n * ONE, [0, 8], ONE / 100n],
  ["TRX", "트론", "TRON", 470n * ONE, [2, 6], ONE],
  ["SHIB", "시바이누", "Shiba Inu", 1_650_000n, [6, 2], 1_000n * ONE],
  ["PEPE", "페페", "Pepe", 1_320_000n, [6, 2], 1_000n * ONE],
];

/** The Korean won markets of a new exchange, at rounded prices of 2026. */
export const KRW_MARKETS: readonly MarketRule[] = LISTINGS.map(
  ([base, koreanName, englishName, anchorPrice, [priceDecimals, volumeDecimals], minVolume, makerFeeRate]) => ({
    symbol: `${base}/KRW`,
    base,
    quote: "KRW",
    koreanName,
    englishName,
    minVolume,
    minNotional: 5_000n * ONE,
    tickBands: krwTicks(priceDecimals),
    priceDecimals,
    volumeDecimals,
    makerFeeRate: makerFeeRate ?? FEE_RATE,
    takerFeeRate: FEE_RATE,
    anchorPrice,
  }),
);

/** A market in another quote than won, which an exchange opens with where it is asked for. */
const USDT_MARKETS: readonly MarketRule[] = [
  {
    ...{ symbol: "BTC/USDT", base: "BTC", quote: "USDT", koreanName: "비트코인", englishName: "Bitcoin" },
    minVolume: ONE / 100_000n,
    minNotional: 5n * ONE,
    tickBands: [{ from: 0n, tick: ONE / 100n }],
    priceDecimals: 2,
    volumeDecimals: 6,
    makerFeeRate: LARGE_MARKET_MAKER_RATE,
    takerFeeRate: FEE_RATE,
    anchorPrice: 105_000n * ONE,
  },
];

export function newMarkets(usdt: boolean): readonly MarketRule[] {
  return usdt ? [...KRW_MARKETS, ...USDT_MARKETS] : KRW_MARKETS;
}

/**
 * Rejects a rule under which arithmetic would round or a valid price could not be quoted.
 * @throws InvariantError with the market and the broken condition.
 */
function assertMarketRule(rule: MarketRule): void {
  const must = (condition: boolean, what: string): void => invariant(condition, `${rule.symbol}: ${what}`);
  const decimals = [rule.priceDecimals, rule.volumeDecimals];
  must(
    decimals.every((count) => Number.isInteger(count) && count >= 0),
    "decimals are counts",
  );
  must(rule.priceDecimals + rule.volumeDecimals <= 8, "price and volume decimals are at most 8 together");
  must(rule.minVolume > 0n && rule.minVolume % stepFor(rule.volumeDecimals) === 0n, "minVolume is on the volume step");
  must(rule.minNotional > 0n, "minNotional is above zero");
  must(rule.tickBands[0]?.from === 0n, "the first tick band starts at zero");
  rule.tickBands.forEach(({ from, tick }, index) => {
    const below = rule.tickBands[index - 1];
    must(tick > 0n && tick % stepFor(rule.priceDecimals) === 0n, `tick ${tick} fits priceDecimals`);
    must(from % tick === 0n, `band from ${from} is on its own tick`);
    if (below === undefined) return;
    must(from > below.from, "tick bands rise");
    // The next valid price after the last one of a band is then the first one of the next band.
    must(tick % below.tick === 0n && from % below.tick === 0n, `band from ${from} is on the tick below`);
  });
  must(rule.anchorPrice > 0n && rule.anchorPrice % tickAt(rule, rule.anchorPrice) === 0n, "anchorPrice is on its tick");
  for (const rate of [rule.makerFeeRate, rule.takerFeeRate]) must(rate >= 0n && rate < ONE, "fee rates are below one");
}

/** @throws InvariantError for an invalid rule, a duplicate symbol, or no market at all. */
export function assertMarketRules(rules: readonly MarketRule[]): void {
  rules.forEach(assertMarketRule);
  if (rules.length === 0) throw new InvariantError("an exchange needs a market");
  invariant(new Set(rules.map(({ symbol }) => symbol)).size === rules.length, "a symbol is given twice");
}
