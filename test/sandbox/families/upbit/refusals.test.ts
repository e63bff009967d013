/** Every refusal that a request can meet, in one list: what is asked, and how it is refused. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../http/venue.ts";
import { openUpbit, refusal, type Upbit } from "./upbit-client.ts";

let upbit: Upbit;
beforeAll(async () => {
  upbit = await openUpbit();
  const { sandbox, clock } = upbit.venue;
  must(sandbox.exchange.apply({ type: "setMarketStatus", symbol: "ADA/KRW", status: "halted" }, clock.now));
  await upbit.paper.order({ identifier: "there" });
});
afterAll(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

type Order = Readonly<Record<string, string>>;
const price: Order = { ord_type: "price", price: "10000", volume: "" };
const market: Order = { ord_type: "market", price: "", side: "ask" };
const best: Order = { ord_type: "best", price: "10000", volume: "", time_in_force: "ioc" };

describe("an order", () => {
  it.each<[string, Order, number, string]>([
    ["no market", { market: "" }, 400, "validation_error"],
    ["a market that is not there", { market: "KRW-NONE" }, 400, "notfoundmarket"],
    ["a market that is no code", { market: "BTC/KRW" }, 400, "notfoundmarket"],
    ["a market that is offline", { market: "KRW-ADA", price: "900", volume: "10" }, 403, "market_offline"],
    ["no side", { side: "" }, 400, "validation_error"],
    ["another side", { side: "buy" }, 400, "validation_error"],
    ["no type", { ord_type: "" }, 400, "validation_error"],
    ["another type", { ord_type: "stop" }, 400, "validation_error"],
    ["another condition", { time_in_force: "gtc" }, 400, "invalid_time_in_force"],
    ["a condition at the market's price", { ...price, time_in_force: "ioc" }, 400, "invalid_time_in_force"],
    ["none at the best price", { ...best, time_in_force: "" }, 400, "invalid_time_in_force"],
    ["post_only at the best price", { ...best, time_in_force: "post_only" }, 400, "invalid_time_in_force"],
    ["another smp_type", { smp_type: "expire" }, 400, "invalid_parameter"],
    ["post_only with smp_type", { time_in_force: "post_only", smp_type: "reduce" }, 400, "invalid_parameter"],
    ["an identifier of 65 characters", { identifier: "x".repeat(65) }, 400, "invalid_parameter"],
    ["a used identifier", { identifier: "there" }, 400, "duplicated_identifier"],
    ["no price", { price: "" }, 400, "validation_error"],
    ["no volume", { volume: "" }, 400, "validation_error"],
    ["a price that is none", { price: "1e8" }, 400, "validation_error"],
    ["a negative volume", { volume: "-1" }, 400, "validation_error"],
    ["no volume at all", { volume: "0" }, 400, "validation_error"],
    ["nine decimals", { volume: "0.123456789" }, 400, "validation_error"],
    ["a buy for an amount that has a volume", { ...price, volume: "1" }, 400, "create_bid_error"],
    ["a sell for an amount", { ...price, side: "ask" }, 400, "create_ask_error"],
    ["a sell at the market's price that has one", { ...market, price: "1000" }, 400, "create_ask_error"],
    ["a buy of a volume at the market's price", { ...market, side: "bid" }, 400, "create_bid_error"],
    ["a price between two units", { price: "90000500" }, 400, "invalid_price_bid"],
    ["a sell between two units", { side: "ask", price: "90000500" }, 400, "invalid_price_ask"],
    ["too little", { volume: "0.00005" }, 400, "under_min_total_bid"],
    ["too little of an amount", { ...price, price: "4999.99999999" }, 400, "under_min_total_bid"],
    ["too little to sell", { side: "ask", volume: "0.00005" }, 400, "under_min_total_ask"],
    ["too much", { volume: "11.2" }, 400, "over_krw_funds_bid"],
    ["too much of an amount", { ...price, price: "1000000000.1" }, 400, "over_krw_funds_bid"],
    ["more than is there", { volume: "1" }, 400, "insufficient_funds_bid"],
    ["an amount that leaves nothing for its fee", { ...price, price: "9909955" }, 400, "insufficient_funds_bid"],
    ["coins that are not there", { side: "ask", volume: "0.001" }, 400, "insufficient_funds_ask"],
  ])("is refused with %s", async (_, fields, status, name) => {
    expect(refusal(await upbit.paper.order(fields))).toEqual([status, name]);
    const { orders } = upbit.venue.sandbox.exchange.orders("paper", { limit: 10 });
    expect(orders).toHaveLength(1);
  });

  it("is refused when its body is no flat object of JSON", async () => {
    const { paper } = upbit;
    const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };
    expect(refusal(await paper.order({}, form))).toEqual([400, "validation_error"]);
  });
});

describe("a request", () => {
  it.each<[string, string, string, Record<string, string | string[]>, number, string | number]>([
    ["an order without an id", "GET", "order", {}, 400, "validation_error"],
    ["an order that is not there", "GET", "order", { uuid: "0" }, 404, "order_not_found"],
    ["an identifier that is not there", "GET", "order", { identifier: "0" }, 404, "order_not_found"],
    ["to cancel what is not there", "DELETE", "order", { uuid: "0" }, 404, "order_not_found"],
    ["orders without ids", "GET", "orders/uuids", {}, 400, "validation_error"],
    ["101 orders", "GET", "orders/uuids", { uuids: Array(101).fill("0") }, 400, "validation_error"],
    ["both kinds of ids", "GET", "orders/uuids", { uuids: ["0"], identifiers: ["0"] }, 400, "validation_error"],
    ["to cancel 21", "DELETE", "orders/uuids", { uuids: Array(21).fill("0") }, 400, "validation_error"],
    ["to cancel 301", "DELETE", "orders/open", { count: "301" }, 400, "validation_error"],
    [
      "pairs and quotes",
      "DELETE",
      "orders/open",
      { pairs: "KRW-BTC", quote_currencies: "KRW" },
      400,
      "validation_error",
    ],
    ["open orders that are done", "GET", "orders/open", { state: "done" }, 400, "validation_error"],
    ["101 open orders", "GET", "orders/open", { limit: "101" }, 400, "validation_error"],
    ["state and states", "GET", "orders/closed", { state: "done", states: ["cancel"] }, 400, "validation_error"],
    ["closed orders that wait", "GET", "orders/closed", { states: ["wait"] }, 400, "validation_error"],
    ["1001 closed orders", "GET", "orders/closed", { limit: "1001" }, 400, "validation_error"],
    ["closed orders since yesterday", "GET", "orders/closed", { start_time: "yesterday" }, 400, "validation_error"],
    [
      ...(["more than seven days", "GET", "orders/closed"] as const),
      { start_time: "1784538000000", end_time: "1785142800001" },
      ...([400, "invalid_parameter"] as const),
    ],
    ["the chance of no market", "GET", "orders/chance", {}, 400, "validation_error"],
    ["the chance of another market", "GET", "orders/chance", { market: "KRW-NONE" }, 400, "notfoundmarket"],
    ["another path", "GET", "orders/none", {}, 404, 404],
    ["another method", "DELETE", "accounts", {}, 404, 404],
  ])("is refused for %s", async (_, method, path, fields, status, name) => {
    const { paper } = upbit;
    const reply = method === "GET" ? await paper.get(path, fields) : await paper.delete(path, fields);
    expect(refusal(reply)).toEqual([status, name]);
  });

  it.each([
    ["ticker", 400],
    ["ticker?markets=KRW-BTC,KRW-NONE", 404],
    ["ticker/all", 400],
    ["orderbook", 400],
    ["orderbook?markets=NONE", 404],
    ["trades/ticks", 400],
    ["trades/ticks?market=KRW-NONE", 404],
    ["candles/days", 400],
    ["candles/minutes/1?market=KRW-NONE", 404],
    ["candles/minutes/2?market=KRW-BTC", 404],
  ])("is refused with a number for a name: %s", async (path, status) => {
    expect(refusal(await upbit.paper.open(path))).toEqual([status, status]);
  });

  it.each(["count=0", "count=201", "count=x", "to=noon"])("is refused for candles with %s", async (query) => {
    expect(refusal(await upbit.paper.open(`candles/days?market=KRW-BTC&${query}`))).toEqual([400, 400]);
  });

  it.each(["cursor=x", "days_ago=8", "count=501"])("is refused for trades with %s", async (query) => {
    expect(refusal(await upbit.paper.open(`trades/ticks?market=KRW-BTC&${query}`))).toEqual([400, 400]);
  });

  it("is refused with a parameter that is given twice", async () => {
    expect(refusal(await upbit.paper.open("ticker?markets=KRW-BTC&markets=KRW-ETH"))).toEqual([
      400,
      "validation_error",
    ]);
  });

  it("is refused with a broken percent encoding", async () => {
    expect(refusal(await upbit.paper.open("ticker?markets=%zz"))).toEqual([400, "invalid_parameter"]);
  });
});
