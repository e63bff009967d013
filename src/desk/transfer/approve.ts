/**
 * A person's yes to a transfer, given where the model cannot reach, and bound to exactly one.
 *
 * Invariants: as for orders. An approval is consumed by the one move `awaiting_approval → approved`; nothing that a client sends back
 * is believed by itself; an explicit no ends it, and what is no answer ends nothing.
 *
 * Source: architecture.md#rule-2; decisions 0008 and 0016.
 */
import { defined, type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { isSameAsker } from "../approval/asker.ts";
import { passkeyFault } from "../approval/passkey-yes.ts";
import { type WhyEnded, whyOf } from "../approval/pending-approvals.ts";
import { DECLINED, takesAnswer, unansweredLines } from "../approval/persons-answer.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import { withdrawal, withdrawnFault } from "../execution/withdrawn.ts";
import type { AskedBy } from "../model/approval-request.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/intent.ts";
import { beforeSending } from "../model/order-report.ts";
import type { TransferBody, TransferRecord, TransferTerms } from "../model/transfer.ts";
import type { PendingTransfer, TransferAnswer, TransferReport, TransferRequest } from "../model/transfer-reports.ts";
import { termsDigest } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { holderOf } from "../reconciliation/lease.ts";
import type { ExecuteTransfer } from "./execute.ts";
import { pendingTransfers } from "./pending-approvals.ts";
import { type TransferRiskCheck, transferFaultOf } from "./risk-check.ts";
import type { SubmitTransfer } from "./submit.ts";
import { deniedTransfer, queryToolFor, transferApprovalRequest, transferReport } from "./transfer-report.ts";

interface Waiting {
  readonly transfer: TransferRecord;
  readonly terms: TransferTerms;
}

export interface ApproveTransferParts {
  readonly context: DeskContext;
  readonly transfers: TransferParts;
  readonly riskCheck: TransferRiskCheck;
  readonly execution: ExecuteTransfer;
  readonly submission: SubmitTransfer;
}

export class ApproveTransfer {
  readonly #context: DeskContext;
  readonly #parts: ApproveTransferParts;

  constructor(parts: ApproveTransferParts) {
    this.#context = parts.context;
    this.#parts = parts;
  }

  async pending(): Promise<Result<readonly PendingTransfer[]>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await pendingTransfers(this.#context, this.#parts.transfers).list();
    if (!found.ok) return found;
    return ok(
      found.value.flatMap((transfer) => {
        const asked = transferApprovalRequest(transfer);
        const { approval, task } = transfer.body;
        return asked === undefined || approval === undefined ? [] : [{ asked, task, digest: approval.digest }];
      }),
    );
  }

  /** @param shown digest of the question that the person has read @param assertion of a passkey, over that digest */
  async approve(
    transferId: string,
    way: ApprovalWay,
    shown: string,
    assertion?: PasskeyAssertion,
    withdrawn?: AbortSignal,
  ): Promise<TransferReport> {
    const waiting = await this.#waiting(transferId);
    if (!waiting.ok) return this.#denied(undefined, waiting.fault);
    if (!("terms" in waiting.value)) return this.#tooLate(waiting.value.transfer);
    const { transfer, terms } = waiting.value;
    if (!isWhole(transfer, shown)) return this.#denied(transfer, mismatch("It is not the one that was asked about."));
    const yes = { way, assertion, digest: terms.digest, id: transferId, account: transfer.account };
    const noYes = await passkeyFault(this.#context, yes);
    if (noYes !== undefined) return this.#keepsWaiting(transfer, noYes);
    const approvedAtMs = this.#context.parts.clock.now();
    const approval = { ...terms, approvedBy: way, approvedAtMs, ...defined({ assertion }) };
    const body: TransferBody = { ...transfer.body, ...holderOf(this.#context), approval };
    const assessment = await this.#parts.riskCheck.assess(body);
    // What cannot be assessed, or is denied by what may change again, keeps waiting: the person may try once more.
    if (!assessment.ok) return this.#keepsWaiting(transfer, assessment.fault);
    const { policy, verdict } = assessment.value;
    if (policy?.approveBy.includes(way) === false) return this.#keepsWaiting(transfer, notTaken(way));
    const lapse = this.#parts.riskCheck.lapse(body, policy);
    if (lapse !== undefined) return this.#lapsed(transfer, lapse);
    const refusal = transferFaultOf(verdict);
    if (refusal !== undefined) return this.#keepsWaiting(transfer, refusal);
    const unwanted = withdrawal(withdrawn);
    if (unwanted !== undefined) return this.#lapsed(transfer, unwanted);
    const ifStill = (before: TransferRecord): boolean => before.body.approval?.digest === shown;
    const change = {
      from: ["awaiting_approval"],
      to: "approved",
      ifStill,
      body,
      detail: { approved_by: way, ...(assertion && { approval: { digest: shown, assertion } }) },
    } as const;
    const moved = await this.#parts.transfers.journal.advance(transferId, change, approvedAtMs);
    if (!moved.ok) return this.#keepsWaiting(transfer, moved.fault);
    if (moved.value === undefined) return this.#tooLate(transfer);
    const request = { requestedAtMs: approvedAtMs, withdrawn };
    const sent = await this.#parts.submission.submit(moved.value, request, assessment.value);
    return transferReport(this.#context.stamp(), sent.transfer, sent.warnings);
  }

  /** @returns a fault where the no could not be written down: then it does not stand */
  async deny(
    transferId: string,
    why: WhyEnded = { message: "A person has denied it. Nothing was sent." },
  ): Promise<Result<TransferReport>> {
    const waiting = await this.#waiting(transferId);
    if (!waiting.ok) return failed(beforeSending(waiting.fault));
    if (!("terms" in waiting.value)) return this.#answeredMeanwhile(waiting.value.transfer);
    return this.#end(waiting.value.transfer, "denied", why);
  }

  /** Seals a question about what waits to the call that is to bring the answer. @param shown digest of the question that is put */
  async seal(
    transferId: string,
    shown: string,
    request: TransferRequest,
    session?: string,
    asked: AskedBy = "form",
  ): Promise<Result<string>> {
    const waiting = await this.#waiting(transferId);
    if (!waiting.ok) return waiting;
    if (!("terms" in waiting.value)) return failed(notApproved("It does not wait for approval."));
    const { transfer, terms } = waiting.value;
    if (!isWhole(transfer, shown)) return failed(mismatch("What waits is not what is asked about."));
    const policy = this.#context.parts.policy.read();
    if (!policy.ok) return policy;
    if (!takesAnswer(policy.value.approveBy, asked)) return failed(notTaken(asked === "form" ? "client" : "console"));
    if (!(await this.#parts.execution.isRequestFor(request, transfer)))
      return failed(mismatch("The call asks for something else."));
    const { digest, askedIn } = terms;
    if (askedIn !== session) return failed(mismatch("Another session asked for it."));
    const sealed = JSON.stringify({ transferId, digest, askedIn, asked });
    return this.#context.parts.seal.sign(sealed);
  }

  /** An answer that came back through the client. */
  async answer(
    { seal, said: given, request, session }: TransferAnswer,
    withdrawn?: AbortSignal,
  ): Promise<TransferReport> {
    const { kind } = request;
    const opened = await this.#context.parts.seal.open(seal);
    if (!opened.ok) return this.#refused(kind, opened.fault);
    const named = opened.value === undefined ? undefined : sealedTransfer(opened.value);
    if (named === undefined)
      return this.#refused(kind, mismatch("The answer does not carry the seal of a question asked here."));
    const waiting = await this.#waiting(named.transferId);
    if (!waiting.ok) return this.#refused(kind, waiting.fault);
    const { transfer } = waiting.value;
    // Of what has ended the terms cannot be told any more, and nothing can be approved.
    const isMeant = !("terms" in waiting.value) || isWhole(transfer, named.digest);
    if (!isMeant || !(await this.#parts.execution.isRequestFor(request, transfer)))
      return this.#refused(kind, mismatch("The call asks for something else than what was asked about."));
    if (session !== undefined && !isSameAsker(session, transfer.body.approval?.askedIn))
      return this.#refused(kind, mismatch("The answer comes from another session than the one that was asked."));
    if (given === "withdrawn" && "terms" in waiting.value) return this.#lapsed(transfer, withdrawnFault());
    const said = named.asked === "form" ? given : "sent";
    if (said === "sent" || said === "withdrawn") return this.#asItIs(transfer);
    if (said === "yes") return this.approve(named.transferId, "client", named.digest, undefined, withdrawn);
    const { account, transferId: intentId } = transfer;
    const step = { event: "approval_declined", account, intentId, detail: { draft: true, answer: said } };
    const warnings = await recordStep(this.#context, step);
    if (said === "no") return this.#declined(transfer, warnings);
    const isWaiting = "terms" in waiting.value;
    const deny = this.#context.terminal.command("deny", intentId);
    const how = `A person withdraws it on a terminal with \`${deny}\`. By itself it lapses with its quote.`;
    const told = isWaiting ? unansweredLines(said, how) : [];
    return transferReport(this.#context.stamp(), transfer, [...warnings, ...told]);
  }

  /** What waits goes on waiting; what was answered meanwhile is reported with what became of it. */
  async #asItIs(transfer: TransferRecord): Promise<TransferReport> {
    const { transfer: now } =
      transfer.state === "awaiting_approval" ? { transfer } : await this.#parts.submission.reportExisting(transfer);
    return transferReport(this.#context.stamp(), now);
  }

  /** The person's no, out of the client's form. */
  async #declined(transfer: TransferRecord, warnings: readonly string[]): Promise<TransferReport> {
    const denied = await this.deny(transfer.transferId, DECLINED);
    if (denied.ok) return { ...denied.value, warnings: [...warnings, ...denied.value.warnings] };
    const { fault } = denied;
    return this.#keepsWaiting(transfer, { ...fault, message: `The no could not be recorded. ${fault.message}` });
  }

  /** The transfer of this account, with its terms while it waits. */
  async #waiting(transferId: string): Promise<Result<Waiting | { readonly transfer: TransferRecord }>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await this.#parts.transfers.journal.byId(transferId);
    if (!found.ok) return found;
    if (found.value?.account !== account.value || found.value.body.approval === undefined)
      return failed(notApproved("Nothing with this id waits for approval."));
    const transfer = await pendingTransfers(this.#context, this.#parts.transfers).expireIfDue(found.value);
    const { approval: terms } = transfer.body;
    return ok(terms !== undefined && transfer.state === "awaiting_approval" ? { transfer, terms } : { transfer });
  }

  /** Somebody was faster, or it has ended: what was asked about stands as it stands. */
  async #answeredMeanwhile({ transferId }: TransferRecord): Promise<Result<TransferReport>> {
    const now = await this.#parts.transfers.journal.byId(transferId);
    if (!now.ok || now.value === undefined) return failed(notApproved("It does not wait for approval any more."));
    return ok(await this.#asItStands(now.value));
  }

  async #asItStands(transfer: TransferRecord): Promise<TransferReport> {
    const step = await this.#parts.submission.reportExisting(transfer);
    const warning = "It does not wait for approval any more; nothing was sent now.";
    return transferReport(this.#context.stamp(), step.transfer, [warning]);
  }

  /** A yes that found another answer. */
  async #tooLate(transfer: TransferRecord): Promise<TransferReport> {
    const found = await this.#answeredMeanwhile(transfer);
    if (found.ok) return found.value;
    const { transferId: transfer_id, body } = transfer;
    const next_action = `Look with ${queryToolFor(body.task.kind)}, transfer_id ${transfer_id}.`;
    return { ...this.#denied(transfer, found.fault), outcome: "unknown", state: "unknown", transfer_id, next_action };
  }

  async #end(transfer: TransferRecord, to: "denied" | "lapsed", why: WhyEnded): Promise<Result<TransferReport>> {
    const ended = await pendingTransfers(this.#context, this.#parts.transfers).end(transfer, to, why);
    return ended.ok ? ok(transferReport(this.#context.stamp(), ended.value)) : ended;
  }

  async #lapsed(transfer: TransferRecord, fault: Fault): Promise<TransferReport> {
    const ended = await pendingTransfers(this.#context, this.#parts.transfers).lapse(transfer, whyOf(fault));
    return ended.ok ? transferReport(this.#context.stamp(), ended.value) : this.#keepsWaiting(transfer, ended.fault);
  }

  /** Unless somebody else has answered meanwhile. */
  async #keepsWaiting(transfer: TransferRecord, fault: Fault): Promise<TransferReport> {
    const now = await this.#parts.transfers.journal.byId(transfer.transferId);
    if (now.ok && now.value !== undefined && now.value.state !== "awaiting_approval")
      return this.#asItStands(now.value);
    const { state: _itStill, ...refusal } = this.#denied(transfer, fault);
    return { ...transferReport(this.#context.stamp(), transfer), ...refusal };
  }

  #denied(transfer: TransferRecord | undefined, fault: Fault): TransferReport {
    return this.#refused(transfer?.body.task.kind ?? "confirm_payment", fault);
  }

  #refused(kind: TransferRequest["kind"], fault: Fault): TransferReport {
    return deniedTransfer(this.#context.stamp(), kind, fault);
  }
}

/** Whether the terms are the ones of this transfer as it stands, unchanged in any field. */
function isWhole(transfer: TransferRecord, digest: string): boolean {
  const { approval } = transfer.body;
  if (approval === undefined) return false;
  const { valueKrw, askedAtMs, expiresAtMs } = approval;
  return termsDigest(transfer, { valueKrw, askedAtMs, expiresAtMs }) === digest;
}

function notApproved(message: string): Fault {
  return localFault("ELocal:Not approved", { message, nextAction: "List what waits with `hoga pending`." });
}

function notTaken(way: ApprovalWay | "console"): Fault {
  return notApproved(`The policy does not take approval by ${way} (approve_by).`);
}

function mismatch(message: string): Fault {
  return localFault("ELocal:Approval mismatch", {
    message: `${message} Nothing was sent.`,
    nextAction: "Ask for it anew, so that a person sees exactly what would be sent.",
  });
}

/** Only what `seal` wrote is ever opened; one that was sealed for an order names no transfer. */
function sealedTransfer(
  text: string,
): { readonly transferId: string; readonly digest: string; readonly asked: unknown } | undefined {
  const { transferId, digest, asked } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return typeof transferId === "string" && typeof digest === "string" ? { transferId, digest, asked } : undefined;
}
