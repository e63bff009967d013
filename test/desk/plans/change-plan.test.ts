/** What is done to a plan that trades: by the assistant, by a person, and while an order of it is under way. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { notional } from "../../../src/decimal/index.ts";
import type { PlanRequest } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { childrenOf, passUntil } from "./active-plan.ts";
import { askedAbout, begun, OCO, SLICES, STOP, TAKE, TRAILING, yesTo } from "./plan-requests.ts";
import { ABOVE, openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { protecting } from "./protecting-plan.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
let server: Process;
/** What takes a protection away waits for a person. */
const GUARDED = { ...LOOSE, plans: { ...LOOSE.plans, stopRemoval: "ask" as const } };
const policy = changeablePolicy();

beforeEach(async () => {
  policy.value = ok(GUARDED);
  market = await openPlanWorld();
  server = await market.process({ policy });
});
afterEach(() => market.close());

const change = (id: string, action: "cancel" | "pause" | "resume", session?: string) =>
  server.plans.change(id, action, "assistant", session);
const stored = async (id: string) => unwrap(market.world.store.plans.byId(id));
const told = async () => (await market.notices()).map(({ type }) => type);
const stateOf = async (id: string) => (await shown(server, id)).state;

describe("the assistant's change of a protection", () => {
  it.each([
    ["cancel", STOP, "canceled"],
    ["pause", TRAILING, "paused"],
    ["cancel", OCO, "canceled"],
    ["pause", TAKE, "paused"],
  ] as const)("waits for a person, and the plan stays active until their yes: %s", async (action, request, state) => {
    const { plan_id: id } = await begun(server, request);
    const report = await change(id, action);
    expect(report).toMatchObject({
      ...{ outcome: "not_sent", state: "active", approval: { id, action } },
      plan: { state: "active", asked: { action } },
    });
    expect(report.next_action).toContain("hoga approve");
    expect(await told()).toEqual(["plan.active", "plan.removal_requested"]);
    const again = await change(id, action);
    expect(again.approval).toEqual(report.approval);
    expect(await yesTo(server, report)).toMatchObject({ outcome: "accepted", state });
    expect((await stored(id))?.asked).toBeNull();
  });

  it("leaves it as it is with a no, and when nobody answers", async () => {
    const { plan_id: id } = await begun(server, STOP);
    await change(id, "cancel");
    expect(await unwrap(server.plans.deny(id))).toMatchObject({ outcome: "not_sent", state: "active" });
    expect(await unwrap(server.plans.pending())).toEqual([]);
    const { digest } = await askedAbout(server, await change(id, "pause"));
    market.clock.leap(GUARDED.approvalTtlMs + 1_000);
    const late = await server.plans.approve(id, "pin", digest);
    expect(late).toMatchObject({ state: "active", warnings: [expect.stringContaining("does not wait")] });
    expect((await shown(server, id)).asked).toBeUndefined();
  });

  it.each<[string, PlanRequest, boolean]>([
    ["an alert", ABOVE, false],
    ["an alert that is previewed", { ...ABOVE, preview: true } as PlanRequest, false],
    ["a protection of less", { ...STOP, base_volume: "0.01" }, true],
    ["what buys", SLICES, true],
  ])("is not made by %s in its place", async (_what, request, isAsked) => {
    const { plan_id: id } = await begun(server, STOP);
    const report = await server.plans.create({ ...request, replaces: id }, "assistant");
    expect(report).toMatchObject(
      isAsked
        ? { outcome: "not_sent", state: "awaiting_approval" }
        : { outcome: "not_sent", error: { code: "ELocal:Invalid input", field: "replaces" } },
    );
    expect(await stateOf(id)).toBe("active");
  });

  it("is not made by an order that has the name of its next one", async () => {
    const { plan_id: id } = await begun(server, STOP);
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: won(90), base_volume: "0.001" } as const;
    const named = { ...order, userref: userrefOfStep(id, 1) };
    const refusal = { code: "ELocal:Invalid input", field: "userref" };
    expect(await server.desk.place(named)).toMatchObject({ outcome: "not_sent", error: refusal });
    expect(await server.desk.preview(named)).toMatchObject({ ok: false, fault: refusal });
    market.quotes(97, 99);
    for (let passed = 0; passed < 6; passed++) {
      market.print(98);
      await market.pass(1_000);
    }
    expect(await stateOf(id)).toBe("done");
  });

  it.each([
    ["ask", { outcome: "not_sent", state: "awaiting_approval" }, "open"],
    [
      "allow",
      { outcome: "accepted", warnings: [expect.stringContaining("Open plans protect these coins")] },
      "canceled",
    ],
  ] as const)("is asked about where its own order is moved, as with stop_removal %s", async (rule, report, order) => {
    policy.value = ok({ ...GUARDED, plans: { ...GUARDED.plans, stopRemoval: rule } });
    const { plan_id: id } = await begun(server, { ...STOP, base_volume: "0.8", limit_price: won(99) });
    market.quotes(95, 96);
    for (let passed = 0; passed < 6; passed++) {
      market.print(95.5);
      await market.pass(1_000);
    }
    const [child] = await unwrap(market.world.store.plans.children(id));
    const moving = server.desk.replace({ orderId: child?.orderId ?? "", price: won(140) });
    expect(await market.during(moving)).toMatchObject(report);
    const now = market.world.orders().find(({ userref }) => userref === userrefOfStep(id, 1));
    expect(now?.state).toBe(order);
  });

  it("is answered by the question that was asked last, and to that alone", async () => {
    const { plan_id: id } = await begun(server, STOP);
    const pause = await askedAbout(server, await change(id, "pause"));
    const cancel = await askedAbout(server, await change(id, "cancel"));
    expect((await server.plans.approve(id, "pin", pause.digest)).error?.code).toBe("ELocal:Approval mismatch");
    expect(await stateOf(id)).toBe("active");
    expect((await server.plans.approve(id, "pin", cancel.digest)).state).toBe("canceled");
  });

  it.each(["yes", "no"] as const)("is answered with a %s also while the plan goes on", async (said) => {
    const { plan_id: id } = await begun(server, TRAILING);
    const { digest } = await askedAbout(server, await change(id, "cancel"));
    let rises = 0;
    const slow = await market.process({
      policy,
      plans: (book) => ({
        ...book,
        byId: async (planId) => {
          const found = await book.byId(planId);
          const version = found.ok ? (found.value?.version ?? 0) : 0;
          // Its high rises between reading and writing it.
          const progress = { high: won(106 + rises) };
          if (rises++ === 0) await book.change({ planId, version, progress, atMs: market.clock.now() });
          return found;
        },
      }),
    });
    const report = said === "yes" ? await slow.plans.approve(id, "pin", digest) : await unwrap(slow.plans.deny(id));
    expect(report.state).toBe(said === "yes" ? "canceled" : "active");
    expect((await stored(id))?.asked).toBeNull();
  });

  it("is answered in the client by the call that asked", async () => {
    policy.value = ok({ ...GUARDED, approveBy: ["client"] });
    const { plan_id: id } = await begun(server, STOP);
    const { digest } = await askedAbout(server, await change(id, "cancel", "caller"));
    const request = { change: { plan_id: id, action: "cancel" } } as const;
    const seal = await unwrap(server.plans.sealApproval(id, digest, request, "caller"));
    const answer = { seal, said: "yes", session: "caller" } as const;
    const other = { change: { plan_id: id, action: "pause" } } as const;
    expect((await server.plans.answerApproval({ ...answer, request: other })).error?.code).toBe(
      "ELocal:Approval mismatch",
    );
    const withdrawn = await server.plans.answerApproval({ ...answer, said: "withdrawn", request });
    expect(withdrawn).toMatchObject({ outcome: "not_sent", state: "active" });
    expect((await server.plans.answerApproval({ ...answer, request })).state).toBe("active");
    const anew = await askedAbout(server, await change(id, "cancel", "caller"));
    const fresh = await unwrap(server.plans.sealApproval(id, anew.digest, request, "caller"));
    expect((await server.plans.answerApproval({ ...answer, seal: fresh, request })).state).toBe("canceled");
  });

  it("is done at once where the file lets it, and by a person", async () => {
    const { plan_id: id } = await begun(server, STOP);
    await change(id, "cancel");
    expect(await server.plans.change(id, "pause", "person")).toMatchObject({ outcome: "accepted", state: "paused" });
    expect((await stored(id))?.asked).toBeNull();
    policy.value = ok(LOOSE);
    expect(await change(id, "cancel")).toMatchObject({ outcome: "accepted", state: "canceled" });
  });

  it("asks for nothing of what may buy", async () => {
    const { plan_id: id } = await begun(server, SLICES);
    expect(await change(id, "pause")).toMatchObject({ outcome: "accepted", state: "paused" });
    expect((await shown(server, id)).reserved).toBe("0");
    expect(await change(id, "cancel")).toMatchObject({ outcome: "accepted", state: "canceled" });
  });
});

