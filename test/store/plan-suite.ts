/** What every store keeps of plans: of a step at most one order, of many processes one that wins, and nothing written where it may not be. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { PlanBook, PlanRecord, PlanState, StepState, Written } from "../../src/desk/index.ts";
import { userrefOfStep } from "../../src/desk/model/plan.ts";
import { canPlanMove, isPlanEnded, PLAN_MOVES } from "../../src/desk/model/plan-state.ts";
import { mandateFault } from "../../src/desk/risk/plan-in-force.ts";
import { engageKillSwitchFile, haltPathOf } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import {
  ALERT,
  approvalOf,
  claimOf,
  DAY_MS,
  EXCHANGE_MS,
  mandate,
  NOW_MS,
  newPlan,
  planIdOf,
  STOP,
  settled,
  TURNS,
  turn,
  UNTIL_MS,
} from "./plan.ts";
import type { Place, TestBody, TestStore } from "./store-suite.ts";

type Plans = PlanBook<string, TestBody>;

const admitAll = () => undefined;
const halt = { reason: "enough", by: "test", atMs: 5 };
const send = { from: ["ready"], to: "sent", nonce: "1", held: "1", unit: "KRW" as const };

/** What was written, which has to be something. */
export function written<T>(given: Written<T, object>): T {
  if ("written" in given) return given.written;
  throw new Error(`nothing was written: ${JSON.stringify(given)}`);
}

/** Active, with both of its turns. */
export async function activePlan(
  plans: Plans,
  n: number,
  more: Parameters<typeof newPlan>[1] = {},
): Promise<PlanRecord> {
  await unwrap(plans.record(newPlan(n, more), admitAll));
  return written(await unwrap(plans.approve(approvalOf(planIdOf(n)), admitAll)));
}

/** The first step of a plan is claimed, and its order is recorded. */
async function claimedPlan(plans: Plans, n: number): Promise<PlanRecord> {
  await activePlan(plans, n);
  return written(await unwrap(plans.claim(claimOf(planIdOf(n), 2)))).plan;
}

/** All that a write of a plan could change. */
async function contentOf(store: TestStore, planId: string): Promise<unknown> {
  return {
    plan: await unwrap(store.plans.byId(planId)),
    steps: await unwrap(store.plans.steps(planId, 500)),
    children: await unwrap(store.plans.children(planId)),
    log: (await unwrap(store.audit.recent({ limit: 1 })))[0]?.seq,
    told: await unwrap(store.notices.recent({ account: "main", sinceMs: 0, limit: 50 })),
  };
}

const events = async (store: TestStore, planId: string) =>
  (await unwrap(store.audit.recent({ intentId: planId, limit: 100 }))).map(({ event }) => event).reverse();

