/** Since when a plan waits: nothing that is written of it meanwhile moves that. */
import { afterEach, expect, it } from "vitest";
import { unwrap } from "../../fixture/result.ts";
import { ABOVE, made, openPlanWorld, type PlanWorld, shown } from "./plan-world.ts";

let market: PlanWorld;
afterEach(() => market.close());

/** As a question that is asked of a person, or answered. */
const written = async (planId: string): Promise<void> => {
  const { plans } = market.world.store;
  const version = (await unwrap(plans.byId(planId)))?.version ?? 0;
  const changed = await unwrap(plans.change({ planId, version, asked: null, atMs: market.clock.now() }));
  if (!("written" in changed)) throw new Error("not written");
};

it("a gap has the whole time that nobody watched, though the plan was written meanwhile", async () => {
  market = await openPlanWorld({ file: true });
  const first = await market.process();
  const { plan_id: id } = made(await first.plans.create(ABOVE, "assistant"));
  await market.pass(3_000);
  first.kill();
  await market.pass(8_000);
  await written(id);
  await market.pass(4_000);
  const second = await market.process();
  await market.pass(4_000);
  const [gap, ...others] = (await unwrap(second.plans.list({ which: "all", limit: 10 }))).watch.gaps;
  expect(others).toEqual([]);
  expect(Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "")).toBeGreaterThanOrEqual(11_000);
  const told = (await market.notices()).filter(({ type }) => type === "plan.gap");
  expect(told).toMatchObject([{ planId: id, body: { from: gap?.from, to: gap?.to } }]);
}, 40_000);

it("a plan is watched since it began or was started again, whatever else is written of it", async () => {
  market = await openPlanWorld();
  const server = await market.process();
  const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
  await market.pass(3_000);
  const since = (await shown(server, id)).watched_since;
  await written(id);
  await market.pass(1_000);
  expect((await shown(server, id)).watched_since).toBe(since);
  await market.during(server.plans.change(id, "pause", "person"));
  await market.pass(3_000);
  const resumedMs = market.clock.now();
  await market.during(server.plans.change(id, "resume", "person"));
  await written(id);
  await market.pass(2_000);
  const again = Date.parse((await shown(server, id)).watched_since ?? "");
  expect(again).toBeGreaterThanOrEqual(resumedMs);
  expect(again).toBeLessThanOrEqual(resumedMs + 1_000);
}, 40_000);

it("an alert on fills tells of one from before something was written of it", async () => {
  market = await openPlanWorld({ file: true });
  const first = await market.process();
  const { plan_id: id } = made(await first.plans.create({ kind: "alert", event: "fill" }, "assistant"));
  await market.pass(3_000);
  first.kill();
  const command = await market.process({ endsAfterCommand: true });
  const buy = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" } as const;
  expect((await market.during(command.desk.place(buy))).outcome).toBe("accepted");
  await market.pass(1_000);
  await written(id);
  await market.process();
  await market.pass(12_000);
  const fired = (await market.notices()).filter(({ type }) => type === "alert.fired");
  expect(fired).toMatchObject([{ planId: id, body: { side: "buy" } }]);
}, 40_000);

it("an alert on fills tells of one though our clock was set back since it began", async () => {
  market = await openPlanWorld();
  const server = await market.process();
  const { plan_id: id } = made(await server.plans.create({ kind: "alert", event: "fill" }, "assistant"));
  await market.pass(3_000);
  market.world.clock.setMs = -40_000;
  await market.pass(1_000);
  const buy = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" } as const;
  expect((await market.during(server.desk.place(buy))).outcome).toBe("accepted");
  await market.pass(12_000);
  const fired = (await market.notices()).filter(({ type }) => type === "alert.fired");
  expect(fired).toMatchObject([{ planId: id, body: { side: "buy" } }]);
}, 40_000);

it("a plan is told of a gap though our clock was set back since it began", async () => {
  market = await openPlanWorld();
  const server = await market.process();
  const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
  await market.pass(3_000);
  market.world.clock.setMs = -40_000;
  await market.pass(1_000);
  // Nothing runs meanwhile.
  market.clock.leap(20_000);
  await market.pass(4_000);
  const told = (await market.notices()).filter(({ type }) => type === "plan.gap");
  const [gap] = (await unwrap(server.plans.list({ which: "all", limit: 10 }))).watch.gaps;
  expect(Date.parse(gap?.to ?? "") - Date.parse(gap?.from ?? "")).toBeGreaterThanOrEqual(20_000);
  expect(told).toMatchObject([{ planId: id, body: { from: gap?.from, to: gap?.to } }]);
}, 40_000);
