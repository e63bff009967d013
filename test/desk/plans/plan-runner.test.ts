import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failed, localFault } from "../../../src/contract/index.ts";
import type { Notice, PlanBook, PlanGapView } from "../../../src/desk/index.ts";
import { unwrap } from "../../fixture/result.ts";
import { ABOVE, BELOW, made, openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
/** Where a test opens another. */
const opened = async (options?: { readonly file?: boolean }): Promise<PlanWorld> => {
  market = await openPlanWorld(options);
  return market;
};
afterEach(() => market.close());

const fired = async (): Promise<readonly Notice[]> =>
  (await market.notices()).filter(({ type }) => type === "alert.fired");
const gapsTold = async (): Promise<readonly Notice[]> =>
  (await market.notices()).filter(({ type }) => type === "plan.gap");
const gapsOf = async ({ plans }: Process): Promise<readonly PlanGapView[]> =>
  (await unwrap(plans.list({ which: "all", limit: 10 }))).watch.gaps;
/** Others quote and trade around it. */
const moveTo = (at: number): void => {
  market.quotes(at - 0.5, at + 0.5);
  market.print(at);
};

describe("an alert", () => {
  beforeEach(() => opened());

  it("tells once when the market has stood at its price for two seconds, and has then done all it does", async () => {
    const server = await market.process();
    const [above, below] = [
      made(await server.plans.create(ABOVE, "assistant")),
      made(await server.plans.create(BELOW, "assistant")),
    ];
    await market.pass(2_000);
    expect(await fired()).toEqual([]);
    moveTo(111);
    await market.pass(1_000);
    expect(await fired()).toEqual([]);
    await market.pass(4_000);
    const [told, ...others] = await fired();
    expect(others).toEqual([]);
    expect(told).toMatchObject({ planId: above.plan_id, body: { above: won(110), print: won(111), bid: "110500000" } });
    expect(await shown(server, above.plan_id)).toMatchObject({ state: "done", told_at: expect.any(String) });
    expect((await shown(server, below.plan_id)).state).toBe("active");
    await market.pass(5_000);
    expect(await fired()).toHaveLength(1);
  }, 30_000);

  it("has in the log the first and the last sample that decided it", async () => {
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(2_000);
    moveTo(111);
    await market.pass(5_000);
    const account = market.world.sandbox.accountId;
    const rows = await unwrap(market.world.store.audit.recent({ account, limit: 100 }));
    const entry = rows.find(({ event }) => event === "plan_triggered");
    expect(entry?.intentId).toBe(id);
    const { first, last } = (entry?.detail ?? {}) as Partial<Record<"first" | "last", Record<string, string>>>;
    expect([first?.["print"], first?.["bid"], last?.["bid"]]).toEqual([won(111), "110500000", "110500000"]);
    expect(Date.parse(last?.["heard_at"] ?? "") - Date.parse(first?.["at"] ?? "")).toBeGreaterThanOrEqual(2_000);
  }, 30_000);

  it("tells nothing of a wick through a thin book, nor of a second at the price", async () => {
    const server = await market.process();
    const plans = [
      made(await server.plans.create(ABOVE, "assistant")),
      made(await server.plans.create(BELOW, "assistant")),
    ];
    await market.pass(2_000);
    market.rest("buy", 98, "0.01");
    market.sweep("sell", 98, "1.01");
    await market.pass(6_000);
    moveTo(111);
    await market.pass(1_000);
    moveTo(105);
    await market.pass(6_000);
    expect(await fired()).toEqual([]);
    for (const { plan_id } of plans) expect((await shown(server, plan_id)).state).toBe("active");
  }, 30_000);

  it("is told when the store takes it, where that was away while the price stood", async () => {
    let tries = 0;
    const server = await market.process({
      plans: (book) => ({
        ...book,
        change: async (change, admit) => {
          tries += 1;
          return tries <= 3 ? failed(localFault("ELocal:Store unavailable")) : book.change(change, admit);
        },
      }),
    });
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(2_000);
    moveTo(111);
    await market.pass(6_000);
    expect(tries).toBe(4);
    expect((await fired()).map(({ planId }) => planId)).toEqual([id]);
  }, 30_000);

  it("is not told while it is paused, and is when it was resumed and the price stands", async () => {
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(2_000);
    await server.plans.change(id, "pause", "assistant");
    moveTo(111);
    await market.pass(5_000);
    expect(await fired()).toEqual([]);
    await server.plans.change(id, "resume", "assistant");
    market.print(111);
    await market.pass(5_000);
    expect(await fired()).toHaveLength(1);
  }, 30_000);

  it("ends at its end, by the exchange's clock, and tells so", async () => {
    const server = await market.process();
    const until = new Date(market.clock.now() + 4_000).toISOString();
    const { plan_id: id } = made(await server.plans.create({ ...ABOVE, until }, "assistant"));
    await market.pass(2_000);
    expect((await shown(server, id)).state).toBe("active");
    await market.pass(4_000);
    expect((await shown(server, id)).state).toBe("expired");
    moveTo(111);
    await market.pass(4_000);
    const told = (await market.notices()).map(({ type, body }) => [type, body["state"]]);
    expect(told).toEqual([
      ["plan.active", "active"],
      ["plan.ended", "expired"],
    ]);
  }, 30_000);

  it("ends at its end while it is paused, too", async () => {
    const server = await market.process();
    const until = new Date(market.clock.now() + 4_000).toISOString();
    const { plan_id: id } = made(await server.plans.create({ ...ABOVE, until }, "assistant"));
    await server.plans.change(id, "pause", "assistant");
    await market.pass(6_000);
    expect((await shown(server, id)).state).toBe("expired");
  }, 30_000);

  it("stands still when trading is halted, and stays so when it goes on", async () => {
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(2_000);
    await market.during(server.desk.halt("a test", "a person"));
    expect(await shown(server, id)).toMatchObject({ state: "paused", why: "Trading was halted." });
    const refused = await server.plans.change(id, "resume", "assistant");
    expect(refused).toMatchObject({ outcome: "not_sent", state: "paused", error: { code: "ELocal:Trading halted" } });
    moveTo(111);
    await market.pass(4_000);
    await market.during(server.desk.resume("a person"));
    market.print(111);
    await market.pass(4_000);
    expect(await fired()).toEqual([]);
    expect((await shown(server, id)).state).toBe("paused");
  }, 30_000);
});

describe("processes on one store", () => {
  /** Takes itself for the one that has the watch, whatever the store says. */
  const usurping = (book: PlanBook): PlanBook => ({
    ...book,
    takeWatch: async (account, claim) => {
      const turn = await book.takeWatch(account, claim);
      if (!turn.ok) return turn;
      const watch = { ...turn.value.watch, holder: claim.holder, sinceMs: claim.nowMs - 60_000 };
      return { ok: true, value: { watch, isMine: true } };
    },
  });

  it("tell an alert once, by the one that has the watch", async () => {
    await opened({ file: true });
    const told: string[] = [];
    const noting =
      (name: string) =>
      (book: PlanBook): PlanBook => ({
        ...book,
        change: (change, admit) => {
          told.push(name);
          return book.change(change, admit);
        },
      });
    const server = await market.process({ plans: noting("first") });
    for (const name of ["second", "third"]) await market.process({ plans: noting(name) });
    for (const above of [108, 109, 110]) made(await server.plans.create({ ...ABOVE, above: won(above) }, "assistant"));
    await market.pass(2_000);
    moveTo(111);
    await market.pass(5_000);
    expect(await fired()).toHaveLength(3);
    expect(new Set(told).size).toBe(1);
    expect(told).toHaveLength(3);
    expect(await gapsTold()).toEqual([]);
  }, 40_000);

  it("tell it once where two of them believe to have the watch", async () => {
    await opened({ file: true });
    const looks: string[] = [];
    let goOn = (): void => {};
    const both = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    /** Neither tells before the other is about to. */
    const noted =
      (name: string) =>
      (book: PlanBook): PlanBook => ({
        ...usurping(book),
        change: async (change, admit) => {
          if (change.to === "done") {
            looks.push(name);
            if (looks.length === 2) goOn();
            await both;
          }
          return book.change(change, admit);
        },
      });
    const server = await market.process({ plans: noted("first") });
    await market.process({ plans: noted("second") });
    made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(2_000);
    moveTo(111);
    await market.pass(5_000);
    expect(await fired()).toHaveLength(1);
    expect(looks.toSorted()).toEqual(["first", "second"]);
  }, 40_000);

  it("leave the watch to another when one dies, which tells the time between and then the alert", async () => {
    await opened({ file: true });
    const [first, second] = [await market.process(), await market.process()];
    const { plan_id: id } = made(await first.plans.create(ABOVE, "assistant"));
    await market.pass(2_000);
    const sinceBefore = (await shown(second, id)).watched_since;
    first.kill();
    await market.pass(8_000);
    const [gap, ...others] = await gapsOf(second);
    expect(others).toEqual([]);
    expect(gap).toMatchObject({ symbol: "BTC/KRW", why: "no server" });
    expect(Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "")).toBeLessThanOrEqual(7_500);
    const [told] = await gapsTold();
    expect(told).toMatchObject({ planId: id, body: { why: "no server", from: gap?.from, to: gap?.to } });
    const since = (await shown(second, id)).watched_since;
    expect(Date.parse(since ?? "")).toBeGreaterThan(Date.parse(sinceBefore ?? ""));
    moveTo(111);
    await market.pass(5_000);
    expect(await fired()).toHaveLength(1);
  }, 40_000);

  it("hand the watch over without a gap where one ends by itself", async () => {
    await opened({ file: true });
    const [first, second] = [await market.process(), await market.process()];
    const { plan_id: id } = made(await first.plans.create(ABOVE, "assistant"));
    await market.pass(3_000);
    await first.close();
    await market.pass(8_000);
    expect(await gapsOf(second)).toEqual([]);
    expect((await shown(second, id)).watched_since).toBeDefined();
  }, 40_000);
});