export function planCases({ store, database, workers }: Place): void {
  const plans = () => store().plans;

  it("gives back a plan as it was recorded, and its steps once it is approved", async () => {
    const recorded = written(await unwrap(plans().record(newPlan(1, { progress: { high: "7" } }), admitAll)));
    const { steps: _, notices: __, ...given } = newPlan(1, { progress: { high: "7" } });
    const counted = { version: 1, asked: null, openStep: null, endedAtMs: null, updatedAtMs: NOW_MS };
    expect(recorded).toEqual({ ...given, ...counted });
    expect(await unwrap(plans().byId(planIdOf(1)))).toEqual(recorded);
    expect(await unwrap(plans().byId("nobody"))).toBeUndefined();
    const later = mandate({ untilMs: UNTIL_MS - 5 });
    const approval = approvalOf(planIdOf(1), { mandate: later, atMs: NOW_MS + 1 });
    const approved = written(await unwrap(plans().approve(approval, admitAll)));
    const now = { state: "active", version: 2, mandate: later, untilMs: UNTIL_MS - 5, updatedAtMs: NOW_MS + 1 };
    expect(approved).toEqual({ ...recorded, ...now });
    const other = await database().open();
    expect(await unwrap(other.plans.byId(planIdOf(1)))).toEqual(approved);
    const steps = await unwrap(other.plans.steps(planIdOf(1), 9));
    expect(steps.map(({ step, state, label }) => [step, state, label])).toEqual([
      [2, "planned", "2026-01-02"],
      [1, "planned", "2026-01-01"],
    ]);
    expect(steps[1]).toMatchObject({ worstValue: "10000", unit: "KRW", dueAtMs: EXCHANGE_MS, volume: null, why: null });
    expect(await events(store(), planIdOf(1))).toEqual(["plan_recorded", "plan_approved"]);
    other.close();
  });

  it("shows who admits a plan what else the account has, and writes nothing where that refuses", async () => {
    await activePlan(plans(), 1);
    await unwrap(plans().record(newPlan(2, { terms: STOP }), admitAll));
    await unwrap(plans().approve(approvalOf(planIdOf(2), { steps: [] }), admitAll));
    const sold = { step: 1, adds: { symbol: "BTC/KRW", side: "sell", worstValue: "1", unit: "KRW" } } as const;
    await unwrap(plans().claim(claimOf(planIdOf(2), 2, sold)));
    await unwrap(plans().record(newPlan(3, { account: "another" }), admitAll));
    await unwrap(plans().record(newPlan(4), admitAll));
    const before = await contentOf(store(), planIdOf(4));
    const seen: unknown[] = [];
    const refusal = { rule: "plans" };
    const refused = await unwrap(
      plans().approve(approvalOf(planIdOf(4)), ({ usage, open, planned, children }) => {
        seen.push(
          usage.killSwitch,
          open.map(({ planId }) => planId),
        );
        seen.push(planned.map(({ planId, step }) => [planId, step]));
        seen.push(children.map(({ plan }) => plan));
        return refusal;
      }),
    );
    expect(refused).toEqual({ refused: refusal });
    expect(seen).toEqual([
      undefined,
      [planIdOf(1), planIdOf(2)],
      [
        [planIdOf(1), 1],
        [planIdOf(1), 2],
      ],
      [{ planId: planIdOf(2), step: 1 }],
    ]);
    expect(await contentOf(store(), planIdOf(4))).toEqual(before);
    expect(await unwrap(plans().record(newPlan(5), () => refusal))).toEqual({ refused: refusal });
    expect(await unwrap(plans().byId(planIdOf(5)))).toBeUndefined();
  });

  it("claims a step: its order is recorded under the step's own name, and the plan has one step under way", async () => {
    await activePlan(plans(), 1);
    const told = { type: "plan.triggered", key: "1", body: { step: 1 } } as const;
    const trigger = { first: { ask: "99" } };
    const more = { progress: { leg: "stop" as const }, notices: [told], trigger };
    const { plan, step, intent } = written(await unwrap(plans().claim(claimOf(planIdOf(1), 2, more))));
    expect(plan).toMatchObject({ state: "active", version: 3, openStep: 1, progress: { leg: "stop" } });
    expect(step).toMatchObject({ state: "claimed", intentId: intent.intentId, claimedAtMs: NOW_MS });
    const userref = userrefOfStep(planIdOf(1), 1);
    expect(userref).toBe("p-000000000001-0001");
    expect(intent).toMatchObject({ account: "main", state: "ready", userref, plan: { planId: planIdOf(1), step: 1 } });
    expect(await unwrap(store().journal.byUserref("main", userref))).toEqual(intent);
    expect(await unwrap(plans().children(planIdOf(1)))).toEqual([intent]);
    const said = ["plan_recorded", "plan_approved", "plan_triggered", "plan_step_claimed"];
    expect(await events(store(), planIdOf(1))).toEqual(said);
    const [child] = await unwrap(store().audit.recent({ intentId: intent.intentId, limit: 9 }));
    expect(child).toMatchObject({ event: "intent_recorded", detail: { plan_id: planIdOf(1), plan_step: 1 } });
    const [notice] = await unwrap(store().notices.recent({ account: "main", sinceMs: 0, limit: 9 }));
    expect(notice).toMatchObject({ ...told, planId: planIdOf(1), tries: 0, deliveredAtMs: null });
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });

  it.each([
    ["an older version was judged", "changed", { version: 1 }, async () => {}],
    ["its end has come by the exchange's clock", "ended", { exchangeMs: UNTIL_MS }, async () => {}],
    ["the step is not due by the exchange's clock", "early", { exchangeMs: EXCHANGE_MS - 1 }, async () => {}],
    ["the step was claimed", "underway", { version: 3 }, (at) => at.plans.claim(claimOf(planIdOf(1), 2))],
    [
      "another step is under way",
      "underway",
      { version: 3, step: 2, exchangeMs: EXCHANGE_MS + DAY_MS },
      (at) => at.plans.claim(claimOf(planIdOf(1), 2)),
    ],
    ["it was canceled", "changed", { version: 3 }, (at) => changed(at.plans, "canceled")],
    ["it stands still", "changed", { version: 3 }, (at) => changed(at.plans, "paused")],
    ["the step was missed", "taken", { version: 3 }, (at) => missed(at.plans)],
    [
      "the step's name is that of an order by hand",
      "taken",
      {},
      (at) => at.journal.record(newIntent("i", { userref: userrefOfStep(planIdOf(1), 1) })),
    ],
  ] satisfies [string, string, object, (at: TestStore) => Promise<unknown>][])(
    "writes nothing of a claim where %s",
    async (_, blocked, more, before) => {
      await activePlan(plans(), 1);
      await before(store());
      const content = await contentOf(store(), planIdOf(1));
      const claim = claimOf(planIdOf(1), 2, more);
      expect(await unwrap(plans().claim(claim))).toEqual({ blocked });
      expect(await contentOf(store(), planIdOf(1))).toEqual(content);
    },
  );

  it("is halted where only its directory is: nothing is claimed or begun, and the release pauses what is active still", async () => {
    await activePlan(plans(), 1);
    const { location } = database();
    const haltPath = "path" in location ? haltPathOf(location.path) : "haltPath" in location ? location.haltPath : "";
    engageKillSwitchFile(haltPath.replace(/\.brake$/, ""), halt);
    const content = await contentOf(store(), planIdOf(1));
    expect(content).toMatchObject({ plan: { state: "active" } });
    expect(await unwrap(plans().claim(claimOf(planIdOf(1), 2)))).toEqual({ blocked: "halted" });
    expect(await unwrap(plans().record(newPlan(2), admitAll))).toEqual({ blocked: "halted" });
    expect(await contentOf(store(), planIdOf(1))).toEqual(content);
    await unwrap(store().killSwitch.release());
    const paused = await unwrap(plans().byId(planIdOf(1)));
    expect(paused).toMatchObject({ state: "paused", version: 3, progress: { why: "Trading was halted." } });
    expect(await unwrap(plans().claim(claimOf(planIdOf(1), 3)))).toEqual({ blocked: "changed" });
  });

  it("is started by nobody while trading is halted", async () => {
    await activePlan(plans(), 1);
    await unwrap(store().killSwitch.engage(halt));
    const stopped = await unwrap(plans().byId(planIdOf(1)));
    const resumed = { planId: planIdOf(1), version: 3, to: "active", exchangeMs: EXCHANGE_MS, atMs: 9 } as const;
    expect(await unwrap(plans().change(resumed, admitAll))).toEqual({ blocked: "halted" });
    expect(await unwrap(plans().byId(planIdOf(1)))).toEqual(stopped);
  });

  it("lets one of four processes claim a step", async () => {
    const ids = Array.from({ length: 12 }, (_, n) => planIdOf(n + 1));
    for (const n of ids.keys()) await activePlan(plans(), n + 1);
    const job = { role: "claim-steps", location: database().location, planIds: ids, atMs: Date.now() + 2_000 } as const;
    const won = await workers().run<string[]>([job, job, job, job]);
    expect(won.flat().sort()).toEqual(ids);
    for (const planId of ids) {
      expect(await unwrap(plans().children(planId))).toHaveLength(1);
      expect(await unwrap(plans().byId(planId))).toMatchObject({ version: 3, openStep: 1 });
    }
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });

  it("leaves nothing of a claim whose process was killed inside", async () => {
    await activePlan(plans(), 1);
    const content = await contentOf(store(), planIdOf(1));
    const dying = workers().start({ role: "claim-and-die", location: database().location, planId: planIdOf(1) });
    await expect(dying.first).rejects.toThrow("SIGKILL");
    expect(await contentOf(store(), planIdOf(1))).toEqual(content);
    expect(await unwrap(plans().claim(claimOf(planIdOf(1), 2)))).toHaveProperty("written");
  });

  it.each([
    ["stands still", (at) => changed(at.plans, "paused", 3)],
    ["is halted", (at) => at.killSwitch.engage(halt).then(() => at.killSwitch.release())],
    ["has let the step go", (at) => at.plans.settleStep(settled(planIdOf(1), 3, { to: "nothing" }))],
  ] satisfies [string, (at: TestStore) => Promise<unknown>][])(
    "denies an order whose plan %s when its request is numbered",
    async (_, between) => {
      await claimedPlan(plans(), 1);
      const id = claimOf(planIdOf(1), 2).intent.intentId;
      await between(store());
      const denied = await unwrap(
        store().journal.begin(
          id,
          send,
          ({ plan }) => (plan === undefined ? undefined : mandateFault(plan, EXCHANGE_MS)),
          () => NOW_MS,
        ),
      );
      expect(denied).toMatchObject({ refused: { rule: "mandate" } });
      const careless = unwrap(store().journal.begin(id, send, admitAll, () => NOW_MS));
      await expect(careless).rejects.toThrow("an order was admitted of a plan that may not send it");
      expect(await unwrap(store().journal.byId(id))).toMatchObject({ state: "ready", sentAtMs: null });
    },
  );

  it("lets an order of a plan begin within its mandate, and tells its end by the exchange's clock", async () => {
    await claimedPlan(plans(), 1);
    const id = claimOf(planIdOf(1), 2).intent.intentId;
    const at = (exchangeMs: number) =>
      unwrap(
        store().journal.begin(
          id,
          send,
          ({ plan }) => (plan === undefined ? { rule: "none" } : mandateFault(plan, exchangeMs)),
          () => NOW_MS,
        ),
      );
    expect(await at(UNTIL_MS)).toMatchObject({ refused: { rule: "mandate", figure: "active" } });
    expect(await at(UNTIL_MS - 1)).toMatchObject({ begun: { state: "sent", plan: { step: 1 } } });
  });

  it("ends a step when its order has ended, not before, and then takes the next", async () => {
    await claimedPlan(plans(), 1);
    const id = claimOf(planIdOf(1), 2).intent.intentId;
    await unwrap(store().journal.begin(id, send, admitAll, () => NOW_MS));
    expect(await unwrap(plans().settleStep(settled(planIdOf(1), 3)))).toEqual({ blocked: "underway" });
    const unsure = written(
      await unwrap(plans().settleStep(settled(planIdOf(1), 3, { to: "unknown", why: "no answer" }))),
    );
    expect(unsure).toMatchObject({ version: 4, openStep: 1 });
    expect(await unwrap(plans().claim(claimOf(planIdOf(1), 4, { step: 2 })))).toEqual({ blocked: "underway" });
    const filled = { from: ["sent"], to: "filled", orderId: "o1", hold: { value: "1", isLive: false } };
    await unwrap(store().journal.advance(id, filled, NOW_MS));
    expect(await unwrap(store().journal.unresolvedOrUnacknowledged("main", [], 9))).toHaveLength(1);
    expect(await unwrap(plans().settleStep(settled(planIdOf(1), 3)))).toEqual({ blocked: "changed" });
    const done = { type: "plan.step_done", key: "1", body: {} } as const;
    const over = written(await unwrap(plans().settleStep(settled(planIdOf(1), 4, { notices: [done] }))));
    expect(over).toMatchObject({ state: "active", version: 5, openStep: null });
    expect(await unwrap(store().journal.unresolvedOrUnacknowledged("main", [], 9))).toEqual([]);
    expect((await unwrap(plans().steps(planIdOf(1), 9)))[1]).toMatchObject({ step: 1, state: "done", why: null });
    expect(await unwrap(plans().settleStep(settled(planIdOf(1), 5)))).toEqual({ blocked: "changed" });
    const next = claimOf(planIdOf(1), 5, { step: 2, exchangeMs: EXCHANGE_MS + DAY_MS });
    expect(await unwrap(plans().claim(next))).toMatchObject({ written: { plan: { openStep: 2 } } });
    const last = settled(planIdOf(1), 6, { step: 2, to: "rejected", why: "no money", planTo: "done" });
    const ended = written(await unwrap(plans().settleStep(last)));
    expect(ended).toMatchObject({ state: "done", openStep: null, endedAtMs: NOW_MS });
    const said = (await events(store(), planIdOf(1))).slice(-3);
    expect(said).toEqual(["plan_step_claimed", "plan_step_ended", "plan_moved"]);
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });

  it("takes no step of a protection twice, whatever number it is given", async () => {
    await unwrap(plans().record(newPlan(1, { terms: STOP }), admitAll));
    await unwrap(plans().approve(approvalOf(planIdOf(1), { steps: [] }), admitAll));
    const adds = { symbol: "BTC/KRW", side: "sell", worstValue: "1", unit: "KRW", volume: "0.5" } as const;
    await unwrap(plans().claim(claimOf(planIdOf(1), 2, { adds })));
    await unwrap(plans().settleStep(settled(planIdOf(1), 3, { to: "denied" })));
    expect(await unwrap(plans().claim(claimOf(planIdOf(1), 4, { adds })))).toEqual({ blocked: "taken" });
    const next = written(await unwrap(plans().claim(claimOf(planIdOf(1), 4, { step: 2, adds }))));
    expect(next.step).toMatchObject({ step: 2, label: null, dueAtMs: null, volume: "0.5", state: "claimed" });
    const unknown = plans().claim(claimOf(planIdOf(1), 4, { step: 9 }));
    expect(await unwrap(unknown)).toEqual({ blocked: "changed" });
  });

  it("has one step of a turn's date", async () => {
    await unwrap(plans().record(newPlan(1), admitAll));
    const twice = approvalOf(planIdOf(1), {
      steps: [turn(1, EXCHANGE_MS), turn(2, EXCHANGE_MS, { label: "2026-01-01" })],
    });
    await expect(unwrap(plans().approve(twice, admitAll))).rejects.toMatchObject({ name: "StoreInvariantError" });
    expect(await unwrap(plans().byId(planIdOf(1)))).toMatchObject({ state: "awaiting_approval", version: 1 });
    expect(await unwrap(plans().steps(planIdOf(1), 9))).toEqual([]);
  });

  it("puts another in a plan's place in one transaction, unless its step is under way", async () => {
    await claimedPlan(plans(), 1);
    await unwrap(plans().record(newPlan(2, { replaces: planIdOf(1) }), admitAll));
    const approval = approvalOf(planIdOf(2));
    expect(await unwrap(plans().approve(approval, admitAll))).toEqual({ blocked: "underway" });
    await unwrap(plans().settleStep(settled(planIdOf(1), 3, { to: "nothing" })));
    expect(written(await unwrap(plans().approve(approval, admitAll)))).toMatchObject({ state: "active" });
    expect(await unwrap(plans().byId(planIdOf(1)))).toMatchObject({ state: "replaced", version: 5, endedAtMs: NOW_MS });
    const left = (await unwrap(plans().steps(planIdOf(1), 9))).map(({ state }) => state);
    expect(left).toEqual(["skipped", "nothing"]);
    const [told] = await unwrap(store().notices.recent({ account: "main", planId: planIdOf(1), sinceMs: 0, limit: 9 }));
    expect(told).toMatchObject({ type: "plan.ended", body: { state: "replaced", by: planIdOf(2) } });
    await unwrap(plans().record(newPlan(3, { replaces: planIdOf(1) }), admitAll));
    expect(await unwrap(plans().approve(approvalOf(planIdOf(3)), admitAll))).toEqual({ blocked: "changed" });
  });

  it("keeps a change that waits for a person, and drops what will not come", async () => {
    await activePlan(plans(), 1);
    const asked = { action: "cancel", digest: "d", askedAtMs: 1, expiresAtMs: 2, why: "It protects." } as const;
    const change = { planId: planIdOf(1), version: 2, atMs: NOW_MS } as const;
    const waiting = written(await unwrap(plans().change({ ...change, asked, detail: { by: "assistant" } })));
    expect(waiting).toMatchObject({ state: "active", version: 3, asked });
    const taken = { ...change, version: 3, asked: null, dropped: { steps: [1], to: "missed", why: "late" } } as const;
    expect(written(await unwrap(plans().change(taken)))).toMatchObject({ version: 4, asked: null });
    expect((await unwrap(plans().steps(planIdOf(1), 9)))[1]).toMatchObject({ state: "missed", why: "late" });
    const again = { ...taken, version: 4, dropped: { ...taken.dropped, steps: [2, 1] } };
    expect(await unwrap(plans().change(again))).toEqual({ blocked: "taken" });
    expect((await unwrap(plans().steps(planIdOf(1), 9)))[0]).toMatchObject({ step: 2, state: "planned" });
    const said = (await events(store(), planIdOf(1))).slice(2);
    expect(said).toEqual(["plan_removal_requested", "plan_step_ended", "plan_changed"]);
  });

  it("starts one again only while its end is ahead, and asks who admits it", async () => {
    await activePlan(plans(), 1);
    await unwrap(changed(plans(), "paused"));
    const resumed = { planId: planIdOf(1), version: 3, to: "active", atMs: NOW_MS } as const;
    expect(await unwrap(plans().change(resumed, admitAll))).toEqual({ blocked: "ended" });
    const late = { ...resumed, exchangeMs: UNTIL_MS };
    expect(await unwrap(plans().change(late, admitAll))).toEqual({ blocked: "ended" });
    const inTime = { ...resumed, exchangeMs: UNTIL_MS - 1 };
    expect(await unwrap(plans().change(inTime, () => ({ rule: "plans" })))).toEqual({ refused: { rule: "plans" } });
    await expect(unwrap(plans().change(inTime))).rejects.toThrow("whether a plan may be active is asked");
    expect(written(await unwrap(plans().change(inTime, admitAll)))).toMatchObject({ state: "active", version: 4 });
  });

  it("is stopped with everything else: what may buy stands still, what waits is taken back, what protects goes on", async () => {
    await activePlan(plans(), 1);
    await activePlan(plans(), 2, { terms: STOP });
    await unwrap(plans().record(newPlan(3), admitAll));
    await unwrap(plans().record(newPlan(4, { terms: ALERT, state: "active" }), admitAll));
    await activePlan(plans(), 5, { account: "main" });
    await unwrap(changed(plans(), "attention", 2, planIdOf(5)));
    const found = await unwrap(plans().pauseAll("main", "Everything was canceled.", NOW_MS));
    const ids = Object.entries(found).map(([how, some]) => [how, some.map(({ planId }: PlanRecord) => planId)]);
    expect(Object.fromEntries(ids)).toEqual({
      paused: [planIdOf(1)],
      withdrawn: [planIdOf(3)],
      kept: [planIdOf(2), planIdOf(4)],
    });
    const paused = await unwrap(plans().byId(planIdOf(1)));
    expect(paused).toMatchObject({ state: "paused", progress: { why: "Everything was canceled." } });
    expect(await unwrap(plans().byId(planIdOf(3)))).toMatchObject({ state: "canceled" });
    expect(await unwrap(plans().pauseAll("main", "again", NOW_MS))).toMatchObject({ paused: [], withdrawn: [] });
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });

  it("is paused by a halt in its transaction, whosever it is, and no release starts it again", async () => {
    await claimedPlan(plans(), 1);
    await unwrap(plans().record(newPlan(2, { account: "another" }), admitAll));
    await unwrap(plans().record(newPlan(3, { terms: ALERT, state: "active", account: "another" }), admitAll));
    await activePlan(plans(), 4);
    await unwrap(changed(plans(), "done", 2, planIdOf(4)));
    await unwrap(store().killSwitch.engage(halt));
    const states = async () => {
      const found = await Promise.all([1, 2, 3, 4].map((n) => unwrap(plans().byId(planIdOf(n)))));
      return found.map((plan) => plan?.state);
    };
    expect(await states()).toEqual(["paused", "lapsed", "paused", "done"]);
    expect(await unwrap(plans().byId(planIdOf(1)))).toMatchObject({
      openStep: 1,
      progress: { why: "Trading was halted." },
    });
    const told = await unwrap(store().notices.recent({ account: "another", sinceMs: 0, limit: 9 }));
    expect(told.map(({ type }) => type).sort()).toEqual(["plan.ended", "plan.paused"]);
    await unwrap(store().killSwitch.engage(halt));
    await unwrap(store().killSwitch.release());
    expect(await states()).toEqual(["paused", "lapsed", "paused", "done"]);
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });

  it("moves as the table says and no other way, after any history", async () => {
    const states = Object.keys(PLAN_MOVES) as PlanState[];
    const ends: StepState[] = ["done", "nothing", "rejected", "denied", "not_placed", "unknown", "planned"];
    const kinds = ["approve", "claim", "settle", "move", "move", "move"];
    const step = fc.record({
      kind: fc.constantFrom(...kinds),
      to: fc.constantFrom(...states),
      end: fc.constantFrom(...ends),
      isStale: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    });
    let round = 100;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        round += 1;
        const model = new PlainPlan(plans(), round);
        await unwrap(plans().record(newPlan(round), admitAll));
        for (const each of steps) await model.take(each);
        expect(await unwrap(plans().byId(planIdOf(round)))).toMatchObject(model.plan);
        expect(await unwrap(plans().children(planIdOf(round)))).toHaveLength(model.claims);
      }),
      { numRuns: 40 },
    );
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });
}

