/** Somebody else's client of Bithumb works with the family, unchanged but for the address. */
import { bithumb as BithumbExchange, ExchangeError } from "ccxt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, openBithumb } from "../../sandbox/families/bithumb/bithumb-client.ts";

let bithumb: Bithumb;
let client: BithumbExchange;
beforeAll(async () => {
  bithumb = await openBithumb();
  const { baseUrl, apiKey, apiSecret: secret } = bithumb.venue.sandbox;
  client = new BithumbExchange({ apiKey, secret, enableRateLimit: false });
  client.urls["api"] = { public: baseUrl, private: baseUrl };
  await bithumb.maker.order({ side: "ask", price: "90000000", volume: "0.5" });
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

const idOf = ({ id }: { readonly id: string | undefined }): string => id ?? "";

describe("ccxt", () => {
  it("reads markets, tickers, books, trades and candles", async () => {
    await bithumb.paper.order({ price: "90000000", volume: "0.01" });
    expect((await client.loadMarkets())["BTC/KRW"]).toMatchObject({ id: "KRW-BTC", quote: "KRW", active: true });
    expect(await client.fetchTicker("BTC/KRW")).toMatchObject({ last: 90_000_000, baseVolume: 0.01 });
    expect(await client.fetchOrderBook("BTC/KRW", 5)).toMatchObject({ asks: [[90_000_000, 0.49]] });
    expect(await client.fetchTrades("BTC/KRW")).toMatchObject([{ price: 90_000_000, amount: 0.01, side: "buy" }]);
    expect(await client.fetchOHLCV("BTC/KRW", "1m")).toMatchObject([[1_784_538_000_000, 9e7, 9e7, 9e7, 9e7, 0.01]]);
  });

  it("places, finds, lists and cancels orders, and reads the balance", async () => {
    const resting = await client.createOrder("BTC/KRW", "limit", "buy", 0.001, 80_000_000);
    expect(resting.id).toMatch(/^C0101\d{15}$/);
    expect(await client.fetchOrder(idOf(resting))).toMatchObject({
      status: "open",
      price: 80_000_000,
      remaining: 0.001,
    });
    expect((await client.fetchOpenOrders("BTC/KRW")).map(idOf)).toEqual([resting.id]);
    const bought = await client.createOrder("BTC/KRW", "limit", "buy", 0.001, 90_000_000);
    expect(await client.fetchOrder(idOf(bought))).toMatchObject({ status: "closed", price: 90_000_000 });
    await client.cancelOrder(idOf(resting));
    expect(await client.fetchOrder(idOf(resting))).toMatchObject({ status: "canceled" });
    expect((await client.fetchCanceledOrders("BTC/KRW")).map(idOf)).toEqual([resting.id]);
    const balance = await client.fetchBalance();
    expect([balance["BTC"]?.free, balance["KRW"]?.used]).toEqual([0.011, 0]);
  });

  it("hears of refusals", async () => {
    await expect(client.createOrder("BTC/KRW", "limit", "buy", 9, 90_000_000)).rejects.toBeInstanceOf(ExchangeError);
    await expect(client.fetchOrder("none")).rejects.toThrow("주문을 찾지 못했습니다.");
    client.secret = "wrong";
    await expect(client.fetchBalance()).rejects.toThrow("Jwt");
  });
});
