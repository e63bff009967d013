/**
 * ccxt, the client that most trading programs use, unchanged: its class for the dialect with another address. The compliance fields
 * are its documented extra parameters.
 */
import {
  AuthenticationError,
  ExchangeError,
  InsufficientFunds,
  InvalidNonce,
  InvalidOrder,
  kraken,
  OrderNotFound,
} from "ccxt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { START } from "../../sandbox/http/venue.ts";
import { COMPLIANCE, resultOf, TradingCaller } from "../../sandbox/trading/trading-caller.ts";
import { openTrading, type TradingVenue } from "../../sandbox/trading/venue.ts";

let trading: TradingVenue;
let exchange: kraken;
beforeEach(async () => {
  trading = await openTrading();
  const { apiKey, apiSecret } = trading.addKey().credentials;
  // Its nonces are milliseconds, so it must not send two calls in one.
  exchange = new kraken({ apiKey, secret: apiSecret, rateLimit: 3 });
  const { baseUrl } = trading.paper;
  exchange.urls = { ...exchange.urls, api: { public: baseUrl, private: baseUrl } };
});
afterEach(() => trading.venue.sandbox.close());

type Placed = Parameters<kraken["createOrder"]>;

/** The id of a new order, of 0.001 BTC at 90,000,000 KRW by default. */
async function place(
  { type = "limit", side = "buy", amount = 0.001, price = 90_000_000 as Placed[4] } = {},
  params: object = {},
): Promise<string> {
  const { id } = await exchange.createOrder("BTC/KRW", type, side, amount, price, { ...COMPLIANCE, ...params });
  if (id === undefined) throw new Error("an order without id");
  return id;
}

describe("ccxt reads the market", () => {
  it("markets with their rules and fees, currencies, time and status", async () => {
    const markets = await exchange.loadMarkets();
    expect(Object.keys(markets)).toHaveLength(12);
    expect(markets["BTC/KRW"]).toMatchObject({
      id: "BTC/KRW",
      base: "BTC",
      quote: "KRW",
      active: true,
      taker: 0.0005,
      maker: 0.0004,
      precision: { amount: 1e-8, price: 1 },
      limits: { amount: { min: 0.00001 }, cost: { min: 5000 } },
    });
    expect(Object.keys(exchange.currencies)).toContain("DOGE");
    expect(await exchange.fetchTime()).toBe(START);
    expect((await exchange.fetchStatus()).status).toBe("ok");
  });

  it("ticker, book, trades and candles", async () => {
    const { maker, paper } = trading;
    await maker.add({ type: "sell", volume: "1", price: "100000000" });
    await paper.add({ volume: "0.01", price: "100000000" });
    await maker.add({ volume: "0.5", price: "99000000" });
    const ticker = await exchange.fetchTicker("BTC/KRW");
    expect(ticker).toMatchObject({ bid: 99_000_000, ask: 100_000_000, last: 100_000_000, baseVolume: 0.01 });
    expect(Object.keys(await exchange.fetchTickers(["BTC/KRW", "ETH/KRW"]))).toEqual(["BTC/KRW", "ETH/KRW"]);
    const book = await exchange.fetchOrderBook("BTC/KRW", 10);
    expect(book.bids.map(([price, amount]) => [price, amount])).toEqual([[99_000_000, 0.5]]);
    expect(book.asks.map(([price, amount]) => [price, amount])).toEqual([[100_000_000, 0.99]]);
    const [trade] = await exchange.fetchTrades("BTC/KRW");
    expect(trade).toMatchObject({ timestamp: START, side: "buy", price: 100_000_000, amount: 0.01 });
    const candle = [START, 100_000_000, 100_000_000, 100_000_000, 100_000_000, 0.01];
    expect(await exchange.fetchOHLCV("BTC/KRW", "1h", START)).toEqual([candle]);
  });
});

