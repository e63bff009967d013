import { beforeEach, describe, expect, it } from "vitest";
import type { Desk } from "../../../src/desk/index.ts";
import { FIRST_LOOK, NONE_YET, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LOOK = /^GET \/v1\/orders\?/;
const order = { ...LIMIT_BUY, userref: "dca" };
const DAYS_MS = 48 * 3_600_000;
const NOT_PLACED = { placed: false, by: "a person" };

openWorldPerTest();
const usage = async () => (await unwrap(world.store.journal.usage("paper", Date.now() + world.clock.skewMs))).usage;

/** Ours is lost; another machine's order of the same name and fields, of two days ago, may be taken for it. */
beforeEach(async () => {
  const other = await world.seat({ freshStore: true });
  expect(await other.desk.place(order)).toMatchObject({ state: "open" });
  world.clock.skewMs = world.venueClock.skewMs = DAYS_MS;
  world.proxy.plan(FIRST_LOOK, NONE_YET);
  world.proxy.plan(ORDER_POST, "refuse");
  expect(await seat.desk.place(order)).toMatchObject({ state: "unknown" });
  world.clock.skewMs = world.venueClock.skewMs = DAYS_MS + 60_000;
  await seat.desk.reconcile();
});

/** The word was not taken. */
const REFUSED = { ok: false, fault: { code: "ELocal:Unknown order" } } as const;

async function settle(...[name, word]: Parameters<Desk["settle"]>) {
  const settled = await seat.desk.settle(name, word);
  if (!settled.ok) throw new Error(settled.fault.message);
  return settled.value;
}

describe("an order of which only a person can find out", () => {
  it("is not placed by a person's word: its budgets are free, the log says whose word it was, and it may be placed", async () => {
    expect(await usage()).toMatchObject({ open: "100000", openOrders: 1 });
    const report = await settle("dca", NOT_PLACED);
    expect(report).toMatchObject({ outcome: "not_sent", state: "not_placed", userref: "dca" });
    expect(report.error?.message).toContain("person");
    expect(await usage()).toMatchObject({ open: "0", openOrders: 0, lastMinute: 0 });
    expect((await unwrap(world.store.journal.byUserref("paper", "dca")))?.body.settledBy).toBe("person");
    const [entry] = await unwrap(world.store.audit.recent({ limit: 1 }));
    expect(entry).toMatchObject({ event: "settled_by_person", detail: { by: "a person", to: "not_placed" } });
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("is the order that the person names", async () => {
    const [theirs] = world.orders();
    const report = await settle("dca", { placed: true, by: "a person", orderId: theirs?.orderId ?? "" });
    expect(report).toMatchObject({ outcome: "accepted", state: "open", order: { orderId: theirs?.orderId } });
  });

  it("needs no id where the exchange shows one that it can be", async () => {
    expect(await settle("dca", { placed: true, by: "a person" })).toMatchObject({ state: "open" });
  });

  it("is not an order that asks for something else, and not one of another intent", async () => {
    const other = await seat.desk.place({ ...order, userref: "other", base_volume: "0.002" });
    const twin = await seat.desk.place({ ...order, userref: "twin", price: "99000000" });
    for (const each of [other, twin]) {
      expect(each).toMatchObject({ outcome: "accepted" });
      const word = { placed: true, by: "a person", orderId: each.order?.orderId ?? "" };
      expect(await seat.desk.settle("dca", word)).toMatchObject(REFUSED);
    }
    expect((await unwrap(world.store.journal.byUserref("paper", "dca")))?.state).toBe("unknown");
  });

  it("is not settled by hand while the exchange itself tells, nor where there is none", async () => {
    expect(await seat.desk.settle("nobody", NOT_PLACED)).toMatchObject(REFUSED);
    const placed = await seat.desk.place({ ...order, price: "98000000", userref: "known" });
    expect(await settle("known", NOT_PLACED)).toMatchObject({ outcome: "accepted", state: "open" });
    expect((await unwrap(world.store.journal.byId(placed.intent_id ?? "")))?.state).toBe("open");
  });

  it("is not declared not placed while its request may be on its way", async () => {
    world.proxy.plan(ORDER_POST, "late");
    world.proxy.plan(LOOK, "deny", 99);
    expect(await seat.desk.place({ ...order, price: "97000000", userref: "young" })).toMatchObject({
      state: "unknown",
    });
    for (const setByMs of [0, -2_000]) {
      world.clock.skewMs += setByMs;
      expect(await seat.desk.settle("young", NOT_PLACED)).toMatchObject(REFUSED);
    }
    expect((await unwrap(world.store.journal.byUserref("paper", "young")))?.state).toBe("unknown");
  });
});

describe("a person's word that the exchange could not be asked about", () => {
  const lost = { ...order, price: "96000000", userref: "lost" };
  const stored = () => unwrap(world.store.journal.byUserref("paper", "lost"));
  const shown = () => world.orders().filter(({ userref }) => userref === "lost");

  async function denied(placed: "refuse" | "lose_reset"): Promise<void> {
    world.proxy.plan(ORDER_POST, placed);
    world.proxy.plan(LOOK, "deny", 3);
    expect(await seat.desk.place(lost)).toMatchObject({ state: "unknown" });
    world.clock.skewMs += 60_000;
    world.venueClock.skewMs += 60_000;
    const report = await settle("lost", NOT_PLACED);
    expect(report).toMatchObject({ outcome: "unknown", state: "unknown" });
    expect(report.warnings.join()).toContain("could not be asked");
    expect(await stored()).toMatchObject({ body: { settledBy: "person" }, held: "96000", isLive: true });
    expect(await seat.desk.place(lost)).toMatchObject({ outcome: "unknown" });
  }

  it("counts, with the budgets, as soon as the exchange shows no such order", async () => {
    await denied("refuse");
    expect(await seat.desk.reconcile()).toMatchObject({ not_placed: 1, still_unknown: 1 });
    expect(await stored()).toMatchObject({ state: "not_placed", body: { settledBy: "person" }, held: "0" });
    expect(await seat.desk.place(lost)).toMatchObject({ outcome: "accepted" });
    expect(shown()).toHaveLength(1);
  });

  it("is taken back where the exchange shows the order: it is not sent again, counts again, and the log and the report say so", async () => {
    await denied("lose_reset");
    expect(await seat.desk.reconcile()).toMatchObject({ accepted: 1 });
    const report = await seat.desk.place(lost);
    expect(report).toMatchObject({ outcome: "accepted", state: "open", order: { orderId: shown()[0]?.orderId } });
    expect(report.warnings.join()).toContain("A person had said");
    expect(shown()).toHaveLength(1);
    expect(await stored()).toMatchObject({ held: "96000", isLive: true });
    const log = await unwrap(world.store.audit.recent({ limit: 20 }));
    expect(log.map(({ detail }) => detail)).toContainEqual(expect.objectContaining({ contradicts: "a person's word" }));
  });
});
