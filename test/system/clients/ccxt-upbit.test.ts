/** Somebody else's client of Upbit works with the family, unchanged but for the address. */
import { AuthenticationError, InsufficientFunds, OrderNotFound, upbit as UpbitExchange } from "ccxt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUpbit, type Upbit } from "../../sandbox/families/upbit/upbit-client.ts";

let upbit: Upbit;
let client: UpbitExchange;
beforeEach(async () => {
  upbit = await openUpbit();
  const { baseUrl, apiKey, apiSecret: secret } = upbit.venue.sandbox;
  client = new UpbitExchange({ apiKey, secret, enableRateLimit: false });
  client.urls["api"] = { public: baseUrl, private: baseUrl };
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

const idOf = ({ id }: { readonly id: string | undefined }): string => id ?? "";

describe("ccxt", () => {
  it("reads markets, tickers, books, trades and candles", async () => {
    await upbit.maker.order({ side: "ask", price: "90000000", volume: "0.5" });
    await upbit.paper.order({ price: "90000000", volume: "0.1" });
    expect((await client.loadMarkets())["BTC/KRW"]).toMatchObject({ id: "KRW-BTC", quote: "KRW", active: true });
    expect(await client.fetchTicker("BTC/KRW")).toMatchObject({ last: 90_000_000, baseVolume: 0.1 });
    expect(Object.keys(await client.fetchTickers(["BTC/KRW", "ETH/KRW"]))).toEqual(["BTC/KRW", "ETH/KRW"]);
    expect(await client.fetchOrderBook("BTC/KRW", 5)).toMatchObject({ asks: [[90_000_000, 0.4]] });
    expect(await client.fetchTrades("BTC/KRW")).toMatchObject([{ price: 90_000_000, amount: 0.1, side: "buy" }]);
    expect(await client.fetchOHLCV("BTC/KRW", "1m")).toMatchObject([[1_784_538_000_000, 9e7, 9e7, 9e7, 9e7, 0.1]]);
    expect(await client.fetchOHLCV("BTC/KRW", "1d", undefined, 3)).toHaveLength(1);
  });

  it("places, finds, lists and cancels orders, and reads the balance", async () => {
    await upbit.maker.order({ side: "ask", price: "90000000", volume: "0.5" });
    const resting = await client.createOrder("BTC/KRW", "limit", "buy", 0.001, 80_000_000, { clientOrderId: "mine" });
    expect(resting).toMatchObject({ clientOrderId: "mine", status: "open", price: 80_000_000, remaining: 0.001 });
    expect((await client.fetchOpenOrders("BTC/KRW")).map(({ id }) => id)).toEqual([resting.id]);
    const bought = await client.createOrder("BTC/KRW", "market", "buy", 0.001, 100_000_000);
    expect(await client.fetchOrder(idOf(bought))).toMatchObject({
      ...{ type: "market", side: "buy", status: "canceled", filled: 0.00111111, cost: 99_999.9 },
      trades: [{ price: 90_000_000, cost: 99_999.9 }],
    });
    await client.cancelOrder(idOf(resting));
    expect(await client.fetchOrder(idOf(resting))).toMatchObject({ status: "canceled", filled: 0 });
    const canceled = (await client.fetchCanceledOrders("BTC/KRW")).map(({ id }) => id);
    expect(new Set(canceled)).toEqual(new Set([resting.id, bought.id]));
    const balance = await client.fetchBalance();
    expect([balance["BTC"]?.free, balance["KRW"]?.used]).toEqual([0.00111111, 0]);
    expect(await client.fetchTradingFee("BTC/KRW")).toMatchObject({ maker: 0.0005, taker: 0.0005 });
  });

  it("knows its refusals", async () => {
    await client.loadMarkets();
    await expect(client.createOrder("BTC/KRW", "limit", "buy", 1, 90_000_000)).rejects.toBeInstanceOf(
      InsufficientFunds,
    );
    await expect(client.fetchOrder("none")).rejects.toBeInstanceOf(OrderNotFound);
    client.secret = "wrong";
    await expect(client.fetchBalance()).rejects.toBeInstanceOf(AuthenticationError);
  });
});
