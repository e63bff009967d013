/** Protections over the real exchange: what they sell, what they do not, and what they say of it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Market } from "../../../src/contract/index.ts";
import type { PlanRecord, PlanRequest } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { unwrap } from "../../fixture/result.ts";
import { openPlanWorld, type PlanWorld, type Process } from "./plan-world.ts";
import { protecting } from "./protecting-plan.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;
const STOP: PlanRequest = { kind: "stop", base_volume: "0.5", stop_price: won(100) };
const TAKE: PlanRequest = { kind: "take_profit", base_volume: "0.5", take_price: won(110) };
const OCO: PlanRequest = { kind: "oco", base_volume: "0.5", stop_price: won(100), take_price: won(110) };

let market: PlanWorld;
let server: Process;
let rules: Market;
const opened = async (options?: { readonly file?: boolean }): Promise<void> => {
  market = await openPlanWorld(options);
  server = await market.process();
  rules = await unwrap(server.desk.market("BTC/KRW"));
};
beforeEach(() => opened());
afterEach(() => market.close());

const begun = async (request: PlanRequest, more: Parameters<typeof protecting>[3] = {}): Promise<PlanRecord> => {
  const plan = await protecting(market.world, rules, request, more);
  await market.pass(2_000);
  return plan;
};
const now = async ({ planId }: PlanRecord): Promise<PlanRecord> => {
  const plan = await unwrap(market.world.store.plans.byId(planId));
  if (plan === undefined) throw new Error("the plan is gone");
  return plan;
};
/** What left for the exchange, oldest first. */
const sent = () =>
  market.world
    .orders()
    .filter(({ userref }) => userref?.startsWith("p-") === true)
    .reverse();
const told = async (...types: readonly string[]) =>
  (await market.notices()).filter(({ type }) => types.includes(type)).map(({ type, body }) => ({ type, ...body }));
/** The market falls, and somebody trades there every second. */
const stands = async (bid: number, ask: number, at: number, seconds: number): Promise<void> => {
  market.quotes(bid, ask);
  for (let passed = 0; passed < seconds; passed++) {
    market.print(at);
    await market.pass(1_000);
  }
};

describe("a stop", () => {
  it("sells once what it protects, when the market has stood at its price, within three percent of the bid", async () => {
    const plan = await begun(STOP);
    market.quotes(97, 99);
    market.print(98);
    await market.pass(1_000);
    expect(sent()).toEqual([]);
    await stands(97, 99, 98, 8);
    expect(sent()).toMatchObject([
      { side: "sell", userref: userrefOfStep(plan.planId, 1), timeInForce: "IOC", state: "filled" },
    ]);
    expect(sent().map(({ price, executedVolume }) => [price, executedVolume])).toEqual([
      [94_090_000n * 100_000_000n, 50_000_000n],
    ]);
    expect(await now(plan)).toMatchObject({ state: "done", progress: { leg: "stop" } });
    expect(await told("plan.triggered", "plan.step_done", "plan.ended")).toMatchObject([
      { type: "plan.triggered", leg: "stop", below: won(100), print: won(98), ask: won(99) },
      { type: "plan.step_done", volume: "0.5", average_price: won(97), left: "0" },
      { type: "plan.ended", state: "done", why: "All of it was sold." },
    ]);
  }, LONG);
});
