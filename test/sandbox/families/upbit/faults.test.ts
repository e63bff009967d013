import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdminClient } from "../../admin/admin-client.ts";
import { openUpbit, refusal, type Upbit, type UpbitClient } from "./upbit-client.ts";

let upbit: Upbit;
let paper: UpbitClient;
let admin: AdminClient;
beforeEach(async () => {
  upbit = await openUpbit({ admin: {} });
  ({ paper } = upbit);
  admin = new AdminClient(upbit.venue.sandbox.admin ?? { url: "", token: "" });
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

const plan = (terms: object) => admin.must("POST", "/faults", { path: "/v1/order*", ...terms });
const orders = () => upbit.venue.sandbox.exchange.orders("paper", { limit: 100 }).orders;
const byName = (identifier: string) => paper.get("order", { identifier });
const listed = async (path: string): Promise<number> => (await paper.get(path)).json.length;

describe("an order", () => {
  it("is taken and not found for a while with read_lag", async () => {
    await plan({ kind: "read_lag", ms: 5_000 });
    const { status, json } = await paper.order({ identifier: "lags" });
    expect([status, orders()]).toMatchObject([201, [{ orderId: json.uuid, state: "open" }]]);
    upbit.venue.clock.now += 4_999;
    expect(refusal(await byName("lags"))).toEqual([404, "order_not_found"]);
    expect(refusal(await paper.get("order", { uuid: json.uuid }))[0]).toBe(404);
    expect(refusal(await paper.delete("order", { identifier: "lags" }))[0]).toBe(404);
    expect(await listed("orders/open")).toBe(0);
    expect((await paper.get("orders/uuids", { identifiers: ["lags"] })).json).toEqual([]);
    upbit.venue.clock.now += 1;
    expect((await byName("lags")).json).toMatchObject({ uuid: json.uuid, state: "wait" });
    expect(await listed("orders/open")).toBe(1);
  });

  it("is taken and reaches the book later with late_execution, and can be canceled before", async () => {
    await upbit.maker.order({ side: "ask", volume: "1" });
    await plan({ kind: "late_execution", ms: 900, count: 2 });
    const late = await paper.order({ identifier: "late" });
    const gone = await paper.order({ identifier: "gone", volume: "0.002" });
    expect([late.status, gone.status, orders()]).toEqual([201, 201, []]);
    expect((await byName("late")).json).toMatchObject({ uuid: late.json.uuid, state: "wait", executed_volume: "0" });
    expect(await listed("orders/open")).toBe(2);
    expect((await paper.delete("order", { uuid: gone.json.uuid })).status).toBe(200);
    await expect.poll(orders, { timeout: 5_000 }).toMatchObject([{ orderId: late.json.uuid, state: "filled" }]);
    expect((await byName("late")).json).toMatchObject({ state: "done", executed_volume: "0.001" });
    expect((await byName("gone")).json).toMatchObject({ state: "cancel", executed_volume: "0" });
  });

  it("is taken and answered as a repeated one with duplicate_id", async () => {
    await plan({ kind: "duplicate_id" });
    expect(refusal(await paper.order({ identifier: "first" }))).toEqual([400, "duplicated_identifier"]);
    expect((await byName("first")).json).toMatchObject({ state: "wait" });
  });

  it("is taken and in no list with partial_then_vanish", async () => {
    await plan({ kind: "partial_then_vanish" });
    const { json } = await paper.order({ identifier: "unlisted" });
    expect(await listed("orders/open")).toBe(0);
    expect((await paper.get("orders/uuids", { uuids: [json.uuid] })).json).toEqual([]);
    expect((await byName("unlisted")).json).toMatchObject({ state: "wait" });
    await paper.delete("order", { identifier: "unlisted" });
    expect(await listed("orders/closed")).toBe(0);
  });

  it("takes effect when its answer is lost, and is found by its identifier", async () => {
    await plan({ kind: "drop", method: "POST" });
    await expect(paper.order({ identifier: "lost" })).rejects.toThrow(/hang up|ECONNRESET/);
    expect((await byName("lost")).json).toMatchObject({ state: "wait" });
  });

  it("takes effect after its connection ended with late_delivery, and is not found before", async () => {
    await plan({ kind: "late_delivery", after_ms: 300, method: "POST" });
    await expect(paper.order({ identifier: "late" })).rejects.toThrow(/hang up|ECONNRESET/);
    expect(refusal(await byName("late"))).toEqual([404, "order_not_found"]);
    await expect.poll(async () => (await byName("late")).json.state).toBe("wait");
  });

  it("meets its own token when it is delivered twice", async () => {
    await plan({ kind: "double_delivery", method: "POST" });
    expect(refusal(await paper.order({ identifier: "twice" }))).toEqual([401, "nonce_used"]);
    expect((await byName("twice")).json).toMatchObject({ state: "wait" });
  });
});

describe("a query", () => {
  it("does not find canceled orders with omit_canceled", async () => {
    const { json } = await paper.order({ identifier: "canceled" });
    await paper.delete("order", { uuid: json.uuid });
    await plan({ kind: "omit_canceled", count: 2 });
    expect([await listed("orders/closed"), refusal(await byName("canceled"))[0]]).toEqual([0, 404]);
    expect([await listed("orders/closed"), (await byName("canceled")).status]).toEqual([1, 200]);
  });

  it("ends in its middle with half_list", async () => {
    for (let count = 0; count < 5; count++) await paper.order();
    await plan({ kind: "half_list" });
    expect([await listed("orders/open"), await listed("orders/open")]).toEqual([2, 5]);
  });
});

describe("the server", () => {
  it("fails, refuses and is under maintenance in its own words", async () => {
    await plan({ kind: "error" });
    expect(refusal(await paper.order())).toEqual([503, "server_error"]);
    await plan({ kind: "ban", status: 418, for_ms: 3_000 });
    const { status, json } = await paper.order();
    expect([status, json]).toEqual([418, { error: { name: "too_many_requests", message: "blocked for 3 seconds" } }]);
    upbit.venue.clock.now += 3_000;
    await plan({ kind: "ban", status: 429, for_ms: 1_000 });
    expect(await paper.order()).toMatchObject({ status: 429, text: "Too many API requests." });
    upbit.venue.clock.now += 1_000;
    await plan({ kind: "odd_answer", status: 503, body: "<html>서버 점검</html>" });
    expect(await paper.order()).toMatchObject({ status: 503, text: "<html>서버 점검</html>" });
    expect(orders()).toEqual([]);
  });

  it("says what it can do wrong", async () => {
    const { kinds } = await admin.must("GET", "/faults/kinds");
    for (const kind of ["late_delivery", "read_lag", "half_list"]) expect(kinds).toHaveProperty(kind);
  });

  it("answers what is no HTTP in its own form", async () => {
    const reply = await paper.open("x".repeat(20_000));
    expect(refusal(reply)).toEqual([431, 431]);
  });
});
