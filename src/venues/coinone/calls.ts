/**
 * The calls of Coinone that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 * What is public is a `GET`; what is private a `POST` with all of it in its body.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import { defined } from "../../contract/index.ts";
import type { VenueCall } from "../../transport/index.ts";
import { type Fields, type GroupCall, looking, queryOf, wireCall, writing } from "../venue-calls.ts";
import * as answers from "./answers.ts";
import { type Pair, QUOTE } from "./answers.ts";
import { faultIn, isRefusal } from "./errors.ts";
import type { Placement } from "./placement.ts";
import { signedText } from "./sign.ts";

const PLACE = "/order";

type Meant<T> = (answer: T) => boolean;

function look<T>(path: string, response: z.ZodType<T>, fields: Fields = {}) {
  return looking({ endpoint: nameOf(path), path, group: "public", isPrivate: false, response }, fields);
}

/** @param matches whether the answer belongs to the call: on a connection out of step it may be another's */
function ask<T>(path: string, response: z.ZodType<T>, fields: Fields = {}, matches?: Meant<T>): GroupCall<T, false> {
  const call = looking({ endpoint: nameOf(path), path, group: "private", isPrivate: true, response }, fields);
  return { ...call, method: "POST", matches };
}

function write<T>(path: string, response: z.ZodType<T>, fields: Fields, matches?: Meant<T>): GroupCall<T, true> {
  const endpoint = path === PLACE ? "place" : nameOf(path);
  return { ...writing({ endpoint, method: "POST", path, group: "order", response }, fields), matches };
}

/** Without the market. */
function nameOf(path: string): string {
  return path.replace(/^\/|\/KRW.*$/g, "");
}

export function venueCall<T, IsWrite extends boolean>(call: GroupCall<T, IsWrite>): VenueCall<T, IsWrite> {
  return wireCall(call, {
    base: call.isPrivate ? "/v2.1" : "/public/v2",
    ...{ bodyType: "application/json", isRefusal, faultIn },
    sent: ({ method, fields }, signed) => {
      if (method === "GET") return { text: queryOf(fields) };
      const headers = signed?.signer(JSON.stringify(defined(fields))) ?? {};
      return { text: signedText(headers), headers };
    },
  });
}

const at = ({ quote_currency: quote, target_currency: base }: Pair): string => `/${quote}/${base}`;

/** Fills in one answer; their whole time may not be longer than 90 days, and how that is counted is not told. */
export const FILLS = { page: 100, windowMs: 89 * 86_400_000 };
/** It takes no other sizes. */
const DEPTHS = [5, 10, 15, 16];
const LENGTHS = [10, 50, 100, 150, 200];
const atLeast = (sizes: readonly number[], wanted: number) => sizes.find((size) => size >= wanted) ?? sizes.at(-1);

const CANDLES = 500;

export const CALLS = {
  markets: () => look(`/markets/${QUOTE}`, answers.marketsAnswer),
  units: (pair: Pair) => look(`/range_units${at(pair)}`, answers.unitsAnswer),
  tickers: () => look(`/ticker_new/${QUOTE}`, answers.tickersAnswer),
  ticker: (pair: Pair) => look(`/ticker_new${at(pair)}`, answers.tickersAnswer),
  book: (pair: Pair, depth: number) =>
    look(`/orderbook${at(pair)}`, answers.bookAnswer, { size: atLeast(DEPTHS, depth) }),
  trades: (pair: Pair, limit: number) =>
    look(`/trades${at(pair)}`, answers.tradesAnswer, { size: atLeast(LENGTHS, limit) }),
  /** @param timestamp of the last one */
  candles: (pair: Pair, interval: string, timestamp?: number) =>
    look(`/chart${at(pair)}`, answers.candlesAnswer, { interval, timestamp, size: CANDLES }),
  balances: () => ask("/account/balance/all", answers.balancesAnswer),
  fees: (pair: Pair) => ask(`/account/trade_fee${at(pair)}`, answers.feesAnswer),
  order: (order_id: string, pair: Pair) =>
    ask("/order/detail", answers.orderAnswer, { order_id, ...pair }, ({ order }) => order.order_id === order_id),
  orderNamed: (user_order_id: string, pair: Pair) =>
    ask("/order/detail", answers.orderAnswer, { user_order_id, ...pair }),
  /** Of all markets where none is named. */
  active: (pair?: Pair) => ask("/order/active_orders", answers.activeAnswer, pair),
  /** @param to_trade_id what is older than that one */
  fills: (pair: Pair | undefined, from_ts: number, to_ts: number, size: number, to_trade_id?: string) =>
    ask(`/order/completed_orders${pair === undefined ? "/all" : ""}`, answers.fillsAnswer, {
      ...{ to_trade_id, size, from_ts, to_ts },
      ...pair,
    }),
  place: (fields: Placement) => write(PLACE, answers.namedAnswer, fields),
  cancel: (order_id: string, pair: Pair) =>
    write("/order/cancel", answers.namedAnswer, { order_id, ...pair }, (answer) => answer.order_id === order_id),
  cancelMarket: (pair: Pair) => write("/order/cancel/all", answers.doneAnswer, pair),
} as const;
