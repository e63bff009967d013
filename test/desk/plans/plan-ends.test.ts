/** What ends a plan, and what does not: the exchange's clock alone. */
import { afterEach, expect, it } from "vitest";
import { DeskContext, readingParts } from "../../../src/desk/core/context.ts";
import type { PlanRecord } from "../../../src/desk/index.ts";
import { PlanEnds } from "../../../src/desk/plans/running/plan-ends.ts";
import { openWorld } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, DAY_MS, stepAt } from "./active-plan.ts";
import { openPlanWorld } from "./plan-world.ts";

let close = async (): Promise<void> => {};
afterEach(() => close());

it("no plan ends while the time at the exchange is not known, whatever ours says", async () => {
  const world = await openWorld();
  close = () => world.close();
  const { parts } = await world.seat({ plans: (book) => book });
  const ends = new PlanEnds(
    new DeskContext(readingParts(parts, parts.venue)),
    world.store.plans,
    async () => undefined,
  );
  const nowMs = world.clock.now();
  const plan = await activePlan(world, { untilMs: nowMs - 60_000 });
  const state = async (): Promise<string | undefined> => (await unwrap(world.store.plans.byId(plan.planId)))?.state;
  expect(await ends.expire([plan], undefined)).toEqual([plan]);
  expect(await state()).toBe("active");
  expect(await ends.expire([plan], nowMs)).toEqual([]);
  expect(await state()).toBe("expired");
});

it("an exchange whose clock goes back brings back neither a turn nor a plan that has ended", async () => {
  const market = await openPlanWorld();
  close = () => market.close();
  await market.process();
  const { clock, world } = market;
  const at = clock.now();
  const turns = await activePlan(world, { steps: [stepAt(1, at + 1_000), stepAt(2, at + DAY_MS)] });
  const short = await activePlan(world, { untilMs: at + 3_000, steps: [stepAt(1, at + DAY_MS)] });
  const seen = async ({ planId }: PlanRecord) => {
    const [plan, steps] = [
      await unwrap(world.store.plans.byId(planId)),
      await unwrap(world.store.plans.steps(planId, 9)),
    ];
    return [plan?.state, ...steps.map(({ state }) => state).reverse()];
  };
  await market.pass(5_000);
  const before = [await seen(turns), await seen(short)];
  expect(before).toEqual([
    ["active", "done", "planned"],
    ["expired", "skipped"],
  ]);
  world.venueClock.skewMs -= 3_600_000;
  await market.pass(10_000);
  world.venueClock.skewMs += 3_600_000;
  await market.pass(5_000);
  expect([await seen(turns), await seen(short)]).toEqual(before);
  expect(world.orders()).toHaveLength(1);
}, 40_000);

it.each([["account"], ["environment"]] as const)(
  "an order leaves for no other %s than was approved",
  async (name) => {
    const market = await openPlanWorld();
    close = () => market.close();
    await market.process();
    const at = market.clock.now();
    const bounds = { [name]: "another" };
    const plan = await activePlan(market.world, { bounds, steps: [stepAt(1, at + 500), stepAt(2, at + DAY_MS)] });
    await market.pass(4_000);
    expect(market.world.orders()).toEqual([]);
    expect((await unwrap(market.world.store.plans.byId(plan.planId)))?.state).toBe("attention");
    const told = (await market.notices()).flatMap(({ type, body }) =>
      type === "plan.gap" ? [] : [[type, body["rule"]]],
    );
    expect(told).toEqual([["plan.attention", "mandate"]]);
  },
  30_000,
);
