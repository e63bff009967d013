/**
 * Pauses, resumes and cancels a plan. An alert, and what may buy, is anybody's to stop; what takes a protection away by the word of the assistant waits for a
 * person, as does what starts a plan again where money may be real.
 *
 * Invariants: a change is of the plan as it is when it is written; what is done already is not done again; a plan that has ended stays as it is; one with an
 * order under way ends when that has, and sends nothing more.
 *
 * Source: decision 0108, decision 0110.
 */
import { defined, type Fault, localFault, ok, type Result } from "../../contract/index.ts";
import { hasExpired } from "../approval/approval-validity.ts";
import { missingPin } from "../approval/pin-needed.ts";
import { attempt } from "../core/attempt.ts";
import { clockAhead, type DeskContext, exchangeNow, type ReadingParts } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive, isUnsettled } from "../model/intent-state.ts";
import { isProtection, type PlanRecord } from "../model/plan.ts";
import type { PlanAction, PlanActor, PlanWriteReport } from "../model/plan-report.ts";
import { canPlanMove, isPlanEnded, type PlanState } from "../model/plan-state.ts";
import type { AuditDetail } from "../model/submission.ts";
import type { AdmitPlan, PlanBlock, PlanBook, PlanChange } from "../ports/plan-book.ts";
import { admissionFault } from "./plan-admission.ts";
import { changeQuestion } from "./plan-question.ts";
import type { PlanReports } from "./plan-reports.ts";
import { resumeCase } from "./plan-resume.ts";
import { floodOf, standingOf } from "./plan-standing.ts";
import { unknownPlan } from "./plan-view.ts";

const TO = { cancel: "canceled", pause: "paused", resume: "active" } as const satisfies Record<PlanAction, PlanState>;
const ACTIONS = ["resume", "pause", "cancel"] as const satisfies readonly PlanAction[];
const DONE = { cancel: "canceled", pause: "paused", resume: "started again" } as const;
const WHY = { cancel: "Canceled", pause: "Paused", resume: "Started again" } as const;
const NOTICE = { cancel: "plan.ended", pause: "plan.paused", resume: "plan.active" } as const;
/** Another process may change the plan between reading and writing it. */
const TRIES_MAX = 5;

/** Takes an order of a plan out of the market, and says no more than the exchange shows. */
export type CancelChild = (intent: IntentRecord, orderId: string) => Promise<unknown>;

interface Asked {
  readonly plan: PlanRecord;
  readonly action: PlanAction;
  readonly by: PlanActor;
  readonly session?: string | undefined;
  /** Goes into the log with it. */
  readonly detail?: AuditDetail;
}

/** `changed`: it has another version by now. */
type Outcome = { readonly written: PlanRecord } | { readonly fault: Fault } | "changed";

export class ChangePlan {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #reports: PlanReports;
  readonly #cancelChild: CancelChild;

