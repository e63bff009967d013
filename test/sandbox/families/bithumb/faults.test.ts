import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AdminClient } from "../../admin/admin-client.ts";
import { type Bithumb, type BithumbClient, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
let paper: BithumbClient;
let admin: AdminClient;
beforeAll(async () => {
  bithumb = await openBithumb({ admin: {} });
  ({ paper } = bithumb);
  admin = new AdminClient(bithumb.venue.sandbox.admin ?? { url: "", token: "" });
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

beforeEach(async () => {
  await admin.must("DELETE", "/faults");
  for (const { order_id: id } of (await paper.get("/v2/orders/pending")).json.data)
    await paper.delete("/v2/order", { order_id: id });
});

const plan = (terms: object) => admin.must("POST", "/faults", { path: "/v2/orders", ...terms });
const openCount = async (): Promise<number> => (await paper.get("/v2/orders/pending")).json.data.length;
const stateOf = (name: string) =>
  bithumb.venue.sandbox.exchange.orders("paper", { userref: name, limit: 1 }).orders[0]?.state;

describe("an order", () => {
  it("is taken and not ready for a while with not_ready: neither looked up nor canceled, and in no list", async () => {
    await plan({ kind: "not_ready", ms: 2_000 });
    const { status, json } = await paper.order({ client_order_id: "unready" });
    expect([status, stateOf("unready")]).toEqual([201, "open"]);
    expect(refusal(await paper.byName("unready"))).toEqual([422, "order_not_ready"]);
    expect(refusal(await paper.delete("/v2/order", { order_id: json.order_id }))).toEqual([422, "order_not_ready"]);
    const { fail } = (await paper.post("/v2/orders/cancel", { order_ids: [json.order_id] })).json;
    expect(fail).toMatchObject([{ error: { name: "order_not_ready" } }]);
    expect(await openCount()).toBe(0);
    bithumb.venue.clock.now += 2_000;
    expect((await paper.byName("unready")).json).toMatchObject({ state: "wait" });
    expect(await openCount()).toBe(1);
  });

  it("is taken and not found for a while with read_lag", async () => {
    await plan({ kind: "read_lag", ms: 5_000 });
    await paper.order({ client_order_id: "lags" });
    expect(refusal(await paper.byName("lags"))).toEqual([404, "order_not_found"]);
    expect(await openCount()).toBe(0);
    bithumb.venue.clock.now += 5_000;
    expect((await paper.byName("lags")).json).toMatchObject({ state: "wait" });
  });

  it("is taken and reaches the book later with late_execution", async () => {
    await plan({ kind: "late_execution", ms: 600 });
    const { json } = await paper.order({ client_order_id: "late" });
    expect(stateOf("late")).toBeUndefined();
    expect((await paper.byName("late")).json).toMatchObject({ uuid: json.order_id, state: "wait" });
    expect(refusal(await paper.order({ client_order_id: "late" }))[1]).toBe("duplicate_client_order_id");
    await expect.poll(() => stateOf("late"), { timeout: 5_000 }).toBe("open");
  });

  it("is taken and answered as a repeated one with duplicate_id", async () => {
    await plan({ kind: "duplicate_id" });
    expect(refusal(await paper.order({ client_order_id: "first" }))).toEqual([400, "duplicate_client_order_id"]);
    expect((await paper.byName("first")).json).toMatchObject({ state: "wait" });
  });

  it("is delivered twice with double_delivery, of which the second is refused for its nonce", async () => {
    await plan({ kind: "double_delivery" });
    expect(refusal(await paper.order({ client_order_id: "double" }))).toEqual([401, "jwt_verification"]);
    expect([stateOf("double"), await openCount()]).toEqual(["open", 1]);
  });

  it("takes effect later or never when the connection ends without an answer", async () => {
    await plan({ kind: "late_delivery", after_ms: 50 });
    await expect(paper.order({ client_order_id: "delivered" })).rejects.toThrow("socket hang up");
    await plan({ kind: "swallow" });
    await expect(paper.order({ client_order_id: "swallowed" })).rejects.toThrow("socket hang up");
    await expect.poll(() => stateOf("delivered"), { timeout: 5_000 }).toBe("open");
    expect(stateOf("swallowed")).toBeUndefined();
  });

  it("is taken and in no list with partial_then_vanish", async () => {
    await plan({ kind: "partial_then_vanish" });
    const { json } = await paper.order({ client_order_id: "unlisted" });
    expect(await openCount()).toBe(0);
    expect((await paper.post("/v2/orders/search", { order_ids: [json.order_id] })).json).toEqual([]);
    expect((await paper.byName("unlisted")).json).toMatchObject({ state: "wait" });
    await paper.delete("/v2/order", { order_id: json.order_id });
  });
});

describe("a query", () => {
  it("does not find canceled orders with omit_canceled", async () => {
    await paper.order({ client_order_id: "omitted" });
    await paper.delete("/v2/order", { client_order_id: "omitted" });
    await plan({ kind: "omit_canceled", path: "/v1/order" });
    expect(refusal(await paper.byName("omitted"))).toEqual([404, "order_not_found"]);
    await plan({ kind: "omit_canceled", path: "/v2/orders/history" });
    expect((await paper.get("/v2/orders/history")).json.data).toEqual([]);
    expect((await paper.byName("omitted")).json).toMatchObject({ state: "cancel" });
  });

  it("ends in its middle with half_list, and says that nothing follows", async () => {
    for (const name of ["half-1", "half-2"]) await paper.order({ client_order_id: name });
    await plan({ kind: "half_list", path: "/v2/orders/pending" });
    expect((await paper.get("/v2/orders/pending", { limit: "1" })).json).toEqual({
      ...{ data: [], has_next: false, next_key: null },
    });
    expect(await openCount()).toBe(2);
  });

  it("is refused for a while with ban, and answered with anything with odd_answer", async () => {
    await plan({ kind: "ban", status: 429, for_ms: 1_000, path: "/v1/*" });
    expect((await paper.get("/v1/accounts")).status).toBe(429);
    bithumb.venue.clock.now += 1_001;
    await plan({ kind: "odd_answer", body: "<html>점검</html>", path: "/v1/accounts" });
    expect((await paper.get("/v1/accounts")).text).toBe("<html>점검</html>");
  });

  it("has a date ahead of the exchange's clock with clock_skew", async () => {
    await plan({ kind: "clock_skew", ms: 60_000, path: "/v1/accounts" });
    const { headers } = await paper.get("/v1/accounts");
    expect(Date.parse(headers.date ?? "") - bithumb.venue.clock.now).toBeGreaterThan(50_000);
  });
});
