/** What ends a plan, and what does not: the exchange's clock alone, and whoever cancels it, with its order. */
import { afterEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { DeskContext, readingParts } from "../../../src/desk/core/context.ts";
import type { IntentRecord, PlanRecord, PlanRequest, PlanTerms } from "../../../src/desk/index.ts";
import { PlanEnds } from "../../../src/desk/plans/running/plan-ends.ts";
import { openWorld } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { activePlan, BUYS, DAY_MS, stepAt } from "./active-plan.ts";
import { openPlanWorld } from "./plan-world.ts";
import { openProtected, type Protected, STOP } from "./protected-market.ts";
import { won } from "./sandbox-market.ts";

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

describe("a plan that was canceled while its order rested", () => {
  const RESTING: PlanRequest = { ...STOP, limit_price: won(100) };
  const CANCEL = /^DELETE /;
  const MAY_REST = expect.stringContaining("may still be at the exchange") as string;
  let at: Protected;

  const opened = async (): Promise<PlanRecord> => {
    at = await openProtected();
    close = () => at.market.close();
    return at.begun(RESTING);
  };
  const canceled = ({ planId }: PlanRecord) => at.market.during(at.server.plans.change(planId, "cancel", "person"));
  /** The market comes back to the limit. */
  const comesBack = async (): Promise<void> => {
    at.market.sweep("buy", 101, "1.5");
    await at.pass(3_000);
  };

  it("sells nothing more where the exchange did not take the first cancel", async () => {
    const plan = await opened();
    await at.stands(97, 99, 98, 6);
    const { proxy } = at.market.world;
    proxy.plan(CANCEL, "busy", 1_000);
    expect(await canceled(plan)).toMatchObject({ outcome: "accepted", state: "paused", warnings: [MAY_REST] });
    await at.pass(12_000);
    proxy.heal();
    await at.pass(12_000);
    expect(at.sent()).toMatchObject([{ executed: 0, state: "canceled" }]);
    await comesBack();
    expect(at.sent()).toMatchObject([{ executed: 0, state: "canceled" }]);
    expect((await at.now(plan)).state).toBe("canceled");
  }, 120_000);

  it("sells nothing more where a person cancels it once more, and nobody looks after it", async () => {
    const plan = await opened();
    await at.stands(97, 99, 98, 6);
    at.server.kill();
    const command = await at.market.process({ endsAfterCommand: true });
    const asked = () => at.market.during(command.plans.change(plan.planId, "cancel", "person"));
    const { proxy } = at.market.world;
    proxy.plan(CANCEL, "busy", 1_000);
    expect((await asked()).warnings).toEqual([MAY_REST]);
    expect((await asked()).warnings).toEqual([expect.stringContaining("already"), MAY_REST]);
    proxy.heal();
    expect((await asked()).warnings).toEqual([expect.stringContaining("already")]);
    expect(at.sent()).toMatchObject([{ executed: 0, state: "canceled" }]);
  }, 120_000);

  it("sells nothing more where its order was found after that", async () => {
    const plan = await opened();
    const { proxy } = at.market.world;
    proxy.plan(/^POST .*orders/, (body) => {
      // Nobody learns what became of it.
      proxy.plan(/^GET .*orders/, "busy", 1_000);
      return body.slice(0, 5);
    });
    await at.stands(97, 99, 98, 6);
    expect(await canceled(plan)).toMatchObject({ outcome: "accepted", state: "paused", warnings: [MAY_REST] });
    proxy.heal();
    await at.pass(60_000);
    expect(at.sent()).toMatchObject([{ executed: 0, state: "canceled" }]);
    await comesBack();
    expect(at.sent()).toMatchObject([{ executed: 0, state: "canceled" }]);
    expect((await at.now(plan)).state).toBe("canceled");
  }, 120_000);

  it("has its order taken back while the time at the exchange is not known, too", async () => {
    const world = await openWorld();
    close = () => world.close();
    const { parts } = await world.seat({ plans: (book) => book });
    const taken: string[] = [];
    const resting = { state: "open", orderId: "O-1" } as IntentRecord;
    const book = { ...world.store.plans, children: async () => ok([resting]) };
    const context = new DeskContext(readingParts(parts, parts.venue));
    const ends = new PlanEnds(context, book, async (_, orderId) => void taken.push(orderId));
    const plan = { ...(await activePlan(world, {})), state: "paused", openStep: 1 } as const;
    expect(await ends.expire([plan], undefined)).toEqual([plan]);
    await ends.ended();
    expect(taken).toEqual([]);
    const ending = { ...plan, progress: { ending: "canceled" } } as const;
    expect(await ends.expire([ending], undefined)).toEqual([ending]);
    await ends.ended();
    expect(taken).toEqual(["O-1"]);
  });
});
