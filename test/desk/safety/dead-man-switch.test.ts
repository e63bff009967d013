import { describe, expect, it, vi } from "vitest";
import type { OrderRequest } from "../../../src/desk/index.ts";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { apiClass, has, units } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const BATCH = /^DELETE \/v1\/orders\/batch/;
const BY_USERREF = /^GET \/v1\/orders\?.*userref=/;
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

openWorldPerTest({ file: true });

const openAtVenue = () => world.orders().filter(({ state }) => state === "open").length;
const timer = () => unwrap(world.store.timers.read("paper"));
const fired = async () =>
  (await unwrap(world.store.audit.recent({ limit: 200 }))).filter(({ event }) => event === "cancel_timer_fired").length;

describe("the cancel timer", () => {
  it("says when it fires and who keeps it, and does nothing before", async () => {
    await seat.desk.place(order);
    const set = await seat.desk.setCancelTimer(600);
    const keeper = has("timer") ? "exchange" : "desk";
    expect(set).toMatchObject({
      ok: true,
      value: { kept_by: keeper, environment: "sandbox", account: "paper", unit: "KRW" },
    });
    const firesAt = set.ok ? set.value.fires_at : null;
    expect(Math.abs(Date.parse(firesAt ?? "") - Date.now() - 600_000)).toBeLessThan(60_000);
    expect((await seat.desk.status()).cancel_timer_fires_at).toBe(firesAt);
    world.clock.skewMs = 500_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(1);
    expect(await fired()).toBe(0);
  });

  it("cancels everything when it runs out, once, however many processes look, and is then off", async () => {
    const others = [await world.seat(), await world.seat()];
    for (let made = 0; made < 3; made++) await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.clock.skewMs = 6_000;
    await Promise.all([seat, ...others].map(({ desk }) => desk.upkeep()));
    expect(openAtVenue()).toBe(0);
    expect(world.proxy.deliveries(BATCH)).toBe(1);
    expect(await fired()).toBe(1);
    expect(await timer()).toBeUndefined();
    expect((await seat.desk.status()).cancel_timer_fires_at).toBeNull();
    // It is not a kill switch.
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    world.clock.skewMs = 60_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(1);
  });

  it("does not wait for a clock that was set back to come round again", async () => {
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.clock.skewMs = -3_540_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(0);
    expect(await timer()).toBeUndefined();
  });

  it("goes off before anybody asks what became of orders without an answer", async () => {
    await seat.desk.place(order);
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(BY_USERREF, "deny", 99);
    expect((await seat.desk.place({ ...order, userref: "dark" })).state).toBe("unknown");
    await seat.desk.setCancelTimer(5);
    world.clock.skewMs = 6_000;
    const from = world.proxy.log.length;
    await seat.desk.upkeep();
    const asked = world.proxy.log.slice(from).map(({ method, path }) => `${method} ${path}`);
    expect(asked[0]).toMatch(BATCH);
    expect(asked.findIndex((line) => BY_USERREF.test(line))).toBeGreaterThan(0);
  });

  it.runIf(has("words"))("does not wait for a question about another order that hangs", async () => {
    let answer = (): void => {};
    const hanging = new Promise<void>((resolve) => {
      answer = resolve;
    });
    world.proxy.plan(ORDER_POST, "lose_reset");
    world.proxy.plan(BY_USERREF, "deny", 99);
    await seat.desk.place({ ...order, userref: "dark" });
    world.proxy.heal();
    await seat.desk.place({ ...order, base_volume: "0.002" });
    await seat.desk.setCancelTimer(20);
    const orders = Reflect.get(apiClass().prototype, "orders") as OpenApiClient["orders"];
    const asking = vi.spyOn(apiClass().prototype, "orders").mockImplementation(async function (
      this: OpenApiClient,
      ...asked
    ) {
      if (asked[0]?.userref !== undefined) await hanging;
      return orders.call(this, ...asked);
    });
    // Two rounds end although the question does not.
    await seat.desk.upkeep();
    world.clock.skewMs = 21_000;
    await seat.desk.upkeep();
    expect(asking.mock.calls.some(([request]) => request?.userref === "dark")).toBe(true);
    answer();
    asking.mockRestore();
    expect(world.orders().find(({ volume }) => volume === units("0.002"))?.state).toBe("canceled");
    expect(await timer()).toBeUndefined();
  });

  it("outlives the process that set it", async () => {
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    seat.kill();
    world.clock.skewMs = 3_600_000;
    const next = await world.seat();
    await next.desk.upkeep();
    expect(openAtVenue()).toBe(0);
    expect(await timer()).toBeUndefined();
  });

  it("starts anew when it is set again, and 0 switches it off", async () => {
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.clock.skewMs = 4_000;
    await seat.desk.setCancelTimer(10);
    world.clock.skewMs = 8_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(1);
    expect(await seat.desk.setCancelTimer(0)).toMatchObject({ ok: true, value: { fires_at: null } });
    world.clock.skewMs = 60_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(1);
    expect(await timer()).toBeUndefined();
    expect(await seat.desk.setCancelTimer(0)).toMatchObject({ ok: true });
  });

  it.each(["deny", "refuse", "late"] as const)("stays due until nothing is open any more (%s)", async (kind) => {
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.proxy.plan(BATCH, kind);
    world.clock.skewMs = 6_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(1);
    expect(await timer()).toBeDefined();
    world.clock.skewMs = 20_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(0);
    expect(await timer()).toBeUndefined();
    expect(await fired()).toBe(2);
  });

  it("stays due while the venue is down", async () => {
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.proxy.down(true);
    world.clock.skewMs = 6_000;
    await seat.desk.upkeep();
    expect(await timer()).toBeDefined();
    world.proxy.down(false);
    world.clock.skewMs = 20_000;
    await (await world.seat()).desk.upkeep();
    expect(openAtVenue()).toBe(0);
    expect(await timer()).toBeUndefined();
  });

  it("passes to another process when the one that took it died", async () => {
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.clock.skewMs = 6_000;
    expect(await unwrap(world.store.timers.claimDue("paper", Date.now() + 6_000, 10_000))).toBeDefined();
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(1);
    world.clock.skewMs = 20_000;
    await seat.desk.upkeep();
    expect(openAtVenue()).toBe(0);
  });

  it("stands at its new time when it is set again while it fires", async () => {
    const other = await world.seat();
    await seat.desk.place(order);
    await seat.desk.setCancelTimer(5);
    world.proxy.plan(BATCH, "lose_hang");
    const canceling = world.proxy.reached(BATCH);
    world.clock.skewMs = 6_000;
    const firing = seat.desk.upkeep();
    await canceling;
    await other.desk.setCancelTimer(600);
    await firing;
    expect((await timer())?.dueAtMs).toBeGreaterThan(Date.now() + 500_000);
  });

  it.each([-1, 1, 4, 4.999, 5.5, 86_401, Number.NaN, Number.POSITIVE_INFINITY])(
    "takes no %s seconds",
    async (seconds) => {
      await seat.desk.setCancelTimer(60);
      const before = await timer();
      expect(await seat.desk.setCancelTimer(seconds)).toMatchObject({
        ok: false,
        fault: { code: "ELocal:Invalid input", field: "timeout_s", reachedVenue: "no" },
      });
      expect(await timer()).toEqual(before);
    },
  );

  it("is not called refused by the exchange where only the question for the account was", async () => {
    world.proxy.plan(/^GET \/v1\/accounts/, "deny", 99);
    const fresh = await world.seat();
    expect(await fresh.desk.setCancelTimer(60)).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
  });

  it("takes the shortest and the longest", async () => {
    for (const seconds of [5, 86_400]) expect((await seat.desk.setCancelTimer(seconds)).ok).toBe(true);
  });

  it.runIf(has("timer"))("is not called off where the exchange has not said so, and stands here", async () => {
    await seat.desk.setCancelTimer(600);
    const AFTER = /CancelAllOrdersAfter/;
    world.proxy.plan(AFTER, "lose_reset");
    const lost = await seat.desk.setCancelTimer(0);
    expect(lost).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    expect(lost.ok || lost.fault.nextAction).toContain("timeout_s 0");
    expect(await timer()).toBeDefined();
    world.proxy.plan(AFTER, "deny");
    expect(await seat.desk.setCancelTimer(0)).toMatchObject({ ok: false, fault: { reachedVenue: "yes" } });
    expect(await timer()).toBeDefined();
    vi.spyOn(world.store.timers, "disarm").mockImplementationOnce(storeBroken);
    const half = await seat.desk.setCancelTimer(0);
    expect(half).toMatchObject({ ok: false, fault: { reachedVenue: "unknown" } });
    expect(half.ok || half.fault.message).toContain("The exchange's timer is off. The desk's own still stands");
    expect(await timer()).toBeDefined();
    expect(await seat.desk.setCancelTimer(0)).toMatchObject({ ok: true, value: { fires_at: null } });
    expect(await timer()).toBeUndefined();
  });
});
