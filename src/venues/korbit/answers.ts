/**
 * The answers of Korbit, and what they are in the house's words.
 *
 * Invariant: an order is read whatever optional field is missing: one that cannot be read could be taken for one that is not there.
 *
 * Source: SOURCES.md#answers.
 */
import { z } from "zod";
import type {
  Accounts,
  Candle,
  Fill,
  KeyFacts,
  Order,
  Orderbook,
  PublicTrade,
  ServerTime,
  Ticker,
} from "../../contract/index.ts";
import { defined } from "../../contract/index.ts";
import { notional, notionalOf, price, quantity, quantityFor } from "../../decimal/index.ts";
import {
  average,
  count,
  exactly,
  isoOf,
  isZero,
  maybe,
  momentOf,
  notMore,
  number,
  signed,
  wire,
} from "../shown-number.ts";

/** What all markets are quoted in. */
export const QUOTE = "KRW";

const time = count.nullish().catch(undefined);
const flag = z.boolean().nullish().catch(undefined);
const id = z.string().min(1).max(64);

/** All answers stand in an envelope that says whether it worked. */
export const taken = z.looseObject({ success: z.literal(true) });
const data = <T>(inner: z.ZodType<T>) => taken.extend({ data: inner }).transform((answer) => answer.data as T);

export const timeAnswer = data(z.looseObject({ time: count })).transform(({ time: unix_ms }): ServerTime => {
  return { unix_ms, iso: isoOf(unix_ms, 0) };
});
const orderShape = z.looseObject({
  ...{ orderId: id, side: z.enum(["buy", "sell"]), status: z.string() },
  ...{ symbol: maybe, orderType: maybe, timeInForce: maybe, clientOrderId: maybe, createdAt: time },
  ...{ price: maybe, qty: maybe, amt: maybe, filledQty: maybe, filledAmt: maybe, avgPrice: maybe },
});
export const orderAnswer = data(orderShape);
export const ordersAnswer = data(z.array(orderShape));
/** What it tells of the key that has asked. */
export const keyAnswer = data(
  z.looseObject({ permissions: z.array(z.string()).nullish().catch(undefined), expiration: time }),
).transform(({ permissions, expiration }): KeyFacts => {
  return { permissions: permissions ?? null, ends_at: momentOf(expiration) };
});
export const placedAnswer = data(z.looseObject({ orderId: id }));
export const fillsAnswer = data(
  z.array(
    z.looseObject({
      ...{ tradeId: id, orderId: id, side: z.enum(["buy", "sell"]), price: number, qty: number, tradedAt: count },
      ...{ amt: maybe, isTaker: flag, feeCurrency: maybe, feeQty: maybe },
    }),
  ),
);
export const balanceAnswer = data(
  z.array(z.looseObject({ currency: z.string(), available: number, tradeInUse: maybe, withdrawalInUse: maybe })),
);
export const feesAnswer = data(
  z.array(
    z.looseObject({
      ...{ symbol: z.string(), buyFeeCurrency: maybe, maxFeeRate: maybe, takerFeeRate: maybe, makerFeeRate: maybe },
    }),
  ),
);
export const pairsAnswer = data(z.array(z.looseObject({ symbol: z.string(), status: maybe, minOrderValue: maybe })));
export const currenciesAnswer = data(z.array(z.looseObject({ name: z.string(), fullName: maybe })));
export const ticksAnswer = data(
  z.array(
    z.looseObject({
      symbol: z.string(),
      tickSizePolicy: z.array(z.looseObject({ priceGte: number, tickSize: number })),
    }),
  ),
);
export const tickersAnswer = data(
  z.array(
    z.looseObject({
      ...{ symbol: z.string(), close: maybe, prevClose: maybe, high: maybe, low: maybe, lastTradedAt: time },
      ...{ priceChange: maybe, priceChangePercent: maybe, volume: maybe, quoteVolume: maybe },
      ...{ bestBidPrice: maybe, bestAskPrice: maybe },
    }),
  ),
);
const levels = z.array(z.looseObject({ price: number, qty: number }));
export const bookAnswer = data(z.looseObject({ timestamp: time, bids: levels, asks: levels }));
export const tradesAnswer = data(
  z.array(z.looseObject({ tradeId: id, timestamp: count, price: number, qty: number, isBuyerTaker: z.boolean() })),
);
export const candlesAnswer = data(
  z.array(z.looseObject({ timestamp: count, open: number, high: number, low: number, close: number, volume: number })),
);

