import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inUnit } from "../../../src/decimal/index.ts";
import type { ChildReason } from "../../../src/desk/execution/place-child.ts";
import { type PlanRecord, userrefOfStep } from "../../../src/desk/model/plan.ts";
import { openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { FIRST_LOOK } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, childrenOf, sentElsewhere, stepAt } from "./active-plan.ts";

const MARKET_BUY = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" } as const;

let world: World;
let seat: Seat;

beforeEach(async () => {
  world = await openWorld();
  world.rest("sell", "100000000", "1");
  world.rest("buy", "99900000", "1");
  seat = await world.seat({ plans: (book) => book });
  await unwrap(seat.desk.balances());
});
afterEach(() => world.close());

const placed = (plan: PlanRecord, step = 1, by: Seat = seat) =>
  childrenOf(by.parts, world.store.plans).place({
    plan,
    step,
    order: MARKET_BUY,
    reason: () => ({ exchangeMs: world.clock.now() }),
  });

describe("the order of a step", () => {
  it("is claimed and sent once, under the name that follows from the step", async () => {
    const plan = await activePlan(world);
    const outcome = await placed(plan);
    expect(outcome).toMatchObject({ kind: "claimed", intent: { state: "filled", plan: { step: 1 } } });
    expect(world.orders().map(({ userref }) => userref)).toEqual([userrefOfStep(plan.planId, 1)]);
    const after = await unwrap(world.store.plans.byId(plan.planId));
    expect(after).toMatchObject({ state: "active", openStep: 1, version: 2 });
  });

  it("is sent by one of two that judged the same plan", async () => {
    const plan = await activePlan(world);
    const other = await world.seat({ plans: (book) => book });
    const outcomes = await Promise.all([placed(plan), placed(plan, 1, other)]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["blocked", "claimed"]);
    expect(world.orders()).toHaveLength(1);
  });
});

/** Every step of a plan as the book has it. */
const stepsOf = ({ planId }: PlanRecord) => unwrap(world.store.plans.steps(planId, 10));
const handOrder = (by: Seat = seat, amount = "60000") =>
  by.desk.place({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: amount });

describe("an order of a plan beside orders by hand", () => {
  it("is no duplicate of one alike, nor one of it", async () => {
    const plan = await activePlan(world);
    expect((await handOrder(seat, "50000")).outcome).toBe("accepted");
    expect((await placed(plan)).kind).toBe("claimed");
    expect((await handOrder(seat, "50000")).outcome).toBe("accepted");
    expect(world.orders()).toHaveLength(3);
  });

  it("finds its share of the day, which an order by hand is kept from by the name of its plan", async () => {
    const policy = changeablePolicy({ ...LOOSE, maxDay: inUnit("100000") });
    const limited = await world.seat({ plans: (book) => book, policy });
    await unwrap(limited.desk.balances());
    const plan = await activePlan(world, { steps: [stepAt(1, world.clock.now() - 1_000)] });
    const denied = await handOrder(limited);
    expect(denied.error).toMatchObject({ rule: "day_budget", figure: "110000" });
    expect(denied.error?.message).toContain(plan.planId);
    const status = await limited.desk.status();
    expect(status.limits.find(({ rule }) => rule === "day_budget")).toMatchObject({ used: "50000", left: "50000" });
    expect((await handOrder(limited, "50000")).outcome).toBe("accepted");
    expect(await placed(plan, 1, limited)).toMatchObject({ kind: "claimed", intent: { state: "filled" } });
  });

  it("is kept out where its request is numbered, too, as a plan may have begun since it was judged", async () => {
    const policy = changeablePolicy({ ...LOOSE, maxDay: inUnit("100000") });
    const limited = await world.seat({ plans: (book) => book, policy });
    await unwrap(limited.desk.balances());
    const stall = limited.stallBefore("advance");
    const asked = handOrder(limited);
    await stall.reached;
    await activePlan(world, { steps: [stepAt(1, world.clock.now() + 1_000)] });
    stall.goOn();
    expect((await asked).error).toMatchObject({ rule: "day_budget", figure: "110000" });
    expect(world.orders()).toEqual([]);
  });

  it("sets nothing aside while its plan stands still", async () => {
    const policy = changeablePolicy({ ...LOOSE, maxDay: inUnit("60000") });
    const limited = await world.seat({ plans: (book) => book, policy });
    await unwrap(limited.desk.balances());
    const { planId, version } = await activePlan(world);
    await unwrap(world.store.plans.change({ planId, version, to: "paused", atMs: world.clock.now() }));
    expect((await handOrder(limited)).outcome).toBe("accepted");
  });
});

