/**
 * Markets in won for a family to list, with the price units of its exchange. Entry points: `wonMarkets`, `unitAt`.
 *
 * Invariant: price and volume have at most 8 decimals together, as everywhere in the exchange; so a market of cheap coins has fewer decimals of
 * volume than 8, and a market of dear ones no price units for prices that it never has.
 */
import { type MarketRule, type MarketStatus, ONE, SCALE, type TickBandUnits, type Units } from "../model/index.ts";

/** The quote of all of them. */
export const QUOTE = "KRW";

export type ListedMarket = MarketRule & { readonly status: MarketStatus; readonly last: Units | null };

type Coin = readonly [base: string, korean: string, english: string, price: Units];

const COINS: readonly Coin[] = [
  ["BTC", "비트코인", "Bitcoin", 150_000_000n * ONE],
  ["ETH", "이더리움", "Ethereum", 5_200_000n * ONE],
  ["XRP", "엑스알피(리플)", "XRP", 3_400n * ONE],
  ["SOL", "솔라나", "Solana", 240_000n * ONE],
  ["ADA", "에이다", "Ada", 980n * ONE],
  ["DOGE", "도지코인", "Dogecoin", 290n * ONE],
  ["LINK", "체인링크", "Chainlink", 27_000n * ONE],
  ["AVAX", "아발란체", "Avalanche", 36_000n * ONE],
  ["HBAR", "헤데라", "Hedera", 85n * ONE],
  ["VTHO", "비토르토큰", "VeThor Token", 2n * ONE + ONE / 2n],
  ["SHIB", "시바이누", "Shiba Inu", 165n * (ONE / 10_000n)],
];

export interface WonMarketTerms {
  /** From each price on, the unit, lowest price first. */
  readonly priceUnits: readonly TickBandUnits[];
  /** Keyed by base; 0 where a coin is not named. */
  readonly priceDecimals: Readonly<Record<string, number>>;
  /** Of a buy and of a sell, taking and making. */
  readonly feeRate: Units;
  readonly minTotal: Units;
}

export function wonMarkets({ priceUnits, priceDecimals, feeRate, minTotal }: WonMarketTerms): readonly MarketRule[] {
  return COINS.map(([base, koreanName, englishName, anchorPrice]) => {
    const decimals = priceDecimals[base] ?? 0;
    return {
      symbol: `${base}/${QUOTE}`,
      base,
      quote: QUOTE,
      koreanName,
      englishName,
      minVolume: 10n ** BigInt(decimals),
      minNotional: minTotal,
      tickBands: shownUnits(priceUnits, decimals),
      priceDecimals: decimals,
      volumeDecimals: SCALE - decimals,
      makerFeeRate: feeRate,
      takerFeeRate: feeRate,
      anchorPrice,
    };
  });
}

/** The units that the market's decimals can show; the smallest of them reaches down to zero. */
function shownUnits(priceUnits: readonly TickBandUnits[], priceDecimals: number): readonly TickBandUnits[] {
  const smallest = 10n ** BigInt(SCALE - priceDecimals);
  const shown = priceUnits.filter(({ tick }) => tick >= smallest);
  return shown.map((unit, index) => (index === 0 ? { ...unit, from: 0n } : unit));
}

/** The price unit at a price. */
export function unitAt(bands: readonly TickBandUnits[], price: Units): Units {
  return bands.findLast(({ from }) => from <= price)?.tick ?? ONE;
}
