/**
 * Converts the engine's public market data into the shapes of the alias endpoints. Source: service.md#alias-public.
 */
import type {
  AliasAggTrade,
  AliasBookTicker,
  AliasFullDay,
  AliasKline,
  AliasMiniDay,
  AliasTrade,
} from "../../../contract/index.ts";
import type { BookRecord, CandleRecord, Millis, TickerRecord, TradeRecord } from "../../model/index.ts";
import { quotient } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";
import { aliasSymbolOf, amountOrZero, amountText, notionalOf } from "./amount-text.ts";

export function tradeView({ tradeSeq, price, volume, time, takerSide }: TradeRecord): AliasTrade {
  return {
    id: tradeSeq,
    price: amountText(price),
    qty: amountText(volume),
    quoteQty: amountText(notionalOf(price, volume)),
    time,
    traded_at: timeText(time),
    isBuyerMaker: takerSide === "sell",
    isBestMatch: true,
  };
}

/** @param oldestFirst trades; neighbours of one moment, side and price become one. */
export function aggTradesView(oldestFirst: readonly TradeRecord[]): AliasAggTrade[] {
  const groups: { first: TradeRecord; last: TradeRecord; volume: bigint }[] = [];
  for (const trade of oldestFirst) {
    const group = groups.at(-1);
    const { time, price, takerSide } = group?.first ?? {};
    if (group === undefined || time !== trade.time || price !== trade.price || takerSide !== trade.takerSide)
      groups.push({ first: trade, last: trade, volume: trade.volume });
    else Object.assign(group, { last: trade, volume: group.volume + trade.volume });
  }
  return groups.map(({ first: { tradeSeq, price, time, takerSide }, last, volume }) => ({
    a: tradeSeq,
    p: amountText(price),
    q: amountText(volume),
    f: tradeSeq,
    l: last.tradeSeq,
    T: time,
    m: takerSide === "sell",
    M: true,
    traded_at: timeText(time),
  }));
}

export function klineView(candle: CandleRecord, intervalMs: Millis): AliasKline {
  return [
    candle.start,
    amountText(candle.open),
    amountText(candle.high),
    amountText(candle.low),
    amountText(candle.close),
    amountText(candle.volume),
    candle.start + intervalMs - 1,
    amountText(candle.quoteVolume),
    candle.trades,
    amountText(candle.takerBuyVolume),
    amountText(candle.takerBuyQuoteVolume),
    "0",
  ];
}

export function bookTickerView(symbol: string, { buys, asks }: BookRecord): AliasBookTicker {
  return { symbol: aliasSymbolOf(symbol), ...bestPricesOf({ buys, asks }) };
}

/** The 24 hours up to `at`, with the book, the last trade, and the candle before them. */
export interface DayRecord {
  readonly from: Millis;
  readonly at: Millis;
  readonly ticker: TickerRecord;
  readonly book: BookRecord;
  /** The last candle of a minute with trades before the 24 hours. */
  readonly before: CandleRecord | undefined;
  readonly lastTrade: TradeRecord | undefined;
}

export function miniDayView({ from, at, ticker, lastTrade }: DayRecord): AliasMiniDay {
  const { symbol, last, open, high, low, volume, quoteVolume, trades, firstTradeSeq } = ticker;
  return {
    symbol: aliasSymbolOf(symbol),
    openPrice: amountOrZero(open),
    highPrice: amountOrZero(high),
    lowPrice: amountOrZero(low),
    lastPrice: amountOrZero(last),
    volume: amountText(volume),
    quoteVolume: amountText(quoteVolume),
    openTime: from,
    opened_at: timeText(from),
    closeTime: at,
    closed_at: timeText(at),
    firstId: firstTradeSeq ?? -1,
    lastId: firstTradeSeq === null ? -1 : (lastTrade?.tradeSeq ?? -1),
    count: trades,
  };
}

export function dayView(day: DayRecord): AliasFullDay {
  const { last, open, volume, quoteVolume } = day.ticker;
  const change = last === null || open === null ? 0n : last - open;
  return {
    ...miniDayView(day),
    priceChange: amountText(change),
    priceChangePercent: amountText(open === null || open === 0n ? 0n : quotient(change * 100n, open)),
    weightedAvgPrice: amountText(volume === 0n ? 0n : quotient(quoteVolume, volume)),
    prevClosePrice: amountOrZero(day.before?.close ?? null),
    lastQty: amountOrZero(day.lastTrade?.volume ?? null),
    ...bestPricesOf(day.book),
  };
}

function bestPricesOf({ buys, asks }: Pick<BookRecord, "buys" | "asks">): Omit<AliasBookTicker, "symbol"> {
  const [[bidPrice, bidQty] = [0n, 0n]] = buys;
  const [[askPrice, askQty] = [0n, 0n]] = asks;
  return {
    bidPrice: amountText(bidPrice),
    bidQty: amountText(bidQty),
    askPrice: amountText(askPrice),
    askQty: amountText(askQty),
  };
}