describe("starting a plan again", () => {
  it("is checked as making it", async () => {
    const { plan_id: id } = await begun(server, { ...STOP, base_volume: "0.7" });
    await server.plans.change(id, "pause", "person");
    await begun(server, { ...TAKE, base_volume: "0.3" });
    expect(await change(id, "resume")).toMatchObject({ outcome: "accepted", state: "active" });
    await server.plans.change(id, "pause", "person");
    const sale = { symbol: "BTC/KRW", side: "sell", type: "market", base_volume: "0.5" } as const;
    expect((await server.desk.place(sale)).outcome).toBe("accepted");
    expect(await change(id, "resume")).toMatchObject({ state: "paused", error: { rule: "plans", figure: "1" } });
  });

  it("needs a person where money may be real", async () => {
    const real = await market.process({ policy, forRealMoney: true });
    const { plan_id: id } = await begun(real, SLICES);
    await real.plans.change(id, "pause", "assistant");
    const asked = await real.plans.change(id, "resume", "assistant");
    expect(asked).toMatchObject({ outcome: "not_sent", state: "paused", approval: { action: "resume" } });
    expect(await told()).not.toContain("plan.removal_requested");
    expect(await yesTo(real, asked)).toMatchObject({ outcome: "accepted", state: "active" });
    await real.plans.change(id, "pause", "assistant");
    expect((await real.plans.change(id, "resume", "person")).state).toBe("active");
  });

  it("is refused while trading is halted, and once its end has come", async () => {
    const { plan_id: id } = await begun(server, STOP);
    await market.during(server.desk.halt("a test", "a person"));
    expect(await stateOf(id)).toBe("paused");
    const halted = await change(id, "resume");
    expect(halted).toMatchObject({ state: "paused", error: { code: "ELocal:Trading halted" } });
    await server.desk.resume("a person");
    expect(await stateOf(id)).toBe("paused");
    market.clock.leap(91 * 86_400_000);
    expect((await change(id, "resume")).error?.code).toBe("ELocal:Plan ended");
  });
});

