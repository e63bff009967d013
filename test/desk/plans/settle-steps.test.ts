import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PlanBook, PlanRecord } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { FIRST_LOOK, ORDER_POST } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, DAY_MS, passUntil, sentElsewhere, stepAt, stepsInOrder, storedPlan } from "./active-plan.ts";
import { openPlanWorld, type PlanWorld, type Process } from "./plan-world.ts";

const LOOK = /^GET \/v1\/orders\?/;

let market: PlanWorld;
beforeEach(async () => {
  market = await openPlanWorld();
});
afterEach(() => market.close());

const dueSoon = (): Promise<PlanRecord> =>
  activePlan(market.world, {
    steps: [stepAt(1, market.clock.now() + 500), stepAt(2, market.clock.now() + DAY_MS)],
  });
const planNow = ({ planId }: PlanRecord): Promise<PlanRecord> => storedPlan(market.world, planId);
const statesOf = async ({ planId }: PlanRecord): Promise<readonly string[]> =>
  (await stepsInOrder(market.world, planId)).map(({ state }) => state);
/** Time passes until the first step is so. */
const isStep = (plan: PlanRecord, state: string): Promise<void> =>
  passUntil(market, async () => (await statesOf(plan))[0] === state);
const isPlan = (plan: PlanRecord, state: string): Promise<void> =>
  passUntil(market, async () => (await planNow(plan)).state === state);
const sent = (): readonly (string | null)[] => market.world.orders().map(({ userref }) => userref);
const told = async (): Promise<readonly string[]> =>
  (await market.notices()).map(({ type }) => type).filter((type) => type !== "plan.gap");

/** A process that dies, or stands still, once it has claimed. */
async function claimer(hold: (self: Process) => Promise<void>): Promise<Process> {
  const self: { process?: Process } = {};
  let frozen: Promise<void> | undefined;
  self.process = await market.process({
    plans: (book): PlanBook => ({
      ...book,
      claim: async (claim) => {
        const claimed = await book.claim(claim);
        if (self.process !== undefined) frozen = hold(self.process);
        await frozen;
        return claimed;
      },
      takeWatch: async (...asked) => {
        await frozen;
        return book.takeWatch(...asked);
      },
    }),
  });
  return self.process;
}

const dies = async (self: Process): Promise<void> => {
  self.kill();
  await new Promise<never>(() => {});
};

describe("a turn whose process died between its claim and its order", () => {
  it("is sent once by the next that looks, within its time", async () => {
    await claimer(dies);
    const plan = await dueSoon();
    await isStep(plan, "claimed");
    expect([await statesOf(plan), sent()]).toEqual([["claimed", "planned"], []]);
    await market.process();
    await market.pass(4_000);
    expect(sent()).toEqual([]);
    await isStep(plan, "done");
    expect(sent()).toEqual([userrefOfStep(plan.planId, 1)]);
    expect(await statesOf(plan)).toEqual(["done", "planned"]);
    expect((await planNow(plan)).openStep).toBeNull();
  }, 60_000);

  it("is never sent once its time is over, and the plan goes on", async () => {
    await claimer(dies);
    const plan = await dueSoon();
    await isStep(plan, "claimed");
    const plans = { ...LOOSE.plans, lateMs: 5_000 };
    await market.process({ policy: changeablePolicy({ ...LOOSE, plans }) });
    await isStep(plan, "nothing");
    expect([await statesOf(plan), sent()]).toEqual([["nothing", "planned"], []]);
    expect(await planNow(plan)).toMatchObject({ state: "active", openStep: null });
  }, 60_000);

  it("is never sent where its time ends while the exchange is asked for it", async () => {
    await claimer(dies);
    const plan = await dueSoon();
    await isStep(plan, "claimed");
    const { proxy } = market.world;
    proxy.plan(FIRST_LOOK, "slow");
    const held = proxy.reached(FIRST_LOOK);
    const plans = { ...LOOSE.plans, lateMs: 20_000 };
    await market.process({ policy: changeablePolicy({ ...LOOSE, plans }), patient: true });
    await market.during(held);
    await market.pass(20_000);
    expect(await proxy.deliverLate()).toEqual([200]);
    await isStep(plan, "nothing");
    expect([await statesOf(plan), sent()]).toEqual([["nothing", "planned"], []]);
  }, 60_000);

  it("is not sent by a process that wakes after another has ended it", async () => {
    let wake = (): void => {};
    const awake = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await claimer(() => awake);
    const plan = await dueSoon();
    await isStep(plan, "claimed");
    await market.process();
    await isStep(plan, "done");
    expect(sent()).toEqual([userrefOfStep(plan.planId, 1)]);
    wake();
    await market.pass(3_000);
    expect(sent()).toHaveLength(1);
    expect(await statesOf(plan)).toEqual(["done", "planned"]);
  }, 60_000);

  it("is not sent while its plan is paused", async () => {
    await claimer(dies);
    const plan = await dueSoon();
    await isStep(plan, "claimed");
    const { version } = await planNow(plan);
    const atMs = market.clock.now();
    await market.world.store.plans.change({ planId: plan.planId, version, to: "paused", atMs });
    await market.process();
    await isStep(plan, "nothing");
    expect([await statesOf(plan), sent()]).toEqual([["nothing", "planned"], []]);
    expect(await planNow(plan)).toMatchObject({ state: "paused", openStep: null });
  }, 60_000);
});