async function changed(plans: Plans, to: PlanState, version = 2, planId = planIdOf(1)) {
  return plans.change({ planId, version, to, atMs: NOW_MS });
}

async function missed(plans: Plans) {
  const dropped = { steps: [1], to: "missed", why: "late" } as const;
  return plans.change({ planId: planIdOf(1), version: 2, atMs: NOW_MS, dropped });
}

interface Drawn {
  readonly kind: string;
  readonly to: PlanState;
  readonly end: StepState;
  /** Judged by the version before. */
  readonly isStale: boolean;
}

/** The same history in the store and in a plain record: what the store takes is what this says, and the other way round. */
class PlainPlan {
  readonly #plans: Plans;
  readonly #planId: string;
  plan: Pick<PlanRecord, "state" | "version" | "openStep"> = { state: "awaiting_approval", version: 1, openStep: null };
  claims = 0;
  /** Of the step under way. */
  #step: StepState = "claimed";
  #next = 1;

  constructor(plans: Plans, n: number) {
    this.#plans = plans;
    this.#planId = planIdOf(n);
  }

  async take(drawn: Drawn): Promise<void> {
    const version = this.plan.version - (drawn.isStale ? 1 : 0);
    const isTaken = await this.#carriedOut(drawn, version);
    const isAllowed = !drawn.isStale && this.#allows(drawn);
    expect({ drawn, is: isTaken, plan: this.plan }).toEqual({ drawn, is: isAllowed, plan: this.plan });
    if (!isAllowed) return;
    this.plan = { ...this.plan, version: this.plan.version + 1 };
    this.#follow(drawn);
  }

