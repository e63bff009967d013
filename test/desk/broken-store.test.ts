import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDesk, createIds, type IntentBody, type IntentState, type OrderRequest } from "../../src/desk/index.ts";
import { openStore } from "../../src/store/index.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { OpenApiClient } from "../../src/venues/index.ts";
import { createClock, has } from "../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../fixture/fault-proxy.ts";
import { safetyParts } from "../fixture/policy.ts";
import { unwrap } from "../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../fixture/world-per-test.ts";

const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

openWorldPerTest();

describe("a store that cannot be written", () => {
  it("stops orders before they are sent, and says why", async () => {
    await seat.desk.balances();
    world.breakStore(true);
    expect(await seat.desk.place(order)).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ELocal:Store unavailable" },
    });
    expect((await seat.desk.preview(order)).ok).toBe(false);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
    world.breakStore(false);
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("stops an order whose nonce cannot be put on disk, with nothing sent", async () => {
    const numbering = seat.stallBefore("advance");
    const placing = seat.desk.place({ ...order, userref: "unnumbered" });
    await numbering.reached;
    world.breakStore(true);
    numbering.goOn();
    const report = await placing;
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Store unavailable" } });
    expect(report.warnings.join()).toContain("could not be stored");
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
    world.breakStore(false);
    expect(await seat.desk.place({ ...order, userref: "unnumbered" })).toMatchObject({ outcome: "accepted" });
    expect(world.orders()).toHaveLength(1);
  });

  it("does not change what the venue said, which is found again later", async () => {
    world.proxy.plan(ORDER_POST, "twice");
    await seat.desk.balances();
    const numbering = seat.stallBefore("advance");
    const placing = seat.desk.place({ ...order, userref: "answered" });
    await numbering.reached;
    const noting = seat.stallBefore("advance");
    numbering.goOn();
    await noting.reached;
    world.breakStore(true);
    noting.goOn();
    const report = await placing;
    expect(["accepted", "unknown"]).toContain(report.outcome);
    world.breakStore(false);
    await seat.desk.reconcile();
    expect((await unwrap(world.store.journal.byUserref("paper", "answered")))?.state).toBe("open");
    expect(world.orders()).toHaveLength(1);
  });

  it("does not hold up a cancel, which warns that it was not recorded", async () => {
    const placed = await seat.desk.place({ ...order, userref: "leave" });
    await seat.desk.place(order);
    world.breakStore(true);
    const report = await seat.desk.cancel({ orderId: placed.order?.orderId ?? "" });
    expect(report).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(report.warnings.join()).toContain("audit log");
    const all = await seat.desk.cancelAll();
    expect(all).toMatchObject({ outcome: "accepted", canceled: 1, remaining: 0 });
    expect(all.warnings.join()).toContain("audit log");
    expect(world.orders().every(({ state }) => state === "canceled")).toBe(true);
  });
});

describe("a real store file gone bad under a running desk", () => {
  it.runIf(has("words"))("orders stop, cancels leave, looks do not lie about what is not known", async () => {
    const dir = mkdtempSync(join(tmpdir(), "hoga-broken-"));
    const path = join(dir, "hoga.db");
    const clock = createClock();
    const store = await openStore<IntentState, IntentBody>({ path }, { clock, random: Math.random });
    const { apiKey, apiSecret } = world.sandbox;
    const limits = { callsPerSecond: 1_000, weightPerMinute: 60_000 };
    const venue = new OpenApiClient({
      environment: "sandbox",
      baseUrl: world.proxy.url,
      credentials: { apiKey, apiSecret },
      lane: store.lane({ limits, leaseWaitMs: 100, leaseMs: 3_000 }),
      clock,
    });
    const ids = createIds(clock, (count) => new Uint8Array(count).map(() => Math.floor(Math.random() * 256)));
    const { journal, audit } = store;
    const desk = createDesk({ venue, journal, audit, ...safetyParts(store), clock, ids, profile: "test" });
    const placed = await desk.place({ ...order, userref: "first" });
    expect(placed.outcome).toBe("accepted");
    const vandal = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
    // No full disk and no lock: nothing that the desk would expect.
    for (const table of ["intents", "audit"]) await vandal.exec(`DROP TABLE ${table}`);
    expect(await desk.place({ ...order, userref: "second" })).toMatchObject({
      outcome: "not_sent",
      error: { code: "ELocal:Store unavailable", message: expect.stringMatching(/lacks its tables/) },
    });
    expect(await desk.order({ userref: "third" })).toMatchObject({
      ok: false,
      fault: { code: "ELocal:Store unavailable" },
    });
    expect(await desk.cancel({ userref: "first" })).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(world.orders().map(({ state }) => state)).toEqual(["canceled"]);
    expect(await unwrap(store.killSwitch.state())).toBeUndefined();
    const other = await world.seat({ key: world.addKey() });
    expect(await other.desk.place({ ...order, userref: "later" })).toMatchObject({ outcome: "accepted" });
    const report = await desk.cancel({ userref: "later" });
    expect(report).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(report.warnings).toHaveLength(2);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(2);
    vandal.close();
    await venue.close();
    store.close();
    rmSync(dir, { recursive: true });
  });
});