describe("a change that a plan cannot take", () => {
  it("is refused with those that it can", async () => {
    const { plan_id: id } = await begun(server, SLICES);
    const plan = await stored(id);
    const halts = { planId: id, version: plan?.version ?? 0, to: "attention", atMs: market.clock.now() } as const;
    expect(await unwrap(market.world.store.plans.change(halts))).toHaveProperty("written");
    expect((await change(id, "pause")).error).toMatchObject({
      field: "action",
      message:
        "A plan that is in attention cannot be paused. It can be started again or canceled. Nothing was changed.",
    });
    expect(await change(id, "cancel")).toMatchObject({ outcome: "accepted", state: "canceled" });
  });

  it.each(["pause", "resume"] as const)(
    "is not started again where it waits for a person's approval: %s",
    async (action) => {
      policy.value = ok({ ...GUARDED, plans: { ...GUARDED.plans, approve: "always" } });
      const { plan } = await server.plans.create(SLICES, "assistant");
      const { error } = await change(plan?.plan_id ?? "", action);
      expect(error?.message).toMatch(
        /^A plan that waits for a person's approval cannot be .*\. It can be canceled\. Nothing was changed\.$/,
      );
    },
  );
});

it("is not started again where its stop lies below the lowest price that was approved, as it could never sell", async () => {
  const rules = await unwrap(server.desk.market("BTC/KRW"));
  const { world } = market;
  const { mandate } = await protecting(world, rules, TRAILING);
  if (mandate === null) throw new Error("it has no mandate");
  const bounds = { ...mandate.bounds, priceMin: won(99) };
  const plan = await protecting(world, rules, TRAILING, { mandate: { ...mandate, bounds } });
  await server.plans.change(plan.planId, "pause", "person");
  const message =
    "Its stop stands at ₩98,800,000, where its floor ₩99,000,000 lets it sell nothing: cancel it, and make another plan. Nothing was changed.";
  for (const by of ["person", "assistant"] as const)
    expect(await server.plans.change(plan.planId, "resume", by)).toMatchObject({ error: { field: "action", message } });
  expect(await stateOf(plan.planId)).toBe("paused");
});

