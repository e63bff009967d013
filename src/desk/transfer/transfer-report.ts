/**
 * How a transfer becomes words.
 *
 * Invariant: the outcome follows from evidence only, as that of orders; after `unknown` nothing invites to send it a second time.
 */
import { type Fault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { beforeSending, reportError } from "../model/order-report.ts";
import type { Stamp, WriteOutcome } from "../model/reports.ts";
import type { TransferKind, TransferRecord } from "../model/transfer.ts";
import type {
  PendingTransfer,
  TransferApprovalRequest,
  TransferReport,
  TransferReportedState,
  UnsettledTransfer,
} from "../model/transfer-reports.ts";
import type { TransferState } from "../model/transfer-state.ts";
import { maskedRemittance, summaryOf } from "../model/transfer-task.ts";
import type { WordTaken } from "../reconciliation/manual-settlement.ts";
import { doneByWord } from "./transfer-lookup.ts";

const OUTCOMES: Readonly<Record<TransferState, WriteOutcome>> = {
  awaiting_approval: "not_sent",
  denied: "not_sent",
  lapsed: "not_sent",
  // Whoever let it through may be about to send it.
  approved: "unknown",
  submitting: "unknown",
  unknown: "unknown",
  done: "accepted",
  rejected: "rejected",
  not_made: "not_sent",
};

const STATES: Readonly<Record<TransferState, TransferReportedState>> = {
  awaiting_approval: "awaiting_approval",
  denied: "denied",
  lapsed: "not_made",
  approved: "not_sent_yet",
  submitting: "unknown",
  unknown: "unknown",
  done: "done",
  rejected: "rejected",
  not_made: "not_made",
};

/** What waits for a person; undefined for a transfer that never did. */
export function transferApprovalRequest({ transferId, body }: TransferRecord): TransferApprovalRequest | undefined {
  const { approval, task } = body;
  if (approval === undefined) return undefined;
  return {
    transfer_id: transferId,
    kind: task.kind,
    summary: summaryOf(task),
    value: approval.value,
    why: approval.why,
    asked_at: new Date(approval.askedAtMs).toISOString(),
    expires_at: new Date(approval.expiresAtMs).toISOString(),
  };
}

export function unsettledView(transfer: TransferRecord): UnsettledTransfer {
  const { transferId, account, body, updatedAtMs, sentAtMs } = transfer;
  const { task } = body;
  const since = new Date(sentAtMs ?? updatedAtMs).toISOString();
  const state = transfer.state === "approved" ? "not_sent_yet" : "unknown";
  return { transfer_id: transferId, account, kind: task.kind, state, summary: summaryOf(task), since };
}

const WITHDRAWN_LATE = "The call that asked for it was withdrawn after it had been sent, so it counts as sent.";

/** The report of a transfer that stands in the journal. */
export function transferReport(
  stamp: Stamp,
  transfer: TransferRecord,
  warnings: readonly string[] = [],
): TransferReport {
  const { state, transferId, body } = transfer;
  const { task, payment, remittance, fault, withdrawn = false } = body;
  const isLate = withdrawn && OUTCOMES[state] !== "not_sent";
  const asked = state === "awaiting_approval" ? transferApprovalRequest(transfer) : undefined;
  const next = nextActionOf(transfer);
  const shown = state === "done" ? (payment?.state ?? remittance?.state) : undefined;
  return {
    draft: true,
    outcome: OUTCOMES[state],
    state: shown ?? STATES[state],
    kind: task.kind,
    transfer_id: transferId,
    ...(payment === undefined ? {} : { payment }),
    ...(remittance === undefined ? {} : { remittance: maskedRemittance(remittance) }),
    ...(asked === undefined ? {} : { approval: asked }),
    ...stamp,
    warnings: [...warnings, ...(isLate ? [WITHDRAWN_LATE] : [])],
    ...(next === undefined ? {} : { next_action: next }),
    ...(fault === undefined || state === "done" ? {} : { error: reportError(fault) }),
  };
}

/** The tool that looks at what a transfer of this kind is about. */
export function queryToolFor(kind: TransferKind): "get_payment" | "get_remittance" {
  return kind === "confirm_payment" || kind === "refund_payment" ? "get_payment" : "get_remittance";
}

function nextActionOf({ state, transferId, body }: TransferRecord): string | undefined {
  const { kind } = body.task;
  const look = `Look with ${queryToolFor(kind)}, transfer_id ${transferId}`;
  switch (state) {
    // How it is approved from here is told by `approval/instruction.ts`.
    case "awaiting_approval":
      return undefined;
    case "approved":
    case "submitting":
      return `${look}. It may be on its way; it is never sent twice, and asking for it anew could double it.`;
    case "unknown":
      return (
        `${look}. It was sent and has no answer yet; it is never sent twice, and asking for it anew could double it. Where it stays ` +
        `so, a person who has looked at the exchange settles it with \`hoga settle ${transferId} placed\` or \`not-placed\`.`
      );
    case "not_made":
      return body.settledBy === "person"
        ? `A person has said so; the exchange has not proven it. Ask the user before calling ${kind} again.`
        : `It is proven not made. Call ${kind} again if it is still wanted.`;
    case "done":
      return kind === "send_remittance" ? `Follow it with ${queryToolFor(kind)}.` : undefined;
    case "denied":
    case "lapsed":
    case "rejected":
      return body.fault?.nextAction;
    default:
      return state satisfies never;
  }
}

/** The report of a transfer that was refused here: nothing was recorded, nothing was sent. */
export function deniedTransfer(
  stamp: Stamp,
  kind: TransferKind,
  cause: Fault,
  warnings: readonly string[] = [],
): TransferReport {
  const fault = beforeSending(cause);
  const error = reportError(fault);
  const next = { next_action: fault.nextAction };
  return { draft: true, outcome: "not_sent", state: "denied", kind, ...stamp, warnings, ...next, error };
}

/** What to do while it waits for a person. */
export function untilApproved(kind: TransferKind, transferId: string): string {
  return `Say until when it waits. Then look with ${queryToolFor(kind)}, transfer_id ${transferId}. Do not request it again.`;
}

/** For the person who is asked: every field. */
export function pendingView(found: Result<readonly TransferRecord[]>): Result<readonly PendingTransfer[]> {
  if (!found.ok) return found;
  return ok(
    found.value.flatMap((transfer) => {
      const asked = transferApprovalRequest(transfer);
      const { approval, task } = transfer.body;
      return asked === undefined || approval === undefined ? [] : [{ asked, task, digest: approval.digest }];
    }),
  );
}

/** A person's word on a transfer without an answer. */
export function wordOnTransfers(context: DeskContext): WordTaken<TransferRecord, TransferReport> {
  return {
    event: "transfer_settled_by_person",
    placed: async (transfer) => ok(doneByWord(transfer)),
    report: (transfer, warnings) => transferReport(context.stamp(), transfer, warnings),
  };
}
