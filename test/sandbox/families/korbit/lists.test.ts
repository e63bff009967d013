import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Korbit, type KorbitClient, openKorbit, refusal } from "./korbit-client.ts";

const HOUR_MS = 3_600_000;

let korbit: Korbit;
let maker: KorbitClient;
beforeAll(async () => {
  korbit = await openKorbit();
  ({ maker } = korbit);
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const later = (ms: number): void => {
  korbit.venue.clock.now += ms;
};
const listed = async (client: KorbitClient, path: string, fields: Record<string, string> = {}) =>
  (await client.get(path, { symbol: "btc_krw", ...fields })).json.data;

describe("the orders of a market", () => {
  it("are listed for 36 hours from their placing, newest first, in whatever state", async () => {
    const client = korbit.account("history");
    const ids: number[] = [];
    for (const price of ["81000000", "82000000", "83000000"]) {
      ids.unshift((await client.order({ price })).json.data.orderId);
      later(10_000);
    }
    await client.cancel({ orderId: String(ids[0]) });
    const history = () => listed(client, "allOrders");
    await expect.poll(async () => (await history())[0].status).toBe("canceled");
    expect(await history()).toMatchObject(ids.map((orderId) => ({ orderId, symbol: "btc_krw", timeInForce: "gtc" })));
    expect(await listed(client, "allOrders", { limit: "2" })).toHaveLength(2);
    later(36 * HOUR_MS - 25_000);
    expect((await history()).map(({ orderId }: { orderId: number }) => orderId)).toEqual(ids.slice(0, 2));
    const longAgo = String(korbit.venue.clock.now - 100 * HOUR_MS);
    expect(await listed(client, "allOrders", { startTime: longAgo })).toHaveLength(2);
    expect(await listed(client, "openOrders")).toHaveLength(2);
    later(HOUR_MS);
    expect(await history()).toEqual([]);
  });

  it("begin with the start and stop before the end", async () => {
    const client = korbit.account("period");
    const first = korbit.venue.clock.now;
    await client.order();
    later(10_000);
    await client.order();
    later(10_000);
    const between = (from: number, to: number) =>
      listed(client, "allOrders", { startTime: String(from), endTime: String(to) });
    expect(await between(first, first + 10_000)).toHaveLength(1);
    expect(await between(first, first + 10_001)).toHaveLength(2);
    expect(await between(first + 1, first + 10_001)).toHaveLength(1);
    const backwards = { symbol: "btc_krw", startTime: "2000", endTime: "2000" };
    expect(refusal(await client.get("allOrders", backwards))).toEqual([400, "BAD_REQUEST"]);
  });

  it("are behind by a second in the history, and not among the open ones", async () => {
    const client = korbit.account("behind");
    await client.order();
    expect([await listed(client, "allOrders"), await listed(client, "openOrders")]).toMatchObject([[], [{}]]);
    later(1_000);
    expect(await listed(client, "allOrders")).toHaveLength(1);
  });

  it("are asked for by market, and not more than a thousand", async () => {
    for (const path of ["openOrders", "allOrders", "myTrades"]) {
      expect(refusal(await maker.get(path))).toEqual([400, "BAD_REQUEST"]);
      for (const limit of ["0", "1001", "x"])
        expect(refusal(await maker.get(path, { symbol: "btc_krw", limit }))).toEqual([400, "BAD_REQUEST"]);
      expect(refusal(await maker.get(path, { symbol: "btc_eur" }))).toEqual([400, "INVALID_CURRENCY_PAIR"]);
    }
  });
});

describe("the trades of a market", () => {
  it("are listed with what each cost, for 36 hours and a second behind", async () => {
    const client = korbit.account("trades");
    await maker.order({ side: "sell", price: "96000000", qty: "0.01" });
    const { orderId } = (await client.order({ price: "96000000", qty: "0.01" })).json.data;
    const trades = () => listed(client, "myTrades");
    expect(await trades()).toEqual([]);
    later(1_000);
    expect(await trades()).toEqual([
      {
        ...{ symbol: "btc_krw", tradeId: expect.any(Number), orderId, side: "buy", price: "96000000", qty: "0.01" },
        ...{
          amt: "960000",
          tradedAt: korbit.venue.clock.now - 1_000,
          isTaker: true,
          feeCurrency: "krw",
          feeQty: "1440",
        },
      },
    ]);
    expect((await listed(maker, "myTrades"))[0]).toMatchObject({ side: "sell", isTaker: false, feeQty: "0" });
    later(36 * HOUR_MS);
    expect(await trades()).toEqual([]);
    expect((await client.find({ orderId: String(orderId) })).json.data.status).toBe("filled");
  });
});

describe("balances", () => {
  it("are of what is held, or of what is asked for among what was", async () => {
    const client = korbit.account("balances");
    const codes = async (fields?: Record<string, string>) =>
      (await client.get("balance", fields)).json.data.map(({ currency }: { currency: string }) => currency);
    expect(await codes()).toEqual(["krw"]);
    await maker.order({ side: "sell", price: "97000000", qty: "0.01" });
    await client.order({ price: "97000000", qty: "0.01" });
    expect(await codes()).toEqual(["krw", "btc"]);
    expect(await codes({ currencies: "btc,eth" })).toEqual(["btc"]);
  });
});

describe("fees", () => {
  it("are of some markets or all, with the highest that a buy reserves", async () => {
    const fee = { sellFeeCurrency: "krw", maxFeeRate: "0.0015", takerFeeRate: "0.0015", makerFeeRate: "0" };
    expect((await maker.get("tradingFeePolicy", { symbol: "xrp_krw,btc_krw" })).json.data).toEqual([
      { symbol: "xrp_krw", buyFeeCurrency: "krw", ...fee },
      { symbol: "btc_krw", buyFeeCurrency: "krw", ...fee },
    ]);
    expect((await maker.get("tradingFeePolicy")).json.data).toHaveLength(11);
  });
});
