/**
 * The calls of Upbit that hoga makes: where each goes, what it carries, in which group it counts, and how its answer is read.
 *
 * Source: SOURCES.md#calls, SOURCES.md#sign.
 */
import type { z } from "zod";
import type { VenueCall } from "../../transport/index.ts";
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
import { hashedText } from "../token.ts";
import { type Fields, type GroupCall, looking, parametersOf, tokenCall, writing } from "../venue-calls.ts";
import { batchAnswer, instrumentsAnswer, ordersAnswer } from "./answers.ts";
import { faultIn } from "./errors.ts";
import type { GroupName } from "./rates.ts";

/** What is public counts by its kind; the key's own in one group. */
function look<T>(path: string, group: GroupName, response: z.ZodType<T>, fields: Fields = {}) {
  return looking({ path, group, isPrivate: group === "default", response }, fields);
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
    writing({ endpoint: "place", method: "POST", path: "/orders", group: "order", response: orderAnswer }, fields),
  cancel: (uuid: string) =>
    writing(
      { endpoint: "cancel", method: "DELETE", path: "/order", group: "default", response: orderAnswer },
      { uuid },
    ),
  cancelOpen: (market: string | undefined) =>
    writing(
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
    writing(
      { endpoint: "cancel_these", method: "DELETE", path: "/orders/uuids", group: "default", response: batchAnswer },
      { uuids },
    ),
} as const;

/** @param makeNonce for the token: each is used once */
export function venueCall<T, IsWrite extends boolean>(
  call: GroupCall<T, IsWrite>,
  makeNonce: () => string,
): VenueCall<T, IsWrite> {
  return tokenCall(call, {
    ...{ base: "/v1", faultIn },
    token: ({ signer }) => signer(makeNonce(), hashedText(parametersOf(call.fields))),
  });
}
