/**
 * Messages of the stream, with long names or short ones. Entry points: `dataMessage`, `bookData`, `tickerData`, `tradeData`, `orderData`.
 *
 * Invariant: a book is whole in each of its messages, its asks from the worst to the best, as Coinone sends them.
 */
import type { FillRecord, Millis, OrderRecord, TradeRecord, Units } from "../../model/index.ts";
import { type Json, type JsonObject, long } from "../../venue-kit/json-text.ts";
import { tradeUuid } from "../../venue-kit/uuid.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import { decimalText, nullableText } from "../../wire/decimal-text.ts";
import { fixed } from "./amounts.ts";
import type { OrderNote, Variant } from "./coinone-call.ts";
import { pairOf } from "./market-rules.ts";
import { amountOf, statusOf, typeOf } from "./order-view.ts";
import { type Asked, bookView, idOf, tradeId, tradeView, yesterdayView } from "./quotation.ts";
import type { Channel } from "./stream-request.ts";

const BOOK_LEVELS = 16;
const DAY_MS: Millis = 86_400_000;

const COMMON = { quote_currency: "qc", target_currency: "tc", timestamp: "t", id: "i", price: "p", qty: "q" } as const;
const SHORT: Readonly<Record<Channel, Readonly<Record<string, string>>>> = {
  ORDERBOOK: { ...COMMON, asks: "a", bids: "b" },
  TRADE: { ...COMMON, is_seller_maker: "sm" },
  TICKER: {
    ...COMMON,
    ...{ quote_volume: "qv", target_volume: "tv", high: "hi", low: "lo", first: "fi", last: "la", volume_power: "vp" },
    ...{ ask_best_price: "abp", ask_best_qty: "abq", bid_best_price: "bbp", bid_best_qty: "bbq" },
    ...{ yesterday_high: "yhi", yesterday_low: "ylo", yesterday_first: "yfi", yesterday_last: "yla" },
    ...{ yesterday_quote_volume: "yqv", yesterday_target_volume: "ytv" },
  },
  MYORDER: {
    ...{ quote_currency: "qc", target_currency: "tc", order_id: "oi", type: "t", status: "st", side: "s" },
    ...{ order_price: "op", order_qty: "oq", order_amount: "oa", trade_id: "ti", is_maker: "im" },
    ...{ executed_price: "ep", executed_qty: "eq", executed_fee: "ef", remain_qty: "rq", remain_amount: "ra" },
    ...{ user_order_id: "ui", prevented_qty: "pq" },
    ...{ executed_timestamp: "et", order_timestamp: "ot", timestamp: "ts" },
  },
};

export function dataMessage(channel: Channel, data: JsonObject, isShort: boolean): JsonObject {
  return isShort
    ? { r: "DATA", c: channel, d: shortened(data, SHORT[channel]) }
    : { response_type: "DATA", channel, data };
}

function shortened(data: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(data).map(([name, value]: [string, Json | undefined]) => {
    const levels = Array.isArray(value) ? value.map((level: JsonObject) => shortened(level, names)) : value;
    return [names[name] ?? name, levels] as const;
  });
  return Object.fromEntries(entries);
}

export function bookData(asked: Asked, market: ListedMarket): JsonObject {
  const { id, bids, asks } = bookView(asked, market, BOOK_LEVELS);
  return { ...pairOf(market.symbol), timestamp: long(asked.at), id, asks: asks.toReversed(), bids };
}

/** First, highest, lowest and last are of the day in UTC, volumes of the last 24 hours. */
export function tickerData(asked: Asked, market: ListedMarket): JsonObject {
  const { service, at } = asked;
  const { exchange } = service;
  const { symbol, last, anchorPrice } = market;
  const price = last ?? anchorPrice;
  const [today] = exchange.candles(symbol, DAY_MS, at - (at % DAY_MS), at, 1);
  const hours = exchange.ticker(symbol, at);
  const { buys, asks } = exchange.book(symbol, 1);
  const [[askPrice, askQty], [bidPrice, bidQty]] = [asks[0] ?? [null, null], buys[0] ?? [null, null]];
  const [trade] = exchange.trades(symbol, 1);
  return {
    ...pairOf(symbol),
    timestamp: long(trade?.time ?? at),
    quote_volume: decimalText(hours.quoteVolume),
    target_volume: decimalText(hours.volume),
    high: decimalText(today?.high ?? price),
    low: decimalText(today?.low ?? price),
    first: decimalText(today?.open ?? price),
    last: decimalText(price),
    volume_power: "100",
    ask_best_price: nullableText(askPrice),
    ask_best_qty: nullableText(askQty),
    bid_best_price: nullableText(bidPrice),
    bid_best_qty: nullableText(bidQty),
    id: trade === undefined ? idOf(at, 1) : tradeId(trade),
    ...yesterdayView(asked, market, decimalText),
  };
}