describe("what an order of a plan may not", () => {
  it("is more than was approved: nothing is claimed, and nothing looked for", async () => {
    const plan = await activePlan(world, { bounds: { stepValueMax: "49999" } });
    const before = world.proxy.log.length;
    expect(await placed(plan)).toMatchObject({ kind: "denied", passes: false, fault: { rule: "mandate" } });
    expect(world.proxy.log.slice(before).filter(({ path }) => path.includes("userref"))).toEqual([]);
    expect((await stepsOf(plan)).map(({ state }) => state)).toEqual(["planned", "planned"]);
  });

  it("counts what the plan's other orders have come to", async () => {
    const plan = await activePlan(world, { bounds: { valueMax: "99999" } });
    const first = await placed(plan);
    if (first.kind !== "claimed") throw new Error(first.kind);
    const { planId, version } = first.plan;
    const ended = { planId, version, step: 1, to: "done", atMs: world.clock.now() } as const;
    const settled = await unwrap(world.store.plans.settleStep(ended));
    if (!("written" in settled)) throw new Error("not settled");
    const second = await placed(settled.written, 2);
    expect(second).toMatchObject({ kind: "denied", fault: { rule: "mandate" } });
  });

  it("is asked of no person, whatever the mode", async () => {
    const asking = changeablePolicy({ ...LOOSE, mode: "confirm", approveBy: ["pin"] });
    const confirming = await world.seat({ plans: (book) => book, policy: asking });
    await unwrap(confirming.desk.balances());
    expect(await placed(await activePlan(world), 1, confirming)).toMatchObject({ intent: { state: "filled" } });
  });

  it.each<["paused" | "halted"]>([["paused"], ["halted"]])(
    "leaves once its plan is %s after the claim",
    async (how) => {
      const plan = await activePlan(world);
      const { plans: book } = world.store;
      const outcome = await childrenOf(seat.parts, {
        ...book,
        claim: async (claim) => {
          const claimed = await book.claim(claim);
          if (!claimed.ok || !("written" in claimed.value)) return claimed;
          const { planId, version } = claimed.value.written.plan;
          if (how === "halted") await seat.desk.halt("enough", "kim");
          else await book.change({ planId, version, to: "paused", atMs: world.clock.now() });
          return claimed;
        },
      }).place({ plan, step: 1, order: MARKET_BUY, reason: () => ({ exchangeMs: world.clock.now() }) });
      const rule = how === "halted" ? "brake" : "mandate";
      expect(outcome).toMatchObject({ kind: "claimed", intent: { state: "denied", body: { fault: { rule } } } });
      expect(world.orders()).toEqual([]);
    },
  );

  it("is known at the exchange and not to the journal", async () => {
    const plan = await activePlan(world);
    const other = await world.seat({ freshStore: true });
    const userref = userrefOfStep(plan.planId, 1);
    await sentElsewhere(other, { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000", userref });
    expect(await placed(plan)).toMatchObject({ kind: "known_there", fault: { code: "ELocal:Userref in use" } });
    expect(world.orders()).toHaveLength(1);
  });

  it.each<[string, (until: number) => ChildReason | undefined, "passed" | "ended"]>([
    ["its reason is over", () => undefined, "passed"],
    ["its plan has ended", (until) => ({ exchangeMs: until + 1 }), "ended"],
  ])("leaves where %s by the time that all is asked", async (_, reason, block) => {
    const plan = await activePlan(world);
    const asked = world.proxy.deliveries(FIRST_LOOK);
    const outcome = await childrenOf(seat.parts, world.store.plans).place({
      ...{ plan, step: 1, order: MARKET_BUY },
      reason: () => {
        expect(world.proxy.deliveries(FIRST_LOOK)).toBe(asked + 1);
        return reason(plan.untilMs);
      },
    });
    expect(outcome).toEqual({ kind: "blocked", block });
    expect((await stepsOf(plan)).map(({ state }) => state)).toEqual(["planned", "planned"]);
    expect(world.orders()).toEqual([]);
  });

  it("is sent blind: what cannot be looked for is not claimed", async () => {
    const plan = await activePlan(world);
    world.proxy.plan(FIRST_LOOK, "deny", 9);
    expect((await placed(plan)).kind).toBe("unsure");
    expect((await stepsOf(plan)).map(({ state }) => state)).toEqual(["planned", "planned"]);
  });
});
