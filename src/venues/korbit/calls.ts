/**
 * The calls of Korbit that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import type { VenueCall } from "../../transport/index.ts";
import { type Fields, type GroupCall, looking, parametersOf, wireCall, writing } from "../venue-calls.ts";
import * as answers from "./answers.ts";
import { faultIn, isRefusal, TIME_REFUSED } from "./errors.ts";
import type { GroupName } from "./rates.ts";
import { encoded, SIGNATURE } from "./sign.ts";

function look<T>(path: string, response: z.ZodType<T>, fields: Fields = {}, group: GroupName = "public") {
  return looking({ path: `/${path}`, group, isPrivate: group !== "public", response }, fields);
}

const own = <T>(path: string, response: z.ZodType<T>, fields: Fields = {}) => look(path, response, fields, "default");

/** A list is never longer, and has no further page. */
export const LIST_MAX = 1_000;
export const TRADES_MAX = 500;
export const CANDLES_MAX = 200;

const { taken, placedAnswer } = answers;
const PLACE = { endpoint: "place", method: "POST", path: "/orders", group: "place", response: placedAnswer } as const;
const CANCEL = { endpoint: "cancel", method: "DELETE", path: "/orders", group: "cancel", response: taken } as const;

export const CALLS = {
  time: () => look("time", answers.timeAnswer),
  pairs: () => look("currencyPairs", answers.pairsAnswer),
  currencies: () => look("currencies", answers.currenciesAnswer),
  ticks: (symbol: string) => look("tickSizePolicy", answers.ticksAnswer, { symbol }),
  tickers: (markets?: readonly string[]) => look("tickers", answers.tickersAnswer, { symbol: markets?.join(",") }),
  book: (symbol: string) => look("orderbook", answers.bookAnswer, { symbol }),
  trades: (symbol: string, limit: number) => look("trades", answers.tradesAnswer, { symbol, limit }),
  candles: (symbol: string, interval: string, period: { readonly start?: number; readonly end?: number }) =>
    look("candles", answers.candlesAnswer, { symbol, interval, ...period, limit: CANDLES_MAX }),
  balance: () => own("balance", answers.balanceAnswer),
  key: () => own("currentKeyInfo", answers.keyAnswer),
  fees: (symbol?: string) => own("tradingFeePolicy", answers.feesAnswer, { symbol }),
  order: (symbol: string, orderId: string) => own("orders", answers.orderAnswer, { symbol, orderId }),
  orderNamed: (symbol: string, clientOrderId: string) => own("orders", answers.orderAnswer, { symbol, clientOrderId }),
  openOrders: (symbol: string) => own("openOrders", answers.ordersAnswer, { symbol, limit: LIST_MAX }),
  /** From a time on, and before another. */
  allOrders: (symbol: string, startTime: number, endTime: number) =>
    own("allOrders", answers.ordersAnswer, { symbol, startTime, endTime, limit: LIST_MAX }),
  fills: (symbol: string, startTime: number, endTime: number) =>
    own("myTrades", answers.fillsAnswer, { symbol, startTime, endTime, limit: LIST_MAX }),
  place: (fields: Fields) => writing(PLACE, fields),
  cancel: (symbol: string, orderId: string) => writing(CANCEL, { symbol, orderId }),
} as const;

/** How old a request may be when it arrives. It is the default, and said all the same: the card counts on it. */
const WINDOW_MS = "5000";
/** The time that is signed is so much earlier than the exchange's is taken to be: one that is a second ahead of it is refused. */
const LEAN_MS = 1_000n;

/** @param nowMs by the exchange's clock */
export function signedTime(nowMs: bigint): string {
  return (nowMs - LEAN_MS).toString();
}

const NAMELESS = { error: {} };

/** @param onTimeRefused called where the exchange took the time of the request for wrong */
export function venueCall<T, IsWrite extends boolean>(
  call: GroupCall<T, IsWrite>,
  onTimeRefused: () => void = () => {},
): VenueCall<T, IsWrite> {
  return wireCall(call, {
    ...{ base: "/v2", bodyType: "application/x-www-form-urlencoded" },
    sent: ({ fields }, signed) => {
      if (signed === undefined) return { text: encoded(parametersOf(fields)) };
      const at = { timestamp: signedTime(BigInt(signed.nonce)), recvWindow: WINDOW_MS };
      const text = encoded(parametersOf({ ...fields, ...at }));
      const { [SIGNATURE]: made = "", ...headers } = signed.signer(text);
      return { text: `${text}&${encoded([[SIGNATURE, made]])}`, headers };
    },
    // Nothing says that a refusal always has a status of its own.
    isRefusal,
    faultIn: (answer, json, asked) => {
      // Of too many calls the documents show no body: then the status speaks.
      const fault = faultIn(answer, answer.body.length === 0 ? NAMELESS : json, asked);
      if (fault.code === TIME_REFUSED) onTimeRefused();
      return fault;
    },
  });
}
