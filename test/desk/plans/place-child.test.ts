import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PlanRecord, userrefOfStep } from "../../../src/desk/model/plan.ts";
import { openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, childrenOf } from "./active-plan.ts";

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
  childrenOf(by.parts, world.store.plans).place({ plan, step, order: MARKET_BUY, exchangeMs: world.clock.now() });

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
