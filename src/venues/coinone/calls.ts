/**
 * The calls of Coinone that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 * What is public is a `GET`; what is private a `POST` with all of it in its body.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import { defined, type Result } from "../../contract/index.ts";
import type { VenueCall, WireOutcome } from "../../transport/index.ts";
import { answerTo, type Refusals } from "../call-answer.ts";
import {
  activeAnswer,
  balancesAnswer,
  bookAnswer,
  candlesAnswer,
  doneAnswer,
  feesAnswer,
  fillsAnswer,
  marketsAnswer,
  namedAnswer,
  orderAnswer,
  type Pair,
  QUOTE,
  tickersAnswer,
  tradesAnswer,
  unitsAnswer,
} from "./answers.ts";
import { type Asked, faultIn, isRefusal } from "./errors.ts";
import type { Placement } from "./placement.ts";
import type { GroupName } from "./rates.ts";
import { signedText } from "./sign.ts";

type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

type Meant<T> = (answer: T) => boolean;

function look<T>(path: string, response: z.ZodType<T>, fields: Fields = {}): VenueCall<T, false> {
  const query = Object.entries(defined(fields)).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const search = query.length === 0 ? "" : `?${query.join("&")}`;
  return {
    ...{ endpoint: endpointOf(path), method: "GET", isPrivate: false, isWrite: false, response, weight: 1 },
    charges: [{ group: "public", weight: 1 }],
    request: ({ prefix }) => ({ path: `${prefix}/public/v2${path}${search}`, headers: ACCEPTED }),
    answer: (outcome) => read(outcome, response, { isWrite: false }),
  };
}

/** @param isMeant whether the answer belongs to the call: on a connection out of step it may be another's */
function ask<T>(path: string, response: z.ZodType<T>, fields: Fields = {}, isMeant?: Meant<T>) {
  return signed(path, fields, { group: "private", isWrite: false, response }, (outcome) =>
    read(outcome, response, { isWrite: false }, isMeant),
  );
}

function write<T>(path: string, response: z.ZodType<T>, fields: Fields, isMeant?: Meant<T>) {
  const places = path === PLACE;
  return signed(path, fields, { group: "order", isWrite: true, response }, (outcome) =>
    read(outcome, response, { isWrite: true, places }, isMeant),
  );
}

function signed<T, IsWrite extends boolean>(
  path: string,
  fields: Fields,
  { group, isWrite, response }: { readonly group: GroupName; readonly isWrite: IsWrite; readonly response: z.ZodType },
  answer: VenueCall<T, IsWrite>["answer"],
): VenueCall<T, IsWrite> {
  return {
    ...{ endpoint: endpointOf(path), method: "POST", isPrivate: true, isWrite, response, weight: 1 },
    ...{ charges: [{ group, weight: 1 }], answer },
    request: ({ prefix }, key) => {
      const headers = key?.signer(JSON.stringify(defined(fields))) ?? {};
      return {
        path: `${prefix}/v2.1${path}`,
        headers: { ...ACCEPTED, "content-type": "application/json", ...headers },
        body: signedText(headers),
      };
    },
  };
}

const ACCEPTED = { accept: "application/json" };

/** Without the market. */
function endpointOf(path: string): string {
  return path.replace(/^\/|\/KRW.*$/g, "");
}

function read<T>(outcome: WireOutcome, response: z.ZodType<T>, asked: Asked, matches?: Meant<T>): Result<T> {
  const refusal: Refusals["refusal"] = (answer, json) => faultIn(answer, json, asked);
  return answerTo(outcome, { isWrite: asked.isWrite, response, matches }, { isRefusal, refusal });
}

const at = ({ quote_currency: quote, target_currency: base }: Pair): string => `/${quote}/${base}`;

/** Fills in one answer; their whole time may not be longer than 90 days, and how that is counted is not told. */
export const FILLS = { page: 100, windowMs: 89 * 86_400_000 };
/** It takes no other sizes. */
const DEPTHS = [5, 10, 15, 16];
const LENGTHS = [10, 50, 100, 150, 200];
const atLeast = (sizes: readonly number[], wanted: number) => sizes.find((size) => size >= wanted) ?? sizes.at(-1);

const CANDLES = 500;
const PLACE = "/order";

export const CALLS = {
  markets: () => look(`/markets/${QUOTE}`, marketsAnswer),
  units: (pair: Pair) => look(`/range_units${at(pair)}`, unitsAnswer),
  tickers: () => look(`/ticker_new/${QUOTE}`, tickersAnswer),
  ticker: (pair: Pair) => look(`/ticker_new${at(pair)}`, tickersAnswer),
  book: (pair: Pair, depth: number) => look(`/orderbook${at(pair)}`, bookAnswer, { size: atLeast(DEPTHS, depth) }),
  trades: (pair: Pair, limit: number) => look(`/trades${at(pair)}`, tradesAnswer, { size: atLeast(LENGTHS, limit) }),
  /** @param timestamp of the last one */
  candles: (pair: Pair, interval: string, timestamp?: number) =>
    look(`/chart${at(pair)}`, candlesAnswer, { interval, timestamp, size: CANDLES }),
  balances: () => ask("/account/balance/all", balancesAnswer),
  fees: (pair: Pair) => ask(`/account/trade_fee${at(pair)}`, feesAnswer),
  order: (order_id: string, pair: Pair) =>
    ask("/order/detail", orderAnswer, { order_id, ...pair }, ({ order }) => order.order_id === order_id),
  orderNamed: (user_order_id: string, pair: Pair) => ask("/order/detail", orderAnswer, { user_order_id, ...pair }),
  /** Of all markets where none is named. */
  active: (pair?: Pair) => ask("/order/active_orders", activeAnswer, pair),
  /** @param to_trade_id what is older than that one */
  fills: (pair: Pair | undefined, from_ts: number, to_ts: number, size: number, to_trade_id?: string) =>
    ask(`/order/completed_orders${pair === undefined ? "/all" : ""}`, fillsAnswer, {
      ...{ to_trade_id, size, from_ts, to_ts },
      ...pair,
    }),
  place: (fields: Placement) => write(PLACE, namedAnswer, fields),
  cancel: (order_id: string, pair: Pair) =>
    write("/order/cancel", namedAnswer, { order_id, ...pair }, (answer) => answer.order_id === order_id),
  cancelMarket: (pair: Pair) => write("/order/cancel/all", doneAnswer, pair),
} as const;
