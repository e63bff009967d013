/**
 * A person's answer to what is asked about a plan: that it begins, or a change of it. Given where the model cannot, and bound to exactly one question.
 *
 * Invariants:
 * - A yes is to the question whose digest the person has read, and to the plan's version that was judged by it: of two one finds it used.
 * - What begins is judged as when it was made, in the transaction that makes it active; its bounds are those that were read, its steps those from now on.
 * - The worst case may not have grown by more than an approval may drift, and the market may not have reached the trigger, nor taken
 *   it below the floor: then the plan lapses.
 * - An explicit no ends the question, whoever brings it; what is no answer ends nothing, but that its time is over.
 *
 * Source: architecture.md#rule-2; decision 0110.
 */
import { defined, type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { formatAmount, inUnit, price } from "../../decimal/index.ts";
import { hasExpired } from "../approval/approval-validity.ts";
import { isSameAsker } from "../approval/asker.ts";
import { passkeyFault } from "../approval/passkey-yes.ts";
import { DECLINED, takesAnswer, unansweredLines } from "../approval/persons-answer.ts";
import { mismatch, notApproved, notTaken, openQuestion, sealQuestion } from "../approval/question-seal.ts";
import { clockAhead, type DeskContext, type ReadingParts, recordStep } from "../core/context.ts";
import type { AskedBy } from "../model/approval-request.ts";
import { beforeSending } from "../model/order-report.ts";
import {
  isAfterBuy,
  isProtection,
  type PlanAsked,
  type PlanRecord,
  type PlanShown,
  type PlanTerms,
} from "../model/plan.ts";
import type { PendingPlan, PlanAnswer, PlanAnswerRequest, PlanWriteReport } from "../model/plan-report.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/submission.ts";
import type { AdmitPlan, PlanApproval, PlanBook, PlanChange } from "../ports/plan-book.ts";
import type { ChangePlan } from "./change-plan.ts";
import { admissionFault } from "./plan-admission.ts";
import { endedInVain } from "./plan-buy.ts";
import { digestOf, firstProgress, mandateOf, requestDigest, stepsOf, worstOf } from "./plan-question.ts";
import type { PlanReports } from "./plan-reports.ts";
import { type PlanSurvey, subjectOfTerms, surveyOf, unpriced } from "./plan-survey.ts";
import { approvalRequestOf, isoTime, unknownPlan } from "./plan-view.ts";
import { isReached, stopInVain } from "./terms/protection-levels.ts";
import { hasGrown } from "./terms/worst-case.ts";

const THING = "plan";
/** The plan may be written meanwhile, as its high rises. */
const TRIES_MAX = 5;
const IN_VAIN = "Nobody approved this plan in time. Nothing was sent.";

/** A plan of this account, and what of it waits; without `asked` nothing does. */
interface Waiting {
  readonly plan: PlanRecord;
  readonly asked?: PlanAsked;
}

/** How a person said yes. */
interface PlanYes {
  readonly way: ApprovalWay;
  readonly assertion?: PasskeyAssertion | undefined;
}

/** What a yes is judged to do. `lapse` ends the question; `refusal` may change again, so it goes on waiting. */
type Judgement =
  | { readonly lapse: Fault }
  | { readonly refusal: Fault }
  | { readonly approval: PlanApproval; readonly admit: AdmitPlan<{ readonly fault: Fault }> };

export class PlanApprovals {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #reports: PlanReports;
  readonly #changing: ChangePlan;

  constructor(context: DeskContext, book: PlanBook, reports: PlanReports, changing: ChangePlan) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#reports = reports;
    this.#changing = changing;
  }

  /** What waits for a person, oldest first. */
  async pending(): Promise<Result<readonly PendingPlan[]>> {
    const open = await this.endOverdue();
    if (!open.ok) return open;
    const waiting: PendingPlan[] = [];
    for (const plan of open.value) {
      const request = approvalRequestOf(plan);
      const { asked } = plan;
      if (request === undefined || asked === null || this.#isOver(asked)) continue;
      const view = await this.#reports.shown(plan);
      const warnings = asked.shown?.warnings ?? [];
      if (!view.ok) return view;
      waiting.push({ asked: request, plan: view.value, digest: asked.digest, warnings });
    }
    return ok(waiting.sort((a, b) => (a.asked.asked_at < b.asked.asked_at ? -1 : 1)));
  }

  /** Ends the questions that nobody answered in time. @returns the plans as they were before that */
  async endOverdue(): Promise<Result<readonly PlanRecord[]>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const open = await this.#book.open(account.value);
    if (open.ok) await this.expire(open.value);
    return open;
  }

  /** As `endOverdue`, of plans that were read. @param open plans that have not ended */
  async expire(open: readonly PlanRecord[]): Promise<void> {
    for (const plan of open) if (plan.asked !== null && this.#isOver(plan.asked)) await this.#lapse(plan, IN_VAIN);
  }

  async approve(
    planId: string,
    way: ApprovalWay,
    shown: string,
    assertion?: PasskeyAssertion,
  ): Promise<PlanWriteReport> {
    const waiting = await this.#waiting(planId);
    if (!waiting.ok) return this.#reports.refused(waiting.fault);
    const { plan, asked } = waiting.value;
    if (asked === undefined) return this.#tooLate(plan);
    if (!isAskedAs(plan, asked, shown))
      return this.#reports.refused(mismatch("The plan is not the one that was asked about."), plan);
    const noYes = await passkeyFault(this.#context, {
      ...{ way, assertion, digest: shown, id: planId, account: plan.account },
    });
    if (noYes !== undefined) return this.#reports.refused(noYes, plan);
    const policy = this.#parts.policy.read();
    if (!policy.ok) return this.#reports.refused(policy.fault, plan);
    if (!policy.value.approveBy.includes(way)) return this.#reports.refused(notTaken(way), plan);
    const yes = { way, assertion };
    const { action } = asked;
    if (action !== "start")
      return this.#changing.approved(plan, action, { way, digest: shown, ...defined({ assertion }) });
    return this.#start(plan, asked, yes);
  }

  /** @returns a fault where the no could not be stored: then it has no effect */
  async deny(
    planId: string,
    message = "A person has denied this plan. Nothing was sent.",
  ): Promise<Result<PlanWriteReport>> {
    let digest: string | undefined;
    for (let tries = 1; ; tries++) {
      const waiting = await this.#waiting(planId);
      if (!waiting.ok) return failed(beforeSending(waiting.fault));
      const { plan, asked } = waiting.value;
      // Of a plan that goes on meanwhile it is the same question still; another was not answered.
      if (asked === undefined || (digest ?? asked.digest) !== asked.digest) return ok(await this.#tooLate(plan));
      digest = asked.digest;
      const ended = await this.#book.change(this.#ending(plan, asked, "denied", message));
      if (!ended.ok) return failed(beforeSending(ended.fault));
      if ("written" in ended.value) return ok(await this.#unanswered(ended.value.written, asked));
      if (tries === TRIES_MAX) return ok(await this.#tooLate(plan));
    }
  }

  /** Seals a question to the call that is to bring the answer, as `Approvals.seal` does for orders. */
  async seal(
    planId: string,
    shown: string,
    request: PlanAnswerRequest,
    session?: string,
    by: AskedBy = "form",
  ): Promise<Result<string>> {
    const waiting = await this.#waiting(planId);
    if (!waiting.ok) return waiting;
    const { plan, asked } = waiting.value;
    if (asked === undefined) return failed(notApproved("This plan does not wait for approval."));
    if (!isAskedAs(plan, asked, shown))
      return failed(mismatch("The plan that waits is not the one that is asked about."));
    const policy = this.#parts.policy.read();
    if (!policy.ok) return policy;
    if (!takesAnswer(policy.value.approveBy, by)) return failed(notTaken(by === "form" ? "client" : "console"));
    if (!describes(request, plan, asked))
      return failed(mismatch("The call asks for another plan than the one that waits."));
    const { digest, askedIn } = asked;
    if (askedIn !== session) return failed(mismatch("Another session asked for this plan."));
    return sealQuestion(this.#parts.seal, THING, { id: planId, digest, askedIn, asked: by });
  }

  async answer({ seal, said: given, request, session }: PlanAnswer): Promise<PlanWriteReport> {
    const opened = await openQuestion(this.#parts.seal, THING, seal);
    if (!opened.ok) return this.#reports.refused(opened.fault);
    const named = opened.value;
    if (named === undefined)
      return this.#reports.refused(mismatch("The answer does not carry the seal of a question asked here."));
    const waiting = await this.#waiting(named.id);
    if (!waiting.ok) return this.#reports.refused(waiting.fault);
    const { plan, asked } = waiting.value;
    if (asked === undefined) return this.#tooLate(plan);
    if (!isAskedAs(plan, asked, named.digest) || !describes(request, plan, asked))
      return this.#reports.refused(mismatch("The call asks for another plan than the one that was asked about."));
    if (session !== undefined && !isSameAsker(session, asked.askedIn))
      return this.#reports.refused(mismatch("The answer comes from another session than the one that was asked."));
    if (given === "withdrawn") return this.#lapsed(plan, "The question was withdrawn by the call that asked it.");
    const said = named.asked === "form" ? given : "sent";
    if (said === "sent") return this.#reports.asItIs(plan);
    if (said === "yes") return this.approve(named.id, "client", named.digest);
    const detail = { plan_id: plan.planId, answer: said };
    const warnings = await recordStep(this.#context, {
      ...{ event: "approval_declined", account: plan.account, intentId: plan.planId, detail },
    });
    if (said === "no") return this.#declined(plan, warnings);
    return this.#reports.asItIs(plan, [...warnings, ...unansweredLines(said, withdrawnBy(asked))]);
  }

  /** The person's no, out of the client's form. */
  async #declined(plan: PlanRecord, warnings: readonly string[]): Promise<PlanWriteReport> {
    const denied = await this.deny(plan.planId, DECLINED.message);
    if (denied.ok)
      return {
        ...denied.value,
        warnings: [...warnings, ...denied.value.warnings],
        ...defined({ next_action: DECLINED.nextAction }),
      };
    const { fault } = denied;
    return this.#reports.refused({ ...fault, message: `The no could not be recorded. ${fault.message}` }, plan);
  }

  async #start(plan: PlanRecord, asked: PlanAsked, yes: PlanYes): Promise<PlanWriteReport> {
    const judged = await this.#judged(plan, asked, yes);
    if ("lapse" in judged) return this.#lapsed(plan, judged.lapse.message);
    if ("refusal" in judged) return this.#reports.refused(judged.refusal, plan);
    const written = await this.#book.approve(judged.approval, judged.admit);
    if (!written.ok) return this.#reports.refused(written.fault, plan);
    if ("written" in written.value) return this.#reports.accepted(written.value.written);
    if ("refused" in written.value) {
      const { fault } = written.value.refused;
      return fault.code === "ELocal:Unknown plan" ? this.#inTheWay(plan) : this.#reports.refused(fault, plan);
    }
    const { blocked } = written.value;
    if (blocked === "ended") return this.#lapsed(plan, `Its end has come: ${isoTime(plan.untilMs)}. Nothing was sent.`);
    return blocked === "halted" ? this.#reports.refused(halted(), plan) : this.#inTheWay(plan);
  }

  /** It was changed meanwhile, or the one whose place it was to take was. */
  async #inTheWay({ planId, version }: PlanRecord): Promise<PlanWriteReport> {
    const now = await this.#waiting(planId);
    if (!now.ok) return this.#reports.refused(now.fault);
    const { plan, asked } = now.value;
    if (asked === undefined) return this.#tooLate(plan);
    const old = plan.replaces === null ? undefined : await this.#book.byId(plan.replaces);
    if (plan.version !== version || old === undefined || !old.ok || old.value?.endedAtMs === null)
      return this.#reports.refused(
        notApproved(
          "An order is under way, or the plan was changed, at this very moment. Nothing was sent; approve it again in a moment.",
        ),
        plan,
      );
    return this.#lapsed(plan, `Plan ${plan.replaces}, whose place it was to take, has ended. Nothing was sent.`);
  }

  async #judged(plan: PlanRecord, asked: PlanAsked, { way, assertion }: PlanYes): Promise<Judgement> {
    const { terms, planId, version, progress, replaces } = plan;
    const { shown, digest } = asked;
    if (shown === undefined) return { lapse: notApproved("It waits without what it was asked by. Nothing was sent.") };
    const surveyed = await surveyOf(this.#context, subjectOfTerms(terms));
    if (!surveyed.ok) return { refusal: surveyed.fault };
    const survey = surveyed.value;
    const { policy } = survey;
    const worst = worstOf({ terms, untilMs: plan.untilMs, survey });
    if (worst === undefined) return { refusal: unpriced(survey) };
    if (hasGrown(inUnit(shown.worstValue), worst.value, policy)) {
      const [then, now] = [inUnit(shown.worstValue), worst.value].map((sum) => formatAmount(sum, policy.unit));
      return {
        lapse: notApproved(
          `It comes to ${now} at worst now and came to ${then} when it was asked for: more than approval_drift_pct allows. Nothing was sent.`,
        ),
      };
    }
    const vain = await endedInVain(this.#context, terms);
    if (!vain.ok) return { refusal: vain.fault };
    if (vain.value !== undefined) return { lapse: notApproved(`${vain.value} Nothing was sent.`) };
    const overtaken = overtakenWhy(terms, survey, shown);
    if (overtaken !== undefined) return { lapse: notApproved(`${overtaken} Nothing was sent.`) };
    if (terms.kind === "recurring" && worst.steps.length === 0)
      return { lapse: notApproved("None of its turns is left. Nothing was sent.") };
    const atMs = this.#parts.clock.now();
    const mandate = mandateOf(shown, { by: "person", way, digest, approvedAtMs: atMs, assertion });
    return {
      approval: {
        ...{ planId, version, mandate, steps: stepsOf(terms, worst, survey), exchangeMs: survey.nowMs, atMs },
        progress: { ...progress, ...firstProgress(terms, survey), ...clockAhead(this.#context) },
        notices: [{ type: "plan.active", key: String(version + 1), body: { state: "active", by: "person" } }],
        detail: { digest },
      },
      admit: (standing) => {
        const fault = admissionFault({ terms, worst, survey, replaces }, standing);
        return fault && { fault };
      },
    };
  }

  /** The plan of this account, with what of it waits. */
  async #waiting(planId: string): Promise<Result<Waiting>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await this.#book.byId(planId);
    if (!found.ok) return found;
    const plan = found.value;
    if (plan?.account !== account.value) return failed(unknownPlan(planId));
    const { asked } = plan;
    if (asked === null) return ok({ plan });
    if (!this.#isOver(asked)) return ok({ plan, asked });
    const ended = await this.#lapse(plan, IN_VAIN);
    return ok({ plan: ended ?? plan });
  }

  #isOver(asked: PlanAsked): boolean {
    return hasExpired(asked, this.#parts.clock.now());
  }

  /** It was answered meanwhile, or has ended: the report says how it is now. */
  async #tooLate(plan: PlanRecord): Promise<PlanWriteReport> {
    return this.#reports.asItIs(plan, ["This plan does not wait for approval any more; nothing was changed now."]);
  }

  async #lapsed(plan: PlanRecord, message: string): Promise<PlanWriteReport> {
    const ended = await this.#lapse(plan, message);
    return ended === undefined
      ? this.#reports.refused(notApproved(message), plan)
      : this.#unanswered(ended, plan.asked, [message]);
  }

  /** A question has ended without a yes: what it asked to change is as it was. */
  async #unanswered(
    plan: PlanRecord,
    asked: PlanAsked | null,
    warnings: readonly string[] = [],
  ): Promise<PlanWriteReport> {
    const report = await this.#reports.asItIs(plan, warnings);
    return asked === null || asked.action === "start" ? report : { ...report, outcome: "not_sent" };
  }

  /** @returns undefined where somebody was faster, or it could not be written */
  async #lapse(plan: PlanRecord, message: string): Promise<PlanRecord | undefined> {
    if (plan.asked === null) return undefined;
    const ended = await this.#book.change(this.#ending(plan, plan.asked, "lapsed", message));
    return ended.ok && "written" in ended.value ? ended.value.written : undefined;
  }

  /** How a question ends without a yes: one that was to begin ends with it, one that was to be changed stays as it is. */
  #ending(
    { planId, version, progress }: PlanRecord,
    { action, digest }: PlanAsked,
    to: "denied" | "lapsed",
    why: string,
  ): PlanChange {
    const { clock } = this.#parts;
    const written = { planId, version, atMs: clock.now() };
    if (action !== "start") return { ...written, asked: null, detail: { [to]: action, digest } };
    const notice = { type: "plan.ended", key: String(version + 1), body: { state: to, why } } as const;
    return { ...written, to, progress: { ...progress, why }, notices: [notice], detail: { digest } };
  }
}

