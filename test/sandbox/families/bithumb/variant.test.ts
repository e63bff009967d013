/** What other sources say of Bithumb. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, type BithumbClient, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
let paper: BithumbClient;
beforeAll(async () => {
  bithumb = await openBithumb({ variant: "other" });
  ({ paper } = bithumb);
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

describe("the other variant", () => {
  it("answers a repeated id of the account's own with the first order, and places no other", async () => {
    const first = await paper.order({ client_order_id: "twice" });
    const second = await paper.order({ client_order_id: "twice", volume: "0.002" });
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect((await paper.get("/v2/orders/pending")).json.data).toHaveLength(1);
  });

  it("refuses orders with status 200, and quotations with their own", async () => {
    expect(refusal(await paper.order({ volume: "1" }))).toEqual([200, "insufficient_funds_bid"]);
    expect(refusal(await paper.open("ticker?markets=KRW-NONE"))).toEqual([404, 404]);
    expect(refusal(await paper.get("/v1/order", { client_order_id: "none" }))).toEqual([404, "order_not_found"]);
  });

  it("refuses a token of another time, and hashes parameters as they are encoded", async () => {
    const claims = { timestamp: bithumb.venue.clock.now - 21_000 };
    expect(refusal(await paper.get("/v1/accounts", {}, { claims }))).toEqual([401, "expired_jwt"]);
    const options = { hashed: "client_order_id=a%2Bb" };
    expect(refusal(await paper.get("/v1/order", { client_order_id: "a+b" }, options))[1]).toBe("order_not_found");
  });

  it("takes a nonce again", async () => {
    const again = { nonce: "again" };
    expect((await paper.get("/v1/accounts", {}, again)).status).toBe(200);
    expect((await paper.get("/v1/accounts", {}, again)).status).toBe(200);
  });

  it("writes numbers as Java's doubles, and tiny amounts with an exponent in quotes", async () => {
    await paper.delete("/v2/order", { client_order_id: "twice" });
    await bithumb.maker.order({ side: "ask", volume: "0.00006" });
    const { order_id: id } = (await paper.order({ volume: "0.00006005" })).json;
    const { text } = await paper.open("ticker?markets=KRW-BTC");
    expect([text.includes('"trade_price":9.0E7,'), text.includes('"trade_volume":6.0E-5,')]).toEqual([true, true]);
    expect((await paper.get("/v1/order", { uuid: id })).json).toMatchObject({
      ...{ remaining_volume: "5E-8", executed_volume: "0.00006" },
    });
  });
});
