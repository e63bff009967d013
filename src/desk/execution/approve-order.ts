/**
 * Approval: a person's yes, given where the model cannot reach, and bound to exactly one intent.
 *
 * Invariants:
 * - An approval is consumed by the one move `awaiting_approval → approved`; whoever comes second finds it used.
 * - Nothing that a client sends back is believed by itself: the seal names the intent, the journal holds the terms, and the
 *   arguments of the call have to ask for that very order.
 * - A no that comes through a client may be the client's own and not a person's, so it leaves the order waiting.
 *
 * Source: architecture.md#rule-2.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { matchesDigest } from "../approval/approval-digest.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import { endPending, expireIfDue, pendingApprovals } from "../approval/pending-approvals.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { ApprovalAnswer } from "../model/approval-request.ts";
import type { ApprovalTerms, ApprovalWay, IntentBody, IntentRecord } from "../model/intent.ts";
import { orderDigest } from "../model/order-body.ts";
import { approvalRequest, beforeSending, deniedOrder, intentReport } from "../model/order-report.ts";
import type { PendingView, WriteReport } from "../model/reports.ts";
import { denialOf } from "../risk/pre-trade-check.ts";
import { type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import type { SubmitOrder } from "./submit-order.ts";

/** An intent that waits, with the terms it waits on. */
interface Waiting {
  readonly intent: IntentRecord;
  readonly terms: ApprovalTerms;
}

export class ApproveOrder {
  readonly #context: DeskContext;
  readonly #assessment: AssessOrderParts;
  readonly #submission: SubmitOrder;

  constructor(context: DeskContext, assessment: AssessOrderParts, submission: SubmitOrder) {
    this.#context = context;
    this.#assessment = assessment;
    this.#submission = submission;
  }