describe("a turn that was sent after its store was copied", () => {
  /** As the copy has it, and as it is at the exchange. */
  const copied = async (): Promise<PlanRecord> => {
    await claimer(dies);
    const plan = await dueSoon();
    await isStep(plan, "claimed");
    const userref = userrefOfStep(plan.planId, 1);
    const other = await market.world.seat({ freshStore: true });
    await sentElsewhere(other, { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000", userref });
    return plan;
  };

  it("is its plan's, and is not sent again", async () => {
    const plan = await copied();
    await market.process();
    await isStep(plan, "done");
    expect([sent(), (await planNow(plan)).state]).toEqual([[userrefOfStep(plan.planId, 1)], "active"]);
    expect(await told()).toContain("plan.step_done");
  }, 60_000);

  it("is so too where its plan stands still", async () => {
    const plan = await copied();
    const { version } = await planNow(plan);
    const atMs = market.clock.now();
    await market.world.store.plans.change({ planId: plan.planId, version, to: "paused", atMs });
    await market.process();
    await isStep(plan, "done");
    expect(await planNow(plan)).toMatchObject({ state: "paused", openStep: null });
    expect(sent()).toHaveLength(1);
  }, 60_000);
});

describe("an order of a plan without an answer", () => {
  it("is found by its name, and its step is settled by that", async () => {
    await market.process();
    market.world.proxy.plan(ORDER_POST, "lose_reset");
    const plan = await dueSoon();
    await isStep(plan, "done");
    expect(sent()).toEqual([userrefOfStep(plan.planId, 1)]);
    expect(await told()).toContain("plan.step_done");
  }, 60_000);

  it("waits for a person after ten minutes, told once, and is settled when it is found", async () => {
    await market.process();
    market.world.proxy.plan(ORDER_POST, "lose_reset");
    market.world.proxy.plan(LOOK, "deny", 10_000);
    const plan = await dueSoon();
    await isStep(plan, "unknown");
    expect((await planNow(plan)).state).toBe("active");
    market.clock.leap(10 * 60_000);
    await isPlan(plan, "attention");
    const attention = await planNow(plan);
    expect(attention).toMatchObject({ state: "attention", openStep: 1 });
    expect(attention.progress.why).toContain("ten minutes");
    expect((await told()).filter((type) => type === "plan.attention")).toHaveLength(1);
    market.world.proxy.heal();
    market.clock.leap(60 * 60_000);
    await isStep(plan, "done");
    expect(await planNow(plan)).toMatchObject({ state: "attention", openStep: null });
    expect((await statesOf(plan))[0]).toBe("done");
    expect(sent()).toHaveLength(1);
  }, 60_000);
});

describe("a plan that is to end", () => {
  it("is canceled as soon as the order of its step has ended", async () => {
    await market.process();
    market.world.proxy.plan(ORDER_POST, "lose_reset");
    market.world.proxy.plan(LOOK, "deny", 10_000);
    const plan = await dueSoon();
    await isStep(plan, "unknown");
    const { version, progress } = await planNow(plan);
    const ending = { ...progress, ending: "canceled", why: "Canceled by a person." } as const;
    const { planId } = plan;
    const atMs = market.clock.now();
    const change = { planId, version, to: "paused", progress: ending, atMs } as const;
    await unwrap(market.world.store.plans.change(change));
    market.world.proxy.heal();
    market.clock.leap(60_000);
    await isPlan(plan, "canceled");
    expect(await planNow(plan)).toMatchObject({ state: "canceled", openStep: null });
    expect(sent()).toHaveLength(1);
  }, 60_000);
});

it("waits for a person where the exchange has an order under its name that the journal does not know", async () => {
  await market.process();
  const plan = await dueSoon();
  const userref = userrefOfStep(plan.planId, 1);
  // As after the store was put back from a copy: another store has sent it.
  const other = await market.world.seat({ freshStore: true });
  const order = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000", userref } as const;
  await market.during(sentElsewhere(other, order));
  await isPlan(plan, "attention");
  expect(sent()).toHaveLength(1);
  expect(await planNow(plan)).toMatchObject({ state: "attention", openStep: null });
}, 30_000);
