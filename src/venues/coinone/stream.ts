/**
 * Coinone's stream: market data without a key; own orders and balances on a connection that is opened with signed headers.
 *
 * Source: SOURCES.md#stream.
 */
import { z } from "zod";
import { price } from "../../decimal/index.ts";
import { maybe } from "../shown-number.ts";
import type { NamedStreamParts, Step, StreamProtocol, StreamSource, Told, Topic } from "../stream-protocol.ts";
import { BOOK_LEVELS, namedStream, reading, without } from "../stream-protocol.ts";
import { bookAnswer, bookOf, pairOf, symbolOf, tradeOf, tradesAnswer } from "./answers.ts";
import type { CoinoneKey } from "./sign.ts";

const HOSTS = { "api.coinone.co.kr": "stream.coinone.co.kr" };
const CHANNELS = { orderbook: "ORDERBOOK", trades: "TRADE", orders: "MYORDER", balances: "MYASSET" } as const;

const refusal = z.looseObject({ response_type: z.literal("ERROR"), error_code: z.string().nullish().catch(undefined) });
const frame = z.looseObject({ response_type: z.literal("DATA"), channel: z.string(), data: z.unknown() });
const pair = z.looseObject({ quote_currency: z.string().min(1), target_currency: z.string().min(1) });
const subscribed = z.looseObject({
  ...{ response_type: z.literal("SUBSCRIBED"), channel: z.literal(CHANNELS.trades), data: pair },
});
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

const readOther = reading({
  channels: CHANNELS,
  refusedIn: (json) => {
    const { success, data } = refusal.safeParse(json);
    return success ? (data.error_code ?? "ERROR") : undefined;
  },
  messageIn: (json) => {
    const { channel, data } = frame.safeParse(json).data ?? {};
    const market = pair.safeParse(data);
    return { channel, symbol: market.success ? symbolOf(market.data) : undefined, data };
  },
  hintsIn: (data) => {
    const { order_id: orderId, user_order_id: name } = order.safeParse(data).data ?? {};
    return [orderId === undefined ? undefined : { orderId, userref: name ?? null }];
  },
  // Its asks stand worst first, and the time of the first message of a book is ten seconds old: its number is right.
  bookIn: (symbol, data, atMs) => {
    const { data: told } = bookAnswer.safeParse({ result: "success", ...(data as object) });
    if (told === undefined) return undefined;
    const asks = told.asks.toSorted((a, b) => price(a.price).cmp(price(b.price)));
    const book = bookOf(symbol, { ...told, asks }, BOOK_LEVELS, atMs);
    return { book: told.id == null ? { ...book, seq: atMs * 1_000 } : book, toldMs: told.timestamp ?? undefined };
  },
  tradesIn: (symbol, data) => {
    const { data: told } = tradesAnswer.safeParse({ result: "success", transactions: [data] });
    return told?.transactions.map((each) => tradeOf(symbol, each));
  },
});

function read(json: unknown, atMs: number): readonly Told[] {
  const { data } = subscribed.safeParse(json);
  if (data === undefined) return readOther(json, atMs);
  return [{ kind: "taken", topic: { channel: "trades", symbol: symbolOf(data.data) } }];
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
