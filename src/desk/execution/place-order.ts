/**
 * The way of an order up to its submission: build, look for duplicates, check, approve, record. An order that was requested before is
 * looked up, never sent again.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-2, architecture.md#rule-3.
 */
import type { Fault, Result } from "../../contract/index.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { IntentBody, IntentRecord, OrderRequest } from "../model/intent.ts";
import { deniedOrder, intentReport } from "../model/order-report.ts";
import type { WriteReport } from "../model/reports.ts";
import type { OrderAcknowledgements } from "../reconciliation/order-acknowledgements.ts";
import { type Assessment, denialOf } from "../risk/pre-trade-check.ts";
import { type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import type { Duplicate, DuplicateGuard } from "./duplicate-guard.ts";
import { useDraft } from "./order-draft.ts";
import { existingIntent, recordIntent } from "./record-intent.ts";
import { type ApprovalReason, requestApproval } from "./request-approval.ts";
import type { SubmitOrder } from "./submit-order.ts";

export type PlaceRequest = OrderRequest | { readonly draft_id: string };

export interface PlaceOrderParts extends AssessOrderParts {
  readonly context: DeskContext;
  readonly submission: SubmitOrder;
  readonly duplicates: DuplicateGuard;
  readonly acknowledgements: OrderAcknowledgements;
}

export class PlaceOrder {
  readonly #context: DeskContext;
  readonly #parts: PlaceOrderParts;
  /** Approvals are requested one at a time: of equal orders placed at the same moment, the second finds the first waiting. */
  #approvalRequested: Promise<unknown> = Promise.resolve();

  constructor(parts: PlaceOrderParts) {
    this.#context = parts.context;
    this.#parts = parts;
  }

  /** @param session of the client that asks: its person alone may approve it there */
  async place(request: PlaceRequest, session?: string): Promise<WriteReport> {
    const { clock, ids } = this.#context.parts;
    const requestedAtMs = clock.now();
    const openAtRequest = await this.#parts.duplicates.openAtRequest();
    const body = await this.#build(request);
    if (!body.ok) return this.#notSent(body.fault);
    const existing = await existingIntent(this.#context, body.value);
    if (!existing.ok) return this.#notSent(existing.fault);
    if (existing.value !== undefined && existing.value.state !== "not_placed")
      return this.#resume(existing.value, requestedAtMs);
    const duplicate = await this.#parts.duplicates.find(body.value, openAtRequest);
    if (duplicate !== undefined) return this.#duplicated(body.value, duplicate);
    const assessment = await assessOrder(this.#parts, body.value);
    if (!assessment.ok) return this.#notSent(assessment.fault);
    const { verdict } = assessment.value;
    if (verdict.kind === "ask")
      return this.#requestApproval(body.value, assessment.value, { why: verdict.why, askedIn: session });
    const denial = denialOf(verdict);
    if (denial !== undefined) return this.#deny(body.value, denial);
    const intent = await recordIntent(this.#context, body.value, { intentId: ids.intentId(), state: "approved" });
    if (!intent.ok) return this.#notSent(intent.fault);
    if (intent.value.state !== "approved") return this.#resume(intent.value, requestedAtMs);
    const step = await this.#parts.submission.submit(intent.value, requestedAtMs, assessment.value);
    return intentReport(this.#context.stamp(), step.intent, step.warnings);
  }

  #build(request: PlaceRequest): Promise<Result<IntentBody>> {
    return "draft_id" in request ? useDraft(this.#context, request.draft_id) : buildOrder(this.#context, request);
  }

  /**
   * An order that was requested before. One that was approved and never sent may belong to a process that died: the first process
   * that is asked again sends it now. A person's approval, though, was for that one submission.
   */
  async #resume(intent: IntentRecord, requestedAtMs: number): Promise<WriteReport> {
    const { submission } = this.#parts;
    const isUnsent = intent.state === "approved" && intent.body.approval === undefined;
    const step = isUnsent ? await submission.submit(intent, requestedAtMs) : await submission.reportExisting(intent);
    return intentReport(this.#context.stamp(), step.intent, step.warnings);
  }

  /** A halt is reported before all else. */
  async #duplicated(body: IntentBody, { fault, acknowledges }: Duplicate): Promise<WriteReport> {
    const halted = await this.#parts.check.haltFault();
    if (halted !== undefined) return this.#deny(body, halted);
    return this.#parts.acknowledgements.with(this.#notSent(fault), acknowledges);
  }

  async #requestApproval(body: IntentBody, assessment: Assessment, reason: ApprovalReason): Promise<WriteReport> {
    const turn = this.#approvalRequested.then(() => requestApproval(this.#context, body, assessment, reason));
    this.#approvalRequested = turn.catch(() => undefined);
    const requested = await turn;
    if (!requested.ok) return this.#notSent(requested.fault);
    const { intent, warnings, isExisting } = requested.value;
    if (isExisting) return this.#resume(intent, this.#context.parts.clock.now());
    return intentReport(this.#context.stamp(), intent, warnings);
  }

  /** Denied by the policy: nothing is recorded but the denial itself. */
  async #deny(body: IntentBody, fault: Fault): Promise<WriteReport> {
    const { rule, figure, limit } = fault;
    const detail = { code: fault.code, rule, figure, limit, order: body.order };
    const account = this.#context.journalAccount();
    return this.#notSent(fault, await recordStep(this.#context, { event: "order_denied", account, detail }));
  }

  #notSent(fault: Fault, warnings: readonly string[] = []): WriteReport {
    return deniedOrder(this.#context.stamp(), fault, warnings);
  }
}
