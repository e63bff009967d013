import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { CoinoneVenue } from "../../../src/venues/coinone/venue.ts";
import { VenueStream } from "../../../src/venues/index.ts";
import { eventually } from "../hoga/stream/scripted-venue.ts";
import { type StreamCase, testStream } from "../stream-behaviour.ts";
import { type StreamExchange, streamExchange } from "../stream-exchange.ts";

const SECRET = "canary-secret";
const open = (baseUrl: string) =>
  new CoinoneVenue({ environment: "sandbox", baseUrl, credentials: { apiKey: "key-1", apiSecret: SECRET } });

const BTC = { quote_currency: "KRW", target_currency: "BTC" };
const markets = [BTC, { ...BTC, target_currency: "ETH" }].map((pair) => ({
  ...{ ...pair, price_unit: "1.0", qty_unit: "0.00000001", trade_status: 1, maintenance_status: 0 },
}));
const answers = { "/public/v2/markets": { result: "success", error_code: "0", markets } };

/** The messages of a recording of 2026-09-23 and of its documents (read 2026-11), retyped. */
const COINONE: StreamCase = {
  ...{ title: "Coinone", open, isBinary: false, books: "levels", answers },
  paths: { public: "/", private: "/v1/private" },
  greets: [{ response_type: "CONNECTED", data: { session_id: "57a97041-a6ee-aa86-fb6d-6f51f626dc4c" } }],
  book: (newer) => ({
    ...{ response_type: "DATA", channel: "ORDERBOOK" },
    data: {
      ...{ ...BTC, timestamp: 1_790_134_167_554, id: String(1_790_134_177_435_001 + newer) },
      // The worst first.
      asks: [
        { price: "116650000", qty: "0.01198956" },
        { price: "116460000", qty: "0.0232" },
      ],
      bids: [
        { price: "116450000", qty: "0.0118" },
        { price: "116440000", qty: "0.04695328" },
      ],
    },
  }),
  best: { buy: ["116450000", "0.0118"], ask: ["116460000", "0.0232"] },
  trade: (id) => ({
    ...{ response_type: "DATA", channel: "TRADE" },
    data: {
      ...{ ...BTC, id, timestamp: 1_790_134_177_835, price: "116460000", qty: "0.00483595", is_seller_maker: true },
    },
  }),
  tradeId: (n) => String(1_790_134_177_835_001 + n),
  tradesPath: "/public/v2/trades",
  tradesAnswer: (ids) => ({
    ...{ result: "success", error_code: "0", server_time: 1_790_134_177_900 },
    transactions: ids.map((id) => ({
      ...{ id, timestamp: 1_790_134_177_835, price: "116460000", qty: "0.00483595", is_seller_maker: true },
    })),
  }),
  order: {
    ...{ response_type: "DATA", channel: "MYORDER" },
    data: {
      ...{ ...BTC, order_id: "1b48b02b-1e4d-11e9-9ec7-00e04c3600d7", type: "LIMIT", status: "trade", side: "BID" },
      ...{ order_price: null, order_qty: null, order_amount: null, executed_price: "6244000", executed_qty: "0.01" },
      ...{ trade_id: "1e9c062e-1e4d-11e9-9ec7-00e04c3600d7", is_maker: false, executed_fee: "0.00000000" },
      ...{ remain_qty: "0.00000000", remain_amount: "0", user_order_id: "hg0123456789abcdef", prevented_qty: null },
      ...{ executed_timestamp: 1_761_024_895, order_timestamp: 1_761_024_895, timestamp: 1_761_024_907 },
    },
  },
  hint: { orderId: "1b48b02b-1e4d-11e9-9ec7-00e04c3600d7", userref: "hg0123456789abcdef" },
  balances: {
    ...{ response_type: "DATA", channel: "MYASSET" },
    data: { assets: [{ currency: "KRW", available: "1", limit: "0" }], type: "ORDER", timestamp: 1_761_024_907 },
  },
  optional: {
    book: ["data.timestamp", "data.id"],
    trade: ["response.none"],
    order: ["data.user_order_id", "data.status", "data.trade_id", "data.executed_qty", "data.quote_currency"],
    balances: ["data.assets", "data.timestamp"],
  },
  refusal: { message: { response_type: "ERROR", error_code: 160_012, message: "Invalid Topic" }, code: "160012" },
  pings: ({ said }) => said.filter((message) => (message as { request_type?: string }).request_type === "PING").length,
};

testStream(COINONE);

describe("what Coinone's stream is told", () => {
  let exchange: StreamExchange | undefined;
  let stream: VenueStream | undefined;
  afterEach(async () => {
    await stream?.close();
    await exchange?.close();
  });

  async function opened() {
    exchange = await streamExchange();
    Object.assign(exchange.answers, answers);
    const { streaming } = open(exchange.url);
    stream = new VenueStream({ source: async () => streaming, hasKey: true });
    return { stream, exchange, lines: exchange.lines };
  }

  it("is signed over the token, a nonce and the time, in the headers", async () => {
    const { stream: own, lines } = await opened();
    own.orders(() => {});
    const line = await eventually(() => lines[0]);
    const payload = String(line.headers["x-coinone-payload"]);
    expect(JSON.parse(Buffer.from(payload, "base64").toString())).toEqual({
      ...{ access_token: "key-1", nonce: expect.stringMatching(/^[\da-f-]{36}$/), timestamp: expect.any(Number) },
    });
    const signature = createHmac("sha512", SECRET).update(payload).digest("hex");
    expect(line.headers["x-coinone-signature"]).toBe(signature);
  });

  it("is told of one topic at a time, and of orders in every market by its name", async () => {
    const { stream: own, lines } = await opened();
    own.orders(() => {});
    own.balances(() => {});
    const line = await eventually(() => lines[0]);
    await eventually(() => line.said.length === 2);
    const topic = [BTC, { ...BTC, target_currency: "ETH" }];
    expect(line.said).toEqual([
      { request_type: "SUBSCRIBE", channel: "MYORDER", topic },
      { request_type: "SUBSCRIBE", channel: "MYASSET" },
    ]);
  });

  it("has trades of a market in which there are none, as it says that it tells of them", async () => {
    const { stream: own, exchange: at, lines } = await opened();
    at.answers["/public/v2/trades"] = COINONE.tradesAnswer([]);
    const trades = own.trades("BTC/KRW", () => {});
    const line = await eventually(() => lines[0]);
    await eventually(() => line.said.length === 1);
    expect(line.said).toEqual([{ request_type: "SUBSCRIBE", channel: "TRADE", topic: BTC }]);
    line.say({ response_type: "SUBSCRIBED", channel: "TRADE", data: BTC });
    await eventually(() => trades.live);
    expect(trades.value).toEqual([]);
  });
});
