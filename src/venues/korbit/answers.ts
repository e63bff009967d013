/**
 * The answers of Korbit, and what they are in the house's words.
 *
 * Invariant: an order is read whatever optional field is missing: one that cannot be read could be taken for one that is not there.
 *
 * Source: SOURCES.md#answers.
 */
import { z } from "zod";
import type { KeyFacts, Order, ServerTime } from "../../contract/index.ts";
import { quantity, wireNumber } from "../../decimal/index.ts";
import * as shown from "../shown-answer.ts";
import { count, exactly, isoOf, maybe, momentOf, number, wire } from "../shown-number.ts";

/** What all markets are quoted in. */
export const QUOTE = "KRW";
const QUOTE_THERE = QUOTE.toLowerCase();

const time = count.nullish().catch(undefined);
const flag = z.boolean().nullish().catch(undefined);
const text = z.string();
const id = text.min(1).max(64);

/** All answers stand in an envelope that says whether it worked. */
export const taken = z.looseObject({ success: z.literal(true) });
const data = <T>(inner: z.ZodType<T>) => taken.extend({ data: inner }).transform((answer) => answer.data as T);
const list = <Shape extends z.ZodRawShape>(fields: Shape) => data(z.array(z.looseObject(fields)));

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
export const fillsAnswer = list({
  ...{ tradeId: id, orderId: id, side: z.enum(["buy", "sell"]), price: number, qty: number, tradedAt: count },
  ...{ amt: maybe, isTaker: flag, feeCurrency: maybe, feeQty: maybe },
});
export const balanceAnswer = list({ currency: text, available: number, tradeInUse: maybe, withdrawalInUse: maybe });
export const feesAnswer = list({
  ...{ symbol: text, buyFeeCurrency: maybe, maxFeeRate: maybe, takerFeeRate: maybe, makerFeeRate: maybe },
});
export const pairsAnswer = list({ symbol: text, status: maybe, minOrderValue: maybe });
export const currenciesAnswer = list({ name: text, fullName: maybe });
const steps = z.array(z.looseObject({ priceGte: number, tickSize: number }));
export const ticksAnswer = list({ symbol: text, tickSizePolicy: steps });
export const tickersAnswer = list({
  ...{ symbol: text, close: maybe, prevClose: maybe, high: maybe, low: maybe, lastTradedAt: time },
  ...{ priceChange: maybe, priceChangePercent: maybe, volume: maybe, quoteVolume: maybe },
  ...{ bestBidPrice: maybe, bestAskPrice: maybe },
});
const levels = z.array(z.looseObject({ price: number, qty: number }));
export const bookAnswer = data(z.looseObject({ timestamp: time, bids: levels, asks: levels }));
export const tradesAnswer = list({
  ...{ tradeId: id, timestamp: count, price: number, qty: number, isBuyerTaker: z.boolean() },
});
const prices = { open: number, high: number, low: number, close: number };
export const candlesAnswer = list({ timestamp: count, ...prices, volume: number });

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
  const { status, timeInForce, qty, amt, filledQty, filledAmt } = answer;
  const isLimit = PRICED[answer.orderType ?? ""] ?? answer.price != null;
  const executed = wire(filledQty) ?? (status === "filled" ? wire(qty) : undefined) ?? "0";
  const size = { executed, value: wire(filledAmt), volume: wire(qty), amount: isLimit ? undefined : wire(amt) };
  const condition = isLimit ? CONDITIONS[timeInForce ?? ""] : undefined;
  return {
    ...shown.shownOrder({
      ...{ ...size, isLimit, state: stateOf(status, size), price: answer.price, average: answer.avgPrice },
      ...{ orderId: answer.orderId, symbol: symbolOf(answer.symbol ?? market), side: answer.side },
      ...{ userref: answer.clientOrderId, created_at: isoOf(answer.createdAt, readAtMs) },
    }),
    ...(condition && { time_in_force: condition, post_only: timeInForce === "po" }),
  };
}

/** Its types: `best` takes its price from the book. Of any other the price tells. */
const PRICED: Readonly<Record<string, boolean>> = { limit: true, best: true, market: false };
const CONDITIONS: Readonly<Record<string, "GTC" | "IOC" | "FOK">> = { gtc: "GTC", po: "GTC", ioc: "IOC", fok: "FOK" };

type Size = Pick<shown.ToldOrder, "executed" | "value"> & Partial<Record<"volume" | "amount", string | undefined>>;