  async pending(): Promise<Result<PendingView>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await pendingApprovals(this.#context);
    if (!found.ok) return found;
    const pending = found.value.flatMap((intent) => {
      const asked = approvalRequest(intent);
      const { approval } = intent.body;
      return asked === undefined || approval === undefined ? [] : [{ ...asked, digest: approval.digest }];
    });
    return ok({ pending, ...this.#context.stamp() });
  }

  /** @param shown digest of the question that the person has read */
  async approve(intentId: string, way: ApprovalWay, shown?: string): Promise<WriteReport> {
    const waiting = await this.#waiting(intentId);
    if (!waiting.ok) return this.#denied(waiting.fault);
    if (!("terms" in waiting.value)) return this.#tooLate(waiting.value.intent);
    const { intent, terms } = waiting.value;
    const { clock, journal } = this.#context.parts;
    const approvedAtMs = clock.now();
    if (!matchesDigest(intent, shown ?? terms.digest))
      return this.#denied(mismatch("The order is not the one that was asked about."));
    const body: IntentBody = { ...intent.body, approval: { ...terms, approvedBy: way, approvedAtMs } };
    const assessment = await assessOrder(this.#assessment, body);
    // What could not be judged, or is denied by what may change again, goes on waiting for a person who may try once more.
    if (!assessment.ok) return this.#goesOnWaiting(intent, assessment.fault);
    const { policy, verdict } = assessment.value;
    const lapse = approvalLapse(terms, policy, assessment.value, approvedAtMs);
    if (lapse !== undefined) return this.#lapsed(intent, lapse);
    if (!policy.approveBy.includes(way)) return this.#goesOnWaiting(intent, notTaken(way));
    const refusal = denialOf(verdict);
    if (refusal !== undefined) return this.#goesOnWaiting(intent, refusal);
    const change = { from: ["awaiting_approval"], to: "approved", body } as const;
    const moved = await journal.advance(intentId, change, approvedAtMs);
    if (!moved.ok) return this.#goesOnWaiting(intent, moved.fault);
    if (moved.value === undefined) return this.#tooLate(intent);
    const sent = await this.#submission.submit(moved.value, approvedAtMs, assessment.value);
    return intentReport(this.#context.stamp(), sent.intent, sent.warnings);
  }

  /** @returns a fault where the no could not be written down: then it does not stand */
  async deny(intentId: string): Promise<Result<WriteReport>> {
    const waiting = await this.#waiting(intentId);
    if (!waiting.ok) return failed(beforeSending(waiting.fault));
    if (!("terms" in waiting.value)) return this.#answeredBefore(waiting.value.intent);
    const ended = await endPending(
      this.#context,
      waiting.value.intent,
      "denied",
      "A person has denied this order. Nothing was sent.",
    );
    return ended.ok ? ok(intentReport(this.#context.stamp(), ended.value)) : ended;
  }

  /** Takes back what waits: its owner does not want it any more. @returns undefined when somebody was faster */
  async withdraw(intent: IntentRecord): Promise<WriteReport | undefined> {
    const ended = await endPending(
      this.#context,
      intent,
      "lapsed",
      "The order was withdrawn before anybody approved it. Nothing was sent.",
    );
    if (!ended.ok) return this.#goesOnWaiting(intent, ended.fault);
    if (ended.value.state !== "lapsed") return undefined;
    const { error: _withdrawn, next_action: _anew, ...report } = intentReport(this.#context.stamp(), ended.value);
    return report;
  }

  /**
   * Seals a question about what waits.
   * @param request the call that is to bring the answer; none is sealed to it whose answer would not count
   */
  async seal(intentId: string, request?: ApprovalAnswer["request"]): Promise<Result<string>> {
    const waiting = await this.#waiting(intentId);
    if (!waiting.ok) return waiting;
    if (!("terms" in waiting.value)) return failed(notApproved("This order does not wait for approval."));
    const { intent, terms } = waiting.value;
    const policy = this.#context.parts.policy.read();
    if (!policy.ok) return policy;
    if (!policy.value.approveBy.includes("client")) return failed(notTaken("client"));
    // It may wait under another name, as the twin of what was asked for now.
    if (request !== undefined && !(await this.#asksFor(request, intent)))
      return failed(mismatch("The call asks for another order than the one that waits."));
    const { digest } = terms;
    return this.#context.parts.seal.sign(JSON.stringify({ intentId, digest }));
  }

  /** An answer that came back through the client. */
  async answer({ seal, accepted, request }: ApprovalAnswer): Promise<WriteReport> {
    const opened = await this.#context.parts.seal.open(seal);
    if (!opened.ok) return this.#denied(opened.fault);
    const named = opened.value === undefined ? undefined : sealedIntent(opened.value);
    if (named === undefined)
      return this.#denied(mismatch("The answer does not carry the seal of a question asked here."));
    const waiting = await this.#waiting(named.intentId);
    if (!waiting.ok) return this.#denied(waiting.fault);
    const { intent } = waiting.value;
    if (!matchesDigest(intent, named.digest) || !(await this.#asksFor(request, intent)))
      return this.#denied(mismatch("The call asks for another order than the one that was asked about."));
    if (accepted) return this.approve(intent.intentId, "client", named.digest);
    const step = { event: "approval_declined", account: intent.account, intentId: intent.intentId, detail: {} };
    return intentReport(this.#context.stamp(), intent, await recordStep(this.#context, step));
  }

  /** Whether the arguments of a call ask for the order of this intent, field by field. */
  async #asksFor(request: ApprovalAnswer["request"], intent: IntentRecord): Promise<boolean> {
    if ("draft_id" in request) {
      const draft = await this.#context.parts.journal.byIntentId(request.draft_id);
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
    const found = await this.#context.parts.journal.byIntentId(intentId);
    if (!found.ok) return found;
    if (found.value?.account !== account.value || found.value.body.approval === undefined)
      return failed(localFault("ELocal:Unknown order", { message: "No order with this id waits for approval." }));
    const intent = await expireIfDue(this.#context, found.value);
    return ok(intent.state === "awaiting_approval" ? { intent, terms: intent.body.approval } : { intent });
  }

  /** Somebody was faster, or it has ended: what was asked about stands as it stands. */
  async #answeredBefore({ intentId }: IntentRecord): Promise<Result<WriteReport>> {
    const now = await this.#context.parts.journal.byIntentId(intentId);
    if (!now.ok || now.value === undefined)
      return failed(notApproved("This order does not wait for approval any more."));
    return ok(await this.#asItStands(now.value));
  }

  async #asItStands(intent: IntentRecord): Promise<WriteReport> {
    const step = await this.#submission.reportExisting(intent);
    const warning = "This order does not wait for approval any more; nothing was sent now.";
    return intentReport(this.#context.stamp(), step.intent, [warning]);
  }

  /** A yes that found another answer. */
  async #tooLate(intent: IntentRecord): Promise<WriteReport> {
    const found = await this.#answeredBefore(intent);
    if (found.ok) return found.value;
    const { intentId: intent_id, userref } = intent;
    const next_action = `Look with get_order, userref ${userref}.`;
    return { ...this.#denied(found.fault), outcome: "unknown", state: "unknown", intent_id, userref, next_action };
  }

  async #lapsed(intent: IntentRecord, fault: Fault): Promise<WriteReport> {
    const ended = await endPending(this.#context, intent, "lapsed", fault.message);
    return ended.ok ? intentReport(this.#context.stamp(), ended.value) : this.#goesOnWaiting(intent, ended.fault);
  }

  /** Unless somebody else has answered meanwhile. */
  async #goesOnWaiting(intent: IntentRecord, fault: Fault): Promise<WriteReport> {
    const now = await this.#context.parts.journal.byIntentId(intent.intentId);
    if (now.ok && now.value !== undefined && now.value.state !== "awaiting_approval")
      return this.#asItStands(now.value);
    const { state: _itStill, ...refusal } = this.#denied(fault);
    return { ...intentReport(this.#context.stamp(), intent), ...refusal };
  }

  #denied(fault: Fault): WriteReport {
    return deniedOrder(this.#context.stamp(), fault);
  }
}

function notApproved(message: string): Fault {
  return localFault("ELocal:Not approved", { message });
}

function notTaken(way: ApprovalWay): Fault {
  return notApproved(`The policy does not take approval by ${way} (approve_by).`);
}

function mismatch(message: string): Fault {
  return localFault("ELocal:Approval mismatch", { message: `${message} Nothing was sent.` });
}

/** Only what `seal` wrote is ever opened, so its form is known. */
function sealedIntent(text: string): { readonly intentId: string; readonly digest: string } | undefined {
  const { intentId, digest } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return typeof intentId === "string" && typeof digest === "string" ? { intentId, digest } : undefined;
}
