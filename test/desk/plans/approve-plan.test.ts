/** What a person is asked about a plan that is to begin, and what their answer does. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { PlanRequest } from "../../../src/desk/index.ts";
import { softwarePasskey } from "../../fixture/passkey.ts";
import { changeablePolicy } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { ASKING, askedAbout, begun, SLICES, STOP, TRAILING, WEEKLY, yesTo } from "./plan-requests.ts";
import { openPlanWorld, type PlanWorld, type Process, shown } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

let market: PlanWorld;
let server: Process;
const policy = changeablePolicy();

beforeEach(async () => {
  policy.value = ok(ASKING);
  market = await openPlanWorld();
  server = await market.process({ policy });
});
afterEach(() => market.close());

const create = (request: PlanRequest, session?: string) => server.plans.create(request, "assistant", session);
const stored = async (id: string) => unwrap(market.world.store.plans.byId(id));
const told = async () => (await market.notices()).map(({ type }) => type);

describe("a yes", () => {
  it("begins the plan that was shown, within the bounds that were", async () => {
    const report = await create(STOP);
    expect(report).toMatchObject({
      ...{ outcome: "not_sent", state: "awaiting_approval", warnings: [] },
      approval: { action: "start" },
      plan: { trigger: won(100), floor: won(90), worst_case_value: "41800000", asked: { action: "start" } },
    });
    expect(report.next_action).toContain("hoga approve");
    const { id, digest } = await askedAbout(server, report);
    const [pending] = await unwrap(server.plans.pending());
    expect(pending).toMatchObject({
      plan: { shown: { atLeast: { price: won(90), value: "36000000" }, slippagePct: "3" } },
    });
    expect(await server.plans.approve(id, "pin", digest)).toMatchObject({
      ...{ outcome: "accepted", state: "active" },
      plan: { left_volume: "0.4", filled_volume: "0", floor: won(90) },
    });
    const plan = await stored(id);
    expect(plan?.mandate).toMatchObject({
      ...{ by: "person", way: "pin", digest, slippagePct: "3" },
      bounds: { side: "sell", volumeMax: "0.4", priceMin: won(90), symbol: "BTC/KRW" },
    });
    expect(await told()).toEqual(["plan.active"]);
    expect(await unwrap(server.plans.pending())).toEqual([]);
  });

  it.each([
    [TRAILING, "99275000"],
    [{ ...TRAILING, kind: "oco", take_price: won(120) }, "99275000"],
  ])(
    "is to a trailing stop that says what it would begin with, by the price that its digest has: %j",
    async (request, trigger) => {
      market.quotes(104.5, 105);
      const report = await create(request);
      expect(report).toMatchObject({ plan: { high: won(104.5), trigger } });
      const { id, digest } = await askedAbout(server, report);
      market.quotes(103, 105);
      await market.pass(1_000);
      const [waits] = await unwrap(server.plans.pending());
      expect(waits).toMatchObject({ digest, plan: { high: won(104.5), trigger } });
      await server.plans.approve(id, "pin", digest);
      expect(await shown(server, id)).toMatchObject({ state: "active", high: won(103), trigger: "97850000" });
    },
  );

  it("plans its pieces from that moment on", async () => {
    const { id, digest } = await askedAbout(server, await create(SLICES));
    market.clock.leap(60_000);
    await server.plans.approve(id, "pin", digest);
    const { plans } = await unwrap(server.plans.list({ planId: id, which: "all", limit: 1 }));
    const [plan] = plans;
    expect(plan).toMatchObject({ turns_left: 4, reserved: "4000000", spent: "0" });
    const steps = plan?.steps?.map(({ step, state }) => `${step} ${state}`);
    expect(steps).toEqual(["4 planned", "3 planned", "2 planned", "1 planned"]);
    const { mandate } = (await stored(id)) ?? {};
    const first = Date.parse(plan?.next_turns?.[0]?.at ?? "");
    expect(Math.abs(first - (mandate?.approvedAtMs ?? 0))).toBeLessThan(1_000);
    expect(mandate?.bounds).toMatchObject({ stepsMax: 4, valueMax: "4000000", stepValueMax: "1000000" });
  });

  it("lets a stop that trails follow the market from there", async () => {
    const asked = await create(TRAILING);
    market.quotes(104.2, 105);
    await market.pass(500);
    const { plan } = await yesTo(server, asked);
    expect(plan).toMatchObject({ high: won(104.2), trigger: "98990000", floor: "89091000" });
  });

  it("is to the question that was read, and to no other", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP));
    const other = await askedAbout(server, await create(WEEKLY));
    expect(await server.plans.approve(id, "pin", other.digest)).toMatchObject({
      ...{ outcome: "not_sent", state: "awaiting_approval", error: { code: "ELocal:Approval mismatch" } },
    });
    expect(await server.plans.approve(id, "pin", "0".repeat(64))).toMatchObject({ outcome: "not_sent" });
    expect((await shown(server, id)).state).toBe("awaiting_approval");
    expect((await server.plans.approve(id, "pin", digest)).state).toBe("active");
  });

  it("is used once", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP));
    const both = await Promise.all([1, 2].map(() => server.plans.approve(id, "pin", digest)));
    expect(both.map(({ state }) => state)).toContain("active");
    const late = await server.plans.approve(id, "pin", digest);
    expect(late).toMatchObject({ state: "active", warnings: [expect.stringContaining("does not wait")] });
    expect(await told()).toEqual(["plan.active"]);
  });

  it("counts in the ways that the file takes alone", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP));
    policy.value = ok({ ...ASKING, approveBy: ["passkey"] });
    expect((await server.plans.approve(id, "pin", digest)).error?.message).toContain("approve_by");
    expect((await server.plans.approve(id, "passkey", digest)).error?.message).toContain("without a passkey");
    const passkey = softwarePasskey();
    await unwrap(market.world.store.passkeys.enrol(passkey.enrolled, "the PIN"));
    const wrong = passkey.sign({ challenge: "00".repeat(32), counter: 1 });
    expect((await server.plans.approve(id, "passkey", digest, wrong)).state).toBe("awaiting_approval");
    const touched = passkey.sign({ challenge: digest, counter: 2 });
    expect((await server.plans.approve(id, "passkey", digest, touched)).state).toBe("active");
    const { mandate } = (await stored(id)) ?? {};
    expect(JSON.parse(mandate?.assertion ?? "")).toEqual(touched);
  });

  it("is asked for once more whether the limits allow it", async () => {
    const asked = await create(SLICES);
    // Its turn is not of this day, whichever day it is.
    const day = new Date(market.clock.now() + 3 * 86_400_000).toUTCString().slice(0, 3).toLowerCase();
    await begun(server, { ...WEEKLY, schedule: `weekly ${day} 09:00` });
    policy.value = ok({ ...ASKING, plans: { ...ASKING.plans, maxPlans: 1 } });
    expect(await yesTo(server, asked)).toMatchObject({
      ...{ outcome: "not_sent", state: "awaiting_approval", error: { rule: "plans", figure: "2" } },
    });
    policy.value = ok({ ...ASKING, maxDay: inUnit("4000000") });
    expect((await yesTo(server, asked)).error).toBeUndefined();
  });
});

describe("a question", () => {
  it("ends when nobody answers in time, and the yes that comes later begins nothing", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP));
    market.clock.leap(ASKING.approvalTtlMs + 1_000);
    const late = await server.plans.approve(id, "pin", digest);
    expect(late).toMatchObject({
      outcome: "not_sent",
      state: "lapsed",
      plan: { why: expect.stringContaining("in time") },
    });
    expect(await told()).toEqual(["plan.ended"]);
  });

  it("ends by itself where a process looks after the plans", async () => {
    const { id } = await askedAbout(server, await create(STOP));
    market.clock.leap(ASKING.approvalTtlMs + 1_000);
    await market.pass(2_000);
    expect((await shown(server, id)).state).toBe("lapsed");
  });

  it("ends when the market has reached the trigger meanwhile", async () => {
    const asked = await create(STOP);
    market.quotes(99, 105);
    await market.pass(500);
    const report = await yesTo(server, asked);
    expect(report).toMatchObject({ outcome: "not_sent", state: "lapsed" });
    expect(report.plan?.why).toContain("reached the trigger");
  });

  it.each([
    ["the floor that was given", { trail: "2%", floor_price: won(100) }, 99, "97,020,000", "100,000,000"],
    ["the lowest price that was shown", {}, 92, "87,400,000", "88,920,000"],
  ] as const)("ends when a stop that trails would begin below %s", async (_, more, bid, trigger, floor) => {
    const asked = await create({ ...TRAILING, ...more });
    market.quotes(bid, bid + 1);
    await market.pass(500);
    const report = await yesTo(server, asked);
    const why = `The market has fallen since it was asked for: its stop would begin at ₩${trigger}, where its floor ₩${floor} lets it sell nothing. Nothing was sent.`;
    expect(report).toMatchObject({ outcome: "not_sent", state: "lapsed", plan: { why } });
  });

  it("ends when the worst case has grown by more than an approval may drift", async () => {
    const asked = await create(STOP);
    market.quotes(108, 109);
    await market.pass(500);
    const report = await yesTo(server, asked);
    expect(report).toMatchObject({ state: "lapsed", plan: { why: expect.stringContaining("approval_drift_pct") } });
  });

  it("ends when trading is halted", async () => {
    const asked = await create(STOP);
    const { id, digest } = await askedAbout(server, asked);
    await market.during(server.desk.halt("a test", "a person"));
    expect(await server.plans.approve(id, "pin", digest)).toMatchObject({ outcome: "not_sent", state: "lapsed" });
  });

  it("ends with a no, and is told", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP));
    expect(await unwrap(server.plans.deny(id))).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect((await server.plans.approve(id, "pin", digest)).state).toBe("denied");
    expect((await unwrap(server.plans.deny(id))).warnings).toEqual([expect.stringContaining("does not wait")]);
    expect(await told()).toEqual(["plan.ended"]);
  });

  it("is withdrawn by whoever asked", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP));
    expect(await server.plans.change(id, "resume", "assistant")).toMatchObject({ error: { field: "action" } });
    expect(await server.plans.change(id, "cancel", "assistant")).toMatchObject({
      outcome: "accepted",
      state: "canceled",
    });
    expect((await server.plans.approve(id, "pin", digest)).state).toBe("canceled");
  });

  it("is one of thirty at most, and of the account alone", async () => {
    const { id, digest } = await askedAbout(server, await create({ ...WEEKLY, quote_amount: "50001" }));
    policy.value = ok({ ...ASKING, plans: { ...ASKING.plans, maxPlans: 100 } });
    for (let more = 2; more <= 30; more++) await create({ ...WEEKLY, quote_amount: String(50_000 + more) });
    const flood = await create({ ...WEEKLY, quote_amount: "60000" });
    expect(flood).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Not approved" } });
    const stranger = await market.process({ policy, scope: "elsewhere" });
    expect((await stranger.plans.approve(id, "pin", digest)).error?.code).toBe("ELocal:Unknown plan");
  });
});

describe("an answer out of a client", () => {
  const sealed = async (request: PlanRequest, session?: string) => {
    const { id, digest } = await askedAbout(server, await create(request, session));
    return { id, digest, seal: await unwrap(server.plans.sealApproval(id, digest, { create: request }, session)) };
  };
  beforeEach(() => {
    policy.value = ok({ ...ASKING, approveBy: ["client"] });
  });

  it("begins the plan with a yes to the call that asked, as it asked", async () => {
    const { seal } = await sealed({ ...STOP, stop_price: "-5%" }, "caller/1");
    const answer = { seal, said: "yes", session: "caller/2" } as const;
    const other = await server.plans.answerApproval({ ...answer, request: { create: STOP } });
    expect(other.error?.code).toBe("ELocal:Approval mismatch");
    const request = { create: { ...STOP, stop_price: "-5%" } };
    const stranger = await server.plans.answerApproval({ ...answer, request, session: "another" });
    expect(stranger.error?.code).toBe("ELocal:Approval mismatch");
    expect(await server.plans.answerApproval({ ...answer, request })).toMatchObject({ state: "active" });
  });

  it("counts for nothing without the seal, nor with that of another question", async () => {
    const { seal } = await sealed(STOP);
    const request = { create: STOP };
    expect((await server.plans.answerApproval({ seal: "nonsense", said: "yes", request })).outcome).toBe("not_sent");
    const other = await server.plans.answerApproval({ seal, said: "yes", request: { create: WEEKLY } });
    expect(other.error?.code).toBe("ELocal:Approval mismatch");
    expect(await unwrap(server.plans.pending())).toHaveLength(1);
  });

  it("ends it with a no, and leaves it waiting where it is none", async () => {
    const { id, seal } = await sealed(STOP);
    const answer = { seal, request: { create: STOP } };
    const dismissed = await server.plans.answerApproval({ ...answer, said: "dismissed" });
    expect(dismissed.warnings).toEqual([expect.stringContaining("still waits")]);
    expect((await server.plans.answerApproval({ ...answer, said: "sent" })).state).toBe("awaiting_approval");
    const declined = await server.plans.answerApproval({ ...answer, said: "no" });
    expect(declined).toMatchObject({ outcome: "not_sent", state: "denied", plan: { plan_id: id } });
    const withdrawn = await sealed(WEEKLY);
    const gone = { seal: withdrawn.seal, request: { create: WEEKLY }, said: "withdrawn" } as const;
    expect((await server.plans.answerApproval(gone)).state).toBe("lapsed");
  });

  it("is sealed for nobody else, and not where the file takes no such answer", async () => {
    const { id, digest } = await askedAbout(server, await create(STOP, "caller"));
    const request = { create: STOP };
    expect((await server.plans.sealApproval(id, digest, request, "other")).ok).toBe(false);
    expect((await server.plans.sealApproval(id, digest, { create: WEEKLY }, "caller")).ok).toBe(false);
    expect((await server.plans.sealApproval(id, "0", request, "caller")).ok).toBe(false);
    policy.value = ok(ASKING);
    const taken = await server.plans.sealApproval(id, digest, request, "caller");
    expect(taken.ok).toBe(ASKING.approveBy.includes("client"));
  });
});