export type OrderAnswer = z.output<typeof orderShape>;

/** It writes small letters. */
export function symbolOf(market: string): string {
  const [base = "", quote = ""] = market.toUpperCase().split("_");
  return `${base}/${quote}`;
}

export function marketOf(symbol: string): string {
  return symbol.toLowerCase().replace("/", "_");
}

/** @param market it was asked for in; @param readAtMs stands in for a time that is not told */
export function orderOf(answer: OrderAnswer, market: string, readAtMs: number): Order {
  const { orderId, side, clientOrderId, timeInForce, status } = answer;
  const isLimit = PRICED[answer.orderType ?? ""] ?? answer.price != null;
  const [volume, amount] = [wire(answer.qty), isLimit ? undefined : wire(answer.amt)];
  const executed = wire(answer.filledQty) ?? (status === "filled" ? volume : undefined) ?? "0";
  const value = wire(answer.filledAmt);
  const condition = isLimit ? CONDITIONS[timeInForce ?? ""] : undefined;
  return {
    ...{ uuid: orderId, orderId, txid: [orderId], symbol: symbolOf(answer.symbol ?? market), side },
    ...{ type: isLimit ? "limit" : "market", price: isLimit ? (wire(answer.price) ?? null) : null },
    ...{ volume: volume ?? null, amount: amount ?? null, executed_volume: executed },
    remaining_volume: volume === undefined ? null : notMore(volume, executed),
    avg_price: wire(answer.avgPrice) ?? (value === undefined || isZero(executed) ? null : average(value, executed)),
    state: stateOf(status, { executed, value, volume, amount }),
    ...{ reject_reason: null, userref: clientOrderId ?? null, created_at: isoOf(answer.createdAt, readAtMs) },
    ...(condition && { time_in_force: condition, post_only: timeInForce === "po" }),
    ...defined({ executed_value: value }),
  };
}

/** Its types: `best` takes its price from the book. Of any other the price tells. */
const PRICED: Readonly<Record<string, boolean>> = { limit: true, best: true, market: false };
const CONDITIONS: Readonly<Record<string, "GTC" | "IOC" | "FOK">> = { gtc: "GTC", po: "GTC", ioc: "IOC", fok: "FOK" };

interface Executed {
  readonly executed: string;
  readonly value: string | undefined;
  readonly volume: string | undefined;
  readonly amount: string | undefined;
}

/** One that may not rest ends as `filled` there, however little was: what it has executed decides. Any state that is not known is no end. */
function stateOf(status: string, { executed, value, volume, amount }: Executed): Order["state"] {
  if (status === "canceled" || status === "partiallyFilledCanceled") return "canceled";
  if (status === "expired") return "expired";
  if (status !== "filled") return "open";
  if (volume !== undefined) return quantity(executed).lt(quantity(volume)) ? "canceled" : "filled";
  if (amount === undefined || value === undefined) return "filled";
  const left = notional(amount).minus(notional(value));
  if (left.isNegative() || left.isZero()) return "filled";
  if (isZero(executed)) return "canceled";
  return quantityFor(left, price(average(value, executed)), 8, "down").isZero() ? "filled" : "canceled";
}

