/**
 * The calls of Bithumb that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import type { VenueCall } from "../../transport/index.ts";
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
import { type Fields, type GroupCall, looking, parametersOf, tokenCall, writing } from "../venue-calls.ts";
import { canceledAnswer, orderAnswer, pageAnswer, placedAnswer } from "./answers.ts";
import { faultIn, isRefusal } from "./errors.ts";
import type { GroupName } from "./rates.ts";

export interface Call<T, IsWrite extends boolean = boolean> extends GroupCall<T, IsWrite> {
  /** The hash is over the values as they travel, instead of as they are. */
  readonly hashesEncoded?: boolean;
}

/** What is public counts by its kind; the key's own reads in one group. */
function look<T>(path: string, group: GroupName, response: z.ZodType<T>, fields: Fields = {}) {
  return looking({ path, group, isPrivate: group === "other", response }, fields);
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
    writing({ endpoint: "place", method: "POST", path: "/v2/orders", group: "place", response: placedAnswer }, fields),
  cancel: (order_id: string) =>
    writing(
      { endpoint: "cancel", method: "DELETE", path: "/v2/order", group: "cancel", response: canceledAnswer },
      { order_id },
    ),
} as const;

/** @param makeNonce for the token: each is used once */
export function venueCall<T, IsWrite extends boolean>(
  call: Call<T, IsWrite>,
  makeNonce: () => string,
): VenueCall<T, IsWrite> {
  const { fields, hashesEncoded = false } = call;
  const parameters = parametersOf(fields);
  return tokenCall(call, {
    ...{ faultIn, isRefusal },
    // The lane's nonce is the exchange's time.
    token: ({ nonce, signer }) =>
      signer(makeNonce(), nonce, hashedText(hashesEncoded ? encoded(parameters) : parameters)),
  });
}

function encoded(parameters: Parameters): Parameters {
  return parameters.map(([name, value]) => [name, encodeURIComponent(value)]);
}

/** Says whether it is hashed the same way however it is read. */
export function isPlain(value: string): boolean {
  return encodeURIComponent(value) === value;
}
