import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../http/signed-client.ts";
import { deposit, type Korbit, type KorbitClient, openKorbit, refusal } from "./korbit-client.ts";

let korbit: Korbit;
let paper: KorbitClient;
beforeAll(async () => {
  korbit = await openKorbit();
  ({ paper } = korbit);
  deposit(korbit.venue, "maker", "KRW", 9_000_000_000n);
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const atMarket = { orderType: "market", price: "", qty: "", amt: "10000" };
const atBest = { orderType: "best", price: "", qty: "", amt: "10000", timeInForce: "ioc", bestNth: "1" };

describe("an order", () => {
  it.each<[name: string, why: string, fields: Record<string, string>]>([
    ["INVALID_CURRENCY_PAIR", "another market", { symbol: "btc_usdt" }],
    ["INVALID_CURRENCY_PAIR", "a symbol in capitals", { symbol: "BTC_KRW" }],
    ["PRICE_TICK_SIZE_INVALID", "a price off its tick", { price: "90000500" }],
    ["ORDER_VALUE_TOO_SMALL", "less than 5,000 won", { qty: "0.00005" }],
    ["ORDER_VALUE_TOO_SMALL", "less than 5,000 won at the market's price", { ...atMarket, amt: "4999" }],
    ["ORDER_VALUE_TOO_LARGE", "more than a billion won", { qty: "12" }],
    ["ORDER_VALUE_TOO_LARGE", "more than a billion won at the market's price", { ...atMarket, amt: "1000000001" }],
    ["NO_BALANCE", "more than is there", { qty: "0.2" }],
    ["NO_BALANCE", "a coin that is not there", { side: "sell" }],
    ["BAD_REQUEST", "no market", { symbol: "" }],
    ["BAD_REQUEST", "no side", { side: "" }],
    ["BAD_REQUEST", "a side in other words", { side: "bid" }],
    ["BAD_REQUEST", "no type", { orderType: "" }],
    ["BAD_REQUEST", "no price", { price: "" }],
    ["BAD_REQUEST", "a limit with an amount", { amt: "90000" }],
    ["BAD_REQUEST", "a buy at the market's price by quantity", { orderType: "market", price: "" }],
    ["BAD_REQUEST", "a sale at the market's price by amount", { ...atMarket, side: "sell" }],
    ["BAD_REQUEST", "an order at the market's price that rests", { ...atMarket, timeInForce: "gtc" }],
    ["BAD_REQUEST", "the best price without a condition", { ...atBest, timeInForce: "" }],
    ["BAD_REQUEST", "the best price without a place", { ...atBest, bestNth: "" }],
    ["BAD_REQUEST", "the sixth best price", { ...atBest, bestNth: "6" }],
    ["BAD_REQUEST", "a place with a limit", { bestNth: "1" }],
    ["BAD_REQUEST", "another condition", { timeInForce: "GTC" }],
    ["BAD_REQUEST", "a quantity below zero", { qty: "-1" }],
    ["BAD_REQUEST", "a quantity of nothing", { qty: "0" }],
    ["BAD_REQUEST", "a quantity with an exponent", { qty: "1e-3" }],
    ["BAD_REQUEST", "a quantity of nine decimals", { qty: "0.001000001" }],
    ["BAD_REQUEST", "an own id of 37 characters", { clientOrderId: "x".repeat(37) }],
    ["BAD_REQUEST", "an own id with a space", { clientOrderId: "a b" }],
    ["BAD_REQUEST", "protection of 101 percent", { pp: "true", ppPercent: "101" }],
    ["BAD_REQUEST", "a percentage without protection", { ppPercent: "5" }],
    ["BAD_REQUEST", "another account", { accountSeq: "2" }],
  ])("is refused with %s for %s", async (name, _, fields) => {
    expect(refusal(await paper.order({ ...fields }))).toEqual([400, name]);
    expect(korbit.venue.sandbox.exchange.countOrders("paper", { limit: 1 })).toBe(0);
  });

  it("is one of a hundred that may be open in a market", async () => {
    const client = korbit.account("many");
    for (let count = 0; count < 100; count++) await client.order({ qty: "0.0001" });
    expect(refusal(await client.order({ qty: "0.0001" }))).toEqual([400, "TOO_MANY_OPEN_ORDERS"]);
    expect((await client.order({ symbol: "eth_krw", price: "4000000", qty: "0.002" })).status).toBe(200);
    expect((await client.order({ qty: "0.0001", timeInForce: "ioc" })).status).toBe(200);
  });
});

describe("a request", () => {
  it.each([
    ["GET", "/v2/nothing", 404, "NOT_FOUND"],
    ["POST", "/v2/openOrders", 404, "NOT_FOUND"],
    ["GET", "/v1/orders", 404, "NOT_FOUND"],
    ["GET", "/v2/orders", 401, "KEY_NOT_FOUND"],
    ["GET", "/v2/orders?a=1&a=2", 400, "BAD_REQUEST"],
    ["GET", "/v2/tickers?symbol=%zz", 400, "BAD_REQUEST"],
  ])("%s %s is refused with %i", async (method, target, status, name) => {
    expect(refusal(await send(paper.baseUrl, method, target))).toEqual([status, name]);
  });

  it("is refused where its body is no form", async () => {
    const headers = { "Content-Type": "application/json" };
    expect(refusal(await paper.order({}, { headers }))).toEqual([400, "BAD_REQUEST"]);
  });

  it("is refused in Korbit's form where its path has 20 000 characters", async () => {
    expect(refusal(await paper.open("x".repeat(20_000)))).toEqual([431, "BAD_REQUEST"]);
  });
});
