/** Turns and pieces that are due and cannot leave: what passes is waited for, what does not makes the plan wait for a person. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { Notice, PlanRecord } from "../../../src/desk/index.ts";
import type { SlicesTerms } from "../../../src/desk/model/plan.ts";
import { FIRST_LOOK } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, BUYS, DAY_MS, stepAt, stepsInOrder, storedPlan } from "./active-plan.ts";
import { openPlanWorld, type PlanWorld } from "./plan-world.ts";

const TIGHT = { ...LOOSE, maxOrder: inUnit("49999") };
/** All that is read of the account. */
const PRIVATE = /^GET \/v1\/(accounts|orders)/;
const TICKERS = /^GET \/v1\/tickers/;

let market: PlanWorld;
const policy = changeablePolicy();
beforeEach(async () => {
  policy.value = ok(LOOSE);
  market = await openPlanWorld();
});
afterEach(() => market.close());

const dueSoon = (terms = BUYS): Promise<PlanRecord> => {
  const at = market.clock.now();
  return activePlan(market.world, { terms, steps: [stepAt(1, at + 500), stepAt(2, at + DAY_MS)] });
};
const planNow = ({ planId }: PlanRecord): Promise<PlanRecord> => storedPlan(market.world, planId);
const statesOf = async ({ planId }: PlanRecord): Promise<readonly string[]> =>
  (await stepsInOrder(market.world, planId)).map(({ state }) => state);
/** But when nobody watched, as on a slow machine. */
const told = async (): Promise<readonly Pick<Notice, "type" | "body">[]> =>
  (await market.notices()).flatMap(({ type, body }) => (body["from"] === undefined ? [{ type, body }] : []));
const sent = (): number => market.world.orders().length;
const setStatus = (status: "halted" | "trading"): void => {
  const change = { type: "setMarketStatus", symbol: "BTC/KRW", status } as const;
  if (!market.world.sandbox.exchange.apply(change, market.clock.now()).ok) throw new Error(status);
};

describe("an order of a plan that the limits deny for good", () => {
  const SLICES: SlicesTerms = {
    ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "150000" } },
    ...{ count: 3, durationMs: 60_000 },
  };
  const pieces = () => [1, 2, 3].map((step) => stepAt(step, market.clock.now() + 500 + (step - 1) * 20_000));

  it("makes its plan wait for a person, who is told once, and once more when they would let it leave", async () => {
    const server = await market.process({ policy });
    policy.value = ok(TIGHT);
    const plan = await activePlan(market.world, { terms: SLICES, steps: pieces() });
    await market.pass(30_000);
    expect(await statesOf(plan)).toEqual(["denied", "planned", "planned"]);
    const { state, progress } = await planNow(plan);
    expect(state).toBe("attention");
    const denial = { state: "attention", step: 1, rule: "order_size", why: progress.why };
    expect(await told()).toMatchObject([{ type: "plan.attention", body: denial }]);
    await market.pass(65_000);
    expect(await told()).toHaveLength(1);
    policy.value = ok(LOOSE);
    await market.pass(65_000);
    const [, over, ...more] = await told();
    expect(more).toEqual([]);
    expect(over).toMatchObject({ type: "plan.attention", body: { state: "attention" } });
    expect(over?.body["why"]).toBe((await planNow(plan)).progress.why);
    expect([sent(), await statesOf(plan)]).toEqual([0, ["denied", "planned", "planned"]]);
    expect((await market.during(server.plans.change(plan.planId, "resume", "person"))).outcome).toBe("accepted");
    await market.pass(3_000);
    const done = await planNow(plan);
    expect([done.state, done.progress.why]).toEqual([
      "done",
      "All 3 are over: 0 executed, 2 missed, 1 denied. ₩150,000 is left.",
    ]);
  }, 90_000);

  it("does so too where they were tightened between its claim and its number", async () => {
    await market.process({
      policy,
      plans: (book) => ({
        ...book,
        claim: async (claim) => {
          const claimed = await book.claim(claim);
          policy.value = ok(TIGHT);
          return claimed;
        },
      }),
    });
    const plan = await dueSoon();
    await market.pass(4_000);
    expect([await statesOf(plan), (await planNow(plan)).state]).toEqual([["denied", "planned"], "attention"]);
    expect(await told()).toMatchObject([{ type: "plan.attention", body: { step: 1, rule: "order_size" } }]);
    policy.value = ok(LOOSE);
    await market.pass(65_000);
    expect((await told()).map(({ type }) => type)).toEqual(["plan.attention", "plan.attention"]);
    expect(sent()).toBe(0);
  }, 60_000);
});

describe("a turn that the day's budget denies", () => {
  it("is told, and leaves its plan to the next day's", async () => {
    await market.process({ policy });
    policy.value = ok({ ...LOOSE, maxDay: inUnit("49999") });
    const plan = await dueSoon();
    await market.pass(4_000);
    expect([await statesOf(plan), (await planNow(plan)).state]).toEqual([["denied", "planned"], "active"]);
    expect(await told()).toMatchObject([{ type: "plan.step_missed", body: { step: 1, rule: "day_budget" } }]);
    expect(sent()).toBe(0);
  }, 60_000);
});

