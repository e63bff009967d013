/** What is broken inside is told, and ends neither the process nor the looking after what is whole. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { PlanBook } from "../../../src/desk/index.ts";
import { PlanDefects } from "../../../src/desk/plans/running/plan-defects.ts";
import { MarketWatch, type WatchListener } from "../../../src/desk/plans/watch/market-watch.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { activePlan } from "./active-plan.ts";
import { begun, STOP } from "./plan-requests.ts";
import { ABOVE, openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { partsOf, ScriptedMarket, SYMBOL } from "./scripted-market.ts";

const LONG = 60_000;

let market: PlanWorld;
let server: Process;
let broken: (planId: string, what: keyof PlanBook) => boolean;
let told: unknown[];
const policy = changeablePolicy();

beforeEach(async () => {
  policy.value = ok(LOOSE);
  broken = () => false;
  told = [];
  market = await openPlanWorld();
  const thrown = (planId: string, what: keyof PlanBook): void => {
    if (broken(planId, what)) throw new Error(`${what} of ${planId} is broken`);
  };
  server = await market.process({
    policy,
    onDefect: (error) => told.push(error),
    plans: (book) => ({
      ...book,
      children: async (planId) => {
        thrown(planId, "children");
        return book.children(planId);
      },
      open: async (account) => {
        thrown("", "open");
        return book.open(account);
      },
    }),
  });
});
afterEach(() => market.close());

const stands = async (bid: number, ask: number, at: number, seconds: number): Promise<void> => {
  market.quotes(bid, ask);
  for (let passed = 0; passed < seconds; passed++) {
    market.print(at);
    await market.pass(1_000);
  }
};

describe("a defect", () => {
  it(
    "keeps no other protection from selling than its own, and is told to the operator and to a person",
    async () => {
      const { plan_id: bad } = await begun(server, STOP);
      const { plan_id: good } = await begun(server, { ...STOP, base_volume: "0.2" });
      broken = (planId) => planId === bad;
      await stands(97, 99, 98, 5);
      expect((await shown({ plans: server.plans }, good).catch(() => undefined))?.state).toBe("done");
      broken = () => false;
      expect(await shown(server, bad)).toMatchObject({ state: "active" });
      broken = (planId) => planId === bad;
      await stands(97, 99, 98, 14);
      broken = () => false;
      expect(await shown(server, bad)).toMatchObject({
        state: "attention",
        why: expect.stringContaining("Something inside hoga itself failed"),
      });
      expect(told.map(String)).toEqual([`Error: children of ${bad} is broken`]);
    },
    LONG,
  );

  it(
    "keeps no other turn than its own from being taken",
    async () => {
      const bad = await activePlan(market.world);
      const good = await activePlan(market.world);
      broken = (planId) => planId === bad.planId;
      await market.pass(4_000);
      broken = () => false;
      expect((await shown(server, good.planId)).spent).not.toBe("0");
      expect((await shown(server, bad.planId)).spent).toBe("0");
      await market.pass(8_000);
      expect((await shown(server, bad.planId)).spent).not.toBe("0");
      expect(told).toHaveLength(1);
    },
    LONG,
  );

  it(
    "is told where it is of the looking itself, which begins anew after a pause",
    async () => {
      await begun(server, ABOVE);
      await market.pass(2_000);
      broken = (_planId, what) => what === "open";
      await market.pass(1_500);
      broken = () => false;
      expect(told.map(String)).toEqual(["Error: open of  is broken"]);
      await market.pass(7_000);
      await stands(112, 113, 112.5, 4);
      expect((await market.notices()).map(({ type }) => type)).toContain("alert.fired");
    },
    LONG,
  );

  it("is told once a minute, however often it comes", () => {
    let nowMs = 0;
    const clock = { ...market.world.clock, rising: () => nowMs };
    const defects = new PlanDefects({ clock, onDefect: (error) => told.push(error) });
    const tries = [0, 4_999, 5_000, 40_000, 60_000].map((atMs) => {
      nowMs = atMs;
      const isLeft = defects.isLeft("plan-1");
      return isLeft ? "left" : defects.note("plan-1", atMs);
    });
    expect(tries).toEqual([1, "left", 2, 3, 4]);
    expect(told).toEqual([0, 60_000]);
    defects.clear("plan-1");
    expect(defects.isLeft("plan-1")).toBe(false);
  });
});

describe("a listener that fails", () => {
  it.each(["sampled", "gap"] as const)("ends neither the stream nor the process: %s", async (which) => {
    const scripted = new ScriptedMarket(false);
    const failures: unknown[] = [];
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on("unhandledRejection", onUncaught);
    onTestFinished(() => void process.off("unhandledRejection", onUncaught));
    const listener: WatchListener = {
      sampled: () => undefined,
      gap: () => undefined,
      failed: (error) => failures.push(error),
      [which]: () => {
        throw new Error("broken");
      },
    };
    const watch = new MarketWatch(partsOf(scripted, true), listener);
    watch.follow([SYMBOL]);
    if (which === "gap") scripted.isStoreDown = true;
    await scripted.clock.pass(20_000);
    await turn();
    await watch.close();
    expect(failures.map(String)).toContain("Error: broken");
    expect(uncaught).toEqual([]);
  });
});
