import { beforeEach, describe, expect, it } from "vitest";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LIST = /^GET \/v1\/orders\?/;
const ONE_ORDER = /^GET \/v1\/orders\/BTC/;
const userref = "awaited";
const order = { ...LIMIT_BUY, base_volume: "0.002", userref };

openWorldPerTest();
beforeEach(async () => {
  await seat.desk.place(order);
});

const soon = (step: () => void) => setTimeout(step, 60);

describe("await_order", () => {
  it("returns at once what has already been reached", async () => {
    world.rest("sell", "100000000", "0.002");
    let looks = 0;
    const onProgress = () => void looks++;
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 5_000, onProgress });
    expect(report).toMatchObject({ ok: true, value: { reached: true, state: "filled", environment: "sandbox" } });
    expect(looks).toBe(1);
    expect(report.ok && report.value.next_action).toBeUndefined();
  });

  it("waits for a first fill, then for the whole, and tells progress", async () => {
    const shares: string[] = [];
    soon(() => world.rest("sell", "100000000", "0.001"));
    const onProgress = (seen: { executed_volume: string }) => shares.push(seen.executed_volume);
    const first = await seat.desk.awaitOrder({ userref, until: "any_fill", timeoutMs: 5_000, onProgress });
    expect(first).toMatchObject({ ok: true, value: { reached: true, state: "partially_filled" } });
    expect(shares[0]).toMatch(/^0(\.0+)?$/);
    expect(shares.at(-1)).toMatch(/^0\.001/);
    soon(() => world.rest("sell", "100000000", "0.001"));
    const whole = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 5_000 });
    expect(whole).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
  });

  it("ends when the order ended otherwise, and says how", async () => {
    setTimeout(() => void seat.desk.cancel({ userref }), 60);
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 5_000 });
    expect(report).toMatchObject({ ok: true, value: { reached: false, state: "canceled" } });
    expect(report.ok && report.value.next_action).toContain("ended as canceled");
    expect(await seat.desk.awaitOrder({ userref, until: "closed", timeoutMs: 5_000 })).toMatchObject({
      ok: true,
      value: { reached: true },
    });
  });

  it("ends with the time, in time, and says how it stands", async () => {
    const startedAt = performance.now();
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 300 });
    expect(report).toMatchObject({ ok: true, value: { reached: false, state: "open" } });
    expect(report.ok && report.value.next_action).toContain("await_order again");
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  });

  it("ends in time though the clock is set back", async () => {
    setTimeout(() => {
      world.clock.skewMs = -3_600_000;
    }, 60);
    const startedAt = performance.now();
    const stop = new AbortController();
    const tooLong = setTimeout(() => stop.abort(), 4_000);
    const request = { userref, until: "filled" as const, timeoutMs: 700, signal: stop.signal };
    const report = await seat.desk.awaitOrder(request);
    clearTimeout(tooLong);
    expect(report).toMatchObject({ ok: true, value: { reached: false, state: "open" } });
    expect(report.ok && report.value.waited_ms).toBeGreaterThanOrEqual(700);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it("ends with the caller's signal, also while the venue does not answer", async () => {
    const abort = new AbortController();
    soon(() => abort.abort());
    const request = { userref, until: "filled" as const, timeoutMs: 60_000, signal: abort.signal };
    expect(await seat.desk.awaitOrder(request)).toMatchObject({ ok: true, value: { reached: false, state: "open" } });
    world.proxy.plan(ONE_ORDER, "bad_gateway", 999);
    const before = world.proxy.log.length;
    expect((await seat.desk.awaitOrder(request)).ok).toBe(false);
    expect(world.proxy.log.length - before).toBeLessThan(8);
  });

  it("goes on over a venue that fails for a while", async () => {
    world.proxy.plan(ONE_ORDER, "busy", 4);
    setTimeout(() => world.rest("sell", "100000000", "0.002"), 300);
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 10_000 });
    expect(report).toMatchObject({ ok: true, value: { reached: true } });
  });

  it.runIf(has("proof"))("waits over an unknown outcome, and ends when the order is proven not placed", async () => {
    world.proxy.plan(ORDER_POST, "refuse");
    world.proxy.plan(LIST, "deny", 2);
    expect(await seat.desk.place({ ...order, userref: "lost" })).toMatchObject({ state: "unknown" });
    const report = await seat.desk.awaitOrder({ userref: "lost", until: "closed", timeoutMs: 5_000 });
    expect(report).toMatchObject({ ok: true, value: { reached: false, state: "not_placed" } });
  });

  it("does not end at an order that another process is about to send", async () => {
    const doomed = await world.seat({ crashAt: "recorded" });
    void doomed.desk.place({ ...order, userref: "waiting" });
    await doomed.died;
    setTimeout(() => void seat.desk.place({ ...order, userref: "waiting", base_volume: "0.002" }), 60);
    world.rest("sell", "100000000", "0.004");
    const report = await seat.desk.awaitOrder({ userref: "waiting", until: "filled", timeoutMs: 5_000 });
    expect(report).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
  });

  it("fails at once for an order that nobody knows", async () => {
    const report = await seat.desk.awaitOrder({ userref: "nobody", until: "filled", timeoutMs: 60_000 });
    expect(report).toMatchObject({ ok: false, fault: { code: "ELocal:Unknown order" } });
  });
});