describe("a price that nobody watched", () => {
  it("is not made up when a server starts again: it is told, with how far it went, and only what stands now counts", async () => {
    await opened({ file: true });
    const first = await market.process();
    const { plan_id: id } = made(await first.plans.create(ABOVE, "assistant"));
    await market.pass(3_000);
    await first.close();
    moveTo(112);
    await market.pass(30_000);
    moveTo(105);
    await market.pass(30_000);
    const second = await market.process();
    await market.pass(5_000);
    expect(await fired()).toEqual([]);
    const [told, ...others] = await gapsTold();
    expect(others).toEqual([]);
    expect(told).toMatchObject({ planId: id, body: { symbol: "BTC/KRW", why: "no server", high: won(112) } });
    const [gap] = await gapsOf(second);
    const lastedMs = Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "");
    expect(lastedMs).toBeGreaterThanOrEqual(58_000);
    expect(lastedMs).toBeLessThanOrEqual(65_000);
    moveTo(111);
    await market.pass(5_000);
    expect((await fired()).map(({ planId }) => planId)).toEqual([id]);
  }, 60_000);

  it("is told where the process stood still, and seen anew", async () => {
    await opened();
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(3_000);
    moveTo(111);
    await market.pass(1_000);
    // Nothing runs meanwhile.
    market.clock.leap(20_000);
    moveTo(105);
    await market.pass(5_000);
    expect(await fired()).toEqual([]);
    expect(await gapsTold()).toMatchObject([{ planId: id, body: { why: "no server", high: won(111) } }]);
    const [gap] = await gapsOf(server);
    const lastedMs = Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "");
    expect(lastedMs).toBeGreaterThanOrEqual(20_000);
    expect(lastedMs).toBeLessThanOrEqual(23_000);
  }, 40_000);

  it("is told where the machine slept, which counts by one of its clocks alone", async () => {
    await opened();
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(3_000);
    const hours = 3_600_000;
    market.world.clock.setMs += 8 * hours;
    market.world.venueClock.skewMs += 8 * hours;
    await market.pass(5_000);
    expect(await gapsTold()).toMatchObject([{ planId: id, body: { why: "no server" } }]);
    const [gap] = await gapsOf(server);
    const lastedMs = Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "");
    expect(lastedMs).toBeGreaterThanOrEqual(8 * hours - 1_000);
    expect(Date.parse((await shown(server, id)).watched_since ?? "")).toBe(Date.parse(gap?.to ?? ""));
  }, 40_000);

  it("is told where the plan was made while no server ran", async () => {
    await opened();
    const command = await market.process({ endsAfterCommand: true });
    const { plan_id: id } = made(await market.during(command.plans.create(ABOVE, "person")));
    await market.pass(10_000);
    const server = await market.process();
    await market.pass(3_000);
    const [gap] = await gapsOf(server);
    expect(Date.parse(gap?.from ?? "") - Date.parse((await shown(server, id)).created_at ?? "")).toBeLessThan(100);
    expect(await gapsTold()).toMatchObject([{ planId: id, body: { why: "no server" } }]);
  }, 40_000);

  it("is a gap while the exchange cannot be seen, told when it begins and when it has ended", async () => {
    await opened();
    const server = await market.process();
    const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
    await market.pass(3_000);
    expect((await shown(server, id)).watched_since).toBeDefined();
    server.cut(true);
    market.world.proxy.down(true);
    await market.pass(26_000);
    const [begun, ...none] = await gapsTold();
    expect(none).toEqual([]);
    expect(begun).toMatchObject({ planId: id, body: { symbol: "BTC/KRW", why: "no stream" } });
    expect(begun?.body["to"]).toBeUndefined();
    market.world.proxy.down(false);
    expect((await shown(server, id)).watched_since).toBeUndefined();
    moveTo(106);
    server.cut(false);
    await market.pass(8_000);
    const [, ended, ...more] = await gapsTold();
    expect(more).toEqual([]);
    expect(ended?.body).toMatchObject({ why: "no stream", from: begun?.body["from"], high: won(106) });
    const gap = (await gapsOf(server)).find(({ why }) => why === "no stream");
    expect(gap?.to).toBe(ended?.body["to"]);
    expect((await shown(server, id)).watched_since).toBe(gap?.to);
  }, 90_000);
});

it("a desk looks after nothing where no plan is open", async () => {
  await opened();
  const server = await market.process();
  await market.pass(3_000);
  const { watch } = await unwrap(server.plans.list({ which: "all", limit: 10 }));
  expect(watch).toEqual({ watched_since: null, last_look_at: null, gaps: [] });
  const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
  await market.pass(3_000);
  await server.plans.change(id, "cancel", "person");
  await market.pass(3_000);
  const after = await unwrap(server.plans.list({ which: "all", limit: 10 }));
  expect(after.watch.watched_since).toBeNull();
  expect(after.watch.last_look_at).not.toBeNull();
});
