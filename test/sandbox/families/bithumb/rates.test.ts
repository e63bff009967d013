import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
beforeAll(async () => {
  bithumb = await openBithumb({ limits: { venueRateFactor: 0.1 } });
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

describe("rates", () => {
  it("are counted by address for each class of requests, over all accounts", async () => {
    const { paper, maker, venue } = bithumb;
    for (let count = 0; count < 15; count++) expect((await paper.open("ticker?markets=KRW-BTC")).status).toBe(200);
    expect(refusal(await maker.open("ticker?markets=KRW-BTC"))).toEqual([429, "too_many_requests"]);
    expect((await paper.open("market/all")).status).toBe(200);
    for (let count = 0; count < 14; count++) await (count % 2 === 0 ? paper : maker).get("/v1/accounts");
    expect(refusal(await paper.get("/v1/accounts"))[0]).toBe(429);
    venue.clock.now += 1_000;
    expect((await paper.get("/v1/accounts")).status).toBe(200);
  });

  it("are counted for orders and cancellations of one market together", async () => {
    const { paper } = bithumb;
    const { order_id: id } = (await paper.order()).json;
    expect((await paper.delete("/v2/order", { order_id: id })).status).toBe(200);
    expect(refusal(await paper.order())).toEqual([429, "too_many_requests"]);
    expect((await paper.order({ market: "KRW-ETH", price: "5000000" })).status).toBe(201);
  });
});
