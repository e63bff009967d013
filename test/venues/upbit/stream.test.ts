import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { VenueStream } from "../../../src/venues/index.ts";
import { UpbitVenue } from "../../../src/venues/upbit/venue.ts";
import { eventually, settle } from "../hoga/stream/scripted-venue.ts";
import { type StreamCase, testStream } from "../stream-behaviour.ts";
import { type StreamExchange, streamExchange } from "../stream-exchange.ts";

const SECRET = "canary-secret";
const open = (baseUrl: string) =>
  new UpbitVenue({ environment: "sandbox", baseUrl, credentials: { apiKey: "key-1", apiSecret: SECRET } });

/** The messages of its documents (2026-09 and 2026-11), and of a recording of 2026-09-23, retyped. */
const UPBIT: StreamCase = {
  ...{ title: "Upbit", open, isBinary: true, books: "levels" },
  paths: { public: "/websocket/v1", private: "/websocket/v1/private" },
  book: (newer) => ({
    ...{ type: "orderbook", code: "KRW-BTC", timestamp: 1_790_134_742_100 + newer },
    ...{ total_ask_size: 2.51469375, total_bid_size: 1.63815297, stream_type: "SNAPSHOT", level: 0 },
    orderbook_units: [
      { ask_price: 116_539_000, bid_price: 116_538_000, ask_size: 0.02054761, bid_size: 0.08120946 },
      // A side with fewer orders than there are levels.
      { ask_price: 116_542_000, bid_price: 0, ask_size: 0.0007772, bid_size: 0 },
    ],
  }),
  best: { buy: ["116538000", "0.08120946"], ask: ["116539000", "0.02054761"] },
  trade: (id) => ({
    ...{ type: "trade", code: "KRW-BTC", trade_price: 100_473_000, trade_volume: 0.00014208, ask_bid: "BID" },
    ...{ prev_closing_price: 100_571_000, change: "FALL", change_price: 98_000, trade_date: "2024-10-31" },
    ...{ trade_time: "01:07:42", trade_timestamp: 1_730_336_862_047, timestamp: 1_730_336_862_082 },
    ...{ sequential_id: Number(id), stream_type: "REALTIME" },
  }),
  tradeId: (n) => String(17_303_368_620_470_000 + n * 8),
  tradesPath: "/v1/trades/ticks",
  tradesAnswer: (ids) =>
    ids.map((id) => ({
      ...{ market: "KRW-BTC", timestamp: 1_730_336_862_047, trade_price: 100_473_000, trade_volume: 0.00014208 },
      ...{ ask_bid: "BID", sequential_id: Number(id) },
    })),
  order: {
    ...{ type: "myOrder", code: "KRW-BTC", uuid: "ac2dc2a3-fce9-40a2-a4f6-5987c25c438f", ask_bid: "BID" },
    ...{ order_type: "limit", state: "trade", trade_uuid: "68315169-fba4-4175-ade3-aff14a616657", price: 0.001453 },
    ...{ avg_price: 0.00145372, volume: 30925891.29839369, remaining_volume: 29968038.09235948 },
    ...{ executed_volume: 30925891.29839369, trades_count: 1, time_in_force: null, trade_fee: 22.4787, is_maker: true },
    ...{ identifier: "hg0123456789abcdef", smp_type: "cancel_maker", order_timestamp: 1_710_751_590_000 },
    ...{ trade_timestamp: 1_710_751_590_421, timestamp: 1_710_751_597_500, stream_type: "REALTIME" },
  },
  hint: { orderId: "ac2dc2a3-fce9-40a2-a4f6-5987c25c438f", userref: "hg0123456789abcdef" },
  balances: {
    ...{ type: "myAsset", asset_uuid: "e635f223-1609-4969-8fb6-4376937baad6" },
    assets: [{ currency: "KRW", balance: 1_386_929.3723, locked: 10_329.6701 }],
    ...{ asset_timestamp: 1_710_146_517_259, timestamp: 1_710_146_517_267, stream_type: "REALTIME" },
  },
  optional: {
    book: ["timestamp", "total_ask_size", "total_bid_size", "stream_type", "level"],
    trade: ["trade_timestamp", "timestamp", "prev_closing_price", "change", "trade_date", "stream_type"],
    order: ["identifier", "code", "state", "price", "volume", "executed_volume", "trade_uuid", "timestamp"],
    balances: ["assets", "asset_uuid", "asset_timestamp", "timestamp", "stream_type"],
  },
  refusal: { message: { error: { name: "INVALID_AUTH", message: "their words" } }, code: "INVALID_AUTH" },
  pings: ({ pings }) => pings,
};

