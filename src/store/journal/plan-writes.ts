/**
 * What is written of a plan, each in one transaction.
 *
 * Invariants: a claim finds the plan active, of the version that was judged, with no step under way and its end ahead, and trading not halted; then
 * the step is taken and its intent recorded under the step's own name. Else nothing is written. No plan becomes active while trading is halted.
 *
 * Source: decision 0105.
 */
import { defined } from "../../contract/index.ts";
import type {
  AdmitPlan,
  ClaimedStep,
  IntentRecord,
  LATELY_MS as LatelyMs,
  NewIntent,
  NewPlan,
  NewStep,
  PlanApproval,
  PlanBlock,
  PlanChange,
  PlanClaim,
  PlanRecord,
  PlanStanding,
  PlanState,
  StepSettlement,
  Written,
} from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { KillSwitchKeeper } from "../safety/kill-switch.ts";
import { type Bindable, numberCell, type Statements, together, type Work } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";
import { INTENTS, usageIn } from "./order-journal.ts";
import { isFinal, type PlanEvent, PlanRows, planOf, STEP_COLUMNS, stepOf } from "./plan-rows.ts";
import { LATE_PLANS, OPEN_PLANS } from "./plan-stops.ts";
import { SubmissionRows } from "./submission-rows.ts";

export const OF_ACTIVE = `SELECT ${STEP_COLUMNS} FROM plan_steps JOIN plans ON plans.plan_id = plan_steps.plan_id
  WHERE plan_steps.account = ? AND plan_steps.state = 'planned' AND plans.state = 'active'`;
const PLANNED = `${OF_ACTIVE} AND plans.plan_id <> ?`;
const PLANNED_OF = "SELECT step FROM plan_steps WHERE plan_id = ? AND state = 'planned'";
const PROTECTING = `plan_id IN (SELECT plan_id FROM plans
  WHERE account = ? AND protects = 1 AND ended_at_ms IS NULL AND plan_id <> ?) ORDER BY rowid`;
const IS_LIVE = "SELECT 1 AS found FROM intents WHERE intent_id = ? AND held_live = 1";
const HAS_CHILD = "SELECT 1 AS found FROM intents WHERE plan_id = ? AND plan_step = ?";
const ACKNOWLEDGE = "UPDATE intents SET unacknowledged = 0 WHERE intent_id = ? AND unacknowledged = 1";

const LATELY_MS: typeof LatelyMs = 600_000;

const CHANGED: { readonly blocked: PlanBlock } = { blocked: "changed" };

export interface PlanPenParts {
  readonly audit: AuditWriter;
  readonly killSwitch: Pick<KillSwitchKeeper, "stateIn">;
}

/** Writes plans, inside a transaction. */
export class PlanPen<State extends string, Body> {
  readonly rows: PlanRows;
  readonly #intents: SubmissionRows<IntentRecord<State, Body>>;
  readonly #audit: AuditWriter;
  readonly #killSwitch: Pick<KillSwitchKeeper, "stateIn">;

  constructor(audit: AuditWriter, killSwitch: Pick<KillSwitchKeeper, "stateIn">) {
    this.rows = new PlanRows(audit);
    this.#intents = new SubmissionRows<IntentRecord<State, Body>>(INTENTS, audit);
    this.#audit = audit;
    this.#killSwitch = killSwitch;
  }

  children(statements: Statements, condition: string, values: readonly Bindable[]) {
    return this.#intents.all(statements, `${this.#intents.sql.select} WHERE ${condition}`, values);
  }

  *record<Refusal extends object>(
    statements: Statements,
    plan: NewPlan,
    admit: AdmitPlan<Refusal, State, Body>,
  ): Work<Written<PlanRecord, Refusal>> {
    const asked = { account: plan.account, planId: plan.planId, atMs: plan.createdAtMs };
    const against = yield* this.#judged(statements, asked, admit);
    if (against !== undefined) return against;
    if (plan.state === "active") {
      const inTheWay = yield* this.#replace(statements, plan, plan.createdAtMs);
      if (inTheWay !== undefined) return { blocked: inTheWay };
    }
    return { written: yield* this.rows.insert(statements, plan) };
  }

