/** ccxt's `binance` as published, with the sandbox's address, and set to the spot market only. */
import {
  AuthenticationError,
  BadRequest,
  BadSymbol,
  binance,
  DDoSProtection,
  InsufficientFunds,
  InvalidOrder,
  OrderImmediatelyFillable,
  OrderNotFound,
} from "ccxt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMIT } from "../../sandbox/alias/alias-client.ts";
import type { Credentials } from "../../sandbox/http/signed-client.ts";
import { openVenue, type Venue } from "../../sandbox/http/venue.ts";

const SYMBOL = "BTC/KRW";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let venue: Venue;
let exchange: binance;

/** Every address of the client is that of the sandbox. */
function clientOf({ sandbox }: Venue, { apiKey, apiSecret }: Credentials = sandbox): binance {
  const { api } = new binance().urls as { api: Record<string, string> };
  const here = `${sandbox.baseUrl}/api/v3`;
  return new binance({
    apiKey,
    secret: apiSecret,
    urls: { api: Object.fromEntries(Object.keys(api).map((name) => [name, here])) },
    options: {
      fetchMarkets: { types: ["spot"] },
      fetchMargins: false,
      fetchCurrencies: false,
      fetchTradesMethod: "publicGetTrades",
    },
  });
}

beforeAll(async () => {
  // The client signs with the time of this machine.
  venue = await openVenue({ now: Date.now });
  exchange = clientOf(venue);
  await venue.maker.order({ side: "sell", volume: "1", price: "100000000" });
  await venue.maker.order({ side: "buy", volume: "1", price: "98000000" });
  await venue.paper.order({ volume: "0.001", price: "100000000" });
  await exchange.loadMarkets();
});

afterAll(() => venue.sandbox.close());

function idOf({ id }: { readonly id: string | undefined }): string {
  return id ?? "";
}

describe("ccxt reads", () => {
  it("markets with their steps and limits", () => {
    expect(exchange.symbols).toHaveLength(venue.sandbox.exchange.markets().length);
    expect(exchange.market(SYMBOL)).toMatchObject({
      id: "BTCKRW",
      spot: true,
      active: true,
      precision: { price: 1000, amount: 0.00000001 },
      limits: { amount: { min: 0.00001 }, cost: { min: 5000 }, price: { min: 1 } },
    });
  });

  it("the time, tickers, the book, trades and candles", async () => {
    expect(Math.abs(((await exchange.fetchTime()) ?? 0) - Date.now())).toBeLessThan(30_000);
    expect(await exchange.fetchTicker(SYMBOL)).toMatchObject({ last: 100_000_000, bid: 98_000_000, baseVolume: 0.001 });
    expect(Object.keys(await exchange.fetchTickers([SYMBOL, "ETH/KRW"]))).toHaveLength(2);
    expect((await exchange.fetchLastPrices([SYMBOL]))[SYMBOL]).toMatchObject({ price: 100_000_000 });
    expect((await exchange.fetchBidsAsks([SYMBOL]))[SYMBOL]).toMatchObject({ ask: 100_000_000, bidVolume: 1 });
    const book = await exchange.fetchOrderBook(SYMBOL, 5);
    expect([book.bids, book.asks]).toEqual([[[98_000_000, 1]], [[100_000_000, 0.999]]]);
    expect(await exchange.fetchTrades(SYMBOL)).toMatchObject([{ side: "buy", amount: 0.001, cost: 100_000 }]);
    const [candle] = await exchange.fetchOHLCV(SYMBOL, "1m");
    expect(candle?.slice(1)).toEqual([100_000_000, 100_000_000, 100_000_000, 100_000_000, 0.001]);
  });

  it("balances", async () => {
    const balance = await exchange.fetchBalance();
    expect(balance["BTC"]).toEqual({ free: 0.001, used: 0, total: 0.001 });
    expect(balance["KRW"]).toEqual({ free: 9_899_950, used: 0, total: 9_899_950 });
  });
});

