import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Korbit, openKorbit, refusal } from "./korbit-client.ts";

let korbit: Korbit;
beforeAll(async () => {
  korbit = await openKorbit({ limits: { venueRateFactor: 1 } });
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

describe("rates", () => {
  it("are counted for each group, and said in headers", async () => {
    const { paper } = korbit;
    const { headers } = await paper.get("balance");
    expect(headers).toMatchObject({ ratelimit: "limit=50, remaining=49, reset=1", "ratelimit-policy": "50;w=1" });
    expect((await paper.open("time")).headers["ratelimit"]).toBe("limit=50, remaining=49, reset=1");
    expect((await paper.order()).headers["ratelimit"]).toBe("limit=30, remaining=29, reset=1");
    expect((await paper.cancel({ orderId: "1" })).headers["ratelimit-policy"]).toBe("30;w=1");
    expect((await paper.get("openOrders")).headers["ratelimit"]).toBe("limit=50, remaining=48, reset=1");
  });

  it("are of an account over all its keys, and end with a second", async () => {
    const { venue } = korbit;
    const client = korbit.account("quick");
    const orders = await Promise.all(Array.from({ length: 31 }, () => client.order({ qty: "0.0001" })));
    const refused = orders.filter(({ status }) => status === 429);
    expect(refused.map(refusal)).toEqual([[429, "TOO_MANY_REQUESTS"]]);
    expect(refused[0]?.headers).toMatchObject({ "retry-after": "1", "ratelimit-policy": "30;w=1" });
    expect(refused[0]?.headers).not.toHaveProperty("ratelimit");
    expect((await korbit.maker.order({ qty: "0.0001" })).status).toBe(200);
    venue.clock.now += 1_000;
    expect((await client.order({ qty: "0.0001" })).status).toBe(200);
  });
});