  *approve<Refusal extends object>(
    statements: Statements,
    approval: PlanApproval,
    admit: AdmitPlan<Refusal, State, Body>,
  ): Work<Written<PlanRecord, Refusal>> {
    const { planId, mandate, steps, exchangeMs, atMs } = approval;
    const before = yield* this.#current(statements, approval);
    if (before?.state !== "awaiting_approval") return CHANGED;
    if (mandate.bounds.untilMs <= exchangeMs) return { blocked: "ended" };
    if (mandate.bounds.account !== before.account)
      throw new StoreInvariantError("a mandate is for the account of its plan");
    const against = yield* this.#judged(statements, { account: before.account, planId, atMs }, admit);
    if (against !== undefined) return against;
    const inTheWay = yield* this.#replace(statements, before, atMs);
    if (inTheWay !== undefined) return { blocked: inTheWay };
    const { progress, notices, detail } = approval;
    const events = [{ event: "plan_approved", detail: { by: mandate.by, way: mandate.way, ...detail } }];
    const move = {
      to: "active",
      mandate,
      untilMs: mandate.bounds.untilMs,
      asked: null,
      events,
      notices,
      atMs,
    } as const;
    const after = yield* this.rows.move(statements, before, { ...move, ...defined({ progress }) });
    yield* this.rows.addSteps(statements, after, steps, atMs);
    return { written: after };
  }

  *claim(statements: Statements, claim: PlanClaim<State, Body>): Work<Written<ClaimedStep<State, Body>>> {
    const { planId, step, exchangeMs, atMs, trigger } = claim;
    const [plan, found, child, halt] = yield* together(
      this.#current(statements, claim),
      this.rows.step(statements, planId, step),
      statements.get(HAS_CHILD, [planId, step]),
      this.#killSwitch.stateIn(statements, atMs),
      this.#audit.prepare(statements),
    );
    if (plan?.state !== "active") return CHANGED;
    if (plan.mandate === null) throw new StoreInvariantError("no order comes of what nobody has approved");
    if (halt !== undefined) return { blocked: "halted" };
    if (plan.openStep !== null) return { blocked: "underway" };
    if (Math.min(plan.untilMs, plan.mandate.bounds.untilMs) <= exchangeMs) return { blocked: "ended" };
    if (child !== undefined || (found !== undefined && found.state !== "planned")) return { blocked: "taken" };
    if (found === undefined && claim.adds === undefined) throw new StoreInvariantError("a plan has no such step");
    const dueAtMs = found === undefined ? claim.adds?.dueAtMs : found.dueAtMs;
    if ((dueAtMs ?? exchangeMs) > exchangeMs) return { blocked: "early" };
    const intent = yield* this.#recordChild(statements, plan, claim);
    if (intent === undefined) return { blocked: "taken" };
    const adds: NewStep | undefined = found === undefined && claim.adds ? { ...claim.adds, step } : undefined;
    yield* this.rows.claimStep(statements, plan, { step, adds, intentId: intent.intentId, atMs });
    const { label } = found ?? { label: claim.adds?.label };
    const said = { step, label: label ?? undefined, intent_id: intent.intentId, userref: intent.userref };
    const triggered = trigger === undefined ? [] : [{ event: "plan_triggered", detail: trigger }];
    const events = [...triggered, { event: "plan_step_claimed", detail: { ...said, ...claim.detail } }];
    const move = { openStep: step, events, notices: claim.notices, atMs, ...defined({ progress: claim.progress }) };
    const after = yield* this.rows.move(statements, plan, move);
    const claimed = yield* this.rows.step(statements, planId, step);
    if (claimed === undefined) throw new StoreInvariantError("a step that was claimed is not there");
    return { written: { plan: after, step: claimed, intent } };
  }

