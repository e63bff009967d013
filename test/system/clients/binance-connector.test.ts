/** `@binance/connector` as published, with the sandbox's address as its only setting. */
import { Spot } from "@binance/connector";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openVenue, type Venue } from "../../sandbox/http/venue.ts";

const SYMBOL = "BTCKRW";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let venue: Venue;
let spot: Spot;

beforeAll(async () => {
  // The client signs with the time of this machine.
  venue = await openVenue({ now: Date.now });
  const { baseUrl: baseURL, apiKey, apiSecret } = venue.sandbox;
  spot = new Spot(apiKey, apiSecret, { baseURL });
  await venue.maker.order({ side: "sell", volume: "1", price: "100000000" });
  await venue.maker.order({ side: "buy", volume: "1", price: "98000000" });
  await venue.paper.order({ volume: "0.001", price: "100000000" });
});

afterAll(() => venue.sandbox.close());

const data = async (answer: ReturnType<Spot["ping"]>) => (await answer).data;
const refusal = async (answer: ReturnType<Spot["ping"]>) =>
  answer.then(
    ({ data: unexpected }) => unexpected,
    ({ response }) => [response.status, response.data.code],
  );
const buy = { timeInForce: "GTC", quantity: 0.001, price: 90_000_000 };

describe("the connector reads", () => {
  it("the time, the markets, one market", async () => {
    expect(await data(spot.ping())).toEqual({});
    expect(Math.abs((await data(spot.time())).serverTime - Date.now())).toBeLessThan(30_000);
    expect((await data(spot.exchangeInfo())).symbols).toHaveLength(venue.sandbox.exchange.markets().length);
    expect((await data(spot.exchangeInfo({ symbol: "btckrw" }))).symbols).toMatchObject([{ symbol: SYMBOL }]);
    expect((await data(spot.exchangeInfo({ symbols: ["BTCKRW", "ETHKRW"] }))).symbols).toHaveLength(2);
  });

  it("tickers, the book, trades and candles", async () => {
    expect(await data(spot.ticker24hr(SYMBOL))).toMatchObject({ lastPrice: "100000000.00000000", count: 1 });
    expect(await data(spot.ticker24hr("", [SYMBOL, "ETHKRW"], "MINI"))).toHaveLength(2);
    expect(await data(spot.tickerPrice(SYMBOL))).toEqual({ symbol: SYMBOL, price: "100000000.00000000" });
    expect(await data(spot.bookTicker(SYMBOL))).toMatchObject({ bidPrice: "98000000.00000000" });
    expect(await data(spot.tickerPrice())).toHaveLength(venue.sandbox.exchange.markets().length);
    expect((await data(spot.depth(SYMBOL, { limit: 5 }))).asks).toEqual([["100000000.00000000", "0.99900000"]]);
    expect(await data(spot.trades(SYMBOL))).toMatchObject([{ qty: "0.00100000", isBuyerMaker: false }]);
    expect(await data(spot.klines(SYMBOL, "1m", { limit: 10 }))).toMatchObject([expect.arrayContaining([1])]);
  });

  it("balances", async () => {
    const { balances } = await data(spot.account({ recvWindow: 10_000 }));
    const free = (asset: string) => balances.find((each: { asset: string }) => each.asset === asset)?.free;
    expect([free("BTC"), free("KRW")]).toEqual(["0.00100000", "9899950.00000000"]);
  });
});

describe("the connector trades", () => {
  it("places, finds and cancels; the order id is a text that all calls accept", async () => {
    const { data: placed, headers } = await spot.newOrder(SYMBOL, "BUY", "LIMIT", { ...buy, newClientOrderId: "c-1" });
    expect(placed).toMatchObject({
      orderId: expect.stringMatching(UUID),
      txid: [placed.orderId],
      clientOrderId: "c-1",
      status: "NEW",
    });
    expect(headers["x-mbx-used-weight-1m"]).toMatch(/^\d+$/);
    const { orderId } = placed;
    expect(await data(spot.getOrder(SYMBOL, { orderId }))).toMatchObject({ orderId, status: "NEW" });
    expect(await data(spot.getOrder(SYMBOL, { origClientOrderId: "c-1" }))).toMatchObject({ orderId });
    expect(await data(spot.openOrders({ symbol: SYMBOL }))).toMatchObject([{ orderId }]);
    expect(await data(spot.cancelOrder(SYMBOL, { orderId }))).toMatchObject({ orderId, status: "CANCELED" });
    expect(await data(spot.allOrders(SYMBOL, { orderId }))).toMatchObject([{ orderId, status: "CANCELED" }]);
  });

  it("buys at market by quote amount and shows it in its history", async () => {
    const bought = await data(spot.newOrder(SYMBOL, "BUY", "MARKET", { quoteOrderQty: 100_000 }));
    expect(bought).toMatchObject({ status: "FILLED", executedQty: "0.00100000", fills: [{ commissionAsset: "KRW" }] });
    const trades = await data(spot.myTrades(SYMBOL));
    expect(trades.at(-1)).toMatchObject({ orderId: bought.orderId, isBuyer: true, isMaker: false });
  });

  it("places post-only, cancels all, tests without effect", async () => {
    const { quantity, price } = buy;
    const first = await data(spot.newOrder(SYMBOL, "BUY", "LIMIT_MAKER", { quantity, price }));
    expect(await data(spot.newOrderTest(SYMBOL, "BUY", "LIMIT", buy))).toEqual({});
    expect(await data(spot.cancelOpenOrders(SYMBOL))).toMatchObject([{ orderId: first.orderId, status: "CANCELED" }]);
    expect(await data(spot.openOrders())).toEqual([]);
  });

  it("gets refusals that it can distinguish", async () => {
    const order = (options: Record<string, string | number>) =>
      refusal(spot.newOrder(SYMBOL, "BUY", "LIMIT", { ...buy, ...options }));
    expect(await order({ quantity: 100 })).toEqual([400, -2010]);
    expect(await order({ price: 90_000_001 })).toEqual([400, -1013]);
    expect(await order({ timeinforce: "GTC" })).toEqual([400, -1104]);
    expect(await refusal(spot.getOrder(SYMBOL, { orderId: 1 }))).toEqual([400, -2013]);
    expect(await refusal(spot.cancelOrder(SYMBOL, { orderId: 1 }))).toEqual([400, -2011]);
    const { baseUrl: baseURL, apiKey } = venue.sandbox;
    expect(await refusal(new Spot(apiKey, "wrong", { baseURL }).account())).toEqual([400, -1022]);
    expect(await refusal(new Spot("wrong", "wrong", { baseURL }).account())).toEqual([401, -2015]);
  });
});