  async #carriedOut({ kind, to, end }: Drawn, version: number): Promise<boolean> {
    const planId = this.#planId;
    const exchangeMs = EXCHANGE_MS + DAY_MS;
    const step = this.plan.openStep ?? 0;
    const adds = { symbol: "BTC/KRW", side: "buy", worstValue: "1", unit: "KRW" } as const;
    const claim = claimOf(planId, version, { step: this.#next, exchangeMs, ...(this.#next > 2 && { adds }) });
    try {
      const done: Written<unknown, object> =
        kind === "approve"
          ? await unwrap(this.#plans.approve(approvalOf(planId, { version, steps: TURNS }), admitAll))
          : kind === "claim"
            ? await unwrap(this.#plans.claim(claim))
            : kind === "settle"
              ? await unwrap(this.#plans.settleStep(settled(planId, version, { step, to: end })))
              : await unwrap(this.#plans.change({ planId, version, to, exchangeMs, atMs: NOW_MS }, admitAll));
      return "written" in done;
    } catch (error) {
      expect(error).toMatchObject({ name: "StoreInvariantError" });
      return false;
    }
  }

  #allows({ kind, to, end }: Drawn): boolean {
    const { state, openStep } = this.plan;
    switch (kind) {
      case "approve":
        return state === "awaiting_approval";
      case "claim":
        return state === "active" && openStep === null;
      case "settle":
        return (
          openStep !== null && end !== "planned" && !(this.#step === "unknown" && ["unknown", "denied"].includes(end))
        );
      default:
        // A yes has a way of its own; and what has a step under way ends when that has.
        if (state === "awaiting_approval" && to === "active") return false;
        if (to === state) return !isPlanEnded(state);
        return canPlanMove(state, to) && !(isPlanEnded(to) && openStep !== null);
    }
  }

  #follow({ kind, to, end }: Drawn): void {
    const open = this.plan.openStep;
    switch (kind) {
      case "approve":
        this.plan = { ...this.plan, state: "active" };
        break;
      case "claim":
        this.plan = { ...this.plan, openStep: this.#next };
        this.#step = "claimed";
        this.#next += 1;
        this.claims += 1;
        break;
      case "settle":
        this.plan = { ...this.plan, openStep: end === "unknown" ? open : null };
        this.#step = end;
        break;
      default:
        this.plan = { ...this.plan, state: to };
    }
  }
}
