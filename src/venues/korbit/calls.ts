/**
 * The calls of Korbit that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import type { Result } from "../../contract/index.ts";
import type { RequestParts, VenueCall, WireOutcome } from "../../transport/index.ts";
import { answerTo } from "../call-answer.ts";
import * as answers from "./answers.ts";
import { faultIn, isRefusal, isTimeRefused } from "./errors.ts";
import type { GroupName } from "./rates.ts";
import { encoded, type Parameters, SIGNATURE } from "./sign.ts";

export interface Call<T, IsWrite extends boolean = boolean> {
  /** For logs and figures. */
  readonly endpoint: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly parameters: Parameters;
  readonly group: GroupName;
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
  /** Whether the answer belongs to the call: on a connection out of step it may be another's. */
  readonly matches?: (answer: T) => boolean;
}

type Fields = Readonly<Record<string, string | number | undefined>>;

/** In the order in which they stand; what is undefined is left out. */
function parametersOf(fields: Fields): Parameters {
  return Object.entries(fields).flatMap(
    ([name, value]): Parameters => (value === undefined ? [] : [[name, String(value)]]),
  );
}

function look<T>(path: string, response: z.ZodType<T>, fields: Fields = {}, group: GroupName = "public") {
  const call = { endpoint: path, method: "GET", path: `/${path}`, group, isWrite: false, response } as const;
  return { ...call, parameters: parametersOf(fields) } satisfies Call<T, false>;
}

const own = <T>(path: string, response: z.ZodType<T>, fields: Fields = {}): Call<T, false> =>
  look(path, response, fields, "default");

/** A list is never longer, and has no further page. */
export const LIST_MAX = 1_000;
export const TRADES_MAX = 500;
export const CANDLES_MAX = 200;

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
  place: (fields: Fields): Call<{ readonly orderId: string }, true> => ({
    ...{ endpoint: "place", method: "POST", path: "/orders", group: "place", isWrite: true },
    ...{ response: answers.placedAnswer, parameters: parametersOf(fields) },
  }),
  cancel: (symbol: string, orderId: string): Call<object, true> => ({
    ...{ endpoint: "cancel", method: "DELETE", path: "/orders", group: "cancel", isWrite: true },
    ...{ response: answers.taken, parameters: parametersOf({ symbol, orderId }) },
  }),
} as const;

/** How old a request may be when it arrives. It is the default, and said all the same: the card counts on it. */
const WINDOW_MS = "5000";
/** The time that is signed is so much earlier than the exchange's is taken to be: one that is a second ahead of it is refused. */
const LEAN_MS = 1_000n;

/** @param nowMs by the exchange's clock */
export function signedTime(nowMs: bigint): string {
  return (nowMs - LEAN_MS).toString();
}

/** @param onTimeRefused called where the exchange took the time of the request for wrong */
export function venueCall<T, IsWrite extends boolean>(
  call: Call<T, IsWrite>,
  onTimeRefused: () => void = () => {},
): VenueCall<T, IsWrite> {
  const { endpoint, method, isWrite, group, response, parameters } = call;
  return {
    ...{
      endpoint,
      method,
      isWrite,
      response,
      weight: 1,
      charges: [{ group, weight: 1 }],
      isPrivate: group !== "public",
    },
    request: ({ prefix }, signed) => {
      if (signed === undefined) return requestParts(call, prefix, encoded(parameters), {});
      const timestamp = signedTime(BigInt(signed.nonce));
      const text = encoded([...parameters, ["timestamp", timestamp], ["recvWindow", WINDOW_MS]]);
      const { [SIGNATURE]: made = "", ...headers } = signed.signer(text);
      return requestParts(call, prefix, `${text}&${encoded([[SIGNATURE, made]])}`, headers);
    },
    answer: (outcome) => {
      const result = read(outcome, call);
      if (!result.ok && isTimeRefused(result.fault)) onTimeRefused();
      return result;
    },
  };
}

const NAMELESS = { error: {} };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

function requestParts(
  { method, path }: Pick<Call<never>, "method" | "path">,
  prefix: string,
  sent: string,
  key: object,
): RequestParts {
  const headers = { accept: "application/json", ...key };
  if (method === "POST") return { path: `${prefix}/v2${path}`, headers: { ...headers, ...FORM }, body: sent };
  return { path: `${prefix}/v2${path}${sent === "" ? "" : `?${sent}`}`, headers };
}

function read<T>(outcome: WireOutcome, call: Call<T>): Result<T> {
  const asked = { isWrite: call.isWrite, places: call.endpoint === "place" };
  return answerTo(outcome, call, {
    // Nothing says that a refusal always has a status of its own.
    isRefusal,
    // Of too many calls the documents show no body: then the status speaks.
    refusal: (answer, json) => faultIn(answer, answer.body.length === 0 ? NAMELESS : json, asked),
  });
}
