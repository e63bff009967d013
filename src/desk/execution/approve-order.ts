/**
 * Approval by a person, given where the model cannot, and bound to exactly one intent.
 *
 * Invariants:
 * - An approval is consumed by the one move `awaiting_approval → approved`; a second one finds it used. That move compares the digest
 *   that the person was shown with the one that waits, in its transaction: a yes counts for what was read, never for a later question.
 * - A passkey's yes is a signature over the digest of the terms, verified here, and kept with the approval.
 * - Nothing that a client sends back is trusted by itself: the seal names the intent, the journal holds the terms, and the arguments
 *   of the call have to describe that very order.
 * - An explicit no ends it, whoever brings it: that only takes risk away. What is no answer ends nothing.
 *
 * Source: architecture.md#rule-2.
 */
import { defined, type Fault, failed, faultKind, localFault, ok, type Result } from "../../contract/index.ts";
import { matchesDigest } from "../approval/approval-digest.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import { isSameAsker } from "../approval/asker.ts";
import { passkeyFault } from "../approval/passkey-yes.ts";
import { type PendingApprovals, pendingOrders, type WhyEnded } from "../approval/pending-approvals.ts";
import { DECLINED, takesAnswer, unansweredLines } from "../approval/persons-answer.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { ApprovalAnswer, AskedBy } from "../model/approval-request.ts";
import type { ApprovalTerms, ApprovalWay, IntentBody, IntentRecord, PasskeyAssertion } from "../model/intent.ts";
import { orderDigest } from "../model/order-body.ts";
import { approvalRequest, beforeSending, deniedOrder, intentReport } from "../model/order-report.ts";
import { asksFor } from "../model/replaced-order.ts";
import type { PendingView, WriteReport } from "../model/reports.ts";
import { holderOf } from "../reconciliation/lease.ts";
import { isNameOf } from "../reconciliation/moved-order.ts";
import { denialOf } from "../risk/pre-trade-check.ts";
import { type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import { withOldNow } from "./replaced-order.ts";
import type { SubmitOrder } from "./submit-order.ts";
import { userrefFault } from "./userref-check.ts";
import { withdrawal, withdrawnFault } from "./withdrawn.ts";

/** An intent that waits, with the terms it waits on. */
interface Waiting {
  readonly intent: IntentRecord;
  readonly terms: ApprovalTerms;
}

export class ApproveOrder {
  readonly #context: DeskContext;
  readonly #assessment: AssessOrderParts;
  readonly #submission: SubmitOrder;
  readonly #pending: PendingApprovals<IntentRecord>;

  constructor(context: DeskContext, assessment: AssessOrderParts, submission: SubmitOrder) {
    this.#context = context;
    this.#assessment = assessment;
    this.#submission = submission;
    this.#pending = pendingOrders(context);
  }

  async pending(): Promise<Result<PendingView>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await this.#pending.list();
    if (!found.ok) return found;
    const pending = found.value.flatMap((intent) => {
      const request = approvalRequest(intent);
      const { approval } = intent.body;
      if (request === undefined || approval === undefined) return [];
      return [{ ...request, digest: approval.digest, warnings: approval.warnings ?? [] }];
    });
    return ok({ pending, ...this.#context.stamp() });
  }

  /** @param shown digest of the question that the person has read @param assertion of a passkey, over that digest */
  async approve(
    intentId: string,
    way: ApprovalWay,
    shown: string,
    assertion?: PasskeyAssertion,
    withdrawn?: AbortSignal,
  ): Promise<WriteReport> {
    const waiting = await this.#waiting(intentId);
    if (!waiting.ok) return this.#denied(waiting.fault);
    if (!("terms" in waiting.value)) return this.#tooLate(waiting.value.intent);
    const { intent, terms } = waiting.value;
    const { clock, journal } = this.#context.parts;
    const approvedAtMs = clock.now();
    if (!matchesDigest(intent, shown)) return this.#denied(mismatch("The order is not the one that was asked about."));
    const yes = { way, assertion, digest: shown, id: intentId, account: intent.account };
    const noYes = await passkeyFault(this.#context, yes);
    if (noYes !== undefined) return this.#keepsWaiting(intent, noYes);
    // The yes may have counted already, in a journal that this one is an older copy of.
    const taken = await userrefFault(this.#context, intent.body.order);
    if (taken !== undefined)
      return taken.code === "ELocal:Userref in use" ? this.#lapsed(intent, taken) : this.#keepsWaiting(intent, taken);
    const approval = { ...terms, approvedBy: way, approvedAtMs, ...defined({ assertion }) };
    const body: IntentBody = { ...intent.body, ...holderOf(this.#context), approval };
    const assessment = await assessOrder(this.#assessment, body);
    // An order that cannot be assessed, or is denied by what may change again, keeps waiting: the person may try once more.
    if (!assessment.ok && isReplacedGone(intent, assessment.fault)) return this.#lapsed(intent, assessment.fault);
    if (!assessment.ok) return this.#keepsWaiting(intent, assessment.fault);
    const { policy, verdict } = assessment.value;
    const lapse = approvalLapse(terms, policy, assessment.value, approvedAtMs);
    if (lapse !== undefined) return this.#lapsed(intent, lapse);
    if (!policy.approveBy.includes(way)) return this.#keepsWaiting(intent, notAccepted(way));
    const refusal = denialOf(verdict, policy);
    if (refusal !== undefined) return this.#keepsWaiting(intent, refusal);
    const unwanted = withdrawal(withdrawn);
    if (unwanted !== undefined) return this.#lapsed(intent, unwanted);
    // It may have ended meanwhile, and been asked for again: what waits then is another question under the same id.
    const ifStill = (before: IntentRecord): boolean => before.body.approval?.digest === shown;
    const change = { from: ["awaiting_approval"], to: "approved", ifStill, body } as const;
    const moved = await journal.advance(intentId, change, approvedAtMs);
    if (!moved.ok) return this.#keepsWaiting(intent, moved.fault);
    if (moved.value === undefined) return this.#tooLate(intent);
    const request = { requestedAtMs: approvedAtMs, withdrawn };
    const sent = await this.#submission.submit(moved.value, request, assessment.value);
    return intentReport(this.#context.stamp(), sent.intent, sent.warnings);
  }

  /** @returns a fault where the denial could not be stored: then it has no effect */
  async deny(
    intentId: string,
    why: WhyEnded = { message: "A person has denied this order. Nothing was sent." },
  ): Promise<Result<WriteReport>> {
    const waiting = await this.#waiting(intentId);
    if (!waiting.ok) return failed(beforeSending(waiting.fault));
    if (!("terms" in waiting.value)) return this.#answeredMeanwhile(waiting.value.intent);
    const ended = await this.#pending.end(waiting.value.intent, "denied", why);
    return ended.ok ? ok(await this.#report(ended.value)) : ended;
  }

  /** Withdraws a waiting order on its owner's request. @returns undefined when it was answered meanwhile */
  async withdraw(intent: IntentRecord): Promise<WriteReport | undefined> {
    const ended = await this.#pending.end(intent, "lapsed", {
      message: "The order was withdrawn before anybody approved it. Nothing was sent.",
    });
    if (!ended.ok) return this.#keepsWaiting(intent, ended.fault);
    if (ended.value.state !== "lapsed") return undefined;
    const { error: _withdrawn, next_action: _placeAgain, ...report } = intentReport(this.#context.stamp(), ended.value);
    return report;
  }

  /**
   * Seals an approval request that travels through the client.
   * @param shown digest of the question that is put: what waits has to be that one, as another may have taken its place
   * @param request the call that will carry the answer; nothing is sealed for a call whose answer would not count
   * @param session the one that would be asked: of an order that another asked for, nothing is sealed either
   * @param asked `page`: the call comes back when the person was sent there, and brings no answer whatever it says
   */
  async seal(
    intentId: string,
    shown: string,
    request?: ApprovalAnswer["request"],
    session?: string,
    asked: AskedBy = "form",
  ): Promise<Result<string>> {
    const waiting = await this.#waiting(intentId);
    if (!waiting.ok) return waiting;
    if (!("terms" in waiting.value)) return failed(notApproved("This order does not wait for approval."));
    const { intent, terms } = waiting.value;
    if (!matchesDigest(intent, shown))
      return failed(mismatch("The order that waits is not the one that is asked about."));
    const policy = this.#context.parts.policy.read();
    if (!policy.ok) return policy;
    if (!takesAnswer(policy.value.approveBy, asked))
      return failed(notAccepted(asked === "form" ? "client" : "console"));
    // It may wait under another userref, as the duplicate of this request.
    if (request !== undefined && !(await this.#describes(request, intent)))
      return failed(mismatch("The call asks for another order than the one that waits."));
    const { digest, askedIn } = terms;
    if (askedIn !== session) return failed(mismatch("Another session asked for this order."));
    return this.#context.parts.seal.sign(JSON.stringify({ intentId, digest, askedIn, asked }));
  }

  /** An answer that came back through the client. */
  async answer({ seal, said: given, request, session }: ApprovalAnswer, withdrawn?: AbortSignal): Promise<WriteReport> {
    const opened = await this.#context.parts.seal.open(seal);
    if (!opened.ok) return this.#denied(opened.fault);
    const named = opened.value === undefined ? undefined : sealedIntent(opened.value);
    if (named === undefined)
      return this.#denied(mismatch("The answer does not carry the seal of a question asked here."));
    const waiting = await this.#waiting(named.intentId);
    if (!waiting.ok) return this.#denied(waiting.fault);
    const { intent } = waiting.value;
    if (!matchesDigest(intent, named.digest) || !(await this.#describes(request, intent)))
      return this.#denied(mismatch("The call asks for another order than the one that was asked about."));
    if (session !== undefined && !isSameAsker(session, intent.body.approval?.askedIn))
      return this.#denied(mismatch("The answer comes from another session than the one that was asked."));
    if (given === "withdrawn" && "terms" in waiting.value) return this.#lapsed(intent, withdrawnFault());
    const said = named.asked === "form" ? given : "sent";
    if (said === "sent" || said === "withdrawn") return this.#asItIs(intent);
    if (said === "yes") return this.approve(intent.intentId, "client", named.digest, undefined, withdrawn);
    const { account, intentId } = intent;
    const step = { event: "approval_declined", account, intentId, detail: { answer: said } };
    const warnings = await recordStep(this.#context, step);
    if (said === "no") return this.#declined(intent, warnings);
    const isWaiting = "terms" in waiting.value;
    const how = `To withdraw it, use cancel_order with userref ${intent.userref}.`;
    return intentReport(this.#context.stamp(), intent, [...warnings, ...(isWaiting ? unansweredLines(said, how) : [])]);
  }

  /** What waits goes on waiting; what was answered meanwhile is reported with what became of it. */
  async #asItIs(intent: IntentRecord): Promise<WriteReport> {
    if (intent.state === "awaiting_approval") return this.#report(intent);
    const step = await this.#submission.reportExisting(intent);
    return this.#report(step.intent);
  }

  /** The person's no, out of the client's form. */
  async #declined(intent: IntentRecord, warnings: readonly string[]): Promise<WriteReport> {
    const denied = await this.deny(intent.intentId, DECLINED);
    if (denied.ok) return { ...denied.value, warnings: [...warnings, ...denied.value.warnings] };
    const { fault } = denied;
    return this.#keepsWaiting(intent, { ...fault, message: `The no could not be recorded. ${fault.message}` });
  }

  /** Whether the arguments of a call describe the order of this intent, field by field. */
  async #describes(request: ApprovalAnswer["request"], intent: IntentRecord): Promise<boolean> {
    const { replaces } = intent.body;
    if ("replace" in request) {
      const { replace } = request;
      if (replaces === undefined || asksFor(replace, replaces)) return replaces !== undefined;
      // By the name of an order that was moved, and whose place this one took.
      const { orderId } = replaces;
      return asksFor({ ...replace, orderId }, replaces) && isNameOf(this.#context, intent.account, replace, orderId);
    }
    if (replaces !== undefined) return false;
    if ("draft_id" in request) {
      const draft = await this.#context.parts.journal.byId(request.draft_id);
      return draft.ok && draft.value?.account === intent.account && draft.value.body.digest === intent.body.digest;
    }
    const body = await buildOrder(this.#context, { ...request, userref: request.userref ?? intent.userref });
    if (!body.ok) return false;
    const { account, environment } = { account: intent.account, environment: intent.body.environment };
    return orderDigest(body.value.order, account, environment) === intent.body.digest;
  }

  /** The intent of this account, with its terms while it waits. */
  async #waiting(intentId: string): Promise<Result<Waiting | { readonly intent: IntentRecord }>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await this.#context.parts.journal.byId(intentId);
    if (!found.ok) return found;
    if (found.value?.account !== account.value || found.value.body.approval === undefined)
      return failed(localFault("ELocal:Unknown order", { message: "No order with this id waits for approval." }));
    const intent = await this.#pending.expireIfDue(found.value);
    return ok(intent.state === "awaiting_approval" ? { intent, terms: intent.body.approval } : { intent });
  }

  /** It was answered meanwhile, or has ended: the report says how it is now. */
  async #answeredMeanwhile({ intentId }: IntentRecord): Promise<Result<WriteReport>> {
    const now = await this.#context.parts.journal.byId(intentId);
    if (!now.ok || now.value === undefined)
      return failed(notApproved("This order does not wait for approval any more."));
    return ok(await this.#currentReport(now.value));
  }

  async #currentReport(intent: IntentRecord): Promise<WriteReport> {
    const step = await this.#submission.reportExisting(intent);
    const warning = "This order does not wait for approval any more; nothing was sent now.";
    return this.#report(step.intent, [warning]);
  }

  /** The approval came after another answer. */
  async #tooLate(intent: IntentRecord): Promise<WriteReport> {
    const found = await this.#answeredMeanwhile(intent);
    if (found.ok) return found.value;
    const { intentId: intent_id, userref } = intent;
    const next_action = `Look with get_order, userref ${userref}.`;
    return { ...this.#denied(found.fault), outcome: "unknown", state: "unknown", intent_id, userref, next_action };
  }

  async #lapsed(intent: IntentRecord, fault: Fault): Promise<WriteReport> {
    const ended = await this.#pending.lapse(intent, fault);
    return ended.ok ? this.#report(ended.value) : this.#keepsWaiting(intent, ended.fault);
  }

  async #report(intent: IntentRecord, warnings: readonly string[] = []): Promise<WriteReport> {
    return intentReport(this.#context.stamp(), await withOldNow(this.#context, intent), warnings);
  }

  /** The order keeps waiting, unless it was answered meanwhile. */
  async #keepsWaiting(intent: IntentRecord, fault: Fault): Promise<WriteReport> {
    const now = await this.#context.parts.journal.byId(intent.intentId);
    if (now.ok && now.value !== undefined && now.value.state !== "awaiting_approval")
      return this.#currentReport(now.value);
    const { state: _unchanged, ...refusal } = this.#denied(fault);
    return { ...intentReport(this.#context.stamp(), intent), ...refusal };
  }

  #denied(fault: Fault): WriteReport {
    return deniedOrder(this.#context.stamp(), fault);
  }
}

/** The order that it was to replace has ended, and will never be open again. */
function isReplacedGone({ body }: IntentRecord, { code }: Fault): boolean {
  return body.replaces !== undefined && faultKind(code) === "closed";
}

function notApproved(message: string): Fault {
  return localFault("ELocal:Not approved", { message });
}

function notAccepted(way: ApprovalWay | "console"): Fault {
  return notApproved(`The policy does not take approval by ${way} (approve_by).`);
}

function mismatch(message: string): Fault {
  return localFault("ELocal:Approval mismatch", { message: `${message} Nothing was sent.` });
}

/** Only what `seal` wrote is ever opened, so its form is known. */
function sealedIntent(
  text: string,
): { readonly intentId: string; readonly digest: string; readonly asked: unknown } | undefined {
  const { intentId, digest, asked } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return typeof intentId === "string" && typeof digest === "string" ? { intentId, digest, asked } : undefined;
}
