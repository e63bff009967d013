import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { BithumbVenue } from "../../../src/venues/bithumb/venue.ts";
import { VenueStream } from "../../../src/venues/index.ts";
import { eventually } from "../hoga/stream/scripted-venue.ts";
import { type StreamCase, testStream } from "../stream-behaviour.ts";
import { type StreamExchange, streamExchange } from "../stream-exchange.ts";

const SECRET = "canary-secret";
const open = (baseUrl: string) =>
  new BithumbVenue({ environment: "sandbox", baseUrl, credentials: { apiKey: "key-1", apiSecret: SECRET } });

/** The messages of a recording of 2026-09-23 and of its documents (2026-11-13), retyped. */
const BITHUMB: StreamCase = {
  ...{ title: "Bithumb", open, isBinary: true, books: "change" },
  paths: { public: "/websocket/v1", private: "/websocket/v2/private" },
  book: (newer) => ({
    ...{ type: "orderbook", code: "KRW-BTC", total_ask_size: 0.7111, total_bid_size: 7.1052 },
    orderbook_units: [
      { ask_price: 116_208_000, bid_price: 116_204_000, ask_size: 0.3313, bid_size: 0.0037 },
      { ask_price: 116_215_000, bid_price: 116_201_000, ask_size: 0, bid_size: 0.0004 },
    ],
    ...{ level: 1, timestamp: 1_790_133_505_564_000 + newer, stream_type: "SNAPSHOT" },
  }),
  best: { buy: ["116204000", "0.0037"], ask: ["116208000", "0.3313"] },
  trade: (id) => ({
    ...{ type: "trade", code: "KRW-BTC", trade_price: 116_208_000, trade_volume: 0.0009, ask_bid: "BID" },
    ...{ trade_date: "2026-09-23", trade_time: "12:18:33", trade_timestamp: 1_790_133_513_739 },
    ...{ sequential_id: Number(id), timestamp: 1_790_133_514_039, stream_type: "REALTIME" },
  }),
  tradeId: (n) => String(1_079_953_210_371_700 + n),
  tradesPath: "/v1/trades/ticks",
  tradesAnswer: (ids) =>
    ids.map((id) => ({
      ...{ market: "KRW-BTC", timestamp: 1_790_133_513_739, trade_price: 116_208_000, trade_volume: 0.0009 },
      ...{ ask_bid: "BID", sequential_id: Number(id) },
    })),
  order: {
    ...{ type: "myOrder", code: "KRW-BTC", order_id: "C0101000000001818113", client_order_id: "hg0123456789abcdef" },
    ...{ side: "buy", order_type: "limit", state: "trade", trade_id: "C0101000000001744207", order_price: 1_927_000 },
    ...{ order_quantity: 0.55, trade_price: 1_927_000, trade_quantity: 0.4697, remaining_quantity: 0.0803 },
    ...{ executed_quantity: 0.4697, executed_amount: 905_111.9, paid_fee: 0, order_timestamp: 1_727_052_318_074 },
    ...{ trade_timestamp: 1_727_052_318_148, timestamp: 1_727_052_318_369, stream_type: "REALTIME" },
  },
  hint: { orderId: "C0101000000001818113", userref: "hg0123456789abcdef" },
  balances: {
    ...{ type: "myAsset", assets: [{ currency: "KRW", balance: "2061832.35", locked: "3824127.3" }] },
    ...{ asset_timestamp: 1_727_052_537_592, timestamp: 1_727_052_537_687, stream_type: "REALTIME" },
  },
  optional: {
    book: ["timestamp", "total_ask_size", "total_bid_size", "stream_type", "level"],
    trade: ["trade_timestamp", "timestamp", "trade_date", "trade_time", "stream_type"],
    order: ["client_order_id", "code", "state", "trade_id", "order_price", "executed_quantity", "timestamp"],
    balances: ["assets", "asset_timestamp", "timestamp", "stream_type"],
  },
  refusal: { message: { error: { name: "INVALID_PARAM", message: "their words" } }, code: "INVALID_PARAM" },
  pings: ({ pings }) => pings,
};

testStream(BITHUMB);

describe("what Bithumb's stream is told", () => {
  let exchange: StreamExchange | undefined;
  let stream: VenueStream | undefined;
  afterEach(async () => {
    await stream?.close();
    await exchange?.close();
  });

  it("is a token over nothing with the time, in the header, for the connection of the account", async () => {
    exchange = await streamExchange();
    const { lines, url } = exchange;
    stream = new VenueStream({ source: async () => open(url).streaming, hasKey: true });
    stream.orders(() => {});
    const line = await eventually(() => lines[0]);
    const [, token = ""] = /^Bearer (.+)$/.exec(String(line.headers["authorization"])) ?? [];
    const [head = "", claims = "", signature] = token.split(".");
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ alg: "HS256", typ: "JWT" });
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
      ...{ access_key: "key-1", nonce: expect.stringMatching(/^[\da-f-]{36}$/), timestamp: expect.any(Number) },
    });
    expect(signature).toBe(createHmac("sha256", SECRET).update(`${head}.${claims}`).digest("base64url"));
    await eventually(() => line.said.length === 1);
    expect(line.said[0]).toMatchObject([{}, { type: "myOrder" }, { format: "DEFAULT" }]);
  });
});