describe("ccxt trades", () => {
  const rest = (params = {}) => exchange.createOrder(SYMBOL, "limit", "buy", 0.001, 90_000_000, params);

  it("places, finds and cancels; the order id is a text that all calls accept", async () => {
    const placed = await rest({ clientOrderId: "mine-7" });
    expect(placed).toMatchObject({
      id: expect.stringMatching(UUID),
      clientOrderId: "mine-7",
      status: "open",
      amount: 0.001,
      price: 90_000_000,
      info: { txid: [placed.id] },
    });
    expect(await exchange.fetchOrder(idOf(placed), SYMBOL)).toMatchObject({ id: placed.id, status: "open", filled: 0 });
    const byName = await exchange.fetchOrder("", SYMBOL, { clientOrderId: "mine-7" });
    expect(byName.id).toBe(placed.id);
    expect(await exchange.fetchOpenOrders(SYMBOL)).toMatchObject([{ id: placed.id }]);
    expect((await exchange.fetchBalance())["KRW"]).toMatchObject({ used: 90_045 });
    expect(await exchange.cancelOrder(idOf(placed), SYMBOL)).toMatchObject({ id: placed.id, status: "canceled" });
    expect(await exchange.fetchOpenOrders(SYMBOL)).toEqual([]);
    expect((await exchange.fetchOrders(SYMBOL)).at(-1)).toMatchObject({ id: placed.id, status: "canceled" });
  });

  it("chooses client order ids of its own, which the exchange accepts", async () => {
    const placed = await rest();
    expect(placed.clientOrderId).toMatch(/^x-/);
    expect((await venue.paper.get(`/v1/orders?userref=${placed.clientOrderId}`)).json.orders).toHaveLength(1);
    await exchange.cancelAllOrders(SYMBOL);
  });

  it("buys and sells at market, by amount and by cost, and finds it in the history", async () => {
    const bought = await exchange.createMarketBuyOrderWithCost(SYMBOL, 200_000);
    expect(bought).toMatchObject({ status: "closed", filled: 0.002, cost: 200_000, average: 100_000_000 });
    expect(bought.fee).toMatchObject({ cost: 100, currency: "KRW" });
    const sold = await exchange.createOrder(SYMBOL, "market", "sell", 0.002);
    expect(sold).toMatchObject({ status: "closed", side: "sell", average: 98_000_000 });
    const trades = await exchange.fetchMyTrades(SYMBOL);
    expect(trades.slice(-2)).toMatchObject([
      { order: bought.id, side: "buy", takerOrMaker: "taker", fee: { cost: 100, currency: "KRW" } },
      { order: sold.id, side: "sell", amount: 0.002 },
    ]);
    expect(await exchange.fetchOrderTrades(idOf(sold), SYMBOL)).toMatchObject([{ order: sold.id }]);
    expect((await exchange.fetchClosedOrders(SYMBOL)).map(({ id }) => id)).toContain(bought.id);
  });

  it("places post-only, sends times in force, cancels all, tests without effect", async () => {
    const maker = await rest({ postOnly: true });
    expect(maker).toMatchObject({ id: expect.stringMatching(UUID) });
    expect(await rest({ timeInForce: "IOC" })).toMatchObject({ status: "expired", timeInForce: "IOC" });
    await rest({ test: true });
    expect(await exchange.cancelAllOrders(SYMBOL)).toMatchObject([{ id: maker.id, status: "canceled" }]);
  });

  it("rounds to the steps that the exchange reports for the market", async () => {
    const placed = await exchange.createOrder(SYMBOL, "limit", "buy", 0.001000001, 90_000_123);
    expect(placed).toMatchObject({ price: 90_000_000, amount: 0.001 });
    await exchange.cancelOrder(idOf(placed), SYMBOL);
  });
});

describe("ccxt distinguishes refusals", () => {
  const place = (type: string, amount: number, price: number, params = {}) =>
    exchange.createOrder(SYMBOL, type, "buy", amount, price, params);

  it("when an order is refused", async () => {
    await expect(place("limit", 100, 90_000_000)).rejects.toThrow(InsufficientFunds);
    await expect(place("limit", 0.001, 100_000_000, { postOnly: true })).rejects.toThrow(OrderImmediatelyFillable);
    await expect(exchange.fetchOrder("1", SYMBOL)).rejects.toThrow(OrderNotFound);
    await expect(exchange.cancelOrder("1", SYMBOL)).rejects.toThrow(OrderNotFound);
    await expect(exchange.cancelAllOrders(SYMBOL)).rejects.toThrow(OrderNotFound);
    await expect(place("limit", 0.001, 90_000_000, { icebergQty: "0.0001" })).rejects.toThrow(BadRequest);
    await expect(exchange["privatePostOrder"]({ ...LIMIT, price: "90000001" })).rejects.toThrow(InvalidOrder);
    await expect(exchange["publicGetDepth"]({ symbol: "NOKRW" })).rejects.toThrow(BadSymbol);
  });

  it("when a key is wrong", async () => {
    const { apiKey } = venue.sandbox;
    await expect(clientOf(venue, { apiKey, apiSecret: "wrong" }).fetchBalance()).rejects.toThrow(AuthenticationError);
    await expect(clientOf(venue, { apiKey: "wrong", apiSecret: "wrong" }).fetchBalance()).rejects.toThrow(
      AuthenticationError,
    );
  });

  it("when calls are over the limit", async () => {
    const tight = await openVenue({
      now: Date.now,
      limits: { weightPerMinute: { starter: 3, pro: 3, enterprise: 3 } },
    });
    const hasty = clientOf(tight);
    expect((await hasty.fetchBalance())["KRW"]).toMatchObject({ free: 10_000_000 });
    await expect(hasty.fetchBalance()).rejects.toThrow(DDoSProtection);
    await tight.sandbox.close();
  });
});
