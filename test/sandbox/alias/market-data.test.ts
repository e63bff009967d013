/** What clients of the dialect read beside the market itself: trades together, averages, fees and limits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALIAS_ANSWERS } from "../../../src/contract/alias/answer.ts";
import type { AliasEndpointId } from "../../../src/contract/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { openVenue, START, type Venue } from "../http/venue.ts";
import { AliasClient, LIMIT, refusal } from "./alias-client.ts";

const MINUTE = 60_000;
let venue: Venue;
let paper: AliasClient;

/** The answer has exactly the shape of the contract: it parses, and parsing drops nothing. */
function fits(id: AliasEndpointId, reply: Reply): Reply["json"] {
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  expect(ALIAS_ANSWERS[id].parse(reply.json)).toEqual(reply.json);
  return reply.json;
}

const get = (target: string) => send(venue.sandbox.baseUrl, "GET", `/api/v3/${target}`);

beforeAll(async () => {
  venue = await openVenue();
  paper = new AliasClient(venue.sandbox.baseUrl, venue.paper.credentials, venue.clock);
  // One taker meets two makers at 90,000,000 and one at 91,000,000; seven minutes later another trades at 92,000,000.
  for (const price of ["90000000", "90000000", "91000000"])
    await venue.maker.order({ side: "sell", volume: "0.001", price });
  await venue.paper.order({ volume: "0.003", price: "91000000" });
  venue.clock.now += 7 * MINUTE;
  await venue.maker.order({ side: "sell", volume: "0.003", price: "92000000" });
  await venue.paper.order({ volume: "0.003", price: "92000000" });
});

afterAll(() => venue.sandbox.close());

describe("public alias operations", () => {
  it("show trades from a number on, and those of one moment, side and price as one", async () => {
    const all = fits("historicalTrades", await get("historicalTrades?symbol=BTCKRW"));
    expect(all).toEqual((await get("trades?symbol=BTCKRW")).json);
    const ids: number[] = all.map(({ id }: { id: number }) => id);
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    expect(ids).toHaveLength(4);
    const from = fits("historicalTrades", await get(`historicalTrades?symbol=BTCKRW&fromId=${second}&limit=2`));
    expect(from.map(({ id }: { id: number }) => id)).toEqual([second, third]);

    const together = fits("aggTrades", await get("aggTrades?symbol=BTCKRW"));
    const one = { m: false, M: true, T: START, traded_at: new Date(START).toISOString() };
    expect(together).toEqual([
      { ...one, a: first, f: first, l: second, p: "90000000.00000000", q: "0.00200000" },
      { ...one, a: third, f: third, l: third, p: "91000000.00000000", q: "0.00100000" },
      expect.objectContaining({ a: fourth, p: "92000000.00000000", T: START + 7 * MINUTE }),
    ]);
    const numbers = async (query: string) =>
      fits("aggTrades", await get(`aggTrades?symbol=BTCKRW&${query}`)).map(({ a }: { a: number }) => a);
    expect(await numbers("limit=1")).toEqual([fourth]);
    expect(await numbers(`fromId=${third}&limit=1`)).toEqual([third]);
    expect(await numbers(`startTime=${START + 1}&endTime=${START + 7 * MINUTE}`)).toEqual([fourth]);
    expect(await numbers(`endTime=${START}`)).toEqual([first, third]);
    expect(refusal(await get("aggTrades?symbol=BTCKRW&startTime=2&endTime=1"))).toEqual([400, -1128]);
  });

  it("show the same candles under both names, in UTC and in no other time zone", async () => {
    const candles = fits("klines", await get("klines?symbol=BTCKRW&interval=1m&timeZone=0"));
    expect(candles).toHaveLength(2);
    expect(fits("uiKlines", await get("uiKlines?symbol=BTCKRW&interval=1m&timeZone=00:00"))).toEqual(candles);
    expect(refusal(await get("klines?symbol=BTCKRW&interval=1m&timeZone=9"))).toEqual([400, -1130]);
  });

  it("show the average price of five minutes, else the last price", async () => {
    const average = async () => fits("avgPrice", await get("avgPrice?symbol=BTCKRW"));
    const now = venue.clock.now;
    const lastTrade = { closeTime: START + 7 * MINUTE, closed_at: new Date(START + 7 * MINUTE).toISOString() };
    venue.clock.now = START + 4 * MINUTE;
    expect(await average()).toEqual({ mins: 5, price: "90333333.33333333", ...lastTrade });
    venue.clock.now = START + 20 * MINUTE;
    expect((await average()).price).toBe("92000000.00000000");
    venue.clock.now = now;
    expect(fits("avgPrice", await get("avgPrice?symbol=ETHKRW"))).toEqual({
      mins: 5,
      price: "0.00000000",
      closeTime: 0,
      closed_at: null,
    });
  });

  it("leave permission sets out of the markets when nobody wants them", async () => {
    const sets = async (query: string) =>
      fits("exchangeInfo", await get(`exchangeInfo?symbol=BTCKRW${query}`)).symbols[0].permissionSets;
    expect(await sets("")).toEqual([["SPOT"]]);
    expect(await sets("&showPermissionSets=true")).toEqual([["SPOT"]]);
    expect(await sets("&showPermissionSets=false")).toEqual([]);
    expect(refusal(await get("exchangeInfo?showPermissionSets=no"))).toEqual([400, -1130]);
  });
});

describe("a key", () => {
  const rates = { maker: "0.00040000", taker: "0.00050000" };

  it("shows the fees of a market, also beside an order that is only tested", async () => {
    const fees = fits("commission", await paper.get("account/commission", { symbol: "BTCKRW" }));
    expect(fees).toMatchObject({ symbol: "BTCKRW", standardCommission: rates, taxCommission: { maker: "0.00000000" } });
    expect(refusal(await paper.get("account/commission", { symbol: "NOPE" }))).toEqual([400, -1121]);
    const test = async (computeCommissionRates: string) =>
      fits("testOrder", await paper.post("order/test", { ...LIMIT, computeCommissionRates }));
    expect(await test("true")).toMatchObject({ standardCommissionForOrder: rates });
    expect(await test("false")).toEqual({});
    expect(refusal(await paper.order({ computeCommissionRates: "true" }))).toEqual([400, -1104]);
  });

  it("shows what limits orders, and how much of it is used", async () => {
    const used = async () => fits("orderLimits", await paper.get("rateLimit/order"));
    const [{ count, ...limit }] = await used();
    expect(limit).toEqual({ rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, limit: 100_000 });
    await paper.order();
    expect((await used())[0].count).toBe(count + 2);
  });
});
