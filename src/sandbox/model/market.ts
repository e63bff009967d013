/** A market: its rule, and its public data. */
import type { Market, Side } from "../../contract/index.ts";
import type { Millis, Units } from "./units.ts";

export interface TickBandUnits {
  readonly from: Units;
  readonly tick: Units;
}

/** The fixed rules of a market. Fee rates in units: 0.0005 is 50_000n. */
export interface MarketRule {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly koreanName: string;
  readonly englishName: string;
  readonly minVolume: Units;
  readonly minNotional: Units;
  readonly tickBands: readonly TickBandUnits[];
  readonly priceDecimals: number;
  readonly volumeDecimals: number;
  readonly makerFeeRate: Units;
  readonly takerFeeRate: Units;
  /** The price the simulated market flow starts from and moves around. */
  readonly anchorPrice: Units;
}

export type MarketStatus = Market["status"];

export interface TradeRecord {
  readonly tradeSeq: number;
  readonly symbol: string;
  readonly takerSide: Side;
  readonly price: Units;
  readonly volume: Units;
  readonly time: Millis;
}

export interface CandleRecord {
  readonly start: Millis;
  open: Units;
  high: Units;
  low: Units;
  close: Units;
  volume: Units;
  quoteVolume: Units;
  trades: number;
  /** The number of the candle's first trade that has one: those of a past have none, nor have those that an old version did not count. */
  firstTradeSeq: number | null;
  /** The volume that takers bought, and its value. */
  takerBuyVolume: Units;
  takerBuyQuoteVolume: Units;
}

/** Which candles of a period are meant where it has more than asked for. */
export type CandleEnd = "newest" | "oldest";

export interface TickerRecord {
  readonly symbol: string;
  readonly last: Units | null;
  readonly open: Units | null;
  readonly high: Units | null;
  readonly low: Units | null;
  readonly volume: Units;
  readonly quoteVolume: Units;
  readonly trades: number;
  /** The number of the first trade in the 24 hours that has one. */
  readonly firstTradeSeq: number | null;
  readonly bestBid: Units | null;
  readonly bestAsk: Units | null;
}

export interface BookRecord {
  /** Rises by one with every command that changes the market's book, over restarts too. */
  readonly seq: number;
  /** Best first: `[price, volume]`. */
  readonly buys: readonly (readonly [Units, Units])[];
  readonly asks: readonly (readonly [Units, Units])[];
}
