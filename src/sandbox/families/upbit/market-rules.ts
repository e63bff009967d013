/**
 * The markets that the family lists, with the price units of Upbit's won markets, and their codes: `{quote}-{base}`. Entry points:
 * `UPBIT_MARKETS`, `codeOf`, `symbolOf`.
 *
 * Invariant: price and volume have at most 8 decimals together, as everywhere in the exchange; so a market of cheap coins has fewer decimals of
 * volume than Upbit's 8, and a market of dear ones no price units for prices that it never has.
 */
import { type MarketRule, ONE, SCALE, type TickBandUnits, type Units } from "../../model/index.ts";

/** The quote of all of them. */
export const QUOTE = "KRW";

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
const MIN_TOTAL: Units = 5_000n * ONE;
export const MAX_TOTAL: Units = 1_000_000_000n * ONE;

type Listing = readonly [base: string, korean: string, english: string, price: Units, priceDecimals: number];

const LISTINGS: readonly Listing[] = [
  ["BTC", "비트코인", "Bitcoin", 150_000_000n * ONE, 0],
  ["ETH", "이더리움", "Ethereum", 5_200_000n * ONE, 0],
  ["XRP", "엑스알피(리플)", "XRP", 3_400n * ONE, 0],
  ["SOL", "솔라나", "Solana", 240_000n * ONE, 0],
  ["ADA", "에이다", "Ada", 980n * ONE, 0],
  ["DOGE", "도지코인", "Dogecoin", 290n * ONE, 0],
  ["LINK", "체인링크", "Chainlink", 27_000n * ONE, 0],
  ["AVAX", "아발란체", "Avalanche", 36_000n * ONE, 0],
  ["HBAR", "헤데라", "Hedera", 85n * ONE, 1],
  ["VTHO", "비토르토큰", "VeThor Token", 2n * ONE + ONE / 2n, 3],
  ["SHIB", "시바이누", "Shiba Inu", 165n * (ONE / 10_000n), 6],
];

/** The units that the market's decimals can show; the smallest of them reaches down to zero. */
function priceUnits(priceDecimals: number): readonly TickBandUnits[] {
  const smallest = 10n ** BigInt(SCALE - priceDecimals);
  const shown = PRICE_UNITS.filter(({ tick }) => tick >= smallest);
  return shown.map((unit, index) => (index === 0 ? { ...unit, from: 0n } : unit));
}

export const UPBIT_MARKETS: readonly MarketRule[] = LISTINGS.map(
  ([base, koreanName, englishName, anchorPrice, priceDecimals]) => ({
    symbol: `${base}/${QUOTE}`,
    base,
    quote: QUOTE,
    koreanName,
    englishName,
    minVolume: 10n ** BigInt(priceDecimals),
    minNotional: MIN_TOTAL,
    tickBands: priceUnits(priceDecimals),
    priceDecimals,
    volumeDecimals: SCALE - priceDecimals,
    makerFeeRate: FEE_RATE,
    takerFeeRate: FEE_RATE,
    anchorPrice,
  }),
);

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
