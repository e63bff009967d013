import { afterEach, describe, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { Notice, PlanRecord, PlanStep } from "../../../src/desk/index.ts";
import { type SlicesTerms, userrefOfStep } from "../../../src/desk/model/plan.ts";
import { FIRST_LOOK } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { type ActiveOptions, activePlan, BUYS, DAY_MS, stepAt, stepsInOrder, storedPlan } from "./active-plan.ts";
import { openPlanWorld, type PlanWorld } from "./plan-world.ts";

let market: PlanWorld;
const opened = async (options?: { readonly file?: boolean }): Promise<PlanWorld> => {
  market = await openPlanWorld(options);
  return market;
};
afterEach(() => market.close());

const nowMs = (): number => market.clock.now();
const made = (options?: ActiveOptions): Promise<PlanRecord> => activePlan(market.world, options);
const planNow = ({ planId }: PlanRecord): Promise<PlanRecord> => storedPlan(market.world, planId);
const stepsOf = ({ planId }: PlanRecord): Promise<readonly PlanStep[]> => stepsInOrder(market.world, planId);
const statesOf = async (plan: PlanRecord): Promise<readonly string[]> =>
  (await stepsOf(plan)).map(({ state }) => state);
const told = async (...types: readonly Notice["type"][]): Promise<readonly Notice[]> =>
  (await market.notices()).filter(({ type }) => types.includes(type));
const sent = (): readonly (string | null)[] => [...market.world.orders()].reverse().map(({ userref }) => userref);

describe("a plan that repeats", () => {
  it("buys at each of its turns once, tells it, and is done", async () => {
    await opened();
    await market.process();
    const at = nowMs();
    const plan = await made({ steps: [stepAt(1, at + 1_000), stepAt(2, at + 8_000)] });
    await market.pass(5_000);
    expect(sent()).toEqual([userrefOfStep(plan.planId, 1)]);
    await market.pass(8_000);
    expect(sent()).toEqual([userrefOfStep(plan.planId, 1), userrefOfStep(plan.planId, 2)]);
    expect(await statesOf(plan)).toEqual(["done", "done"]);
    expect((await planNow(plan)).state).toBe("done");
    const notices = await told("plan.step_done", "plan.ended");
    expect(notices.map(({ type, body }) => [type, body["value"]])).toEqual([
      ["plan.step_done", "49999.95"],
      ["plan.step_done", "49999.95"],
      ["plan.ended", "99999.9"],
    ]);
  }, 30_000);

  it("tells once of all turns that nobody took in time, and makes none of them up", async () => {
    await opened();
    const at = nowMs();
    const late = [stepAt(1, at - 2 * DAY_MS), stepAt(2, at - DAY_MS)];
    const plan = await made({ steps: [...late, stepAt(3, at - 1_000), stepAt(4, at + DAY_MS)] });
    await market.process();
    await market.pass(4_000);
    expect(await statesOf(plan)).toEqual(["missed", "missed", "done", "planned"]);
    const [missed, ...others] = await told("plan.step_missed");
    expect(others).toEqual([]);
    expect(missed?.body).toMatchObject({ steps: [1, 2], labels: ["2026-01-01", "2026-01-02"], state: "missed" });
    expect(sent()).toEqual([userrefOfStep(plan.planId, 3)]);
  }, 30_000);

  it("is sent by one of two processes that look", async () => {
    await opened();
    await market.process();
    await market.process();
    const plan = await made({ steps: [stepAt(1, nowMs() + 1_000)] });
    await market.pass(6_000);
    expect(sent()).toEqual([userrefOfStep(plan.planId, 1)]);
    expect(await statesOf(plan)).toEqual(["done"]);
  }, 30_000);

  it("is judged again a minute later where what denied it may pass, within its time", async () => {
    await opened();
    const policy = changeablePolicy({ ...LOOSE, maxOrdersPerMinute: 0 });
    await market.process({ policy });
    const plan = await made({ steps: [stepAt(1, nowMs() + 500), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(4_000);
    expect(await statesOf(plan)).toEqual(["planned", "planned"]);
    policy.value = ok(LOOSE);
    await market.pass(30_000);
    expect(sent()).toEqual([]);
    await market.pass(40_000);
    expect(await statesOf(plan)).toEqual(["done", "planned"]);
  }, 60_000);

  it("ends a turn that is denied for good, tells why, and waits for a person", async () => {
    await opened();
    await market.process({ policy: changeablePolicy({ ...LOOSE, maxOrder: inUnit("49999") }) });
    const plan = await made({ steps: [stepAt(1, nowMs() + 500), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(4_000);
    expect(await statesOf(plan)).toEqual(["denied", "planned"]);
    const [denied, ...more] = await told("plan.step_missed", "plan.attention");
    expect(more).toEqual([]);
    expect(denied).toMatchObject({ type: "plan.attention", body: { rule: "order_size", step: 1 } });
    expect([sent(), (await planNow(plan)).state]).toEqual([[], "attention"]);
  }, 30_000);

  it("takes no turn once it is paused, nor while trading is halted", async () => {
    await opened();
    const server = await market.process();
    const plan = await made({ steps: [stepAt(1, nowMs() + 3_000), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(1_000);
    await market.during(server.desk.halt("enough", "kim"));
    await market.pass(5_000);
    expect(sent()).toEqual([]);
    expect((await planNow(plan)).state).toBe("paused");
    expect(await statesOf(plan)).toEqual(["planned", "planned"]);
  }, 30_000);

  it("buys no higher than its limit, and tells of a turn that has bought nothing", async () => {
    await opened();
    await market.process();
    const terms = { ...BUYS, limitPrice: "104000000" } as const;
    const plan = await made({ terms, steps: [stepAt(1, nowMs() + 500), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(4_000);
    expect(await statesOf(plan)).toEqual(["nothing", "planned"]);
    expect(market.world.orders()[0]).toMatchObject({ timeInForce: "IOC", orderType: "limit" });
    expect((await told("plan.step_missed")).map(({ body }) => body["state"])).toEqual(["nothing"]);
  }, 30_000);
});

describe("a plan of which nobody can say whether it may send", () => {
  it("misses a turn that was due while the machine slept, though nothing else was asked meanwhile", async () => {
    await opened();
    await market.process();
    const hours = 3_600_000;
    const plan = await made({ steps: [stepAt(1, nowMs() + 2 * hours), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(3_000);
    // Time has passed everywhere, but for what counts only while the machine is awake.
    const { clock, venueClock } = market.world;
    clock.setMs += 8 * hours;
    venueClock.skewMs += 8 * hours;
    await market.pass(8_000);
    expect(await statesOf(plan)).toEqual(["missed", "planned"]);
    expect(sent()).toEqual([]);
  }, 30_000);

  it("misses it, too, where the first answer about the time is slow", async () => {
    await opened();
    await market.process({ patient: true });
    const hours = 3_600_000;
    const plan = await made({ steps: [stepAt(1, nowMs() + 20_000), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(3_000);
    const { clock, venueClock, proxy } = market.world;
    proxy.plan(/^GET \/v1\/time/, "slow");
    clock.setMs += 8 * hours;
    venueClock.skewMs += 8 * hours;
    await market.pass(3_000);
    await proxy.deliverLate();
    await market.pass(20_000);
    expect(await statesOf(plan)).toEqual(["missed", "planned"]);
    expect(sent()).toEqual([]);
  }, 60_000);

  it("misses a turn where the machine slept while it was asked about, and the time was measured anew since", async () => {
    await opened();
    const hours = 3_600_000;
    const plans = { ...LOOSE.plans, lateMs: hours };
    const server = await market.process({ policy: changeablePolicy({ ...LOOSE, plans }), patient: true });
    const plan = await made({ steps: [stepAt(1, nowMs() + 500), stepAt(2, nowMs() + DAY_MS)] });
    const { clock, venueClock, proxy } = market.world;
    proxy.plan(FIRST_LOOK, "slow");
    const held = proxy.reached(FIRST_LOOK);
    await market.during(held);
    clock.setMs += 8 * hours;
    venueClock.skewMs += 8 * hours;
    await unwrap(server.parts.venue.time());
    expect(await proxy.deliverLate()).toEqual([200]);
    await market.pass(8_000);
    expect(await statesOf(plan)).toEqual(["missed", "planned"]);
    expect(sent()).toEqual([]);
  }, 30_000);

  it("waits for a person where the file of limits cannot be read for a minute", async () => {
    await opened();
    const policy = changeablePolicy();
    await market.process({ policy });
    policy.value = failed(localFault("ELocal:Invalid input"));
    const plan = await made({ steps: [stepAt(1, nowMs() + 500), stepAt(2, nowMs() + DAY_MS)] });
    await market.pass(30_000);
    expect((await planNow(plan)).state).toBe("active");
    await market.pass(40_000);
    expect((await planNow(plan)).state).toBe("attention");
    expect(await statesOf(plan)).toEqual(["planned", "planned"]);
    expect(sent()).toEqual([]);
  }, 60_000);

  it("does nothing for real money while the clocks are a minute apart, which is a gap, and goes on within its time", async () => {
    await opened();
    market.world.venueClock.skewMs += 120_000;
    const server = await market.process({ forRealMoney: true });
    const due = nowMs() + 120_000;
    const plan = await made({ untilMs: due + DAY_MS, steps: [stepAt(1, due), stepAt(2, due + DAY_MS / 2)] });
    await market.pass(5_000);
    expect([sent(), await statesOf(plan)]).toEqual([[], ["planned", "planned"]]);
    market.world.venueClock.skewMs -= 120_000;
    // The offset is measured with what is asked.
    await server.desk.status();
    await market.pass(3_000);
    const account = market.world.sandbox.accountId;
    const gaps = await unwrap(market.world.store.plans.gaps(account, 0, 10));
    expect(gaps.map(({ why, toMs }) => [why, toMs !== null])).toContainEqual(["clock", true]);
    expect((await told("plan.gap")).some(({ body }) => body["why"] === "clock")).toBe(true);
  }, 60_000);
});

it("buys in pieces as it was asked for, through the desk", async () => {
  await opened();
  const server = await market.process();
  const asked = { kind: "slices", symbol: "BTC/KRW", side: "buy", quote_amount: "300000", slices: 3, duration: "30s" };
  const report = await market.during(server.plans.create(asked, "assistant"));
  expect(report).toMatchObject({ outcome: "accepted", state: "active" });
  await market.pass(30_000);
  expect(sent()).toEqual([1, 2, 3].map((step) => userrefOfStep(report.plan?.plan_id ?? "", step)));
  const [ended] = await told("plan.ended");
  expect(ended?.body).toMatchObject({ state: "done", steps: 3, done: 3 });
}, 60_000);

describe("a total in pieces", () => {
  const SLICES: SlicesTerms = {
    ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "300000" } },
    ...{ count: 3, durationMs: 60_000, limitPrice: "105000000" },
  };
  const pieces = (at: number) =>
    [1, 2, 3].map((step) => {
      const { label: _, ...piece } = stepAt(step, at + (step - 1) * 20_000, { worstValue: "100000" });
      return piece;
    });

  it("adds what a limit kept from executing to the next piece, and tells what is left", async () => {
    await opened();
    await market.process();
    market.quotes(104, undefined);
    market.rest("sell", 105, "0.0004");
    const plan = await made({ terms: SLICES, steps: pieces(nowMs() + 1_000) });
    await market.pass(10_000);
    expect(market.world.orders().map(({ volume }) => volume)).toEqual([95_238n]);
    market.rest("sell", 105, "1");
    await market.pass(20_000);
    // 100 000 won, and 58 000 that were left of the piece before.
    expect(market.world.orders()[0]?.volume).toBe(150_476n);
    await market.pass(25_000);
    expect(await statesOf(plan)).toEqual(["done", "done", "done"]);
    const [ended] = await told("plan.ended");
    expect(ended?.body).toMatchObject({ state: "done", done: 3 });
    expect(Number(ended?.body["left"])).toBeLessThan(300);
    expect(await planNow(plan)).toMatchObject({ progress: { why: "All 3 are over: 3 executed." } });
    expect(ended?.body["why"]).toBe("All 3 are over: 3 executed.");
  }, 60_000);

  it("tells of a piece that its limit kept from executing that the next is larger for it, and of the last that nothing is", async () => {
    await opened();
    await market.process();
    market.quotes(104, 106);
    const plan = await made({ terms: SLICES, steps: pieces(nowMs() + 1_000) });
    await market.pass(50_000);
    expect(await statesOf(plan)).toEqual(["nothing", "nothing", "nothing"]);
    const carried = (await told("plan.step_missed")).map(({ body }) => [body["step"], body["carried"]]);
    expect(carried).toEqual([
      [1, true],
      [2, true],
      [3, undefined],
    ]);
  }, 60_000);

  it("adds no more to a piece than one order may be, and tells what is left", async () => {
    await opened();
    await market.process({ policy: changeablePolicy({ ...LOOSE, maxOrder: inUnit("120000") }) });
    market.quotes(104, undefined);
    market.rest("sell", 105, "0.0004");
    const plan = await made({ terms: SLICES, steps: pieces(nowMs() + 1_000) });
    await market.pass(10_000);
    market.rest("sell", 105, "1");
    await market.pass(45_000);
    expect(await statesOf(plan)).toEqual(["done", "done", "done"]);
    // 100 000 won, of which 42 000 found a seller; 120 000, and 100 000.
    expect(market.world.orders().map(({ volume }) => volume)).toEqual([95_238n, 114_285n, 95_238n]);
    const [ended] = await told("plan.ended");
    const why = "All 3 are over: 3 executed. ₩38,000.85 is left.";
    expect(ended?.body).toMatchObject({ state: "done", done: 3, left: "38000.85", why });
    expect(await planNow(plan)).toMatchObject({ progress: { why } });
  }, 60_000);

  it("does not make up for a piece that came too late", async () => {
    await opened();
    const at = nowMs();
    const plan = await made({ terms: { ...SLICES, limitPrice: "105000000" }, steps: pieces(at - 25_000) });
    await market.process();
    await market.pass(4_000);
    expect(await statesOf(plan)).toEqual(["missed", "done", "planned"]);
    expect(market.world.orders().map(({ volume }) => volume)).toEqual([95_238n]);
  }, 30_000);
});
