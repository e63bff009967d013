/**
 * Korbit's stream: market data without a key; own orders and balances on a connection whose address is signed as a call is.
 *
 * Source: SOURCES.md#stream.
 */
import { z } from "zod";
import { maybe } from "../shown-number.ts";
import type { NamedStreamParts, StreamProtocol, StreamSource, Topic } from "../stream-protocol.ts";
import { BOOK_LEVELS, namedStream, reading, without } from "../stream-protocol.ts";
import { bookAnswer, bookOf, marketOf, symbolOf, tradeOf, tradesAnswer } from "./answers.ts";
import { encoded, type KorbitKey, SIGNATURE } from "./sign.ts";

const HOSTS = {
  "api.digitalx.miraeasset.com": "ws-api.digitalx.miraeasset.com",
  "api.korbit.co.kr": "ws-api.korbit.co.kr",
};
const CHANNELS = { orderbook: "orderbook", trades: "trade", orders: "myOrder", balances: "myAsset" } as const;

const OWN: readonly string[] = [CHANNELS.orders, CHANNELS.balances];

const code = z.string().regex(/^\w{1,40}$/);
const refusal = z.looseObject({ status: z.literal("fail"), code: code.nullish().catch(undefined) });
/** What it has of a market is in the form of a call's answer. */
const frame = z
  .looseObject({ type: maybe, channelType: maybe, symbol: maybe })
  .transform((told) => ({ ...told, success: true }));
const orders = z.array(z.looseObject({ orderId: z.string().min(1), clientOrderId: maybe })).min(1);
const own = z.looseObject({ order: z.looseObject({ orders }) });

/** @param markets in which orders are told of, as they were last read */
function protocol(markets: () => readonly string[]): StreamProtocol {
  let requests = 0;
  const request = (method: string, channel: Topic["channel"], asked: readonly Topic[]): object => {
    const named = asked.flatMap(({ symbol }) => (symbol === null ? [] : [marketOf(symbol)]));
    const symbols = channel === "orders" ? markets() : named;
    return { requestId: ++requests, method, type: CHANNELS[channel], ...(symbols.length > 0 && { symbols }) };
  };
  const requestsOf = (method: string, topics: readonly Topic[]): object[] =>
    (Object.keys(CHANNELS) as Topic["channel"][]).flatMap((channel) => {
      const asked = topics.filter((topic) => topic.channel === channel);
      return asked.length === 0 ? [] : [request(method, channel, asked)];
    });
  return {
    books: "levels",
    messagesPerSecond: 5,
    next: (wanted, sent) => {
      const [added, gone] = [without(wanted, sent), without(sent, wanted)];
      if (added.length + gone.length === 0) return undefined;
      return { message: [...requestsOf("unsubscribe", gone), ...requestsOf("subscribe", added)], sent: wanted };
    },
    read,
  };
}

const read = reading({
  channels: CHANNELS,
  refusedIn: (json) => {
    const { success, data } = refusal.safeParse(json);
    return success ? (data.code ?? "fail") : undefined;
  },
  messageIn: (json) => {
    const { data } = frame.safeParse(json);
    if (data === undefined) return undefined;
    const symbol = data.symbol == null ? undefined : symbolOf(data.symbol);
    return { channel: OWN.includes(data.channelType ?? "") ? data.channelType : data.type, symbol, data };
  },
  hintsIn: (data) => {
    const { order } = own.safeParse(data).data ?? {};
    if (order === undefined) return [undefined];
    return order.orders.map(({ orderId, clientOrderId }) => ({ orderId, userref: clientOrderId ?? null }));
  },
  bookIn: (symbol, data, atMs) => {
    const { data: book } = bookAnswer.safeParse(data);
    return book && { book: bookOf(book, marketOf(symbol), BOOK_LEVELS, atMs), toldMs: book.timestamp ?? undefined };
  },
  tradesIn: (symbol, data) => tradesAnswer.safeParse(data).data?.map((each) => tradeOf(symbol, each)),
});

interface Parts extends Pick<NamedStreamParts, "baseUrl" | "markets" | "trades"> {
  readonly key: KorbitKey | undefined;
  /** The exchange's time as a call that is made now would sign it; undefined where it cannot be had. */
  readonly timestamp: () => Promise<string | undefined>;
}

export function korbitStream({ key, timestamp, ...parts }: Parts): StreamSource {
  return namedStream({
    ...{ ...parts, hosts: HOSTS, paths: { public: "/v2/public", private: "/v2/private" }, protocol },
    sign: async () => {
      const [at, signer] = [await timestamp(), key?.signer()];
      if (at === undefined || signer === undefined) return undefined;
      const text = encoded([["timestamp", at]]);
      const { [SIGNATURE]: made = "", ...headers } = signer(text);
      return { query: `?${text}&${encoded([[SIGNATURE, made]])}`, headers };
    },
  });
}