  constructor(context: DeskContext, book: PlanBook, reports: PlanReports, cancelChild: CancelChild) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#reports = reports;
    this.#cancelChild = cancelChild;
  }

  /** @param session of the client that asks: its person alone may answer there */
  async change(planId: string, action: PlanAction, by: PlanActor, session?: string): Promise<PlanWriteReport> {
    const account = await this.#context.account();
    if (!account.ok) return this.#reports.refused(account.fault);
    for (let tries = 1; ; tries++) {
      const found = await this.#book.byId(planId);
      if (!found.ok) return this.#reports.refused(found.fault);
      const plan = found.value;
      if (plan === undefined || plan.account !== account.value) return this.#reports.refused(unknownPlan(planId));
      if (isDone(plan, action)) {
        if (endsWithOrder(plan)) await this.#takeBack(plan.planId);
        const already = `The plan is ${plan.state} already. Nothing was changed.`;
        return this.#reports.accepted(plan, [already, ...(await this.#ofEnding(plan))]);
      }
      const impossible = impossibleFault(plan, action);
      if (impossible !== undefined) return this.#reports.refused(impossible, plan);
      const asked = { plan, action, by, session };
      const why = by === "person" ? ok(undefined) : this.#whyAsked(plan, action);
      if (!why.ok) return this.#reports.refused(why.fault, plan);
      if (why.value !== undefined && isAsked(plan, action, this.#parts.clock.now()))
        return this.#reports.waiting(plan, ["A person is asked about it already; they are not asked twice."]);
      const outcome = await (why.value === undefined ? this.#write(asked) : this.#ask(asked, why.value));
      if (outcome === "changed" && tries < TRIES_MAX) continue;
      return this.#reported(outcome, asked, why.value !== undefined);
    }
  }

  /** A person has said yes to it: to the question of that digest. @param detail goes into the log with it */
  async approved(asked: PlanRecord, action: PlanAction, detail: AuditDetail): Promise<PlanWriteReport> {
    let plan = asked;
    for (let tries = 1; ; tries++) {
      const answered = { plan, action, by: "person", detail } as const;
      const impossible = impossibleFault(plan, action);
      if (impossible !== undefined) return this.#reports.refused(impossible, plan);
      const outcome = await this.#write(answered);
      if (outcome !== "changed" || tries === TRIES_MAX) return this.#reported(outcome, answered, false);
      const now = await this.#book.byId(plan.planId);
      if (!now.ok || now.value?.asked?.digest !== asked.asked?.digest) return this.#reported(outcome, answered, false);
      plan = now.value ?? plan;
    }
  }

  /** Ends those whose end was put off until their order had ended. @param open that have not ended */
  async finish(open: readonly PlanRecord[]): Promise<void> {
    for (const plan of open)
      if (plan.progress.ending === "canceled" && plan.openStep === null && canPlanMove(plan.state, "canceled"))
        await this.#put(this.#ended(plan));
  }

  async #reported(outcome: Outcome, { plan }: Asked, isWaiting: boolean): Promise<PlanWriteReport> {
    if (outcome === "changed") return this.#reports.refused(blockedFault("changed"), plan);
    if ("fault" in outcome) return this.#reports.refused(outcome.fault, plan);
    const { written } = outcome;
    if (isWaiting) return this.#reports.waiting(written);
    const rests = written.state === "paused" && written.openStep !== null && written.progress.ending === undefined;
    return this.#reports.accepted(
      written,
      rests
        ? ["An order of it is still under way: cancel that too, if it is not wanted."]
        : await this.#ofEnding(written),
    );
  }

  /** What is said of one that is to end, as long as its order may execute. */
  async #ofEnding(plan: PlanRecord): Promise<readonly string[]> {
    if (!endsWithOrder(plan)) return [];
    const children = await this.#book.children(plan.planId);
    const isGone = children.ok && !children.value.some(({ state }) => isLive(state) || isUnsettled(state));
    return isGone
      ? []
      : ["Its order may still be at the exchange: while a hoga server runs it is canceled again until it is gone."];
  }

  /** Once: whoever looks after plans goes on until the order is gone. */
  async #takeBack(planId: string): Promise<void> {
    await attempt(async () => ok(await takeBack(this.#book, this.#cancelChild, planId)));
  }

  /** Why a person is asked about the assistant's change; undefined where none is. */
  #whyAsked({ terms, state }: PlanRecord, action: PlanAction): Result<string | undefined> {
    if (terms.kind === "alert" || state === "awaiting_approval") return ok(undefined);
    if (action === "resume")
      return ok(this.#context.isPractice ? undefined : "a person starts a plan again where money may be real");
    if (!isProtection(terms)) return ok(undefined);
    const policy = this.#parts.policy.read();
    if (!policy.ok) return policy;
    return ok(
      policy.value.plans.stopRemoval === "ask" ? "it takes a protection away (stop_removal is ask)" : undefined,
    );
  }

  /** Nothing of the plan changes before a person has answered. */
  async #ask({ plan, action, session }: Asked, why: string): Promise<Outcome> {
    const noPin = await missingPin(this.#context);
    if (noPin !== undefined) return { fault: noPin };
    const policy = this.#parts.policy.read();
    if (!policy.ok) return policy;
    const standing = await standingOf(this.#context, this.#book, plan.account);
    if (!standing.ok) return standing;
    const flood = floodOf(standing.value.open.filter(({ planId }) => planId !== plan.planId));
    if (flood !== undefined) return { fault: flood };
    if (action === "resume") {
      const resumed = await resumeCase(this.#context, this.#book, plan);
      if (!resumed.ok) return resumed;
      const open = standing.value.open.filter(({ planId }) => planId !== plan.planId);
      const fault = admissionFault(resumed.value, { ...standing.value, open });
      if (fault !== undefined) return { fault };
    }
    const { clock } = this.#parts;
    const { planId, version } = plan;
    const askedAtMs = clock.now();
    const times = { askedAtMs, expiresAtMs: askedAtMs + policy.value.approvalTtlMs };
    const asked = changeQuestion(plan, action, { why, askedIn: session, ...times });
    const body = { state: plan.state, action, expires_at: new Date(times.expiresAtMs).toISOString() };
    const notices = [{ type: "plan.removal_requested", key: String(version + 1), body }] as const;
    return this.#put({
      ...{ planId, version, atMs: askedAtMs, asked, detail: { by: "assistant" } },
      ...(action !== "resume" && { notices }),
    });
  }

  async #write(asked: Asked): Promise<Outcome> {
    const { plan, action } = asked;
    if (action === "cancel" && plan.openStep !== null) return this.#endLater(asked);
    if (action !== "resume") return this.#put(this.#changeOf(asked));
    const change = { ...this.#changeOf(asked), exchangeMs: exchangeNow(this.#context) };
    // It counted as open before.
    if (plan.terms.kind === "alert") return this.#put(change, () => undefined);
    const resumed = await resumeCase(this.#context, this.#book, plan);
    if (!resumed.ok) return resumed;
    return this.#put(change, (standing) => {
      const fault = admissionFault(resumed.value, standing);
      return fault && { fault };
    });
  }

  async #put(change: PlanChange, admit?: AdmitPlan<{ readonly fault: Fault }>): Promise<Outcome> {
    const changed = await this.#book.change(change, admit);
    if (!changed.ok) return changed;
    if ("written" in changed.value) return changed.value;
    if ("refused" in changed.value) return changed.value.refused;
    const { blocked } = changed.value;
    return blocked === "changed" ? "changed" : { fault: blockedFault(blocked) };
  }

  /** Its order goes first; it sends nothing more meanwhile, and ends when that is gone. */
  async #endLater(asked: Asked): Promise<Outcome> {
    const { plan } = asked;
    const { why: _, told: __, ...kept } = plan.progress;
    const why = `${whyOf(asked)} It ends as soon as its order has.`;
    const isPaused = plan.state === "paused";
    const stopped = await this.#put({
      ...this.#writing(asked),
      progress: { ...kept, why, ending: "canceled" },
      ...(plan.state === "active" && { to: "paused" }),
      ...(!isPaused && { notices: [this.#noticeOf(plan, "plan.paused", { state: "paused", why })] }),
      ...(asked.by === "person" && { asked: null }),
    });
    if (stopped === "changed" || "fault" in stopped) return stopped;
    await this.#takeBack(plan.planId);
    const now = await this.#book.byId(plan.planId);
    const after = now.ok && now.value !== undefined ? now.value : stopped.written;
    if (after.openStep !== null || isPlanEnded(after.state)) return { written: after };
    const ended = await this.#put(this.#ended(after));
    return ended === "changed" || "fault" in ended ? { written: after } : ended;
  }

  #ended(plan: PlanRecord): PlanChange {
    const { planId, version } = plan;
    const body = { state: "canceled", why: plan.progress.why };
    return {
      ...{ planId, version, to: "canceled", atMs: this.#parts.clock.now() },
      notices: [this.#noticeOf(plan, "plan.ended", body)],
    };
  }

  #noticeOf({ version }: PlanRecord, type: "plan.paused" | "plan.ended", body: Record<string, string | undefined>) {
    return { type, key: String(version + 1), body };
  }

  #writing({ plan: { planId, version }, by, detail }: Asked) {
    return { planId, version, atMs: this.#parts.clock.now(), detail: { by, ...detail } };
  }

  #changeOf(asked: Asked): PlanChange {
    const { plan, action, by } = asked;
    const { why: _, told: __, attempts, ending: ___, denied: ____, aheadMs, ...kept } = plan.progress;
    const why = whyOf(asked);
    const stays = { ...kept, ...defined({ attempts, aheadMs }) };
    const again = { ...kept, sinceMs: this.#parts.clock.now(), ...clockAhead(this.#context) };
    return {
      ...{ ...this.#writing(asked), to: TO[action] },
      // Who starts it again starts its attempts again.
      progress: action === "resume" ? again : { ...stays, why },
      notices: [{ type: NOTICE[action], key: String(plan.version + 1), body: { state: TO[action], why } }],
      // A person's own change answers what they were asked.
      ...(by === "person" && plan.asked !== null && { asked: null }),
    };
  }
}

