/** What the exchange has not said to one plan keeps no other from going on. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import type { PlanRecord } from "../../../src/desk/index.ts";
import type { SlicesTerms } from "../../../src/desk/model/plan.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { activePlan, BUYS, DAY_MS, passUntil, stepAt, stepsInOrder } from "./active-plan.ts";
import { openPlanWorld, type PlanWorld } from "./plan-world.ts";
import { openProtected, STOP } from "./protected-market.ts";

const EVERY_MS = 20_000;
const PIECES: SlicesTerms = {
  ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "300000" } },
  ...{ count: 3, durationMs: 3 * EVERY_MS, limitPrice: "105000000" },
};

let market: PlanWorld;
afterEach(() => market.close());

/** Its first piece is due now, and late in ten seconds. */
const inPieces = (): Promise<PlanRecord> => {
  const at = market.clock.now();
  const steps = [1, 2, 3].map((step) => {
    const { label: _, ...piece } = stepAt(step, at + (step - 1) * EVERY_MS, { worstValue: "100000" });
    return piece;
  });
  return activePlan(market.world, { terms: PIECES, steps });
};
const firstOf = async ({ planId }: PlanRecord) => {
  const [first] = await stepsInOrder(market.world, planId);
  return { state: first?.state, lateMs: (first?.claimedAtMs ?? Number.NaN) - (first?.dueAtMs ?? 0) };
};
/** As long as what is asked takes. */
const waits = async (forMs: number): Promise<void> => {
  for (const untilMs = market.clock.rising() + forMs; market.clock.rising() < untilMs; ) await pause(5);
};

it("a stop goes on with its next attempts while the order of another plan has no answer", async () => {
  const protectedMarket = await openProtected({}, { policy: changeablePolicy(LOOSE), patient: true });
  market = protectedMarket.market;
  await protectedMarket.begun(STOP);
  market.world.proxy.plan(ORDER_POST, "slow");
  const at = market.clock.now();
  const turn = await activePlan(market.world, { terms: BUYS, steps: [stepAt(1, at), stepAt(2, at + DAY_MS)] });
  await passUntil(market, async () => (await firstOf(turn)).state === "claimed");
  await protectedMarket.thin(97, "0.05", 99, 98, 20);
  expect((await firstOf(turn)).state).toBe("claimed");
  expect(
    protectedMarket
      .sent()
      .slice(0, 3)
      .map(({ step }) => step),
  ).toEqual([1, 2, 3]);
  await market.world.proxy.deliverLate();
}, 60_000);

it("a piece leaves in time while the order of another plan has no answer", async () => {
  market = await openPlanWorld();
  const slow: { planId?: string } = {};
  await market.process({
    plans: (book) => ({
      ...book,
      claim: async (claim) => {
        if (claim.planId === slow.planId) await waits(15_000);
        return book.claim(claim);
      },
    }),
  });
  const [other, plan] = [await inPieces(), await inPieces()];
  slow.planId = other.planId;
  await market.pass(9_000);
  const { state, lateMs } = await firstOf(plan);
  expect([(await firstOf(other)).state, state]).toEqual(["planned", "done"]);
  expect(lateMs).toBeLessThan(EVERY_MS / 2);
  await market.pass(10_000);
}, 60_000);

it("a piece leaves in time while it is asked whether a plan that was denied may go on", async () => {
  market = await openPlanWorld();
  const slow: { planId?: string } = {};
  await market.process({
    plans: (book) => ({
      ...book,
      byId: async (planId) => {
        if (planId === slow.planId) await waits(15_000);
        return book.byId(planId);
      },
    }),
  });
  const at = market.clock.now();
  const order = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" } as const;
  const denied = await activePlan(market.world, { steps: [stepAt(1, at - 1_000)] });
  const { planId, version } = denied;
  slow.planId = planId;
  const progress = { why: "It counted for too much.", denied: { step: 1, order } };
  await market.world.store.plans.change({ planId, version, to: "attention", progress, atMs: at });
  const plan = await inPieces();
  await market.pass(9_000);
  const { state, lateMs } = await firstOf(plan);
  expect(state).toBe("done");
  expect(lateMs).toBeLessThan(EVERY_MS / 2);
  await market.pass(10_000);
}, 60_000);

it("a turn waits for the next minute where another at the same time has taken the order that the minute has", async () => {
  market = await openPlanWorld();
  await market.process({ policy: changeablePolicy({ ...LOOSE, maxOrdersPerMinute: 1 }) });
  const at = market.clock.now() + 500;
  const turns = { terms: BUYS, steps: [stepAt(1, at), stepAt(2, at + DAY_MS)] };
  const plans = [await activePlan(market.world, turns), await activePlan(market.world, turns)];
  const states = async () => (await Promise.all(plans.map(firstOf))).map(({ state }) => state);
  await market.pass(4_000);
  expect(new Set(await states())).toEqual(new Set(["done", "planned"]));
  await market.pass(65_000);
  expect(await states()).toEqual(["done", "done"]);
}, 60_000);
