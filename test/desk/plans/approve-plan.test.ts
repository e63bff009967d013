import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { rate } from "../../../src/decimal/index.ts";
import type { PlanRequest, PlanView, PlanWriteReport } from "../../../src/desk/index.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
let server: Process;
const policy = changeablePolicy();
/** Everything that may trade waits for a person. */
const ASKING = { ...LOOSE, plans: { ...LOOSE.plans, approve: "always" as const } };

beforeEach(async () => {
  policy.value = ok(ASKING);
  market = await openPlanWorld();
  server = await market.process({ policy });
});
afterEach(() => market.close());

const STOP: PlanRequest = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.4", stop_price: won(100) };
const SLICES: PlanRequest = {
  ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", quote_amount: "4000000", slices: 4, duration: "2h" },
};
const WEEKLY: PlanRequest = {
  ...{ kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule: "weekly mon 09:00" },
};

const create = (request: PlanRequest, session?: string) => server.plans.create(request, "assistant", session);

/** The plan that waits, with the digest of its question. */
async function waiting(report: PlanWriteReport): Promise<{ readonly id: string; readonly digest: string }> {
  const { approval } = report;
  const pending = await unwrap(server.plans.pending());
  const found = pending.find(({ asked }) => asked.id === approval?.id);
  if (approval === undefined || found === undefined) throw new Error(`nobody is asked: ${JSON.stringify(report)}`);
  return { id: approval.id, digest: found.digest };
}

async function approved(request: PlanRequest): Promise<PlanView & { readonly plan_id: string }> {
  const { id, digest } = await waiting(await create(request));
  const report = await server.plans.approve(id, "pin", digest);
  if (report.state !== "active" || report.plan === undefined) throw new Error(JSON.stringify(report));
  return { ...report.plan, plan_id: id };
}

describe("a plan that needs a person", () => {
  it("waits, is shown with what it comes to at worst, and begins with the yes to exactly that", async () => {
    const report = await create(STOP);
    expect(report).toMatchObject({
      ...{ outcome: "not_sent", state: "awaiting_approval", warnings: [] },
      approval: { action: "start" },
      plan: { trigger: won(100), floor: won(90), worst_case_value: "41800000" },
    });
    expect(report.next_action).toContain("hoga approve");
    const { id, digest } = await waiting(report);
    const [pending] = await unwrap(server.plans.pending());
    expect(pending).toMatchObject({
      plan: { shown: { atLeast: { price: won(90), value: "36000000" }, slippagePct: "3" } },
    });
    expect(await server.plans.approve(id, "pin", digest)).toMatchObject({
      ...{ outcome: "accepted", state: "active" },
      plan: { left_volume: "0.4", filled_volume: "0", floor: won(90) },
    });
    const plan = await unwrap(market.world.store.plans.byId(id));
    expect(plan?.mandate).toMatchObject({
      ...{ by: "person", way: "pin", digest, slippagePct: "3" },
      bounds: { side: "sell", volumeMax: "0.4", priceMin: won(90), symbol: "BTC/KRW" },
    });
    expect((await market.notices()).map(({ type }) => type)).toEqual(["plan.active"]);
    expect(await unwrap(server.plans.pending())).toEqual([]);
  });

  it("plans its pieces from the moment of the yes", async () => {
    const { id, digest } = await waiting(await create(SLICES));
    market.clock.leap(60_000);
    await server.plans.approve(id, "pin", digest);
    const { plans } = await unwrap(server.plans.list({ planId: id, which: "all", limit: 1 }));
    const [plan] = plans;
    expect(plan).toMatchObject({ turns_left: 4, reserved: "4000000", spent: "0" });
    expect(plan?.steps?.map(({ step, state }) => `${step} ${state}`)).toEqual([
      "4 planned",
      "3 planned",
      "2 planned",
      "1 planned",
    ]);
    const stored = await unwrap(market.world.store.plans.byId(id));
    const first = Date.parse(plan?.next_turns?.[0]?.at ?? "");
    expect(Math.abs(first - (stored?.mandate?.approvedAtMs ?? 0))).toBeLessThan(1_000);
    expect(stored?.mandate?.bounds).toMatchObject({ stepsMax: 4, valueMax: "4000000", stepValueMax: "1000000" });
  });

  it("follows the market from the yes on where it trails", async () => {
    const { id, digest } = await waiting(
      await create({ ...STOP, kind: "trailing_stop", stop_price: undefined, trail: "5%" }),
    );
    market.quotes(104.2, 105);
    await market.pass(500);
    await server.plans.approve(id, "pin", digest);
    expect(await shown(server, id)).toMatchObject({ high: won(104.2), trigger: "98990000", floor: "89091000" });
  });
});
