import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { VenueStream } from "../../../src/venues/index.ts";
import { KorbitVenue } from "../../../src/venues/korbit/venue.ts";
import { eventually } from "../hoga/stream/scripted-venue.ts";
import { type StreamCase, testStream } from "../stream-behaviour.ts";
import { type StreamExchange, streamExchange } from "../stream-exchange.ts";

const SECRET = "canary-secret";
const open = (baseUrl: string) =>
  new KorbitVenue({ environment: "sandbox", baseUrl, credentials: { apiKey: "key-1", apiSecret: SECRET } });

let asked = 0;
const PAIRS = [
  { symbol: "btc_krw", status: "launched" },
  { symbol: "eth_krw", status: "launched" },
];
const answers = {
  "/v2/currencyPairs": { success: true, data: PAIRS },
  // Later each time it is read.
  get "/v2/time"() {
    return { success: true, data: { time: 1_700_000_000_000 + ++asked } };
  },
};

/** The messages of its reference (2026-07-19) and of a recording of 2026-09-23, retyped. */
const KORBIT: StreamCase = {
  ...{ title: "Korbit", open, isBinary: false, books: "levels", answers },
  paths: { public: "/v2/public", private: "/v2/private" },
  book: (newer) => ({
    ...{ symbol: "btc_krw", timestamp: 1_790_134_242_857, type: "orderbook", snapshot: true },
    data: {
      timestamp: 1_790_134_242_563 + newer,
      asks: [
        { price: "116506000", qty: "0.27522" },
        { price: "116538000", qty: "0.00665633" },
      ],
      bids: [{ price: "116455000", qty: "0.00499" }],
    },
  }),
  best: { buy: ["116455000", "0.00499"], ask: ["116506000", "0.27522"] },
  trade: (id) => ({
    ...{ symbol: "btc_krw", timestamp: 1_790_134_328_085, type: "trade", snapshot: true },
    data: [
      { timestamp: 1_790_134_317_520, price: "116439000", qty: "0.0067", isBuyerTaker: false, tradeId: Number(id) },
    ],
  }),
  tradeId: (n) => String(25_441_720 + n),
  tradesPath: "/v2/trades",
  tradesAnswer: (ids) => ({
    success: true,
    data: ids.map((id) => ({
      ...{ timestamp: 1_790_134_317_520, price: "116439000", qty: "0.0067", isBuyerTaker: false, tradeId: Number(id) },
    })),
  }),
  order: {
    ...{ channelType: "myOrder", timestamp: 1_700_000_000_000, symbol: "btc_krw" },
    order: {
      accountSeq: 1,
      orders: [
        {
          ...{ orderId: 1234, status: "unfilled", side: "buy", orderType: "limit", timeInForce: "gtc", price: "5000" },
          ...{ qty: "10", filledQty: "0", filledAmt: "0", createdAt: 1_700_000_000_000 },
          clientOrderId: "hg0123456789abcdef",
        },
      ],
    },
  },
  hint: { orderId: "1234", userref: "hg0123456789abcdef" },
  balances: {
    ...{ channelType: "myAsset", timestamp: 1_700_000_000_000 },
    asset: { accountSeq: 1, assets: [{ currency: "krw", balance: "100", available: "70", tradeInUse: "20" }] },
  },
  optional: {
    book: ["timestamp", "snapshot", "data.timestamp"],
    trade: ["timestamp", "snapshot"],
    order: ["timestamp", "symbol", "order.accountSeq", "order.orders.0.clientOrderId", "order.orders.0.price"],
    balances: ["timestamp", "asset", "asset.accountSeq"],
  },
  refusal: {
    message: { status: "fail", code: "INVALID_SYMBOL", message: "their words", requestId: 2 },
    code: "INVALID_SYMBOL",
  },
  pings: ({ pings }) => pings,
};

testStream(KORBIT);

describe("what Korbit's stream is told", () => {
  let exchange: StreamExchange | undefined;
  let stream: VenueStream | undefined;
  afterEach(async () => {
    await stream?.close();
    await exchange?.close();
  });

  async function opened() {
    exchange = await streamExchange();
    Object.defineProperties(exchange.answers, Object.getOwnPropertyDescriptors(answers));
    const { streaming } = open(exchange.url);
    stream = new VenueStream({ source: async () => streaming, hasKey: true });
    return { stream, lines: exchange.lines };
  }

  it("is signed over the time, in the query, with the key in the header alone", async () => {
    const { stream: own, lines } = await opened();
    own.orders(() => {});
    const line = await eventually(() => lines[0]);
    const [, text = "", made] = /^\/v2\/private\?(timestamp=\d+)&signature=([\da-f]+)$/.exec(line.path) ?? [];
    expect(made).toBe(createHmac("sha256", SECRET).update(text).digest("hex"));
    expect(line.headers["x-kapi-key"]).toBe("key-1");
  });

  it("asks for orders in every market by its name, and for balances without any", async () => {
    const { stream: own, lines } = await opened();
    own.orders(() => {});
    own.balances(() => {});
    const line = await eventually(() => lines[0]);
    await eventually(() => line.said.length === 1);
    expect(line.said[0]).toEqual([
      { requestId: 1, method: "subscribe", type: "myOrder", symbols: ["btc_krw", "eth_krw"] },
      { requestId: 2, method: "subscribe", type: "myAsset" },
    ]);
  });

  it("is told of each market that is wanted, and of each that is no more", async () => {
    const { stream: own, lines } = await opened();
    const followed = own.orderbook("BTC/KRW", () => {});
    const line = await eventually(() => lines[0]);
    await eventually(() => line.said.length === 1);
    own.trades("ETH/KRW", () => {});
    followed.close();
    await eventually(() => line.said.flat().length === 3);
    expect(line.said.flat()).toEqual([
      { requestId: expect.any(Number), method: "subscribe", type: "orderbook", symbols: ["btc_krw"] },
      { requestId: expect.any(Number), method: "subscribe", type: "trade", symbols: ["eth_krw"] },
      { requestId: expect.any(Number), method: "unsubscribe", type: "orderbook", symbols: ["btc_krw"] },
    ]);
  });
});