describe("ccxt trades", () => {
  it("places a limit order, finds it open, cancels it, and finds it in the history", async () => {
    const order = await exchange.createOrder("BTC/KRW", "limit", "buy", 0.001, 90_000_000, COMPLIANCE);
    const { id = "" } = order;
    expect(order).toMatchObject({ symbol: "BTC/KRW", side: "buy", type: "limit", price: 90_000_000, amount: 0.001 });
    const open = { id, symbol: "BTC/KRW", status: "open", timestamp: START, filled: 0, remaining: 0.001 };
    expect(await exchange.fetchOpenOrders("BTC/KRW")).toMatchObject([open]);
    expect(await exchange.fetchOrder(id)).toMatchObject(open);
    expect(await exchange.fetchBalance()).toMatchObject({ KRW: { total: 10_000_000, used: 90_045, free: 9_909_955 } });
    await exchange.cancelOrder(id);
    expect(await exchange.fetchOpenOrders()).toEqual([]);
    expect(await exchange.fetchClosedOrders("BTC/KRW")).toMatchObject([{ id, status: "canceled" }]);
  });

  it("finds an order by its client order id", async () => {
    const id = await place({}, { clientOrderId: "desk-0001" });
    await place();
    const found = await exchange.fetchOpenOrders("BTC/KRW", undefined, undefined, { clientOrderId: "desk-0001" });
    expect(found).toMatchObject([{ id, clientOrderId: "desk-0001" }]);
    await exchange.cancelOrder("", undefined, { clientOrderId: "desk-0001" });
    expect(await exchange.fetchOrder(id)).toMatchObject({ status: "canceled" });
  });

  it("buys at market by volume and by amount, and sees its fills", async () => {
    await trading.maker.add({ type: "sell", volume: "1", price: "100000000" });
    const id = await place({ type: "market", amount: 0.002, price: undefined });
    const filled = await exchange.fetchOrder(id);
    expect(filled).toMatchObject({
      status: "closed",
      filled: 0.002,
      average: 100_000_000,
      fee: { cost: "100", currency: "KRW" },
    });
    await exchange.createMarketBuyOrderWithCost("BTC/KRW", 50_000, COMPLIANCE);
    const trades = await exchange.fetchMyTrades("BTC/KRW", START - 1000);
    expect(trades.map(({ order, amount, cost, takerOrMaker }) => [order === id, amount, cost, takerOrMaker])).toEqual([
      [true, 0.002, 200_000, "taker"],
      [false, 0.0005, 50_000, "taker"],
    ]);
    const [first] = await exchange.fetchOrderTrades(id, undefined, undefined, undefined, { trades: ["T1"] });
    expect(first).toMatchObject({ id: "T1", order: id, timestamp: START });
    expect(await exchange.fetchTradingFee("BTC/KRW")).toMatchObject({ maker: 0.0004, taker: 0.0005 });
  });

  it("sends post-only and time in force", async () => {
    await trading.maker.add({ type: "sell", volume: "1", price: "100000000" });
    const id = await place({}, { postOnly: true });
    expect(await exchange.fetchOrder(id)).toMatchObject({ postOnly: true });
    await expect(place({ price: 101_000_000 }, { postOnly: true })).rejects.toThrow(/Post only/);
    const killed = await place({}, { timeInForce: "FOK" });
    expect(await exchange.fetchOrder(killed)).toMatchObject({ status: "expired" });
  });

  it("sets the cancel timer", async () => {
    const armed = await exchange.cancelAllOrdersAfter(60_000);
    expect(armed).toMatchObject({ result: { triggerTime: "2026-07-20T09:01:00.000Z" } });
  });

  it("cancels everything", async () => {
    const ids = [await place(), await place({ price: 91_000_000 })];
    await exchange.cancelAllOrders();
    const closed = await exchange.fetchClosedOrders();
    expect(closed.map(({ id, status }) => [ids.includes(id ?? ""), status])).toEqual([
      [true, "canceled"],
      [true, "canceled"],
    ]);
  });
});

describe("ccxt maps refusals to its own errors", () => {
  it("gives each kind its class of error", async () => {
    await expect(place({ amount: 5 })).rejects.toBeInstanceOf(InsufficientFunds);
    await expect(place({ amount: 0.00002 })).rejects.toBeInstanceOf(InvalidOrder);
    await expect(exchange.cancelOrder("01999f3e-7a10-7c31-9a52-0c6d5b1f2a77")).rejects.toBeInstanceOf(OrderNotFound);
    const without = exchange.createOrder("BTC/KRW", "limit", "buy", 0.001, 90_000_000);
    await expect(without).rejects.toBeInstanceOf(ExchangeError);
    await expect(without).rejects.toThrow("ECompliance:Missing travel-rule metadata: vasp_purpose_code");
    const { baseUrl } = trading.paper;
    const other = new TradingCaller(baseUrl, { apiKey: exchange.apiKey ?? "", apiSecret: exchange.secret ?? "" });
    resultOf("Balance", await other.post("Balance", {}, { nonce: String(Date.now() + 3_600_000) }));
    await expect(exchange.fetchBalance()).rejects.toBeInstanceOf(InvalidNonce);
    exchange.apiKey = "nobody";
    await expect(exchange.fetchBalance()).rejects.toBeInstanceOf(AuthenticationError);
  });
});
