/**
 * Korbit's stream: market data without a key; own orders and balances on a connection whose address is signed as a call is.
 *
 * Source: SOURCES.md#stream.
 */
import { z } from "zod";
import { maybe } from "../shown-number.ts";
import {
  BOOK_LEVELS,
  type NamedStreamParts,
  namedStream,
  type OrderHint,
  type StreamProtocol,
  type StreamSource,
  type Told,
  type Topic,
  without,
} from "../stream-protocol.ts";
import { bookAnswer, bookOf, marketOf, symbolOf, tradeOf, tradesAnswer } from "./answers.ts";
import { encoded, type KorbitKey, SIGNATURE } from "./sign.ts";

const HOSTS = {
  "api.digitalx.miraeasset.com": "ws-api.digitalx.miraeasset.com",
  "api.korbit.co.kr": "ws-api.korbit.co.kr",
};
const CHANNELS = { orderbook: "orderbook", trades: "trade", orders: "myOrder", balances: "myAsset" } as const;

const refusal = z.looseObject({
  status: z.literal("fail"),
  code: z
    .string()
    .regex(/^\w{1,40}$/)
    .nullish()
    .catch(undefined),
});
const frame = z.looseObject({ type: maybe, channelType: maybe, symbol: maybe });
const own = z.looseObject({
  order: z.looseObject({ orders: z.array(z.looseObject({ orderId: z.string().min(1), clientOrderId: maybe })).min(1) }),
});

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

function read(json: unknown, atMs: number): Told[] {
  const refused = refusal.safeParse(json);
  if (refused.success) return [{ kind: "refused", code: refused.data.code ?? "fail" }];
  const told = frame.safeParse(json);
  if (!told.success) return [];
  const { type, channelType, symbol: market } = told.data;
  if (channelType === CHANNELS.balances) return [{ kind: "balances" }];
  if (channelType === CHANNELS.orders) return ordersIn(json).map((hint) => ({ kind: "order", hint }));
  if (market == null) return [];
  const answer = { success: true, data: told.data["data"] };
  if (type === CHANNELS.orderbook) {
    const book = bookAnswer.safeParse(answer);
    if (!book.success) return [];
    const toldMs = book.data.timestamp ?? undefined;
    return [{ kind: "book", book: bookOf(book.data, market, BOOK_LEVELS, atMs), toldMs }];
  }
  const trades = type === CHANNELS.trades ? tradesAnswer.safeParse(answer) : undefined;
  if (trades?.success !== true) return [];
  const symbol = symbolOf(market);
  return [{ kind: "trades", symbol, trades: trades.data.map((each) => tradeOf(symbol, each)) }];
}

/** One that cannot be named may be any. */
function ordersIn(json: unknown): (OrderHint | undefined)[] {
  const read = own.safeParse(json);
  if (!read.success) return [undefined];
  return read.data.order.orders.map(({ orderId, clientOrderId }) => ({ orderId, userref: clientOrderId ?? null }));
}

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
