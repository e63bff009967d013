/** What a market did of late, as quotations show it; a day begins with UTC's. Entry points: `marketDay`, `previousClose`. */
import type { CandleRecord, Exchange, Millis, TickerRecord, TradeRecord, Units } from "../model/index.ts";
import { DAY_MS } from "./candles.ts";
import type { ListedMarket } from "./won-markets.ts";

/** Exchanges show the highest and lowest price of 52 weeks; making so much of a past takes seconds. */
const EXTREMES_DAYS = 30;

export interface MarketDay {
  readonly price: Units;
  /** The close of the day before. */
  readonly before: Units;
  readonly trade: TradeRecord | undefined;
  readonly today: CandleRecord | undefined;
  readonly last24Hours: TickerRecord;
  readonly highest: { readonly price: Units; readonly dayStart: Millis };
  readonly lowest: { readonly price: Units; readonly dayStart: Millis };
}

export function marketDay(exchange: Exchange, market: ListedMarket, at: Millis): MarketDay {
  const { symbol, last, anchorPrice } = market;
  const price = last ?? anchorPrice;
  const days = exchange.candles(symbol, DAY_MS, at - EXTREMES_DAYS * DAY_MS, at, EXTREMES_DAYS + 1);
  const highest = days.reduce((most, { high }) => (high > most ? high : most), price);
  const lowest = days.reduce((least, { low }) => (low < least ? low : least), price);
  return {
    price,
    before: previousClose(exchange, market, at),
    trade: exchange.trades(symbol, 1)[0],
    today: days.find(({ start }) => start === at - (at % DAY_MS)),
    last24Hours: exchange.ticker(symbol, at),
    highest: { price: highest, dayStart: days.find(({ high }) => high === highest)?.start ?? at },
    lowest: { price: lowest, dayStart: days.find(({ low }) => low === lowest)?.start ?? at },
  };
}

/** The close of the day before, by which changes are counted; what the market began at where there was none. */
export function previousClose(exchange: Exchange, market: ListedMarket, at: Millis): Units {
  const today = at - (at % DAY_MS);
  const [before] = exchange.candles(market.symbol, DAY_MS, 0, today - 1, 1);
  return before?.close ?? market.anchorPrice;
}

const IDS_PER_MS = 10_000n;

/** A number of a trade that is larger than the integers that a double keeps apart, as those of exchanges are. */
export function sequentialId({ time, tradeSeq }: TradeRecord): bigint {
  return BigInt(time) * IDS_PER_MS + (BigInt(tradeSeq) % IDS_PER_MS);
}