/** Takes the order that a plan has in the market out of it. One that the exchange has not shown yet cannot be named to it. */
export async function takeBack(book: PlanBook, cancelChild: CancelChild, planId: string): Promise<void> {
  const children = await book.children(planId);
  const resting = children.ok ? children.value.find(({ state }) => isLive(state)) : undefined;
  if (resting !== undefined && resting.orderId !== null) await cancelChild(resting, resting.orderId);
}

function whyOf({ action, by }: Pick<Asked, "action" | "by">): string {
  return `${WHY[action]} by ${by === "person" ? "a person" : "the assistant"}.`;
}

function endsWithOrder({ state, openStep, progress }: PlanRecord): boolean {
  return openStep !== null && progress.ending !== undefined && !isPlanEnded(state);
}

function isDone({ state, progress }: PlanRecord, action: PlanAction): boolean {
  return state === TO[action] || (action === "cancel" && progress.ending === "canceled" && !isPlanEnded(state));
}

function isAsked({ asked }: PlanRecord, action: PlanAction, nowMs: number): boolean {
  return asked?.action === action && !hasExpired(asked, nowMs);
}

/** What waits for a person's approval is started by that alone, and what ends with its order is not started again. */
function mayTake({ state, progress }: PlanRecord, action: PlanAction): boolean {
  if (action === "resume" && (state === "awaiting_approval" || progress.ending !== undefined)) return false;
  return canPlanMove(state, TO[action]);
}