/** One that may not rest ends as `filled` there, however little was: what it has executed decides. Any state that is not known is no end. */
function stateOf(status: string, { executed, value, volume, amount }: Size): Order["state"] {
  if (status === "canceled" || status === "partiallyFilledCanceled") return "canceled";
  if (status === "expired") return "expired";
  if (status !== "filled") return "open";
  if (volume !== undefined) return quantity(executed).lt(quantity(volume)) ? "canceled" : "filled";
  if (amount === undefined || value === undefined) return "filled";
  return shown.buysNothing(amount, value, executed) ? "filled" : "canceled";
}

/** Its ids of trades count within a market, and both sides of a trade with oneself have the same. */
export function fillOf(answer: z.output<typeof fillsAnswer>[number], market: string) {
  const { tradeId, orderId, side, price, qty, amt: value, feeQty: fee, feeCurrency, isTaker, tradedAt } = answer;
  const known = { trade_id: `${market}-${tradeId}-${orderId}`, orderId, symbol: symbolOf(market), side };
  const told = { ...known, price, qty, value, fee, feeCurrency, isTaker, time: isoOf(tradedAt, 0) };
  return { fee_exact: true, ...shown.shownFill(told) };
}

export function balancesOf(answer: z.output<typeof balanceAnswer>) {
  return answer.flatMap(({ currency, available, tradeInUse, withdrawalInUse }) =>
    shown.shownBalance(currency, available, tradeInUse, withdrawalInUse),
  );
}

/** What orders have in use, rounded up: of the quote, and the markets of all coins, as all are quoted in one currency. */
export function inUseOf(answer: z.output<typeof balanceAnswer>): { quote: string; markets: readonly string[] } {
  const used = answer.map(({ currency, tradeInUse }) => [currency.toLowerCase(), atMost(tradeInUse)] as const);
  const coins = used.filter(([name, amount]) => name !== QUOTE_THERE && amount !== "0");
  const quote = used.find(([name]) => name === QUOTE_THERE)?.[1] ?? "0";
  return { quote, markets: coins.map(([name]) => `${name}_${QUOTE_THERE}`) };
}

/** What a buy in a market holds of its value, with the fee. */
export function heldBy(fees: z.output<typeof feesAnswer>): (market: string) => string {
  const told = new Map(fees.map((each) => [each.symbol, each]));
  return (market) => {
    const { buyFeeCurrency, maxFeeRate } = told.get(market) ?? {};
    const rate = buyFeeCurrency?.toLowerCase() === QUOTE_THERE ? atMost(maxFeeRate) : "0";
    return quantity("1").plus(quantity(rate)).toString();
  };
}

function atMost(text: string | null | undefined): string {
  const number = wireNumber(text ?? "", "up");
  return number === undefined || number.startsWith("-") ? "0" : number;
}

/** Its change counts from the close before, of the 24 hours that all other figures are of. */
export function tickerOf(answer: z.output<typeof tickersAnswer>[number], readAtMs: number) {
  const { symbol, prevClose: open, close: last, priceChange: change, priceChangePercent: percent } = answer;
  const best = { bid: answer.bestBidPrice, ask: answer.bestAskPrice };
  const told = { ...answer, ...best, last, open, change, changeRate: percent == null ? percent : `${percent}e-2` };
  return shown.shownTicker(symbolOf(symbol), told, isoOf(answer.lastTradedAt, readAtMs));
}

/** It has no number of its own for each state of a book: the time stands for it. */
export function bookOf(answer: z.output<typeof bookAnswer>, market: string, depth: number, readAtMs: number) {
  const { timestamp } = answer;
  const known = { symbol: symbolOf(market), seq: timestamp ?? readAtMs, time: isoOf(timestamp, readAtMs) };
  return shown.shownBook(known, answer, depth);
}

export function tradeOf(symbol: string, answer: z.output<typeof tradesAnswer>[number]) {
  const { tradeId: trade_id, timestamp, isBuyerTaker } = answer;
  const side = isBuyerTaker ? "buy" : "sell";
  return shown.shownTrade({ trade_id, symbol, side, time: isoOf(timestamp, 0) }, answer);
}

export function candleOf(answer: z.output<typeof candlesAnswer>[number]) {
  return { time: isoOf(answer.timestamp, 0), ...shown.shownPrices(answer), volume: exactly(answer.volume) };
}
