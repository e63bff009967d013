/**
 * The answers of Coinone, and what they are in the house's words.
 *
 * Invariants:
 * - An order is read whatever optional field is missing: one that cannot be read could be taken for one that is not there.
 * - Numbers are text from the wire on. Digits beyond the house's are rounded half-even at the last moment.
 *
 * Source: SOURCES.md#answers.
 */
import { z } from "zod";
import type { Order } from "../../contract/index.ts";
import { price } from "../../decimal/index.ts";
import * as shown from "../shown-answer.ts";
import { count, epochOf, exactly, isZero, maybe, notMore, number, wire } from "../shown-number.ts";

/** What all markets that hoga trades in are quoted in, and what fees are paid in. */
export const QUOTE = "KRW";

const time = count.nullish().catch(undefined);
const BOUND = /^(?!0(\.0001)?$)./;
const flag = z.boolean().nullish().catch(undefined);
const pair = { quote_currency: z.string().min(1), target_currency: z.string().min(1) };

/** Whatever is answered; anything else is no answer. */
function answered<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject({ result: z.literal("success"), ...shape });
}

const orderFields = z.looseObject({
  ...{ order_id: z.string().min(1), side: z.enum(["BUY", "SELL"]), user_order_id: maybe, type: maybe, status: maybe },
  ...{ price: maybe, original_qty: maybe, executed_qty: maybe, canceled_qty: maybe, remain_qty: maybe },
  ...{ original_amount: maybe, traded_amount: maybe, average_executed_price: maybe, fee: maybe },
  ...{ quote_currency: maybe, target_currency: maybe, limit_price: maybe, ordered_at: time, updated_at: time },
});
const fillFields = z.looseObject({
  ...{ trade_id: z.string().min(1), order_id: z.string().min(1), ...pair, is_ask: z.boolean(), is_maker: flag },
  ...{ price: number, qty: number, fee: maybe, fee_currency: maybe, timestamp: count },
});
const level = z.looseObject({ price: number, qty: number });
const best = z.array(level).nullish().catch(undefined);
const tickerFields = z.looseObject({
  ...{ ...pair, timestamp: time, first: maybe, last: maybe, high: maybe, low: maybe },
  ...{ quote_volume: maybe, target_volume: maybe, best_asks: best, best_bids: best },
});
const candleFields = z.looseObject({
  ...{ timestamp: count, open: number, high: number, low: number, close: number },
  ...{ target_volume: number, quote_volume: number },
});
const publicTrade = z.looseObject({
  ...{ id: z.string(), timestamp: count, price: number, qty: number, is_seller_maker: z.boolean() },
});
const marketFields = z.looseObject({
  ...{ ...pair, price_unit: maybe, qty_unit: maybe, min_qty: maybe, min_order_amount: maybe },
  ...{ maintenance_status: maybe, trade_status: maybe },
});

export const orderAnswer = answered({ order: orderFields });
export const activeAnswer = answered({ active_orders: z.array(orderFields.extend(pair)) });
export const fillsAnswer = answered({ completed_orders: z.array(fillFields) });
export const namedAnswer = answered({ order_id: z.string().min(1) });
export const doneAnswer = answered({});
const rows = <Shape extends z.ZodRawShape>(fields: Shape) => z.array(z.looseObject(fields));
export const balancesAnswer = answered({ balances: rows({ currency: z.string(), available: number, limit: maybe }) });
export const feesAnswer = answered({ fee_rates: rows({ ...pair, maker: maybe, taker: maybe }) });
export const marketsAnswer = answered({ markets: z.array(marketFields) });
export const unitsAnswer = answered({ range_price_units: rows({ range_min: number, price_unit: number }) });
export const tickersAnswer = answered({ tickers: z.array(tickerFields) });
export const bookAnswer = answered({ timestamp: time, id: maybe, bids: z.array(level), asks: z.array(level) });
export const tradesAnswer = answered({ transactions: z.array(publicTrade) });
export const candlesAnswer = answered({ is_last: flag, chart: z.array(candleFields) });

/** A type, so that it is as good as any list of fields. */
export type Pair = { readonly quote_currency: string; readonly target_currency: string };

export function symbolOf({ quote_currency: quote, target_currency: base }: Pair): string {
  return `${base}/${quote}`.toUpperCase();
}

export function pairOf(symbol: string): Pair {
  const [base = "", quote = ""] = symbol.toUpperCase().split("/");
  return { quote_currency: quote, target_currency: base };
}

/** What was asked for, where the answer does not repeat it, and when. */
export interface Known {
  readonly symbol?: string;
  readonly userref?: string;
  readonly readAtMs: number;
}

type OrderFields = z.output<typeof orderFields>;