function impossibleFault(plan: PlanRecord, action: PlanAction): Fault | undefined {
  const { planId, state, progress } = plan;
  if (isPlanEnded(state))
    return localFault("ELocal:Plan ended", {
      message: `Plan ${planId} has ended: it is ${state}. Nothing was changed.`,
    });
  if (mayTake(plan, action)) return undefined;
  const isEnding = progress.ending !== undefined;
  const waits = "waits for a person's approval";
  const stands = state === "awaiting_approval" ? waits : isEnding ? "ends with its order" : `is in ${state}`;
  const others = ACTIONS.filter((each) => mayTake(plan, each)).map((each) => DONE[each]);
  const fix = others.length === 0 ? "" : ` It can be ${others.join(" or ")}.`;
  return localFault("ELocal:Invalid input", {
    field: "action",
    message: `A plan that ${stands} cannot be ${DONE[action]}.${fix} Nothing was changed.`,
  });
}

function blockedFault(blocked: PlanBlock): Fault {
  switch (blocked) {
    case "halted":
      return localFault("ELocal:Trading halted", {
        message: "Trading is halted, so no plan begins. Nothing was changed.",
      });
    case "ended":
      return localFault("ELocal:Plan ended", { message: "The end of the plan has come. Nothing was changed." });
    case "changed":
    case "underway":
    case "early":
    case "taken":
      return localFault("ELocal:Store unavailable", {
        message: "The plan was changed by others meanwhile. Nothing was changed.",
        nextAction: "Look at the plan, and ask again.",
      });
    default:
      return blocked satisfies never;
  }
}
