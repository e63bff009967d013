/** What ends a plan, and what does not: the exchange's clock alone. */
import { afterEach, expect, it } from "vitest";
import { DeskContext, readingParts } from "../../../src/desk/core/context.ts";
import type { PlanRecord, PlanTerms } from "../../../src/desk/index.ts";
import { PlanEnds } from "../../../src/desk/plans/running/plan-ends.ts";
import { openWorld } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, BUYS, DAY_MS, stepAt } from "./active-plan.ts";
import { openPlanWorld } from "./plan-world.ts";

const HELD = { symbol: "BTC/KRW", volume: "0.1" } as const;
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

const OCO = { kind: "oco", ...HELD, stop: { stopPrice: "95000000" }, takePrice: "110000000" } as const;
const AFTER = { intentId: "none", order: "u-1", stop: "5", take: "10", price: "100000000", priceMin: "80000000" };
it.each<[string, PlanTerms, string, Readonly<Record<string, string>>]>([
  [
    "coins",
    { kind: "stop", ...HELD, stopPrice: "95000000" },
    "Its end has come; 0.1 BTC was not sold.",
    { left: "0.1" },
  ],
  [
    "pieces",
    { kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "300001" }, count: 4, durationMs: 60_000 },
    "Its end has come. ₩300,001 is left.",
    { volume: "0", left: "300001" },
  ],
  ["turns", BUYS, "Its end has come.", { volume: "0", value: "0" }],
  ["a buy that it waits for", { ...OCO, after: AFTER }, "Its end has come.", {}],
])(
  "a plan whose end comes says that, with what is left of it, whatever it was paused for: %s",
  async (_, terms, why, left) => {
    const world = await openWorld();
    close = () => world.close();
    const { parts } = await world.seat({ plans: (book) => book });
    const book = world.store.plans;
    const ends = new PlanEnds(new DeskContext(readingParts(parts, parts.venue)), book, async () => undefined);
    const atMs = world.clock.now();
    const { planId, version } = await activePlan(world, { terms, untilMs: atMs - 60_000 });
    const paused = {
      planId,
      version,
      to: "paused",
      progress: { why: "Trading was halted." },
      notices: [],
      atMs,
    } as const;
    const changed = await unwrap(book.change(paused));
    if (!("written" in changed)) throw new Error("it was not paused");
    expect(await ends.expire([changed.written], atMs)).toEqual([]);
    expect(await unwrap(book.byId(planId))).toMatchObject({ state: "expired", progress: { why } });
    const { accountId: account } = world.sandbox;
    const [ended] = await unwrap(world.store.notices.recent({ account, planId, sinceMs: 0, limit: 1 }));
    expect(ended).toMatchObject({ type: "plan.ended", body: { state: "expired", why, ...left } });
  },
);

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
