/**
 * Coinone's stream: market data without a key; own orders and balances on a connection that is opened with signed headers.
 *
 * Source: SOURCES.md#stream.
 */
import { z } from "zod";
import { price } from "../../decimal/index.ts";
import { maybe } from "../shown-number.ts";
import {
  BOOK_LEVELS,
  type NamedStreamParts,
  namedStream,
  type Step,
  type StreamProtocol,
  type StreamSource,
  type Told,
  type Topic,
  without,
} from "../stream-protocol.ts";
import { bookAnswer, bookOf, pairOf, symbolOf, tradeOf, tradesAnswer } from "./answers.ts";
import type { CoinoneKey } from "./sign.ts";

const HOSTS = { "api.coinone.co.kr": "stream.coinone.co.kr" };
const CHANNELS = { orderbook: "ORDERBOOK", trades: "TRADE", orders: "MYORDER", balances: "MYASSET" } as const;

const refusal = z.looseObject({ response_type: z.literal("ERROR"), error_code: z.string().nullish().catch(undefined) });
const frame = z.looseObject({ response_type: z.enum(["DATA", "SUBSCRIBED"]), channel: z.string(), data: z.unknown() });
const pair = z.looseObject({ quote_currency: z.string().min(1), target_currency: z.string().min(1) });
const order = z.looseObject({ order_id: z.string().min(1), user_order_id: maybe });

/** @param symbols of the markets in which orders are told of, as they were last read */
function protocol(symbols: () => readonly string[]): StreamProtocol {
  const request = (request_type: string, { channel, symbol }: Topic): object => {
    const markets = channel === "orders" ? symbols().map(pairOf) : undefined;
    const topic = markets ?? (symbol === null ? undefined : pairOf(symbol));
    return { request_type, channel: CHANNELS[channel], ...(topic && { topic }) };
  };
  const next = (wanted: readonly Topic[], sent: readonly Topic[]): Step | undefined => {
    const [gone] = without(sent, wanted);
    if (gone !== undefined) return { message: request("UNSUBSCRIBE", gone), sent: without(sent, [gone]) };
    const [added] = without(wanted, sent);
    return added && { message: request("SUBSCRIBE", added), sent: [...sent, added] };
  };
  return { books: "levels", messagesPerSecond: 5, ping: { request_type: "PING" }, next, read };
}

function read(json: unknown, atMs: number): Told[] {
  const refused = refusal.safeParse(json);
  if (refused.success) return [{ kind: "refused", code: refused.data.error_code ?? "ERROR" }];
  const told = frame.safeParse(json);
  if (!told.success) return [];
  const { response_type: type, channel, data } = told.data;
  if (type === "SUBSCRIBED") {
    const market = channel === CHANNELS.trades ? pair.safeParse(data) : undefined;
    return market?.success === true
      ? [{ kind: "taken", topic: { channel: "trades", symbol: symbolOf(market.data) } }]
      : [];
  }
  if (channel === CHANNELS.balances) return [{ kind: "balances" }];
  if (channel === CHANNELS.orders) {
    const named = order.safeParse(data);
    if (!named.success) return [{ kind: "order", hint: undefined }];
    return [{ kind: "order", hint: { orderId: named.data.order_id, userref: named.data.user_order_id ?? null } }];
  }
  const market = pair.safeParse(data);
  if (!market.success) return [];
  return channel === CHANNELS.orderbook
    ? bookIn(symbolOf(market.data), data, atMs)
    : tradesIn(symbolOf(market.data), data);
}

/** Its asks stand worst first, and the time of the first message of a book is ten seconds old: its number is right. */
function bookIn(symbol: string, data: unknown, atMs: number): Told[] {
  const answer = bookAnswer.safeParse({ result: "success", ...(data as object) });
  if (!answer.success) return [];
  const { id, asks, timestamp } = answer.data;
  const toldMs = timestamp ?? undefined;
  const sorted = asks.toSorted((a, b) => price(a.price).cmp(price(b.price)));
  const book = bookOf(symbol, { ...answer.data, asks: sorted }, BOOK_LEVELS, atMs);
  return [{ kind: "book", book: id == null ? { ...book, seq: atMs * 1_000 } : book, toldMs }];
}

function tradesIn(symbol: string, data: unknown): Told[] {
  const answer = tradesAnswer.safeParse({ result: "success", transactions: [data] });
  return answer.success
    ? [{ kind: "trades", symbol, trades: answer.data.transactions.map((each) => tradeOf(symbol, each)) }]
    : [];
}

interface Parts extends Pick<NamedStreamParts, "baseUrl" | "markets" | "trades"> {
  readonly key: CoinoneKey | undefined;
  /** The exchange's time. */
  readonly now: () => number;
}

export function coinoneStream({ key, now, ...parts }: Parts): StreamSource {
  return namedStream({
    ...{ ...parts, hosts: HOSTS, paths: { public: "", private: "/v1/private" }, protocol },
    sign: async () => {
      const headers = key?.signer()?.(JSON.stringify({ timestamp: now() }));
      return headers && { headers };
    },
  });
}
