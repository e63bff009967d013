/**
 * Somebody else's client of Coinone reads markets with the family, unchanged but for the address. It places no orders of API 2.1: it has the
 * deprecated calls for that. Nor does it sign with a secret that has small letters.
 */
import { BadSymbol, coinone as CoinoneExchange } from "ccxt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Coinone, openCoinone } from "../../sandbox/families/coinone/coinone-client.ts";

let coinone: Coinone;
let client: CoinoneExchange;
beforeAll(async () => {
  coinone = await openCoinone();
  const { baseUrl } = coinone.venue.sandbox;
  const { apiKey, apiSecret: secret } = coinone.venue.addKey({
    secret: "B1C5E6A0-7F42-4D1B-9B1E-5A6C1D2E3F40",
  }).credentials;
  client = new CoinoneExchange({ apiKey, secret, enableRateLimit: false });
  client.urls["api"] = {
    ...{ rest: baseUrl, v2Public: `${baseUrl}/public/v2`, v2Private: `${baseUrl}/v2`, v2_1Private: `${baseUrl}/v2.1` },
  };
  await coinone.maker.order({ side: "SELL", qty: "0.5" });
  await coinone.paper.order({ qty: "0.1" });
});
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

describe("ccxt", () => {
  it("reads markets, tickers, books and trades of Coinone", async () => {
    expect((await client.loadMarkets())["BTC/KRW"]).toMatchObject({ base: "BTC", quote: "KRW" });
    expect(await client.fetchTicker("BTC/KRW")).toMatchObject({ last: 90_000_000, baseVolume: 0.1 });
    expect(await client.fetchTickers()).toMatchObject({ "BTC/KRW": {}, "ETH/KRW": {} });
    expect(await client.fetchOrderBook("BTC/KRW", 5)).toMatchObject({ asks: [[90_000_000, 0.4]] });
    expect(await client.fetchTrades("BTC/KRW", undefined, 10)).toMatchObject([{ price: 90_000_000, amount: 0.1 }]);
  });

  it("signs payloads that the family of Coinone takes, and knows its refusals", async () => {
    const { balances } = await client["v2_1PrivatePostAccountBalanceAll"]();
    expect(balances).toContainEqual(expect.objectContaining({ currency: "BTC", available: "0.1" }));
    await expect(client["v2PublicGetTickerNewQuoteCurrencyTargetCurrency"](unknown)).rejects.toBeInstanceOf(BadSymbol);
    client.secret = "WRONG";
    await expect(client["v2_1PrivatePostAccountBalanceAll"]()).rejects.toThrow("signature is not correct");
  });
});

const unknown = { quote_currency: "KRW", target_currency: "NONE" };