  *#recordChild(
    statements: Statements,
    { planId, account }: PlanRecord,
    { step, intent, atMs }: PlanClaim<State, Body>,
  ): Work<IntentRecord<State, Body> | undefined> {
    const { intentId, userref, state, body, unit } = intent;
    const named = { userref, nonce: null, orderId: null, plan: { planId, step } };
    // Its type says that everything of an intent is here; what is generic of it keeps the compiler from seeing so.
    const child = { intentId, account, state, body, unit, createdAtMs: atMs, ...named } as NewIntent<State, Body>;
    const detail = { userref, nonce: null, body };
    return (yield* this.#intents.insert(statements, child, detail))?.before;
  }

  *settle(statements: Statements, settlement: StepSettlement): Work<Written<PlanRecord>> {
    const { planId, step, to, why, planTo, atMs } = settlement;
    const [plan, found] = yield* together(
      this.#current(statements, settlement),
      this.rows.step(statements, planId, step),
      this.#audit.prepare(statements),
    );
    if (plan === undefined || plan.openStep !== step || found === undefined || found.intentId === null) return CHANGED;
    const isOver = to !== "unknown";
    if (isOver && (yield* statements.get(IS_LIVE, [found.intentId])) !== undefined) return { blocked: "underway" };
    yield* this.rows.endStep(statements, found, { to, why, atMs });
    if (isOver) yield* statements.put(ACKNOWLEDGE, [found.intentId]);
    const said = { step, label: found.label ?? undefined, step_from: found.state, step_state: to, why };
    const ended = { event: "plan_step_ended", detail: { ...said, intent_id: found.intentId, ...settlement.detail } };
    const isMoved = planTo !== undefined && planTo !== plan.state;
    const events = isMoved ? [ended, { event: "plan_moved" }] : [ended];
    const openStep = isOver ? null : step;
    const { notices } = settlement;
    const move = { openStep, events, notices, atMs, ...defined({ to: planTo, progress: settlement.progress }) };
    return { written: yield* this.rows.move(statements, plan, move) };
  }

  *change<Refusal extends object>(
    statements: Statements,
    change: PlanChange,
    admit?: AdmitPlan<Refusal, State, Body>,
  ): Work<Written<PlanRecord, Refusal>> {
    const { planId, to, dropped, exchangeMs, atMs } = change;
    const before = yield* this.#current(statements, change);
    if (before === undefined || isFinal(before.state)) return CHANGED;
    if (to === "active") {
      if (before.state === "awaiting_approval") throw new StoreInvariantError("a plan that waits is approved");
      if (exchangeMs === undefined || before.untilMs <= exchangeMs) return { blocked: "ended" };
      const against = yield* this.#judged(statements, { account: before.account, planId, atMs }, admit);
      if (against !== undefined) return against;
    }
    if (to !== undefined && isFinal(to) && before.openStep !== null) return { blocked: "underway" };
    if (dropped !== undefined && !(yield* this.#drop(statements, before, { ...dropped, atMs })))
      return { blocked: "taken" };
    const { progress, notices } = change;
    const events = eventsOf({ ...change, to: to === before.state ? undefined : to });
    const move = { events, notices, atMs, ...defined({ to, asked: change.asked, progress }) };
    return { written: yield* this.rows.move(statements, before, move) };
  }

  /** @returns false where one of them is not planned any more; then nothing was written */
  *#drop(
    statements: Statements,
    { planId }: PlanRecord,
    { steps, to, why, atMs }: NonNullable<PlanChange["dropped"]> & { readonly atMs: number },
  ): Work<boolean> {
    const planned = new Set((yield* statements.all(PLANNED_OF, [planId])).map((row) => numberCell(row, "step")));
    if (!steps.every((step) => planned.has(step))) return false;
    for (const step of steps)
      yield* this.rows.endStep(statements, { planId, step, state: "planned" }, { to, why, atMs });
    return true;
  }

  /** The plan where it has the version that was judged. */
  *#current(
    statements: Statements,
    { planId, version }: { readonly planId: string; readonly version: number },
  ): Work<PlanRecord | undefined> {
    const plan = yield* this.rows.find(statements, planId);
    return plan?.version === version ? plan : undefined;
  }

  /** What keeps a plan from being active: a halt, or who admits it. */
  *#judged<Refusal extends object>(
    statements: Statements,
    { account, planId, atMs }: { readonly account: string; readonly planId: string; readonly atMs: number },
    admit: AdmitPlan<Refusal, State, Body> | undefined,
  ): Work<{ readonly blocked: PlanBlock } | { readonly refused: Refusal } | undefined> {
    if (admit === undefined) throw new StoreInvariantError("whether a plan may be active is asked");
    const standing = yield* this.#standing(statements, { account, planId, atMs });
    if (standing.usage.killSwitch !== undefined) return { blocked: "halted" };
    const refused = admit(standing);
    if (refused instanceof Promise) throw new StoreInvariantError("whether a plan may be active is said at once");
    return refused === undefined ? undefined : { refused };
  }

  *#standing(
    statements: Statements,
    { account, planId, atMs }: { readonly account: string; readonly planId: string; readonly atMs: number },
  ): Work<PlanStanding<State, Body>> {
    const [usage, open, planned, children, lately] = yield* together(
      usageIn(statements, this.#killSwitch, { account, atMs, exceptRow: undefined }),
      statements.all(OPEN_PLANS, [account]),
      statements.all(PLANNED, [account, planId]),
      this.children(statements, PROTECTING, [account, planId]),
      statements.all(LATE_PLANS, [account, atMs - LATELY_MS]),
      this.#audit.prepare(statements),
    );
    const others = open.map(planOf).filter((plan) => plan.planId !== planId);
    return { usage, open: others, planned: planned.map(stepOf), children, lately: lately.map(planOf) };
  }

  /** Ends the plan whose place this one takes. @returns why it cannot */
  *#replace(
    statements: Statements,
    { planId, account, replaces }: Pick<PlanRecord, "planId" | "account" | "replaces">,
    atMs: number,
  ): Work<PlanBlock | undefined> {
    if (replaces === null) return undefined;
    const old = yield* this.rows.find(statements, replaces);
    if (old === undefined || old.account !== account || old.state === "awaiting_approval" || isFinal(old.state))
      return "changed";
    if (old.openStep !== null) return "underway";
    const ended = {
      type: "plan.ended",
      key: String(old.version + 1),
      body: { state: "replaced", by: planId },
    } as const;
    const events = [{ event: "plan_moved", detail: { by_plan: planId } }];
    yield* this.rows.move(statements, old, { to: "replaced", events, notices: [ended], atMs });
    return undefined;
  }
}

/** What the log says of a change. */
function eventsOf({
  to,
  asked,
  trigger,
  dropped,
  detail,
}: Omit<PlanChange, "to"> & { readonly to: PlanState | undefined }): readonly PlanEvent[] {
  const events: PlanEvent[] = [];
  if (trigger !== undefined) events.push({ event: "plan_triggered", detail: trigger });
  if (dropped !== undefined) {
    const { steps, to: state, why } = dropped;
    events.push({ event: "plan_step_ended", detail: { steps, step_state: state, why } });
  }
  const takesAway = asked !== undefined && asked !== null && asked.action !== "resume";
  const moved = to === "denied" ? "plan_declined" : "plan_moved";
  const event = to !== undefined ? moved : takesAway ? "plan_removal_requested" : "plan_changed";
  return [...events, { event, detail: { ...defined({ asked }), ...detail } }];
}
