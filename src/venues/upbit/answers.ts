/**
 * The answers of Upbit, and what they are in the house's words.
 *
 * Invariants:
 * - An order is read whatever optional field is missing: one that cannot be read could be taken for one that is not there.
 * - Numbers are text from the wire on. Digits beyond the house's are rounded half-even here, at the last moment.
 *
 * Source: SOURCES.md#answers.
 */
import { z } from "zod";
import type {
  Accounts,
  BatchCancel,
  Candle,
  Fill,
  Order,
  Orderbook,
  PublicTrade,
  Ticker,
} from "../../contract/index.ts";
import { defined } from "../../contract/index.ts";
import {
  averagePrice,
  Fraction,
  notional,
  notionalOf,
  price,
  quantity,
  quantityFor,
  wireNumber,
} from "../../decimal/index.ts";

/** What all markets that hoga trades in are quoted in, and what fees are paid in. */
export const QUOTE = "KRW";

/** Of another type it is as good as absent. */
const maybe = z.string().nullish().catch(undefined);
const number = z.string().refine((text) => wire(text) !== undefined);
const count = z.coerce.number().pipe(z.int().nonnegative());

const tradeOfOrder = z.looseObject({
  uuid: z.string(),
  price: number,
  volume: number,
  funds: maybe,
  created_at: maybe,
});

export const orderAnswer = z.looseObject({
  uuid: z.string().min(1),
  market: z.string().min(3),
  side: z.enum(["bid", "ask"]),
  state: z.string(),
  ...{ ord_type: maybe, price: maybe, volume: maybe, identifier: maybe, time_in_force: maybe, created_at: maybe },
  ...{ executed_volume: maybe, remaining_volume: maybe, executed_funds: maybe, paid_fee: maybe },
  trades: z.array(tradeOfOrder).nullish(),
});
export const ordersAnswer = z.array(orderAnswer);

const named = z.looseObject({ orders: z.array(z.looseObject({ uuid: z.string() })).nullish() }).nullish();
export const batchAnswer = z.looseObject({ success: named, failed: named });

export const accountsAnswer = z.array(z.looseObject({ currency: z.string(), balance: number, locked: maybe }));
const limits = z.looseObject({ min_total: maybe }).nullish();
export const chanceAnswer = z.looseObject({
  ...{ bid_fee: maybe, ask_fee: maybe, maker_bid_fee: maybe, maker_ask_fee: maybe },
  market: z.looseObject({ bid: limits, ask: limits, state: maybe }).nullish(),
});
export const marketsAnswer = z.array(z.looseObject({ market: z.string(), korean_name: maybe, english_name: maybe }));
export const instrumentsAnswer = z.array(z.looseObject({ market: z.string(), tick_size: maybe }));
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

/** When those keys of the account end that are ours: nothing of the others leaves it. */
export function keysAnswer(isOurs: (accessKey: string) => boolean) {
  return z
    .array(z.looseObject({ access_key: z.string(), expire_at: maybe }))
    .transform((keys) => keys.filter(({ access_key }) => isOurs(access_key)).map(({ expire_at }) => endOf(expire_at)));
}

/** Undefined for no moment. */
function endOf(text: string | null | undefined): string | undefined {
  const atMs = Date.parse(text ?? "");
  return Number.isFinite(atMs) ? new Date(atMs).toISOString() : undefined;
}

type OrderAnswer = z.output<typeof orderAnswer>;

/** It writes the quote first. */
export function symbolOf(market: string): string {
  const [quote = "", base = ""] = market.split("-");
  return `${base}/${quote}`;
}

export function marketOf(symbol: string): string {
  const [base = "", quote = ""] = symbol.toUpperCase().split("/");
  return `${quote}-${base}`;
}

function signed(text: string | null | undefined): string | undefined {
  return text == null ? undefined : wireNumber(text, "half_even");
}

function wire(text: string | null | undefined, mode: "half_even" | "down" = "half_even"): string | undefined {
  return text == null || text.startsWith("-") ? undefined : wireNumber(text, mode);
}

/** What is checked to be a number. */
function exactly(text: string): string {
  return wire(text) ?? "0";
}

