import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AdminClient } from "../../admin/admin-client.ts";
import { START } from "../../http/venue.ts";
import { answered, BTC, type Coinone, type CoinoneClient, clearBook, openCoinone, refusal } from "./coinone-client.ts";

let coinone: Coinone;
let paper: CoinoneClient;
let admin: AdminClient;
beforeAll(async () => {
  coinone = await openCoinone({ admin: {} });
  ({ paper } = coinone);
  admin = new AdminClient(coinone.venue.sandbox.admin ?? { url: "", token: "" });
});
beforeEach(() => {
  coinone.venue.clock.now = Math.max(coinone.venue.clock.now, START);
});
afterEach(async () => {
  await admin.must("DELETE", "/faults");
  await clearBook(coinone);
});
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

const plan = (terms: object) => admin.must("POST", "/faults", { path: "/v2.1/order", ...terms });
const open = () => coinone.venue.sandbox.exchange.orders("paper", { states: ["open"], limit: 100 }).orders;
const byName = (user_order_id: string) => paper.detail({ user_order_id });
const statusOf = async (name: string): Promise<string> => answered(await byName(name)).order.status;
const active = async (): Promise<number> => answered(await paper.post("order/active_orders", BTC)).active_orders.length;

describe("an order", () => {
  it("is taken and not found for a while with read_lag", async () => {
    await plan({ kind: "read_lag", ms: 5_000 });
    const { order_id } = answered(await paper.order({ user_order_id: "lags" }));
    expect(open()).toMatchObject([{ orderId: order_id }]);
    coinone.venue.clock.now += 4_999;
    expect(refusal(await byName("lags"))).toBe("104");
    expect(refusal(await paper.cancel({ order_id }))).toBe("104");
    expect(await active()).toBe(0);
    coinone.venue.clock.now += 1;
    expect([await statusOf("lags"), await active()]).toEqual(["LIVE", 1]);
  });

  it("is taken and reaches the book later with late_execution, and can be canceled before", async () => {
    answered(await coinone.maker.order({ side: "SELL", qty: "1" }));
    await plan({ kind: "late_execution", ms: 300, count: 2 });
    const late = answered(await paper.order({ user_order_id: "late" }));
    answered(await paper.order({ user_order_id: "gone" }));
    expect([open(), await statusOf("late"), await active()]).toEqual([[], "LIVE", 2]);
    answered(await paper.cancel({ user_order_id: "gone" }));
    expect(await statusOf("gone")).toBe("CANCELED");
    await expect.poll(() => statusOf("late")).toBe("FILLED");
    expect(answered(await paper.detail({ order_id: late.order_id })).order.executed_qty).toBe("0.001");
  });

  it("is taken and answered as a repeated one with duplicate_id", async () => {
    await plan({ kind: "duplicate_id" });
    expect(refusal(await paper.order({ user_order_id: "first" }))).toBe("312");
    expect(await statusOf("first")).toBe("LIVE");
  });

  it("is taken and in no list with partial_then_vanish", async () => {
    answered(await coinone.maker.order({ side: "SELL", qty: "0.0005" }));
    await plan({ kind: "partial_then_vanish" });
    answered(await paper.order({ user_order_id: "unlisted" }));
    const period = { size: 10, from_ts: coinone.venue.clock.now, to_ts: coinone.venue.clock.now };
    const fills = answered(await paper.post("order/completed_orders/all", period)).completed_orders;
    const { order_id } = answered(await byName("unlisted")).order;
    expect(fills.filter((fill: { order_id: string }) => fill.order_id === order_id)).toEqual([]);
    expect([await statusOf("unlisted"), await active()]).toEqual(["PARTIALLY_FILLED", 0]);
  });

  it("takes effect after its connection ended with late_delivery, and is not found before", async () => {
    await plan({ kind: "late_delivery", after_ms: 200 });
    await expect(paper.order({ user_order_id: "slow" })).rejects.toThrow(/hang up|ECONNRESET/);
    expect(refusal(await byName("slow"))).toBe("104");
    await expect.poll(async () => (await byName("slow")).json.result).toBe("success");
  });

  it("never takes effect with swallow", async () => {
    await plan({ kind: "swallow" });
    await expect(paper.order({ user_order_id: "never" })).rejects.toThrow(/hang up|ECONNRESET/);
    expect([refusal(await byName("never")), open()]).toEqual(["104", []]);
  });

  it("meets its own nonce when it is delivered twice", async () => {
    await plan({ kind: "double_delivery" });
    expect(refusal(await paper.order({ user_order_id: "twice" }))).toBe("132");
    expect(await statusOf("twice")).toBe("LIVE");
  });
});

describe("a query", () => {
  it("does not find canceled orders with omit_canceled", async () => {
    const { order_id } = answered(await paper.order());
    answered(await paper.cancel({ order_id }));
    await plan({ kind: "omit_canceled", path: "/v2.1/order/detail" });
    expect(refusal(await paper.detail({ order_id }))).toBe("104");
    expect(answered(await paper.detail({ order_id })).order.status).toBe("CANCELED");
  });

  it("ends in its middle with half_list", async () => {
    for (let count = 0; count < 5; count++) answered(await paper.order());
    await plan({ kind: "half_list", path: "/v2.1/order/*" });
    expect([await active(), await active()]).toEqual([2, 5]);
  });
});

describe("the server", () => {
  it("fails, blocks and is under maintenance in its own words", async () => {
    await plan({ kind: "error" });
    expect(await paper.order()).toMatchObject({ status: 503, json: { result: "error", error_code: "405" } });
    await plan({ kind: "ban", status: 418, for_ms: 3_000 });
    expect(refusal(await paper.order())).toBe("4");
    expect(refusal(await paper.order())).toBe("4");
    coinone.venue.clock.now += 3_000;
    await plan({ kind: "odd_answer", status: 503, body: "<html>서버 점검</html>" });
    expect(await paper.order()).toMatchObject({ status: 503, text: "<html>서버 점검</html>" });
    expect(open()).toEqual([]);
  });

  it("shows another time in its Date, the only clock there is, with clock_skew", async () => {
    await plan({ kind: "clock_skew", ms: 3_600_000, path: "/public/v2/*" });
    const { headers } = await paper.open("ticker_new/KRW/BTC");
    expect(Date.parse(headers.date ?? "") - coinone.venue.clock.now).toBeGreaterThan(3_500_000);
  });

  it("says what it can do wrong, and what it cannot", async () => {
    const { kinds } = await admin.must("GET", "/faults/kinds");
    for (const kind of ["swallow", "read_lag", "half_list"]) expect(kinds).toHaveProperty(kind);
    expect(kinds).not.toHaveProperty("not_ready");
  });

  it("answers what is no HTTP in its own form, with the status of the fault", async () => {
    const { status, json } = await paper.open("x".repeat(20_000));
    expect([status, json]).toEqual([431, { result: "error", error_code: "101", error_msg: "Invalid format" }]);
  });
});
