import { afterEach, beforeEach, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { ABOVE, BELOW, made, openPlanWorld, type PlanWorld, type Process } from "./plan-world.ts";

const DAY_MS = 86_400_000;
let market: PlanWorld;
let server: Process;
beforeEach(async () => {
  market = await openPlanWorld();
  const policy = changeablePolicy();
  policy.value = ok({ ...LOOSE, plans: { ...LOOSE.plans, maxDays: 400 } });
  server = await market.process({ policy });
});
afterEach(() => market.close());

it("what plans have told is kept for 90 days and then forgotten by the upkeep, once an hour, but of plans that have not ended", async () => {
  const ended = made(await server.plans.create(ABOVE, "assistant"));
  const open = made(await server.plans.create(BELOW, "assistant"));
  await server.plans.change(ended.plan_id, "cancel", "assistant");
  await server.plans.change(open.plan_id, "pause", "assistant");
  const account = market.world.sandbox.accountId;
  const gap = { account, symbol: "ETH/KRW", fromMs: market.clock.now(), why: "clock" } as const;
  await unwrap(market.world.store.plans.beginGap(gap, new Map(), market.clock.now()));
  await unwrap(market.world.store.plans.endGap({ ...gap, toMs: gap.fromMs + 5_000 }, new Map(), market.clock.now()));
  const kept = async (): Promise<unknown[]> => {
    const gaps = await unwrap(market.world.store.plans.gaps(account, 0, 9));
    return [(await market.notices()).map(({ planId, type }) => [planId, type]), gaps.length];
  };
  const ofOpen = [
    [open.plan_id, "plan.active"],
    [open.plan_id, "plan.paused"],
  ];
  await server.desk.upkeep();
  market.clock.leap(89 * DAY_MS);
  await server.desk.upkeep();
  expect((await kept())[1]).toBe(1);
  expect(await market.notices()).toHaveLength(4);
  market.clock.leap(DAY_MS - 1_800_000);
  await server.desk.upkeep();
  // Less than an hour later nothing is looked for.
  market.clock.leap(1_900_000);
  await server.desk.upkeep();
  expect(await market.notices()).toHaveLength(4);
  market.clock.leap(3_600_000);
  await server.desk.upkeep();
  const [told, gaps] = await kept();
  expect(told).toEqual(ofOpen);
  expect(gaps).toBe(0);
});

it("what was told since a moment is told with its plan's terms, oldest first", async () => {
  const before = await unwrap(server.plans.told());
  expect(before.notices).toEqual([]);
  const { plan_id: id } = made(await server.plans.create(ABOVE, "assistant"));
  market.clock.leap(1_000);
  await server.plans.change(id, "cancel", "assistant");
  const { notices, asOfMs } = await unwrap(server.plans.told(before.asOfMs));
  expect(notices.map(({ type, terms }) => [type, terms?.kind])).toEqual([
    ["plan.active", "alert"],
    ["plan.ended", "alert"],
  ]);
  expect((await unwrap(server.plans.told(asOfMs + 1))).notices).toEqual([]);
});