function isoOf(time: string | number | null | undefined, otherwiseMs: number): string {
  const atMs = typeof time === "string" ? Date.parse(time) : (time ?? Number.NaN);
  return new Date(Number.isFinite(atMs) ? atMs : otherwiseMs).toISOString();
}

/** @param readAtMs stands in for a time that is not told */
export function orderOf(answer: OrderAnswer, readAtMs: number): Order {
  const { uuid, market, side: way, identifier, time_in_force: condition } = answer;
  const symbol = symbolOf(market);
  const side = way === "bid" ? "buy" : "sell";
  const isLimit =
    answer.ord_type === "limit" || (answer.ord_type == null && answer.price != null && answer.volume != null);
  const volume = wire(answer.volume);
  const remaining = wire(answer.remaining_volume);
  const trades = (answer.trades ?? []).map((trade) => ({ ...trade, value: fundsOf(trade) }));
  const executed = wire(answer.executed_volume) ?? executedOf(volume, remaining, trades);
  const value = wire(answer.executed_funds) ?? (isZero(executed) ? "0" : sum(trades.map((trade) => trade.value)));
  const amount = isLimit ? null : (wire(answer.price) ?? null);
  const fee = wire(answer.paid_fee);
  const shown: Order = {
    uuid,
    orderId: uuid,
    txid: [uuid],
    symbol,
    side,
    type: isLimit ? "limit" : "market",
    price: isLimit ? (wire(answer.price) ?? null) : null,
    volume: volume ?? null,
    amount,
    executed_volume: executed,
    remaining_volume: volume === undefined ? null : (remaining ?? notMore(volume, executed)),
    avg_price: value === undefined || isZero(executed) ? null : average(value, executed),
    state: stateOf(answer, { executed, value, amount }),
    reject_reason: null,
    userref: identifier ?? null,
    created_at: isoOf(answer.created_at, readAtMs),
    ...(isLimit && { time_in_force: CONDITIONS[condition ?? ""] ?? "GTC", post_only: condition === "post_only" }),
    ...defined({ executed_value: value, fee, fee_currency: fee === undefined ? undefined : market.split("-")[0] }),
  };
  return answer.trades == null ? shown : { ...shown, trades: fillsOf(shown, trades, readAtMs) };
}

const CONDITIONS: Readonly<Record<string, "GTC" | "IOC" | "FOK">> = { ioc: "IOC", fok: "FOK" };

type Trade = z.output<typeof tradeOfOrder> & { readonly value: string };

function fundsOf({ funds, price: each, volume }: z.output<typeof tradeOfOrder>): string {
  return wire(funds) ?? exactly(notionalOf(price(exactly(each)), quantity(exactly(volume))).toString());
}

function sum(values: readonly string[]): string | undefined {
  const [first, ...rest] = values.map(notional);
  return first === undefined ? undefined : rest.reduce((total, value) => total.plus(value), first).toString();
}

const isZero = (text: string): boolean => quantity(text).isZero();

function executedOf(volume: string | undefined, remaining: string | undefined, trades: readonly Trade[]): string {
  if (volume !== undefined && remaining !== undefined) return notMore(volume, remaining);
  return sum(trades.map((trade) => exactly(trade.volume))) ?? "0";
}

function notMore(whole: string, part: string): string {
  const rest = quantity(whole).minus(quantity(part));
  return rest.isNegative() ? "0" : rest.toString();
}

function average(value: string, executed: string): string {
  return averagePrice(notional(value), quantity(executed), 8, "half_even").toString();
}

interface Executed {
  readonly executed: string;
  readonly value: string | undefined;
  readonly amount: string | null;
}

/** A market buy that has spent all but what buys nothing any more ends as `cancel` there: it is filled. Any state that is not known is no end. */
function stateOf({ state, ord_type: type }: OrderAnswer, { executed, value, amount }: Executed): Order["state"] {
  if (state === "done") return "filled";
  if (state !== "cancel") return "open";
  if (type !== "price" || amount === null || value === undefined || isZero(executed)) return "canceled";
  const left = notional(amount).minus(notional(value));
  const buysNothing = left.isNegative() || quantityFor(left, price(average(value, executed)), 8, "down").isZero();
  return buysNothing ? "filled" : "canceled";
}

