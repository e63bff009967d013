/** What transfers have of their own on the way that they and orders go: how one is judged, sent, asked about and reported. */
import { type Fault, localFault, ok, type Payment, type Remittance, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { TransferRecord } from "../model/transfer.ts";
import type { TransferReport, TransferRequest } from "../model/transfer-reports.ts";
import { canTransferMove, type TransferState } from "../model/transfer-state.ts";
import { isDuplicateTask, requestDigest, termsDigest } from "../model/transfer-task.ts";
import type { SentTransfers, TransferParts, TransferUsage } from "../ports/transfer.ts";
import type { Acknowledgements } from "../reconciliation/acknowledgements.ts";
import type { ApprovalKind } from "../submission/approve.ts";
import { DUPLICATE_WINDOW_MS, type DuplicateKind } from "../submission/duplicates.ts";
import type { Refusal, Request, Step } from "../submission/submit.ts";
import { withdrawal } from "../submission/withdrawn.ts";
import { completed } from "./build-transfer.ts";
import { type TransferAssessment, type TransferRiskCheck, transferFaultOf } from "./risk-check.ts";
import { doneBy, type Shown, settlingTransfers } from "./transfer-lookup.ts";
import { deniedTransfer, queryToolFor, transferReport } from "./transfer-report.ts";

export interface SubmittedTransferParts {
  readonly context: DeskContext;
  readonly transfers: TransferParts;
  readonly riskCheck: TransferRiskCheck;
  readonly acknowledgements: Acknowledgements;
}

export type SubmittedTransferKind = ApprovalKind<
  TransferRecord,
  Shown,
  TransferAssessment,
  TransferRequest,
  TransferReport
> &
  DuplicateKind<TransferRecord, Shown>;

/** Requested, and not settled. */
const OPEN: readonly TransferState[] = ["awaiting_approval", "approved", "submitting", "unknown"];

export function submittedTransfers(parts: SubmittedTransferParts): SubmittedTransferKind {
  const { context, transfers, riskCheck, acknowledgements } = parts;
  return {
    ...settlingTransfers(context, transfers),
    journal: transfers.journal,
    open: OPEN,
    isAcknowledged: (id) => acknowledgements.isAcknowledged(id),
    openFault: duplicateFault,
    judge: async ({ body }) => {
      const assessed = await riskCheck.assess(body);
      if (!assessed.ok) return { ends: "undone", fault: assessed.fault };
      const { policy, verdict } = assessed.value;
      const lapse = riskCheck.lapse(body, policy);
      if (lapse !== undefined) return { ends: "lapsed", fault: lapse };
      const refusal = transferFaultOf(verdict);
      return refusal === undefined ? { judged: assessed.value } : { ends: "denied", fault: refusal };
    },
    // Its quote may have run out, which nobody has denied.
    lapsesBy: ({ code }) => code === "ELocal:Not approved",
    begin: (transfer, send, request, judged) => begin(parts, transfer, send, { request, judged }),
    send: (transfer, beforeSend) => sent(transfers, transfer, beforeSend),
    answeredBy: doneBy,
    changed: (transfer, { to: state, body = transfer.body }) => ({ ...transfer, state, body }),
    canMove: canTransferMove,
    shownNow: (transfer, after) => shownNow(transfers, transfer, after),
    // Of what has ended the terms cannot be told any more, and nothing can be approved.
    isAskedAs: (transfer, digest) => transfer.state !== "awaiting_approval" || isWhole(transfer, digest),
    describes: async (request, { body }) => {
      const asked = await completedRequest(context, request);
      return asked.ok && asked.value.digest === body.digest;
    },
    judgeApproved: async (transfer, body) => {
      const assessed = await riskCheck.assess(body);
      if (!assessed.ok) return { refusal: assessed.fault };
      const { policy, verdict } = assessed.value;

      const lapse = riskCheck.lapse(transfer.body, policy);
      if (lapse !== undefined) return { lapse };
      const refusal = transferFaultOf(verdict);
      return refusal === undefined ? { judged: assessed.value, policy } : { refusal, policy };
    },
    detail: (way, shown, assertion) => ({
      approved_by: way,
      ...(assertion && { approval: { digest: shown, assertion } }),
    }),
    declined: { draft: true },
    report: async (transfer, warnings) => transferReport(context.stamp(), transfer, warnings),
    refused: (fault, about) => deniedTransfer(context.stamp(), kindOf(about), fault),
    unsure: ({ transferId: transfer_id, body }, refused) => {
      const next_action = `Look with ${queryToolFor(body.task.kind)}, transfer_id ${transfer_id}.`;
      return { ...refused, outcome: "unknown", state: "unknown", transfer_id, next_action };
    },
    withdrawnBy: ({ transferId }) =>
      `A person withdraws it on a terminal with \`${context.terminal.command("deny", transferId)}\`. By itself it lapses with its quote.`,
  };
}

/** A request as it would be sent, and the digest that names it. */
export async function completedRequest(
  context: DeskContext,
  given: TransferRequest,
): Promise<Result<{ readonly request: TransferRequest; readonly digest: string }>> {
  const request = completed(given, context.parts);
  if (!request.ok) return request;
  const account = await context.account();
  if (!account.ok) return account;
  const { environment } = context.parts.venue;
  return ok({ request: request.value, digest: requestDigest(request.value, account.value, environment) });
}

/** Said beside the first one, in place of a second. */
export function madeText({ transferId }: TransferRecord): string {
  return `The same was made before as transfer ${transferId}, and nobody may have heard of it: this is that one. No second one was made.`;
}

function kindOf(about: TransferRecord | TransferRequest | undefined): TransferRequest["kind"] {
  if (about === undefined) return "confirm_payment";
  return "kind" in about ? about.kind : about.body.task.kind;
}

type Send = Parameters<SubmittedTransferKind["begin"]>[1];

async function begin(
  { context, transfers, acknowledgements }: SubmittedTransferParts,
  transfer: TransferRecord,
  send: Send,
  { request, judged }: { readonly request: Request; readonly judged: TransferAssessment },
) {
  const { clock } = context.parts;
  const { requestedAtMs, withdrawn } = request;
  /** Not acknowledged yet, or sent since this one was requested, so that the caller could not know of it. Of several requested at the same moment, the first to be sent goes. */
  const duplicateIn = ({ unacknowledged, since }: SentTransfers): TransferRecord | undefined =>
    [
      ...unacknowledged.filter(({ transferId }) => !acknowledgements.isAcknowledged(transferId)),
      ...since(requestedAtMs),
    ].find(
      (other) =>
        isRecent(other, clock.now()) &&
        other.requestKey !== transfer.requestKey &&
        isDuplicateTask(other.body.task, transfer.body.task),
    );
  const admit = (usage: TransferUsage, others: SentTransfers): Refusal<TransferRecord> | undefined => {
    const fault = withdrawal(withdrawn) ?? judged.recheck(usage);
    if (fault !== undefined) return { fault };
    const first = duplicateIn(others);
    return first && { fault: duplicateFault(first), ...(first.state === "done" && { instead: first }) };
  };
  const numbered = { ...send, held: judged.countsFor, unit: context.unit, sinceMs: [requestedAtMs] };
  return transfers.journal.begin(transfer.transferId, numbered, admit, () => clock.now());
}

/** Whether it is on its way, or was made so lately that whoever asks again may mean it. */
function isRecent({ state, updatedAtMs }: TransferRecord, nowMs: number): boolean {
  return state === "done" ? nowMs - updatedAtMs < DUPLICATE_WINDOW_MS : OPEN.includes(state);
}

async function sent(
  { venue }: TransferParts,
  { body: { task }, idempotencyKey }: TransferRecord,
  beforeSend: (nonce: string) => Promise<boolean>,
): Promise<Result<Shown>> {
  const write = { idempotencyKey, beforeSend };
  switch (task.kind) {
    case "confirm_payment":
      return paid(await venue.confirmPayment(task.quote.payment_id, write));
    case "refund_payment":
      return paid(await venue.refundPayment(task.payment.payment_id, task.amount, write));
    case "send_remittance":
      return remitted(await venue.createRemittance(task.send, write));
    case "cancel_remittance":
      return remitted(await venue.cancelRemittance(task.remittance.remittance_id, write));
    default:
      return task satisfies never;
  }
}

function paid(answer: Result<Payment>): Result<Shown> {
  return answer.ok ? ok({ payment: answer.value }) : answer;
}

function remitted(answer: Result<Remittance>): Result<Shown> {
  return answer.ok ? ok({ remittance: answer.value }) : answer;
}

/** What a transfer that is done has become since. */
async function shownNow(
  { venue }: TransferParts,
  transfer: TransferRecord,
  after: "sending" | "repeat",
): Promise<Step<TransferRecord>> {
  if (after === "sending") return { item: transfer, warnings: [] };
  const before = "It was asked for before; this is that one, nothing was sent now.";
  const { payment, remittance } = transfer.body;
  if (transfer.state !== "done" || (payment ?? remittance) === undefined) return { item: transfer, warnings: [before] };
  const seen =
    payment === undefined
      ? remitted(await venue.remittance(remittance?.remittance_id ?? ""))
      : paid(await venue.payment(payment.payment_id));
  if (seen.ok) return { item: { ...transfer, body: { ...transfer.body, ...seen.value } }, warnings: [before] };
  const old = `The exchange could not be asked for its state now; the one shown is as recorded. ${seen.fault.message}`;
  return { item: transfer, warnings: [before, old] };
}

/** Whether the terms are the ones of this transfer as it stands, unchanged in any field. */
function isWhole(transfer: TransferRecord, digest: string): boolean {
  const { approval } = transfer.body;
  if (approval === undefined) return false;
  const { value, unit, askedAtMs, expiresAtMs } = approval;
  return termsDigest(transfer, { value, unit, askedAtMs, expiresAtMs }) === digest;
}

function duplicateFault({ transferId, state, body }: TransferRecord): Fault {
  const look = `Look with ${queryToolFor(body.task.kind)}, transfer_id ${transferId}`;
  const [how, nextAction] =
    state === "done"
      ? [
          "was made before, and whoever asked for it may not have been told",
          `${look}. Only if a second one is wanted, ask for it again after that.`,
        ]
      : state === "awaiting_approval"
        ? ["waits for a person's approval", `Have the user approve or deny transfer ${transferId} first.`]
        : ["was sent or let through before and has no answer yet", `${look}, until it is settled.`];
  const message = `The same transfer ${how}: transfer ${transferId}. Nothing was sent now.`;
  return localFault("ELocal:Twin unresolved", { message, nextAction });
}