function halted(): Fault {
  return localFault("ELocal:Trading halted", { message: "Trading is halted, so no plan begins. Nothing was sent." });
}

function isAskedAs(plan: PlanRecord, asked: PlanAsked, digest: string): boolean {
  return asked.digest === digest && digestOf(plan, asked) === digest;
}

/** Whether the arguments of a call ask for this very thing. */
function describes(request: PlanAnswerRequest, { planId, terms }: PlanRecord, asked: PlanAsked): boolean {
  if ("create" in request) return asked.action === "start" && requestDigest(request.create) === terms.request;
  return request.change.plan_id === planId && request.change.action === asked.action;
}

/** What the market has done since it was asked for that leaves it nothing to wait for. One that begins with a buy has no price before. */
function overtakenWhy(
  terms: PlanTerms,
  { market, quotes, policy }: PlanSurvey,
  { bounds }: PlanShown,
): string | undefined {
  if (!isProtection(terms) || isAfterBuy(terms) || market === undefined) return undefined;
  if (isReached(terms, market, quotes))
    return "The market has reached the trigger since it was asked for: place an order, if it is still wanted.";
  const vain = stopInVain(terms, quotes.bid, { market, rules: policy.plans, priceMin: price(bounds.priceMin ?? "0") });
  if (vain === undefined) return undefined;
  const [trigger, floor] = [vain.trigger, vain.floor].map((at) => formatAmount(at, market.quote));
  return `The market has fallen since it was asked for: its stop would begin at ${trigger}, where its floor ${floor} lets it sell nothing.`;
}

function withdrawnBy({ action, expiresAtMs }: PlanAsked): string {
  const until = `it ends by itself at ${isoTime(expiresAtMs)}`;
  return action === "start"
    ? `Withdraw it with change_plan, action cancel, or leave it: ${until}.`
    : `Leave it: ${until}.`;
}
