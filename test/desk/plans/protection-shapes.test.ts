/**
 * The sixty markets that look as if they were at a price and the twenty that are, with plans that would sell: those at the real exchange as plans of a desk, five or
 * so of each ten by the seed of the run; those from scripts by what decides about an order.
 */
import { afterEach, describe, expect, it } from "vitest";
import { quantity } from "../../../src/decimal/index.ts";
import type { PlanRequest } from "../../../src/desk/index.ts";
import type { Mandate, PlanRecord, ProtectionTerms } from "../../../src/desk/model/plan.ts";
import { nextAct } from "../../../src/desk/plans/running/protection-act.ts";
import { WaitingPlans, waitingPlan } from "../../../src/desk/plans/watch/waiting-plans.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { MARKET } from "./plan-facts.ts";
import { BELOW } from "./plan-world.ts";
import { openProtected, type Protected, STOP, TAKE, TRAIL } from "./protected-market.ts";
import { type SandboxMarket, won } from "./sandbox-market.ts";
import { FALSE_IN_SANDBOX, type SandboxShape, TRUE_IN_SANDBOX } from "./sandbox-shapes.ts";
import { mirrored, play, type Shape, STOP_AT, SYMBOL } from "./scripted-market.ts";
import { FALSE_SHAPES, TRUE_SHAPES } from "./scripted-shapes.ts";

const LONG = 60_000;
const SEED = Number(process.env["HOGA_TEST_SEED"] ?? "0");

/** Every other one, by the seed. */
function drawn<T extends { readonly title: string }>(shapes: readonly T[]): [string, T][] {
  return shapes.flatMap((shape, index): [string, T][] => ((index + SEED) % 2 === 0 ? [[shape.title, shape]] : []));
}

let at: Protected | undefined;
afterEach(async () => {
  await at?.market.close();
  at = undefined;
});

function requestOf({ plan: { stop, take } }: SandboxShape): PlanRequest {
  if (take !== undefined) return TAKE;
  return stop !== undefined && "trail" in stop ? TRAIL : STOP;
}

/** What a shape does to the market. */
function marketOf({ market, server }: Protected): SandboxMarket {
  const unseen = { samples: [], gaps: [], triggered: new Map(), legs: new Set<never>(), passedMs: () => 0 };
  return {
    ...{ ...unseen, ...market, relay: server.relay },
    place: async ({ side, at: level, volume }) => {
      const order = { symbol: SYMBOL, side, type: "limit", price: won(level), base_volume: volume } as const;
      const report = await server.desk.place(order);
      if (report.outcome !== "accepted") throw new Error(JSON.stringify(report));
    },
    close: () => market.close(),
  };
}

async function run(shape: SandboxShape): Promise<Protected> {
  const opened = await openProtected();
  at = opened;
  if (shape.withoutStream === true) opened.server.cut(true);
  if (shape.plan.alert === undefined) await opened.begun({ ...requestOf(shape), base_volume: "0.1" });
  else await opened.server.plans.create(BELOW, "assistant");
  await opened.pass(1_000);
  await shape.run(marketOf(opened));
  return opened;
}

describe("a protection sells nothing by", () => {
  it.each(drawn(FALSE_IN_SANDBOX))(
    "%s, as a plan at the exchange",
    async (_, shape) => {
      const { market } = await run(shape);
      expect(market.world.orders().filter(({ userref }) => userref?.startsWith("p-"))).toEqual([]);
      expect((await market.notices()).map(({ type }) => type)).not.toContain("plan.triggered");
    },
    LONG,
  );
});

describe("a protection sells once, and all of it, by", () => {
  it.each(drawn(TRUE_IN_SANDBOX.filter(({ leg }) => leg !== "alert")))(
    "%s, as a plan at the exchange",
    async (_, shape) => {
      const opened = await run(shape);
      await opened.pass(3_000);
      expect(opened.sent()).toMatchObject([{ step: 1, executed: 0.1, state: "filled" }]);
    },
    LONG,
  );

  it(
    "no price that is only to be told of",
    async () => {
      const [shape] = TRUE_IN_SANDBOX.filter(({ leg }) => leg === "alert");
      if (shape === undefined) throw new Error("there is no such shape");
      const opened = await run(shape);
      expect(opened.sent()).toEqual([]);
      expect(await opened.told("alert.fired")).toHaveLength(1);
    },
    LONG,
  );
});

/** How many orders would have come, as long as none was claimed. */
async function decided(shape: Shape, direction: "down" | "up"): Promise<number> {
  const { samples } = await play(shape, direction);
  const terms: ProtectionTerms =
    direction === "down"
      ? { kind: "stop", symbol: SYMBOL, volume: "1000", stopPrice: STOP_AT }
      : { kind: "take_profit", symbol: SYMBOL, volume: "1000", takePrice: STOP_AT };
  const mandate = { bounds: { priceMin: direction === "down" ? "90" : STOP_AT } } as Mandate;
  const plan = { planId: "plan-1", terms, mandate, progress: {}, openStep: null, state: "active" } as const;
  const plans = new WaitingPlans();
  const waiting = waitingPlan(plan as Pick<PlanRecord, "planId" | "terms" | "progress">, []);
  plans.set(waiting === undefined ? [] : [waiting]);
  const held = { available: quantity("1000"), locked: quantity("0"), triedAtMs: undefined };
  return samples
    .flatMap((sample) => plans.sampled(SYMBOL, sample).triggered)
    .filter(({ leg, level, last: { bid, atMs: nowMs } }) => {
      if (leg === "alert") throw new Error("the plan tells of nothing");
      const market = { ...MARKET, tick_bands: [{ from_price: "0", tick_size: "0.001" }] };
      const facts = { ...held, leg, level: level.price, market, rules: LOOSE.plans, bid, nowMs };
      return nextAct(plan, [], facts).kind === "sell";
    }).length;
}

const bothWays = (shapes: readonly Shape[]): [string, () => Promise<number>][] =>
  shapes.flatMap((shape) => [
    [shape.title, () => decided(shape, "down")],
    [mirrored(shape).title, () => decided(mirrored(shape), "up")],
  ]);

describe("no order is decided on by", () => {
  it.each(bothWays(FALSE_SHAPES))("%s", async (_, count) => {
    expect(await count()).toBe(0);
  });
});

describe("an order is decided on by", () => {
  it.each(bothWays(TRUE_SHAPES))("%s", async (_, count) => {
    expect(await count()).toBeGreaterThan(0);
  });
});
