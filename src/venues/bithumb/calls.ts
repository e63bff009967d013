/**
 * The calls of Bithumb that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import { failed, type Result } from "../../contract/index.ts";
import { type RequestParts, readJsonAnswer, type VenueCall, type WireOutcome } from "../../transport/index.ts";
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
import { canceledAnswer, orderAnswer, pageAnswer, placedAnswer } from "./answers.ts";
import { faultIn, isRefusal } from "./errors.ts";
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
  /** The hash is over the values as they travel, instead of as they are. */
  readonly hashesEncoded?: boolean;
}

type Fields = Readonly<Record<string, string | number | undefined>>;

/** In the order in which they stand; what is undefined is left out. */
function parametersOf(fields: Fields): Parameters {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
}

function look<T>(path: string, group: GroupName, response: z.ZodType<T>, fields: Fields = {}): Call<T, false> {
  const parameters = parametersOf(fields);
  const isPrivate = group === "other";
  return { endpoint: path.slice(1), method: "GET", path, parameters, group, isPrivate, isWrite: false, response };
}

type Writing<T> = Pick<Call<T>, "endpoint" | "method" | "path" | "group" | "response">;

function write<T>(call: Writing<T>, fields: Fields): Call<T, true> {
  return { ...call, parameters: parametersOf(fields), isPrivate: true, isWrite: true };
}

/** A page of the list of open orders is never longer. */
const OPEN_PAGE = 100;
export const TICKERS_AT_ONCE = 100;

export const CALLS = {
  markets: () => look("/v1/market/all", "market", marketsAnswer, { isDetails: "true" }),
  /** So many at once that the address does not get too long. */
  tickers: (markets: readonly string[]) => look("/v1/ticker", "ticker", tickersAnswer, { markets: markets.join(",") }),
  book: (market: string) => look("/v1/orderbook", "orderbook", booksAnswer, { markets: market }),
  trades: (market: string, count: number) => look("/v1/trades/ticks", "trade", tradesAnswer, { market, count }),
  /** @param to exclusive, in Korean time and without a zone */
  candles: (unit: string, market: string, count: number, to?: string) =>
    look(`/v1/candles/${unit}`, "candle", candlesAnswer, { market, to, count }),
  accounts: () => look("/v1/accounts", "other", accountsAnswer),
  chance: (market: string) => look("/v1/orders/chance", "other", chanceAnswer, { market }),
  keys: (isOurs: (accessKey: string) => boolean) => look("/v1/api_keys", "other", keyFactsAnswer(isOurs)),
  order: (uuid: string) => look("/v1/order", "other", orderAnswer, { uuid }),
  orderNamed: (name: string) => look("/v1/order", "other", orderAnswer, { client_order_id: name }),
  /** It lists one state at a time. */
  pending: (market: string | undefined, state: "wait" | "watch", key?: string) =>
    look("/v2/orders/pending", "other", pageAnswer, {
      ...{ market, state, limit: OPEN_PAGE, order_by: "desc", next_key: key },
    }),
  /** Both states in which an order ends, as none is named; times in milliseconds. */
  history: (market: string | undefined, fromMs: number, toMs: number, limit: number) =>
    look("/v2/orders/history", "other", pageAnswer, {
      ...{ market, start_time: fromMs, end_time: toMs, limit, order_by: "desc" },
    }),
  place: (fields: Fields) =>
    write({ endpoint: "place", method: "POST", path: "/v2/orders", group: "place", response: placedAnswer }, fields),
  cancel: (order_id: string) =>
    write(
      { endpoint: "cancel", method: "DELETE", path: "/v2/order", group: "cancel", response: canceledAnswer },
      { order_id },
    ),
} as const;

/** @param makeNonce for the token: each is used once */
export function venueCall<T, IsWrite extends boolean>(
  call: Call<T, IsWrite>,
  makeNonce: () => string,
): VenueCall<T, IsWrite> {
  const { endpoint, method, isPrivate, isWrite, group, response, parameters, hashesEncoded = false } = call;
  return {
    ...{ endpoint, method, isPrivate, isWrite, response, weight: 1, charges: [{ group, weight: 1 }] },
    request: ({ prefix }, signed) => {
      const text = hashedText(hashesEncoded ? encoded(parameters) : parameters);
      // The lane's nonce is the exchange's time.
      return requestParts(call, prefix, signed?.signer(makeNonce(), signed.nonce, text) ?? {});
    },
    answer: (outcome) => read(outcome, call),
  };
}

function encoded(parameters: Parameters): Parameters {
  return parameters.map(([name, value]) => [name, encodeURIComponent(value)]);
}

/** Says whether it is hashed the same way however it is read. */
export function isPlain(value: string): boolean {
  return encodeURIComponent(value) === value;
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function requestParts(
  { method, path, parameters }: Pick<Call<never>, "method" | "path" | "parameters">,
  prefix: string,
  token: object,
): RequestParts {
  const headers = { accept: "application/json", ...token };
  if (method === "POST") {
    const body = JSON.stringify(Object.fromEntries(parameters));
    return { path: prefix + path, headers: { ...headers, ...JSON_TYPE }, body };
  }
  const query = hashedText(encoded(parameters));
  return { path: `${prefix}${path}${query === "" ? "" : `?${query}`}`, headers };
}

function read<T>(outcome: WireOutcome, call: Call<T>): Result<T> {
  const { isWrite, response, matches = () => true } = call;
  const asked = { ...call, places: call.endpoint === "place" };
  let said: unknown;
  const result = readJsonAnswer(outcome, {
    isWrite,
    value: (json) => {
      said = json;
      const parsed = response.safeParse(json);
      return parsed.success && matches(parsed.data) ? parsed.data : undefined;
    },
    refusal: (answer, json) => faultIn(answer, json, asked),
  });
  // A refusal that comes with a status of success.
  return !result.ok && outcome.kind === "answer" && isRefusal(said) ? failed(faultIn(outcome, said, asked)) : result;
}
