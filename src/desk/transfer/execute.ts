/**
 * The way of a transfer up to its sending: build, duplicate guard, risk check, record. What was requested before is looked up, never sent again.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-2, architecture.md#rule-3; decision 0016.
 */
import { defined, type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { missingPin } from "../approval/pin-needed.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { TransferBody, TransferKind, TransferRecord, TransferTerms } from "../model/transfer.ts";
import type { TransferReport, TransferRequest } from "../model/transfer-reports.ts";
import { ENDED_UNDONE } from "../model/transfer-state.ts";
import {
  auditDetailOf,
  familyOf,
  isDuplicateTask,
  maskedTask,
  requestKeyOf,
  termsDigest,
} from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { holderOf } from "../reconciliation/lease.ts";
import type { Reconciler } from "../reconciliation/reconciler.ts";
import { tooManyWait } from "../submission/approve.ts";
import type { Duplicates } from "../submission/duplicates.ts";
import type { Request, SubmitOnce } from "../submission/submit.ts";
import { withdrawal } from "../submission/withdrawn.ts";
import { taskOf } from "./build-transfer.ts";
import { pendingTransfers } from "./pending-approvals.ts";
import { type TransferAssessment, type TransferRiskCheck, transferFaultOf } from "./risk-check.ts";
import { completedRequest, madeText } from "./transfer-kind.ts";
import type { Shown } from "./transfer-lookup.ts";
import { deniedTransfer, transferReport } from "./transfer-report.ts";

export interface ExecuteTransferParts {
  readonly context: DeskContext;
  readonly transfers: TransferParts;
  readonly riskCheck: TransferRiskCheck;
  readonly submission: SubmitOnce<TransferRecord, Shown, TransferAssessment>;
  readonly reconciler: Reconciler<TransferRecord, Shown>;
  readonly duplicates: Duplicates<TransferRecord, Shown>;
}

export class ExecuteTransfer {
  readonly #context: DeskContext;
  readonly #parts: ExecuteTransferParts;

  constructor(parts: ExecuteTransferParts) {
    this.#context = parts.context;
    this.#parts = parts;
  }

  /** @param askedIn session of the client that asks: its person alone may approve it there */
  async execute(given: TransferRequest, askedIn?: string, withdrawn?: AbortSignal): Promise<TransferReport> {
    const { kind } = given;
    const requestedAtMs = this.#context.parts.clock.now();
    const openAtRequest = await this.#parts.duplicates.openAtRequest();
    const asked = await completedRequest(this.#context, given);
    if (!asked.ok) return this.#denied(kind, asked.fault);
    const { request, digest } = asked.value;
    const existing = await this.#existing(request);
    if (!existing.ok) return this.#denied(kind, existing.fault);
    // What was proven not made may be made after all; its id and key are for nothing else.
    // Over a person's word alone the exchange may show by now that it was made.
    const isUndone = existing.value?.state === "not_made";
    const before = existing.value && isUndone ? await this.#parts.reconciler.settle(existing.value) : existing.value;
    const isRepeat = before?.state === "not_made" && before.body.digest === digest;
    if (before !== undefined && !isRepeat) return this.#reportExisting(before, { requestedAtMs, withdrawn, digest });
    const task = await taskOf(request, this.#parts.transfers);
    if (!task.ok) return this.#denied(kind, task.fault);
    const { venue } = this.#context.parts;
    if (venue.keyId === undefined) return this.#denied(kind, localFault("ELocal:No key"));
    const body = { task: task.value, environment: venue.environment, keyId: venue.keyId, digest };
    // What has run out of time is ended first: it holds nothing back.
    const waiting = await pendingTransfers(this.#context, this.#parts.transfers).list();
    if (!waiting.ok) return this.#denied(kind, waiting.fault);
    const requestKey = requestKeyOf(request);
    const isLike = (other: TransferRecord): boolean =>
      other.requestKey !== requestKey && isDuplicateTask(other.body.task, task.value);
    const duplicate = await this.#parts.duplicates.find(isLike, openAtRequest);
    if (duplicate?.instead !== undefined) return this.#answeredBy(duplicate.instead);
    if (duplicate !== undefined) return this.#denied(kind, duplicate.fault);
    const assessment = await this.#parts.riskCheck.assess(body);
    if (!assessment.ok) return this.#denied(kind, assessment.fault);
    const unwanted = withdrawal(withdrawn);
    if (unwanted !== undefined) return this.#refuse(body, unwanted);
    const earlier = before;
    return this.#assessed(request, body, { assessment: assessment.value, earlier, requestedAtMs, withdrawn, askedIn });
  }

  async #assessed(
    request: TransferRequest,
    body: TransferBody,
    { assessment, earlier, ...asked }: RequestContext,
  ): Promise<TransferReport> {
    const { verdict } = assessment;
    const lapse = this.#parts.riskCheck.lapse(body, assessment.policy);
    if (lapse !== undefined) return this.#denied(request.kind, lapse);
    if (verdict.kind === "ask")
      return this.#requestApproval(request, body, { assessment, why: verdict.why, earlier, ...asked });
    const refusal = transferFaultOf(verdict);
    if (refusal !== undefined) return this.#refuse(body, refusal);
    const transferId = earlier?.transferId ?? this.#context.parts.ids.intentId();
    const recorded = await this.#record(request, body, { transferId, state: "approved", earlier });
    if (!recorded.ok) return this.#denied(request.kind, recorded.fault);
    if (recorded.value.state !== "approved")
      return this.#reportExisting(recorded.value, { ...asked, digest: body.digest });
    const step = await this.#parts.submission.submit(recorded.value, asked, assessment);
    if (step.instead !== undefined) return this.#answeredBy(step.instead);
    return transferReport(this.#context.stamp(), step.item, step.warnings);
  }

  /** The latest transfer with this request key, unless it has ended so that the same may be requested again. */
  async #existing(request: TransferRequest): Promise<Result<TransferRecord | undefined>> {
    const { journal } = this.#parts.transfers;
    const found = await journal.byRequestKey(this.#context.journalAccount(), requestKeyOf(request));
    if (!found.ok || found.value === undefined) return found;
    const { state } = found.value;
    return ok(ENDED_UNDONE.some((each) => each === state) ? undefined : found.value);
  }

  /**
   * What was requested before. One that was approved and never sent may belong to a process that died: it is sent now, by whoever
   * is first. A person's yes, though, was to that one submission.
   */
  async #reportExisting(transfer: TransferRecord, { digest, ...asked }: RepeatedRequest): Promise<TransferReport> {
    const { submission, transfers } = this.#parts;
    const { approval, task } = transfer.body;
    if (transfer.body.digest !== digest) return this.#denied(task.kind, keyInUse(transfer));
    const now = await pendingTransfers(this.#context, transfers).expireIfDue(transfer);
    if (now.state !== transfer.state) return transferReport(this.#context.stamp(), now);
    if (transfer.state === "awaiting_approval")
      return transferReport(this.#context.stamp(), transfer, ["It was asked for before and waits for a person still."]);
    const isUnsent = transfer.state === "approved" && approval === undefined;
    const step = isUnsent ? await submission.submit(transfer, asked) : await submission.reportExisting(transfer);
    return transferReport(this.#context.stamp(), step.item, step.warnings);
  }

  /** The first one in place of a second. */
  async #answeredBy(first: TransferRecord): Promise<TransferReport> {
    const { item } = await this.#parts.submission.reportExisting(first);
    return { ...transferReport(this.#context.stamp(), item, [madeText(first)]), duplicate_of: first.transferId };
  }

  /** Denied by the policy: nothing is recorded but the fact. */
  async #refuse(body: TransferBody, fault: Fault): Promise<TransferReport> {
    const { rule, figure, limit } = fault;
    const detail = { draft: true, code: fault.code, rule, figure, limit, task: maskedTask(body.task) };
    const step = { event: "transfer_denied", account: this.#context.journalAccount(), detail };
    return this.#denied(body.task.kind, fault, await recordStep(this.#context, step));
  }

  /** Puts it where a person finds it. */
  async #requestApproval(
    request: TransferRequest,
    body: TransferBody,
    { assessment, why, earlier, askedIn, ...asked }: ApprovalContext,
  ): Promise<TransferReport> {
    const { ids, clock } = this.#context.parts;
    const { kind } = request;
    const noPin = await missingPin(this.#context);
    if (noPin !== undefined) return this.#denied(kind, noPin);
    const waiting = await pendingTransfers(this.#context, this.#parts.transfers).list();
    if (!waiting.ok) return this.#denied(kind, waiting.fault);
    const flood = tooManyWait("payments and remittances", waiting.value.length);
    if (flood !== undefined) return this.#denied(kind, flood);
    const transferId = earlier?.transferId ?? ids.intentId();
    const askedAtMs = clock.now();
    const ttlMs = assessment.policy?.approvalTtlMs ?? 0;
    const expiresAtMs = Math.min(
      askedAtMs + ttlMs,
      this.#parts.riskCheck.quoteEndsAtMs(body.task) ?? Number.POSITIVE_INFINITY,
    );
    const open = { value: assessment.countsFor, unit: this.#context.unit, askedAtMs, expiresAtMs };
    const account = this.#context.journalAccount();
    const approval: TransferTerms = {
      digest: termsDigest({ transferId, account, body }, open),
      why,
      ...open,
      ...defined({ askedIn }),
    };
    const waits = await this.#record(
      request,
      { ...body, approval },
      { transferId, state: "awaiting_approval", earlier },
    );
    if (!waits.ok) return this.#denied(kind, waits.fault);
    if (waits.value.body.approval?.digest !== approval.digest)
      return this.#reportExisting(waits.value, { ...asked, digest: body.digest });
    const unwanted = withdrawal(asked.withdrawn);
    if (unwanted === undefined) return transferReport(this.#context.stamp(), waits.value);
    const ended = await pendingTransfers(this.#context, this.#parts.transfers).lapse(waits.value, unwanted);
    return ended.ok ? transferReport(this.#context.stamp(), ended.value) : this.#denied(kind, ended.fault);
  }

  /** Puts the transfer on disk. One that is proven not made is armed again, with its own key; another's with the same request key is returned. */
  async #record(request: TransferRequest, body: TransferBody, to: Recording): Promise<Result<TransferRecord>> {
    const { journal } = this.#parts.transfers;
    const { ids, clock } = this.#context.parts;
    const { transferId, state, earlier } = to;
    const account = this.#context.journalAccount();
    const requestKey = requestKeyOf(request);
    const held = state === "approved" ? { ...body, ...holderOf(this.#context) } : body;
    const write = () => {
      if (earlier !== undefined) {
        const rearm = { from: ["not_made"], to: state, body: held, detail: auditDetailOf(body) } as const;
        return journal.advance(transferId, rearm, clock.now());
      }
      const named = { transferId, account, family: familyOf(request.kind), requestKey, idempotencyKey: ids.intentId() };
      return journal.record(
        { ...named, state, unit: this.#context.unit, body: held, createdAtMs: clock.now() },
        ENDED_UNDONE,
        auditDetailOf(body),
      );
    };
    const written = await write();
    if (!written.ok) return written;
    if (written.value !== undefined) return ok(written.value);
    const other = await (earlier === undefined ? journal.byRequestKey(account, requestKey) : journal.byId(transferId));
    if (!other.ok) return other;
    return other.value === undefined ? failed(localFault("ELocal:Store unavailable")) : ok(other.value);
  }

  #denied(kind: TransferKind, fault: Fault, warnings: readonly string[] = []): TransferReport {
    return deniedTransfer(this.#context.stamp(), kind, fault, warnings);
  }
}

interface RequestContext extends Request {
  readonly assessment: TransferAssessment;
  readonly earlier: TransferRecord | undefined;
  readonly askedIn: string | undefined;
}

interface ApprovalContext extends RequestContext {
  readonly why: string;
}

interface RepeatedRequest extends Request {
  readonly digest: string;
}

interface Recording {
  readonly transferId: string;
  readonly state: "approved" | "awaiting_approval";
  readonly earlier: TransferRecord | undefined;
}

function keyInUse({ transferId }: TransferRecord): Fault {
  return localFault("ELocal:Userref in use", {
    message: `Something else was requested with the same quote before, as transfer ${transferId}. Nothing was sent now.`,
    nextAction: "Ask for a new quote for another remittance.",
  });
}
