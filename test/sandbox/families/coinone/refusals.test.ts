/** Every refusal that an order or a query can meet, in one list: what is asked, and how it is refused. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../http/venue.ts";
import { answered, BTC, type Coinone, openCoinone, refusal } from "./coinone-client.ts";

let coinone: Coinone;
beforeAll(async () => {
  coinone = await openCoinone();
  const { sandbox, clock } = coinone.venue;
  must(sandbox.exchange.apply({ type: "setMarketStatus", symbol: "ADA/KRW", status: "halted" }, clock.now));
  answered(await coinone.paper.order({ user_order_id: "there" }));
});
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

type Order = Readonly<Record<string, unknown>>;
const limitFields: Order = { price: undefined, qty: undefined, post_only: undefined };
const buy: Order = { ...limitFields, type: "MARKET", amount: "10000" };
const sell: Order = { ...limitFields, type: "MARKET", side: "SELL", qty: "0.001" };

describe("an order", () => {
  it.each<[string, Order, string]>([
    ["no side", { side: undefined }, "107"],
    ["a side in small letters", { side: "buy" }, "107"],
    ["no market", { target_currency: undefined }, "107"],
    ["a coin that is not there", { target_currency: "NONE" }, "108"],
    ["a market that is not there", { quote_currency: "USDT" }, "109"],
    ["a market under maintenance", { target_currency: "ADA", price: "900", qty: "10" }, "300"],
    ["no type", { type: undefined }, "107"],
    ["a type in small letters", { type: "limit" }, "166"],
    ["a stop", { type: "STOP_LIMIT", trigger_price: "80000000" }, "166"],
    ["no price", { price: undefined }, "161"],
    ["a null for a price", { price: null }, "161"],
    ["no quantity", { qty: undefined }, "162"],
    ["no post_only", { post_only: undefined }, "163"],
    ["post_only as text", { post_only: "true" }, "107"],
    ["a price that is a number", { price: 90_000_000 }, "107"],
    ["time_in_force, which there is none of", { time_in_force: "IOC" }, "107"],
    ["a price that is none", { price: "9e7" }, "105"],
    ["a price of zero", { price: "0" }, "308"],
    ["a price above all", { price: "10000000000" }, "308"],
    ["a price between two units", { price: "90000500" }, "310"],
    ["a unit that is larger from a price on", { price: "100001000" }, "310"],
    ["a price with nine decimals", { price: "90000000.000000001" }, "310"],
    ["a quantity that is none", { qty: "-1" }, "305"],
    ["a quantity that is cut off to nothing", { qty: "0.000000009" }, "309"],
    ["more than there may be", { qty: "10000000001" }, "309"],
    ["too little", { qty: "0.00005" }, "306"],
    ["too much", { qty: "11.2" }, "307"],
    ["more than is there", { qty: "1" }, "103"],
    ["coins that are not there", { side: "SELL" }, "103"],
    ["a buy at the market's price without an amount", { ...buy, amount: undefined, qty: "0.001" }, "165"],
    ["an amount that is none", { ...buy, amount: "all" }, "107"],
    ["too little of an amount", { ...buy, amount: "4999.99999" }, "306"],
    ["too much of an amount", { ...buy, amount: "1000000000.0001" }, "307"],
    ["an amount that leaves nothing for its fee", { ...buy, amount: "9909000" }, "103"],
    ["a limit price that is none", { ...buy, limit_price: "0" }, "105"],
    ["a sell at the market's price without a quantity", { ...sell, qty: undefined, amount: "10000" }, "162"],
    ["a sell of coins that are not there", sell, "103"],
    ["an id with a capital", { user_order_id: "Mine" }, "314"],
    ["an empty id", { user_order_id: "" }, "314"],
    ["an id of 151 characters", { user_order_id: "x".repeat(151) }, "314"],
    ["a used id", { user_order_id: "there" }, "312"],
    ["a used id in another market", { user_order_id: "there", target_currency: "ETH", price: "5000000" }, "312"],
  ])("is refused with %s", async (_, fields, code) => {
    expect(refusal(await coinone.paper.order(fields))).toBe(code);
    expect(coinone.venue.sandbox.exchange.orders("paper", { limit: 10 }).orders).toHaveLength(1);
  });

  it("uses up its id even when it is refused", async () => {
    expect(refusal(await coinone.paper.order({ user_order_id: "burned", qty: "1" }))).toBe("103");
    expect(refusal(await coinone.paper.order({ user_order_id: "burned" }))).toBe("312");
    expect(refusal(await coinone.paper.detail({ user_order_id: "burned" }))).toBe("104");
  });
});

describe("a request", () => {
  it.each<[string, string, Order, string]>([
    ["an order by no id", "order/detail", BTC, "313"],
    ["an order by both ids", "order/detail", { ...BTC, order_id: "0", user_order_id: "there" }, "313"],
    ["an order that is not there", "order/detail", { ...BTC, order_id: "0" }, "104"],
    ["an id that is not there", "order/detail", { ...BTC, user_order_id: "none" }, "104"],
    ["an id with a capital", "order/detail", { ...BTC, user_order_id: "There" }, "314"],
    ["an order without its market", "order/detail", { user_order_id: "there" }, "107"],
    ["to cancel by both ids", "order/cancel", { ...BTC, order_id: "0", user_order_id: "there" }, "313"],
    ["to cancel what is not there", "order/cancel", { ...BTC, order_id: "0" }, "104"],
    ["to cancel the orders of no market", "order/cancel/all", {}, "107"],
    ["active orders of half a market", "order/active_orders", { quote_currency: "KRW" }, "107"],
    ["active orders at the market's price", "order/active_orders", { order_type: ["MARKET"] }, "107"],
    ["a balance of a coin that is not there", "account/balance", { currencies: ["NONE"] }, "108"],
    ["balances of none", "account/balance", { currencies: [] }, "107"],
    ["the fees of a market that is not there", "account/trade_fee/KRW/NONE", {}, "108"],
    ["what there is not", "order/limit", {}, "20"],
  ])("is refused that asks for %s", async (_, path, fields, code) => {
    expect(refusal(await coinone.paper.post(path, fields))).toBe(code);
  });
});