describe("a plan with an order under way", () => {
  const RESTING: PlanRequest = { ...STOP, limit_price: won(100) };

  /** Its order rests at the exchange. */
  async function resting(): Promise<string> {
    const { plan_id: id } = await begun(server, RESTING);
    const plan = await stored(id);
    if (plan === undefined) throw new Error("it is not there");
    const order = { symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.4", price: won(104.5) } as const;
    const adds = { symbol: "BTC/KRW", side: "sell", worstValue: "41800000", unit: "KRW", volume: "0.4" } as const;
    const placing = childrenOf(server.parts, market.world.store.plans);
    const request = { plan, step: 1, adds, order, floor: won(100), reason: () => ({ exchangeMs: market.clock.now() }) };
    const placed = await market.during(placing.place(request));
    if (placed.kind !== "claimed") throw new Error(JSON.stringify(placed));
    return id;
  }

  it("is shown with it, and with what it has sold", async () => {
    const id = await resting();
    market.sweep("buy", 104.5, "0.1");
    const [order] = market.world.orders();
    await unwrap(server.desk.order({ userref: order?.userref ?? "" }));
    const { plans } = await unwrap(server.plans.list({ planId: id, which: "all", limit: 1 }));
    expect(plans[0]).toMatchObject({
      ...{ order_id: order?.orderId, left_volume: "0.3", filled_volume: "0.1", average_price: won(104.5) },
      steps: [{ step: 1, state: "claimed", label: null, userref: order?.userref, executed_volume: "0.1" }],
    });
  });

  it("is shown with what it has spent, fees in, and what it still sets aside", async () => {
    const { plan_id: id } = await begun(server, SLICES);
    const plan = await stored(id);
    if (plan === undefined) throw new Error("it is not there");
    const order = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "1000000" } as const;
    const placing = childrenOf(server.parts, market.world.store.plans);
    await market.during(
      placing.place({ plan, step: 1, order, reason: () => ({ exchangeMs: market.clock.now() + 1_000 }) }),
    );
    const { executedVolume, executedValue, fee } = await executed();
    expect(await shown(server, id)).toMatchObject({
      ...{ filled_volume: executedVolume, average_price: won(105), turns_left: 3, reserved: "3000000" },
      spent: executedValue.plus(fee).toString(),
    });
  });

  it("takes its order out of the market first, and ends when that has ended", async () => {
    const id = await resting();
    const report = await market.during(server.plans.change(id, "cancel", "person"));
    // Whoever looks after it may have settled its step by now.
    expect(report).toMatchObject({ outcome: "accepted", state: expect.stringMatching(/^(paused|canceled)$/) });
    expect(market.world.orders().map(({ state }) => state)).toEqual(["canceled"]);
    expect((await change(id, "resume")).error).toBeDefined();
    expect((await change(id, "cancel")).warnings).toEqual([expect.stringContaining("already")]);
    await passUntil(market, async () => (await stateOf(id)) === "canceled");
    expect(market.world.orders()).toHaveLength(1);
  });

  it("keeps its order where it is paused, and says so", async () => {
    const id = await resting();
    const report = await server.plans.change(id, "pause", "person");
    expect(report).toMatchObject({ state: "paused", warnings: [expect.stringContaining("still under way")] });
    expect(market.world.orders().map(({ state }) => state)).toEqual(["open"]);
  });
});

/** Of the one order at the exchange. */
async function executed() {
  const [order] = (await unwrap(server.desk.orders({ state: "all" }))).orders;
  if (order === undefined) throw new Error("there is no order");
  const { executed_volume: executedVolume, executed_value = "0", fee = "0" } = order;
  return { executedVolume, executedValue: notional(executed_value), fee: notional(fee) };
}

describe("the plans in figures", () => {
  it("count what is active, protects, stands still and waits, and what is set aside", async () => {
    await begun(server, STOP);
    await begun(server, SLICES);
    const { plan_id: paused } = await begun(server, { ...TAKE, base_volume: "0.1" });
    await server.plans.change(paused, "pause", "person");
    await change((await begun(server, { ...TAKE, base_volume: "0.2" })).plan_id, "cancel");
    expect(await unwrap(server.plans.standing())).toEqual({
      ...{ active: 3, protecting: 2, attention: 0, paused: 1, waiting: 1, reserved: "4000000", watched_since: null },
    });
  });
});
