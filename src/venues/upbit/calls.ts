/**
 * The calls of Upbit that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import type { Result } from "../../contract/index.ts";
import { type RequestParts, readJsonAnswer, type VenueCall, type WireOutcome } from "../../transport/index.ts";
import { orderAnswer } from "../one-fee-order.ts";
import {
  accountsAnswer,
  booksAnswer,
  candlesAnswer,
  keyFactsAnswer,
  marketsAnswer,
  tickersAnswer,
  tradesAnswer,
} from "../quote-first-answers.ts";
import { chanceAnswer } from "../quote-first-markets.ts";
import { hashedText, type Parameters } from "../token.ts";
import { batchAnswer, instrumentsAnswer, ordersAnswer } from "./answers.ts";
import { faultIn } from "./errors.ts";
import type { GroupName } from "./rates.ts";

export interface Call<T, IsWrite extends boolean = boolean> {
  /** For logs and figures. */
  readonly endpoint: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly parameters: Parameters;
  readonly group: GroupName;
  readonly isPrivate: boolean;
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
  /** Whether the answer belongs to the call: on a connection out of step it may be another's. */
  readonly matches?: (answer: T) => boolean;
}

type Fields = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** In the order in which they stand; what is undefined is left out. */
function parametersOf(fields: Fields): Parameters {
  return Object.entries(fields).flatMap(([name, value]): Parameters => {
    if (value === undefined) return [];
    return typeof value === "object" ? value.map((each) => [`${name}[]`, each] as const) : [[name, String(value)]];
  });
}

function look<T>(path: string, group: GroupName, response: z.ZodType<T>, fields: Fields = {}): Call<T, false> {
  const isPrivate = group === "default";
  const endpoint = path.slice(1);
  return {
    endpoint,
    method: "GET",
    path,
    parameters: parametersOf(fields),
    group,
    isPrivate,
    isWrite: false,
    response,
  };
}

type Writing<T> = Pick<Call<T>, "endpoint" | "method" | "path" | "group" | "response">;

function write<T>(call: Writing<T>, fields: Fields): Call<T, true> {
  return { ...call, parameters: parametersOf(fields), isPrivate: true, isWrite: true };
}

/** A page of the list of open orders is never longer. */
export const OPEN_PAGE = 100;
export const CANCEL_AT_ONCE = 20;

export const CALLS = {
  markets: () => look("/market/all", "market", marketsAnswer, { is_details: "true" }),
  tickers: (markets: readonly string[]) => look("/ticker", "ticker", tickersAnswer, { markets: markets.join(",") }),
  tickersOf: (quote: string) => look("/ticker/all", "ticker", tickersAnswer, { quote_currencies: quote }),
  book: (market: string) => look("/orderbook", "orderbook", booksAnswer, { markets: market }),
  instruments: (market: string) => look("/orderbook/instruments", "orderbook", instrumentsAnswer, { markets: market }),
  trades: (market: string, count: number) => look("/trades/ticks", "trade", tradesAnswer, { market, count }),
  /** @param to exclusive, without a zone: as UTC */
  candles: (unit: string, market: string, count: number, to?: string) =>
    look(`/candles/${unit}`, "candle", candlesAnswer, { market, to, count }),
  accounts: () => look("/accounts", "default", accountsAnswer),
  chance: (market: string) => look("/orders/chance", "default", chanceAnswer, { market }),
  keys: (isOurs: (accessKey: string) => boolean) => look("/api_keys", "default", keyFactsAnswer(isOurs)),
  order: (uuid: string) => look("/order", "default", orderAnswer, { uuid }),
  orderNamed: (identifier: string) => look("/order", "default", orderAnswer, { identifier }),
  openOrders: (market: string | undefined, page: number) =>
    look("/orders/open", "default", ordersAnswer, {
      ...{ market, states: ["wait", "watch"], page, limit: OPEN_PAGE, order_by: "desc" },
    }),
  /** Times in milliseconds, as other forms may be hashed another way. */
  closedOrders: (market: string | undefined, fromMs: number, toMs: number, limit: number) =>
    look("/orders/closed", "default", ordersAnswer, {
      ...{ market, states: ["done", "cancel"], start_time: fromMs, end_time: toMs, limit, order_by: "desc" },
    }),
  place: (fields: Fields) =>
    write({ endpoint: "place", method: "POST", path: "/orders", group: "order", response: orderAnswer }, fields),
  cancel: (uuid: string) =>
    write({ endpoint: "cancel", method: "DELETE", path: "/order", group: "default", response: orderAnswer }, { uuid }),
  cancelOpen: (market: string | undefined) =>
    write(
      {
        endpoint: "cancel_open",
        method: "DELETE",
        path: "/orders/open",
        group: "order-cancel-all",
        response: batchAnswer,
      },
      { pairs: market, count: 300 },
    ),
  cancelThese: (uuids: readonly string[]) =>
    write(
      { endpoint: "cancel_these", method: "DELETE", path: "/orders/uuids", group: "default", response: batchAnswer },
      { uuids },
    ),
} as const;

/** @param makeNonce for the token: each is used once */
export function venueCall<T, IsWrite extends boolean>(
  call: Call<T, IsWrite>,
  makeNonce: () => string,
): VenueCall<T, IsWrite> {
  const { endpoint, method, isPrivate, isWrite, group, response } = call;
  return {
    ...{ endpoint, method, isPrivate, isWrite, response, weight: 1, charges: [{ group, weight: 1 }] },
    request: ({ prefix }, signed) => {
      const token = signed?.signer(makeNonce(), hashedText(call.parameters)) ?? {};
      return requestParts(call, prefix, token);
    },
    answer: (outcome) => read(outcome, call),
  };
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function requestParts(
  { method, path, parameters }: Pick<Call<never>, "method" | "path" | "parameters">,
  prefix: string,
  token: object,
): RequestParts {
  const headers = { accept: "application/json", ...token };
  if (method === "POST")
    return {
      path: `${prefix}/v1${path}`,
      headers: { ...headers, ...JSON_TYPE },
      body: JSON.stringify(Object.fromEntries(parameters)),
    };
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return { path: `${prefix}/v1${path}${query === "" ? "" : `?${query}`}`, headers };
}

function read<T>(outcome: WireOutcome, call: Call<T>): Result<T> {
  const { isWrite, response, matches = () => true } = call;
  return readJsonAnswer(outcome, {
    isWrite,
    value: (json) => {
      const parsed = response.safeParse(json);
      return parsed.success && matches(parsed.data) ? parsed.data : undefined;
    },
    refusal: (answer, json) => faultIn(answer, json, { ...call, places: call.endpoint === "place" }),
  });
}