export function tradeData(trade: TradeRecord): JsonObject {
  return { ...pairOf(trade.symbol), ...tradeView(trade) };
}

/** What happened to an order: it began, was filled in part, or ended. */
export interface OrderNews {
  readonly order: OrderRecord;
  readonly note: Partial<OrderNote>;
  /** Oldest first; the last one is what happened, unless the order began or ended. */
  readonly fills: readonly FillRecord[];
  readonly happened: "began" | "filled" | "ended";
  readonly at: Millis;
  readonly variant: Variant;
}

const NOTHING = {
  ...{ order_price: null, order_qty: null, order_amount: null, trade_id: null, is_maker: null },
  ...{ executed_price: null, executed_qty: null, executed_fee: null, remain_qty: null, remain_amount: null },
} as const;

/** Times are seconds in the examples of the documents; `other` has milliseconds, as everything else has. */
export function orderData(news: OrderNews): JsonObject {
  const { order, note, fills, happened, at, variant } = news;
  const time = (each: Millis): number => (variant === "other" ? each : Math.floor(each / 1_000));
  const status = statusIn(news);
  const fill = status.startsWith("trade") ? fills.at(-1) : undefined;
  const isNew = happened === "began";
  return {
    ...pairOf(order.symbol),
    order_id: order.orderId,
    type: typeOf(order, note),
    status,
    side: order.side === "buy" ? "BID" : "ASK",
    ...NOTHING,
    ...(isNew ? askedOf(order, note) : fill === undefined ? canceledOf(order, note) : executedOf(news, fill)),
    user_order_id: order.userref,
    prevented_qty: null,
    executed_timestamp: isNew ? null : time(fill?.time ?? order.updatedAt),
    order_timestamp: isNew || fill !== undefined ? time(order.createdAt) : null,
    timestamp: time(at),
  };
}

function statusIn({ order, note, happened, variant }: OrderNews): string {
  if (happened === "began") return "wait";
  if (happened === "filled") return "trade";
  if (order.reason === "post_only_would_match") return "cancel_post_only";
  return statusOf(order, note, variant) === "FILLED" ? "trade_done" : "cancel";
}

function askedOf(order: OrderRecord, note: Partial<OrderNote>): JsonObject {
  const { price, volume } = order;
  const amount = amountOf(order, note);
  return {
    order_price: typeOf(order, note) === "MARKET" || price === null ? null : fixed(price, 4),
    order_qty: amount !== null || volume === null ? null : fixed(volume, 8),
    order_amount: nullableText(amount),
  };
}

/** What is left after the fill, of which later ones may be known. */
function executedOf({ order, note, fills }: OrderNews, fill: FillRecord): JsonObject {
  const { symbol, tradeSeq, liquidity, price, volume, fee } = fill;
  const amount = amountOf(order, note);
  const sum = (of: "volume" | "value"): Units => fills.reduce((total, each) => total + each[of], 0n);
  return {
    trade_id: tradeUuid(symbol, tradeSeq),
    is_maker: liquidity === "maker",
    executed_price: decimalText(price),
    executed_qty: decimalText(volume),
    executed_fee: fixed(fee, 8),
    remain_qty: amount === null ? fixed((order.volume ?? 0n) - sum("volume"), 8) : null,
    remain_amount: amount === null ? "0" : decimalText(amount - sum("value")),
  };
}

function canceledOf(order: OrderRecord, note: Partial<OrderNote>): JsonObject {
  const amount = amountOf(order, note);
  return {
    executed_qty: amount === null ? fixed((order.volume ?? 0n) - order.executedVolume, 8) : null,
    remain_qty: amount === null ? fixed(0n, 8) : null,
    remain_amount: amount === null ? null : decimalText(amount - order.executedValue),
  };
}