describe("a turn on a day whose loss has a limit", () => {
  const LIMITED = { ...LOOSE, maxDayLoss: inUnit("1000000000") };

  it("waits where the loss cannot be read for a moment, and leaves when it can", async () => {
    await market.process({ policy });
    policy.value = ok(LIMITED);
    const { proxy } = market.world;
    const before = proxy.deliveries(TICKERS);
    proxy.plan(TICKERS, "busy", 1_000);
    const plan = await dueSoon();
    await market.pass(6_000);
    expect(proxy.deliveries(TICKERS)).toBe(before);
    expect([await statesOf(plan), (await planNow(plan)).state]).toEqual([["planned", "planned"], "active"]);
    proxy.heal();
    await market.pass(7_000);
    expect([sent(), await statesOf(plan), await told()]).toEqual([
      1,
      ["done", "planned"],
      [expect.objectContaining({ type: "plan.step_done" })],
    ]);
  }, 60_000);

  it("is told where that is reached, and leaves its plan to the next day's", async () => {
    await market.process({ policy });
    policy.value = ok({ ...LIMITED, maxDayLoss: inUnit("0") });
    const plan = await dueSoon();
    await market.pass(4_000);
    expect([await statesOf(plan), (await planNow(plan)).state]).toEqual([["denied", "planned"], "active"]);
    expect(await told()).toMatchObject([{ type: "plan.step_missed", body: { step: 1, rule: "day_loss" } }]);
    expect(sent()).toBe(0);
  }, 60_000);
});

describe("a turn that may leave later", () => {
  it("waits while its market has just been halted, told once, and leaves when that is over", async () => {
    const server = await market.process({ policy });
    await market.pass(2_000);
    await unwrap(server.desk.market("BTC/KRW"));
    setStatus("halted");
    const plan = await dueSoon();
    await market.pass(4_000);
    expect([sent(), await statesOf(plan), await told()]).toEqual([0, ["planned", "planned"], []]);
    await market.pass(40_000);
    expect(await told()).toMatchObject([{ type: "plan.gap", body: { step: 1 } }]);
    setStatus("trading");
    await market.pass(40_000);
    expect([sent(), await statesOf(plan)]).toEqual([1, ["done", "planned"]]);
  }, 90_000);

  it("is told once where the account cannot be read for a quarter of a minute, and leaves when it can", async () => {
    await market.process({ policy });
    market.world.proxy.plan(PRIVATE, "busy", 1_000);
    const plan = await dueSoon();
    await market.pass(10_000);
    expect(await told()).toEqual([]);
    await market.pass(60_000);
    const [notice, ...more] = await told();
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ type: "plan.gap", body: { step: 1, label: "2026-01-01" } });
    expect(notice?.body["why"]).toMatch(
      /^Its time has come, and no order of it could leave \(EService:Unavailable\)\. /,
    );
    expect([(await planNow(plan)).state, await statesOf(plan)]).toEqual(["active", ["planned", "planned"]]);
    market.world.proxy.heal();
    await market.pass(65_000);
    expect([sent(), await statesOf(plan)]).toEqual([1, ["done", "planned"]]);
  }, 120_000);
});

describe("a turn whose key may do nothing", () => {
  it("makes its plan wait for a person at once where the key was revoked", async () => {
    await market.process({ policy });
    const { exchange, apiKey: keyId } = market.world.sandbox;
    expect(exchange.apply({ type: "revokeKey", keyId }, market.clock.now()).ok).toBe(true);
    const plan = await dueSoon();
    await market.pass(3_000);
    const { state, progress } = await planNow(plan);
    expect(state).toBe("attention");
    expect(progress.why).toContain("(EAPI:Invalid key)");
    expect(await told()).toMatchObject([{ type: "plan.attention", body: { why: progress.why } }]);
    expect([sent(), await statesOf(plan)]).toEqual([0, ["planned", "planned"]]);
  }, 30_000);

  it("does so too where the exchange refuses its order for want of a permission", async () => {
    await market.process({ policy });
    const { exchange, apiKey: keyId } = market.world.sandbox;
    const change = { type: "setKey", keyId, change: { permissions: ["query"] } } as const;
    expect(exchange.apply(change, market.clock.now()).ok).toBe(true);
    const plan = await dueSoon();
    await market.pass(4_000);
    expect([await statesOf(plan), (await planNow(plan)).state]).toEqual([["rejected", "planned"], "attention"]);
    expect((await told()).map(({ type }) => type)).toEqual(["plan.attention"]);
  }, 30_000);
});

it("a turn that the exchange refuses is over and told, and its plan goes on", async () => {
  await market.process({ policy });
  const plan = await dueSoon({ ...BUYS, size: { quoteAmount: "90000000000" } } as typeof BUYS);
  await market.pass(4_000);
  expect([await statesOf(plan), (await planNow(plan)).state]).toEqual([["rejected", "planned"], "active"]);
  const rejected = { state: "rejected", step: 1, why: expect.any(String) };
  expect(await told()).toMatchObject([{ type: "plan.step_missed", body: rejected }]);
}, 30_000);

it("a turn whose time is over by the time that the exchange has been asked is missed", async () => {
  const { proxy } = market.world;
  await market.process({
    policy: changeablePolicy({ ...LOOSE, plans: { ...LOOSE.plans, lateMs: 5_000 } }),
    patient: true,
  });
  const plan = await dueSoon();
  proxy.plan(FIRST_LOOK, "slow");
  await market.pass(4_000);
  expect(proxy.deliveries(FIRST_LOOK)).toBe(0);
  await market.pass(4_000);
  expect(await proxy.deliverLate()).toEqual([200]);
  await market.pass(3_000);
  expect([sent(), await statesOf(plan)]).toEqual([0, ["missed", "planned"]]);
  expect(await told()).toMatchObject([{ type: "plan.step_missed", body: { state: "missed", steps: [1] } }]);
}, 60_000);