/** Its ids of trades count within a market, and both sides of a trade with oneself have the same. */
export function fillOf(answer: z.output<typeof fillsAnswer>[number], market: string): Fill {
  const { tradeId, orderId, side, price: each, qty, amt, feeQty, feeCurrency, isTaker } = answer;
  const fee = wire(feeQty);
  return {
    ...{ trade_id: `${market}-${tradeId}-${orderId}`, orderId, userref: null, symbol: symbolOf(market), side },
    ...{ price: exactly(each), volume: exactly(qty) },
    value: wire(amt) ?? exactly(notionalOf(price(exactly(each)), quantity(exactly(qty))).toString()),
    ...{ fee: fee ?? "0", fee_currency: (feeCurrency ?? QUOTE).toUpperCase(), fee_exact: fee !== undefined },
    ...(isTaker == null ? {} : { liquidity: isTaker ? "taker" : "maker" }),
    time: isoOf(answer.tradedAt, 0),
  };
}

const ASSET = /^[A-Z0-9]{1,15}$/;

export function balancesOf(answer: z.output<typeof balanceAnswer>): Accounts["balances"] {
  return answer.flatMap(({ currency, available: free, tradeInUse, withdrawalInUse }) => {
    const [asset, available = "0"] = [currency.toUpperCase(), wire(free, "down")];
    // A name of other letters cannot be traded here.
    if (!ASSET.test(asset)) return [];
    const parts = [tradeInUse, withdrawalInUse].map((part) => quantity(wire(part, "down") ?? "0"));
    const held = parts.reduce((sum, part) => sum.plus(part));
    return [{ asset, total: quantity(available).plus(held).toString(), available, locked: held.toString() }];
  });
}

/** Its change counts from the close before, of the 24 hours that all other figures are of. */
export function tickerOf(answer: z.output<typeof tickersAnswer>[number], readAtMs: number): Ticker {
  const { symbol, close, prevClose, high, low, volume, quoteVolume, priceChange, priceChangePercent: percent } = answer;
  const best = (side: string | null | undefined): string | null => {
    const told = wire(side);
    return told === undefined || isZero(told) ? null : told;
  };
  return {
    ...{ symbol: symbolOf(symbol), last: wire(close) ?? null, open: wire(prevClose) ?? null },
    ...{ high: wire(high) ?? null, low: wire(low) ?? null },
    ...{ volume: wire(volume) ?? "0", quote_volume: wire(quoteVolume) ?? "0" },
    ...{
      change: signed(priceChange) ?? null,
      change_rate: signed(percent == null ? percent : `${percent}e-2`) ?? null,
    },
    ...{ best_bid: best(answer.bestBidPrice), best_ask: best(answer.bestAskPrice) },
    time: isoOf(answer.lastTradedAt, readAtMs),
  };
}

/** It has no number of its own for each state of a book: the time stands for it. */
export function bookOf(
  answer: z.output<typeof bookAnswer>,
  market: string,
  depth: number,
  readAtMs: number,
): Orderbook {
  const side = (found: z.output<typeof levels>): [string, string][] =>
    found.slice(0, depth).flatMap(({ price: at, qty }) => (isZero(exactly(qty)) ? [] : [[exactly(at), exactly(qty)]]));
  const tick = { buys: side(answer.bids), asks: side(answer.asks) };
  const { timestamp } = answer;
  return { symbol: symbolOf(market), seq: timestamp ?? readAtMs, tick, time: isoOf(timestamp, readAtMs) };
}

export function tradeOf(symbol: string, answer: z.output<typeof tradesAnswer>[number]): PublicTrade {
  const { tradeId, timestamp, price: at, qty, isBuyerTaker } = answer;
  const side = isBuyerTaker ? "buy" : "sell";
  return { trade_id: tradeId, symbol, side, price: exactly(at), volume: exactly(qty), time: isoOf(timestamp, 0) };
}

export function candleOf(answer: z.output<typeof candlesAnswer>[number]): Candle {
  const { open, high, low, close, volume } = answer;
  return {
    time: isoOf(answer.timestamp, 0),
    ...{ open: exactly(open), high: exactly(high), low: exactly(low), close: exactly(close) },
    volume: exactly(volume),
  };
}