/** The exchange tells one fee for an order: it is divided by value, and what is left of it goes to the last. */
function fillsOf(order: Order, trades: readonly Trade[], readAtMs: number): Fill[] {
  const { symbol, side, orderId, userref, fee = "0", fee_currency: currency = QUOTE } = order;
  const total = sum(trades.map(({ value }) => value)) ?? "0";
  let left = Fraction.of(fee);
  return trades.map((trade, at) => {
    const isLast = at === trades.length - 1;
    const whole = Fraction.of(total);
    const part = isLast || whole.isZero() ? left : Fraction.of(fee).share(Fraction.of(trade.value), whole);
    const share = part.rounded(8, "down");
    left = left.minus(Fraction.of(share));
    return {
      ...{ trade_id: trade.uuid, orderId, userref, symbol, side, value: trade.value },
      ...{ price: exactly(trade.price), volume: exactly(trade.volume) },
      ...{ fee: share, fee_currency: currency, fee_exact: trades.length === 1 && order.fee !== undefined },
      time: isoOf(trade.created_at ?? order.created_at, readAtMs),
    };
  });
}

/** Ids of the orders whose cancel was taken, and of those where it was not. */
export function batchOf({ success, failed: refused }: z.output<typeof batchAnswer>): BatchCancel {
  const ids = (part: typeof success): string[] => (part?.orders ?? []).map(({ uuid }) => uuid);
  // It does not say why.
  return { requested: ids(success), failed: ids(refused).map((uuid) => ({ uuid, error: "EOrder:Not canceled" })) };
}

const ASSET = /^[A-Z0-9]{1,15}$/;

export function balancesOf(answer: z.output<typeof accountsAnswer>): Accounts["balances"] {
  return answer.flatMap(({ currency, balance, locked }) => {
    const available = wire(balance, "down");
    const held = wire(locked ?? "0", "down");
    // A name of other letters cannot be traded here.
    if (available === undefined || held === undefined || !ASSET.test(currency)) return [];
    return [{ asset: currency, total: quantity(available).plus(quantity(held)).toString(), available, locked: held }];
  });
}

/** Its day begins at 0:00 UTC, where its changes are counted from; volumes are of 24 hours. */
export function tickerOf(answer: z.output<typeof tickersAnswer>[number], readAtMs: number): Ticker {
  const { trade_price: last, prev_closing_price: open, high_price: high, low_price: low, timestamp } = answer;
  const { acc_trade_volume_24h: volume, acc_trade_price_24h: value } = answer;
  const { signed_change_price: change, signed_change_rate: changeRate } = answer;
  return {
    ...{ symbol: symbolOf(answer.market), last: wire(last) ?? null, open: wire(open) ?? null },
    ...{
      high: wire(high) ?? null,
      low: wire(low) ?? null,
      volume: wire(volume) ?? "0",
      quote_volume: wire(value) ?? "0",
    },
    ...{ change: signed(change) ?? null, change_rate: signed(changeRate) ?? null, best_bid: null, best_ask: null },
    time: isoOf(timestamp, readAtMs),
  };
}

/** It has no number of its own for each state of a book: the time stands for it. */
export function bookOf(answer: z.output<typeof booksAnswer>[number], depth: number, readAtMs: number): Orderbook {
  const { market, timestamp, orderbook_units: units } = answer;
  const side = (name: "bid" | "ask"): [string, string][] =>
    units
      .slice(0, depth)
      .map((unit): [string, string] => [exactly(unit[`${name}_price`]), exactly(unit[`${name}_size`])])
      .filter(([, size]) => !isZero(size));
  const tick = { buys: side("bid"), asks: side("ask") };
  return { symbol: symbolOf(market), seq: timestamp ?? readAtMs, tick, time: isoOf(timestamp, readAtMs) };
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
    ...{ open: exactly(open), high: exactly(high), low: exactly(low), close: exactly(close) },
    volume: exactly(answer.candle_acc_trade_volume),
    quote_volume: exactly(answer.candle_acc_trade_price),
  };
}