testStream(UPBIT);

describe("what Upbit's stream is told and tells", () => {
  let exchange: StreamExchange | undefined;
  let stream: VenueStream | undefined;
  afterEach(async () => {
    await stream?.close();
    await exchange?.close();
  });

  async function opened(): Promise<{ readonly exchange: StreamExchange; readonly stream: VenueStream }> {
    exchange = await streamExchange();
    const { streaming } = open(exchange.url);
    stream = new VenueStream({ source: async () => streaming, hasKey: true });
    return { exchange, stream };
  }

  it("is one list of everything, as another request would end the one before", async () => {
    const world = await opened();
    world.stream.orderbook("BTC/KRW", () => {});
    world.stream.orderbook("ETH/KRW", () => {});
    const line = await eventually(() => world.exchange.lines[0]);
    await eventually(() => line.said.length === 1);
    world.stream.trades("BTC/KRW", () => {});
    await eventually(() => line.said.length === 2);
    const ticket = { ticket: expect.stringMatching(/^[\da-f-]{36}$/) };
    const books = { type: "orderbook", codes: ["KRW-BTC", "KRW-ETH"] };
    expect(line.said).toEqual([
      [ticket, books, { format: "DEFAULT" }],
      [ticket, books, { type: "trade", codes: ["KRW-BTC"] }, { format: "DEFAULT" }],
    ]);
  });

  it("is asked for orders of all markets, and for balances without any", async () => {
    const world = await opened();
    world.stream.orders(() => {});
    world.stream.balances(() => {});
    const line = await eventually(() => world.exchange.lines[0]);
    await eventually(() => line.said.length === 1);
    expect(line.said[0]).toMatchObject([{}, { type: "myOrder" }, { type: "myAsset" }, {}]);
    expect((line.said[0] as object[]).some((part) => "codes" in part)).toBe(false);
  });

  it("is signed in to with a token over nothing, in the header", async () => {
    const world = await opened();
    world.stream.orders(() => {});
    const line = await eventually(() => world.exchange.lines[0]);
    const [, token = ""] = /^Bearer (.+)$/.exec(String(line.headers["authorization"])) ?? [];
    const [head = "", claims = "", signature] = token.split(".");
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ alg: "HS512", typ: "JWT" });
    const nonce = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({ access_key: "key-1", nonce });
    expect(signature).toBe(createHmac("sha512", SECRET).update(`${head}.${claims}`).digest("base64url"));
  });

  it("writes prices with exponents, which are read to the digit", async () => {
    const world = await opened();
    const book = world.stream.orderbook("BTC/KRW", () => {});
    const line = await eventually(() => world.exchange.lines[0]);
    await eventually(() => line.said.length === 1);
    const unit = '{"ask_price":1.16539E8,"bid_price":1.16538E8,"ask_size":7.9276E-4,"bid_size":0.00077720}';
    line.say(`{"type":"orderbook","code":"KRW-BTC","timestamp":1790134742106,"orderbook_units":[${unit}]}`, true);
    await eventually(() => book.live);
    expect(book.value?.tick).toEqual({ buys: [["116538000", "0.0007772"]], asks: [["116539000", "0.00079276"]] });
    await settle();
  });
});
