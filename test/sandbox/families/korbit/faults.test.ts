import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Korbit, type KorbitClient, openKorbit, refusal } from "./korbit-client.ts";

let korbit: Korbit;
beforeAll(async () => {
  korbit = await openKorbit();
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const plan = (terms: object) => korbit.admin.must("POST", "/faults", { path: "/v2/*", ...terms });
const find = (client: KorbitClient, clientOrderId: string) => client.find({ clientOrderId });
const status = async (client: KorbitClient, name: string): Promise<string> =>
  (await find(client, name)).json.data?.status;
const listed = async (client: KorbitClient, path: string): Promise<number> =>
  (await client.get(path, { symbol: "btc_krw" })).json.data.length;
const late = { clientOrderId: "late" };

describe("an order", () => {
  it("is taken and not found for a second with read_lag", async () => {
    const client = korbit.account("lags");
    await plan({ kind: "read_lag", ms: 1_000 });
    const { orderId } = (await client.order({ clientOrderId: "lags" })).json.data;
    korbit.venue.clock.now += 999;
    expect(refusal(await find(client, "lags"))).toEqual([400, "ORDER_NOT_FOUND"]);
    expect(refusal(await client.find({ orderId: String(orderId) }))[1]).toBe("ORDER_NOT_FOUND");
    expect(refusal(await client.cancel({ orderId: String(orderId) }))[1]).toBe("ORDER_NOT_FOUND");
    expect(await listed(client, "openOrders")).toBe(0);
    expect(refusal(await client.order({ clientOrderId: "lags" }))[1]).toBe("DUPLICATE_CLIENT_ORDER_ID");
    korbit.venue.clock.now += 1;
    expect([await status(client, "lags"), await listed(client, "openOrders")]).toEqual(["open", 1]);
  });

  it("is pending with late_execution: found, not open, and not to be canceled yet", async () => {
    const client = korbit.account("late");
    await plan({ kind: "late_execution", ms: 500 });
    expect((await client.order(late)).status).toBe(200);
    expect(await status(client, "late")).toBe("pending");
    expect(refusal(await client.cancel(late))).toEqual([400, "TRY_AGAIN"]);
    expect(refusal(await client.order(late))[1]).toBe("DUPLICATE_CLIENT_ORDER_ID");
    korbit.venue.clock.now += 1_000;
    expect([await listed(client, "openOrders"), await listed(client, "allOrders")]).toEqual([0, 1]);
    await expect.poll(() => status(client, "late")).toBe("open");
    korbit.venue.clock.now += 1_000;
    expect([await listed(client, "openOrders"), await listed(client, "allOrders")]).toEqual([1, 1]);
  });

  it("is pending and then expired where the money is gone", async () => {
    const client = korbit.account("broke");
    await plan({ kind: "late_execution", ms: 300, count: 1 });
    await client.order({ ...late, qty: "0.1" });
    expect((await client.order({ qty: "0.1" })).status).toBe(200);
    await expect.poll(() => status(client, "late")).toBe("expired");
    expect(refusal(await client.cancel(late))).toEqual([400, "ORDER_ALREADY_EXPIRED"]);
    expect(refusal(await client.order(late))[1]).toBe("DUPLICATE_CLIENT_ORDER_ID");
  });

  it("is taken and answered as a repeated one with duplicate_id", async () => {
    const client = korbit.account("first");
    await plan({ kind: "duplicate_id" });
    expect(refusal(await client.order({ clientOrderId: "first" }))).toEqual([400, "DUPLICATE_CLIENT_ORDER_ID"]);
    expect(await status(client, "first")).toBe("open");
  });

  it("is taken and in no list with partial_then_vanish", async () => {
    const client = korbit.account("unlisted");
    await plan({ kind: "partial_then_vanish" });
    await client.order({ clientOrderId: "unlisted" });
    korbit.venue.clock.now += 1_000;
    expect([await listed(client, "openOrders"), await listed(client, "allOrders")]).toEqual([0, 0]);
    expect(await status(client, "unlisted")).toBe("open");
  });

  it("takes effect after its connection ended with late_delivery, and never with swallow", async () => {
    const client = korbit.account("delivery");
    await plan({ kind: "late_delivery", after_ms: 200, method: "POST" });
    await expect(client.order(late)).rejects.toThrow(/hang up|ECONNRESET/);
    expect(refusal(await find(client, "late"))).toEqual([400, "ORDER_NOT_FOUND"]);
    await expect.poll(() => status(client, "late")).toBe("open");
    await plan({ kind: "swallow", method: "POST" });
    await expect(client.order({ clientOrderId: "gone" })).rejects.toThrow(/hang up|ECONNRESET/);
    expect(refusal(await find(client, "gone"))[1]).toBe("ORDER_NOT_FOUND");
  });

  it("is one where it is delivered twice, unless it has no id of the account's own", async () => {
    const client = korbit.account("twice");
    await plan({ kind: "double_delivery", method: "POST", count: 2 });
    expect(refusal(await client.order({ clientOrderId: "twice" }))).toEqual([400, "DUPLICATE_CLIENT_ORDER_ID"]);
    expect(await listed(client, "openOrders")).toBe(1);
    await client.order();
    expect(await listed(client, "openOrders")).toBe(3);
  });
});

describe("a query", () => {
  it("does not find canceled orders with omit_canceled, and ends in its middle with half_list", async () => {
    const client = korbit.account("queries");
    for (const clientOrderId of ["a", "b", "c"]) await client.order({ clientOrderId });
    await client.cancel({ clientOrderId: "a" });
    await expect.poll(() => status(client, "a")).toBe("canceled");
    korbit.venue.clock.now += 1_000;
    await plan({ kind: "omit_canceled", count: 2 });
    expect([refusal(await find(client, "a"))[1], await listed(client, "allOrders")]).toEqual(["ORDER_NOT_FOUND", 2]);
    expect(await listed(client, "allOrders")).toBe(3);
    await plan({ kind: "half_list" });
    expect([await listed(client, "allOrders"), await listed(client, "allOrders")]).toEqual([1, 3]);
  });
});

describe("the server", () => {
  it("has another time with clock_skew, for who asks and for who signs", async () => {
    const { paper, venue } = korbit;
    await plan({ kind: "clock_skew", ms: 30_000, path: "/v2/time" });
    expect((await paper.open("time")).json.data.time).toBe(venue.clock.now + 30_000);
    expect((await paper.open("time")).json.data.time).toBe(venue.clock.now);
    await plan({ kind: "clock_skew", ms: 30_000 });
    expect(refusal(await paper.get("balance"))).toEqual([400, "EXCEED_TIME_WINDOW"]);
    await plan({ kind: "clock_skew", ms: -2_000 });
    expect(refusal(await paper.get("balance"))).toEqual([400, "EXCEED_TIME_WINDOW"]);
  });

  it("fails, refuses and is under maintenance in its own words", async () => {
    const client = korbit.account("server");
    await plan({ kind: "error" });
    expect(refusal(await client.order())).toEqual([503, "INTERNAL_SERVER_ERROR"]);
    for (const status of [418, 429]) {
      await plan({ kind: "ban", status, for_ms: 3_000 });
      const banned = await client.order();
      expect(refusal(banned)).toEqual([status, "TOO_MANY_REQUESTS"]);
      expect(banned.headers["retry-after"]).toBe(status === 429 ? "3" : undefined);
      korbit.venue.clock.now += 3_000;
    }
    await plan({ kind: "odd_answer", status: 503, body: "<html>점검</html>" });
    expect(await client.order()).toMatchObject({ status: 503, text: "<html>점검</html>" });
    expect(await listed(client, "openOrders")).toBe(0);
  });

  it("says what it can do wrong", async () => {
    const { kinds } = await korbit.admin.must("GET", "/faults/kinds");
    for (const kind of ["late_delivery", "read_lag", "clock_skew"]) expect(kinds).toHaveProperty(kind);
    expect(kinds).not.toHaveProperty("not_ready");
  });
});