export function orderOf(answer: OrderFields, { symbol: asked = "", userref, readAtMs }: Known): Order {
  const { order_id: orderId, quote_currency: quote, target_currency: base, average_executed_price: average } = answer;
  const symbol = quote == null || base == null ? asked : symbolOf({ quote_currency: quote, target_currency: base });
  // A market sell with a bound is the limit order (IOC) that it was sent for; without one it shows the least price.
  const isBound = answer.side === "SELL" && answer.type === "MARKET" && BOUND.test(wire(answer.limit_price) ?? "");
  const limit = isBound ? answer.limit_price : answer.price;
  const isLimit = isBound || (answer.type == null ? answer.price != null : answer.type !== "MARKET");
  const executed = wire(answer.executed_qty) ?? executedOf(answer);
  const state = stateOf(answer, executed);
  return shown.shownOrder({
    ...{ orderId, symbol, side: answer.side === "BUY" ? "buy" : "sell", isLimit, state },
    ...{ price: limit, volume: answer.original_qty, amount: answer.original_amount, fee: answer.fee },
    // Told of a market buy alone.
    ...{ executed, value: wire(answer.traded_amount) ?? worthOf(executed, wire(average)), average },
    remaining: state === "open" ? answer.remain_qty : undefined,
    ...{ userref: answer.user_order_id ?? userref, created_at: epochOf(answer.ordered_at, readAtMs) },
    updated_at: answer.updated_at == null ? undefined : epochOf(answer.updated_at, readAtMs),
  });
}

function executedOf({ original_qty: whole, remain_qty: rest, canceled_qty: canceled }: OrderFields): string {
  const [volume, left] = [wire(whole), wire(rest)];
  return volume === undefined || left === undefined ? "0" : notMore(notMore(volume, left), wire(canceled) ?? "0");
}

function worthOf(executed: string, each: string | undefined): string | undefined {
  return isZero(executed) ? "0" : each && shown.worth(each, executed);
}

const ENDS: ReadonlyMap<string, Order["state"]> = new Map([
  ["FILLED", "filled"],
  ["CANCELED", "canceled"],
  ["NOT_TRIGGERED_CANCELED", "canceled"],
  ["CANCELED_NO_ORDER", "canceled"],
  ["CANCELED_LIMIT_PRICE_EXCEED", "canceled"],
  ["CANCELED_UNDER_PRODUCT_UNIT", "filled"],
]);
const IN_PART: ReadonlySet<string> = new Set(["PARTIALLY_CANCELED", "NOT_TRIGGERED_PARTIALLY_CANCELED"]);

/** An order in part canceled may go on with the rest. A market buy that has left dust is filled. Any state that is not known is no end. */
function stateOf({ status, remain_qty: rest }: OrderFields, executed: string): Order["state"] {
  const left = wire(rest);
  if (IN_PART.has(status ?? "")) return left !== undefined && isZero(left) ? "canceled" : "open";
  const end = ENDS.get(status ?? "") ?? "open";
  return end === "filled" && status !== "FILLED" && isZero(executed) ? "canceled" : end;
}

export function fillOf(answer: z.output<typeof fillFields>) {
  const { trade_id, order_id: orderId, price: each, qty, fee, fee_currency: feeCurrency, is_maker: isMaker } = answer;
  return shown.shownFill({
    ...{ trade_id, orderId, symbol: symbolOf(answer), side: answer.is_ask ? "sell" : "buy", price: each, qty },
    ...{ fee, feeCurrency, isTaker: isMaker == null ? isMaker : !isMaker, time: epochOf(answer.timestamp, 0) },
  });
}

/** Of what the account has: it lists every coin. */
export function balancesOf({ balances }: z.output<typeof balancesAnswer>) {
  const all = balances.flatMap(({ currency, available, limit }) => shown.shownBalance(currency, available, limit));
  return all.filter(({ asset, total }) => !isZero(total) || asset === QUOTE);
}

/** Of the last 24 hours. */
export function tickerOf(answer: z.output<typeof tickerFields>, readAtMs: number) {
  const [last, open] = [wire(answer.last), wire(answer.first)];
  const change = last === undefined || open === undefined ? undefined : price(last).minus(price(open));
  const rate = change === undefined || isZero(open ?? "0") ? undefined : change.ratioTo(price(open ?? "0"));
  const told = {
    ...{ last, open, high: answer.high, low: answer.low, volume: answer.target_volume },
    ...{ quoteVolume: answer.quote_volume, change: change?.toString(), changeRate: rate?.toString() },
    ...{ bid: answer.best_bids?.[0]?.price, ask: answer.best_asks?.[0]?.price },
  };
  return shown.shownTicker(symbolOf(answer), told, epochOf(answer.timestamp, readAtMs));
}

/** Its id grows with every state of the book. */
export function bookOf(symbol: string, answer: z.output<typeof bookAnswer>, depth: number, readAtMs: number) {
  const { id, timestamp } = answer;
  const told = Number(id ?? ""); // not money: a number of the book
  const seq = Number.isSafeInteger(told) && told > 0 ? told : (timestamp ?? readAtMs);
  return shown.shownBook({ symbol, seq, time: epochOf(timestamp, readAtMs) }, answer, depth);
}

/** The side of who took: where the seller was the maker, as the field's name and the table of the stream say, it was the buyer (SOURCES.md#answers). */
export function tradeOf(symbol: string, answer: z.output<typeof publicTrade>) {
  const side = answer.is_seller_maker ? "buy" : "sell";
  return shown.shownTrade({ trade_id: answer.id, symbol, side, time: epochOf(answer.timestamp, 0) }, answer);
}

export function candleOf(answer: z.output<typeof candleFields>) {
  const [volume, quote_volume] = [exactly(answer.target_volume), exactly(answer.quote_volume)];
  return { time: epochOf(answer.timestamp, 0), ...shown.shownPrices(answer), volume, quote_volume };
}
