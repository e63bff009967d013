/**
 * Market data and balances as they look at the exchanges that write the quote first (`QUOTE-BASE`) and answer in the fields that are read here, and
 * what they are in the house's words. Whether an exchange is one of them stands in its own SOURCES.md.
 */
import { z } from "zod";
import type { Accounts, Candle, KeyFacts, Orderbook, PublicTrade, Ticker } from "../contract/index.ts";
import { shownBalance, shownBook, shownPrices, shownTicker } from "./shown-answer.ts";
import { count, exactly, isoOf, maybe, momentOf, number } from "./shown-number.ts";

export const accountsAnswer = z.array(z.looseObject({ currency: z.string(), balance: number, locked: maybe }));
export const marketsAnswer = z.array(z.looseObject({ market: z.string(), korean_name: maybe, english_name: maybe }));
export const tickersAnswer = z.array(
  z.looseObject({
    ...{ market: z.string(), trade_price: maybe, prev_closing_price: maybe, high_price: maybe, low_price: maybe },
    ...{ acc_trade_volume_24h: maybe, acc_trade_price_24h: maybe, timestamp: count.nullish() },
    ...{ signed_change_price: maybe, signed_change_rate: maybe },
  }),
);
const level = z.looseObject({
  ask_price: number,
  bid_price: number,
  ask_size: number,
  bid_size: number,
});
export const booksAnswer = z.array(
  z.looseObject({ market: z.string(), timestamp: count.nullish(), orderbook_units: z.array(level) }),
);
export const tradesAnswer = z.array(
  z.looseObject({
    ...{ timestamp: count, trade_price: number, trade_volume: number },
    ...{ ask_bid: z.enum(["ASK", "BID"]), sequential_id: z.string() },
  }),
);
export const candlesAnswer = z.array(
  z.looseObject({
    ...{ candle_date_time_utc: z.string(), opening_price: number, high_price: number, low_price: number },
    ...{ trade_price: number, candle_acc_trade_volume: number, candle_acc_trade_price: number },
  }),
);

/** It writes the quote first. */
export function symbolOf(market: string): string {
  const [quote = "", base = ""] = market.split("-");
  return `${base}/${quote}`;
}

export function marketOf(symbol: string): string {
  const [base = "", quote = ""] = symbol.toUpperCase().split("/");
  return `${quote}-${base}`;
}

export function balancesOf(answer: z.output<typeof accountsAnswer>): Accounts["balances"] {
  return answer.flatMap(({ currency, balance, locked }) => shownBalance(currency, balance, locked));
}

/** Its changes are counted from the close of the day before; volumes are of 24 hours. When a day begins is the exchange's own. */
export function tickerOf(answer: z.output<typeof tickersAnswer>[number], readAtMs: number): Ticker {
  const told = {
    ...{ last: answer.trade_price, open: answer.prev_closing_price, high: answer.high_price, low: answer.low_price },
    ...{ volume: answer.acc_trade_volume_24h, quoteVolume: answer.acc_trade_price_24h },
    ...{ change: answer.signed_change_price, changeRate: answer.signed_change_rate },
  };
  return shownTicker(symbolOf(answer.market), told, isoOf(answer.timestamp, readAtMs));
}

/** It has no number of its own for each state of a book: the time stands for it. */
export function bookOf(answer: z.output<typeof booksAnswer>[number], depth: number, readAtMs: number): Orderbook {
  const { market, timestamp, orderbook_units: units } = answer;
  const side = (name: "bid" | "ask") =>
    units.map((unit) => ({ price: unit[`${name}_price`], qty: unit[`${name}_size`] }));
  const known = { symbol: symbolOf(market), seq: timestamp ?? readAtMs, time: isoOf(timestamp, readAtMs) };
  return shownBook(known, { bids: side("bid"), asks: side("ask") }, depth);
}

export function tradeOf(symbol: string, answer: z.output<typeof tradesAnswer>[number]): PublicTrade {
  const { sequential_id, ask_bid, trade_price, trade_volume, timestamp } = answer;
  const side = ask_bid === "BID" ? "buy" : "sell";
  const time = isoOf(timestamp, 0);
  return { trade_id: sequential_id, symbol, side, price: exactly(trade_price), volume: exactly(trade_volume), time };
}

export function candleOf(answer: z.output<typeof candlesAnswer>[number]): Candle {
  const { opening_price: open, high_price: high, low_price: low, trade_price: close } = answer;
  return {
    time: isoOf(`${answer.candle_date_time_utc}Z`, 0),
    ...shownPrices({ open, high, low, close }),
    volume: exactly(answer.candle_acc_trade_volume),
    quote_volume: exactly(answer.candle_acc_trade_price),
  };
}

/** What a list of the account's keys tells of ours: when it ends, and nothing of its rights. Nothing of the others leaves it. */
export function keyFactsAnswer(isOurs: (accessKey: string) => boolean) {
  return z.array(z.looseObject({ access_key: z.string(), expire_at: maybe })).transform((keys): KeyFacts => {
    const ours = keys.find(({ access_key }) => isOurs(access_key));
    return { permissions: null, ends_at: momentOf(ours?.expire_at) };
  });
}
