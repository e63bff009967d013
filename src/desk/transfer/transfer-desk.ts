/** The transfer road put together. Entry point: `openTransfers`, of which `desk.ts` makes part of the desk. */

import { ok, type QuotePaymentBody, type QuoteRemittanceBody, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { ApprovalWay } from "../model/intent.ts";
import type { PersonsWord, ReconcileReport } from "../model/reports.ts";
import type {
  PendingTransfer,
  QuoteView,
  TransferAnswer,
  TransferName,
  TransferReport,
  TransferRequest,
  TransferView,
  UnsettledTransfer,
} from "../model/transfer-reports.ts";
import type { TransferJournal, TransferParts } from "../ports/transfer.ts";
import { Acknowledgements } from "../reconciliation/acknowledgements.ts";
import { ApproveTransfer } from "./approve.ts";
import { unsettledTransfers } from "./desk-extension.ts";
import { ExecuteTransfer } from "./execute.ts";
import { pendingTransfers } from "./pending-approvals.ts";
import { TransferQueries } from "./queries.ts";
import { TransferReconciler } from "./reconciler.ts";
import { TransferRiskCheck } from "./risk-check.ts";
import { SubmitTransfer } from "./submit.ts";

export interface OpenedTransfers {
  readonly desk: TransferDesk;
  reconcile(): Promise<ReconcileReport>;
  /** How many wait for a person. */
  waiting(): Promise<Result<number>>;
  /** Without an answer, on all accounts. */
  unsettled(): Promise<Result<readonly UnsettledTransfer[]>>;
  rest(): Promise<void>;
  readonly journal: TransferJournal;
}

/** @param guarded halts everything where a broken invariant shows */
export function openTransfers(
  context: DeskContext,
  parts: TransferParts,
  guarded: (send: () => Promise<TransferReport>) => Promise<TransferReport>,
): OpenedTransfers {
  const { journal } = parts;
  const gate = new TransferRiskCheck(context, parts);
  const settling = new TransferReconciler(context, parts);
  const telling = new Acknowledgements((transferId) => journal.acknowledge(transferId));
  const sending = new SubmitTransfer(context, { transfers: parts, gate, settling, telling });
  const making = new ExecuteTransfer({ context, transfers: parts, gate, sending, settling, telling });
  const approving = new ApproveTransfer({ context, transfers: parts, gate, making, sending });
  const looking = new TransferQueries({ context, transfers: parts, gate, settling, telling });
  const told = (report: TransferReport): TransferReport => {
    const isEnd = report.outcome !== "unknown" && report.state !== "awaiting_approval";
    if (isEnd && report.transfer_id !== undefined) telling.acknowledge(report.transfer_id);
    return report;
  };
  return {
    desk: {
      quotePayment: (body) => looking.quotePayment(body),
      quoteRemittance: (body) => looking.quoteRemittance(body),
      payment: (name) => looking.payment(name),
      remittance: (name) => looking.remittance(name),
      make: (request) => guarded(async () => told(await making.make(request))),
      pending: () => approving.pending(),
      // Heard by a person, and not by whoever asked for it.
      approve: (...yes) => guarded(() => approving.approve(...yes)),
      deny: (transferId) => approving.deny(transferId),
      sealApproval: (transferId, request) => approving.seal(transferId, request),
      answerApproval: (answer) => guarded(async () => told(await approving.answer(answer))),
      settle: async (transferId, word) => {
        const account = await context.account();
        const found = await journal.byId(transferId);
        const isOurs = account.ok && found.ok && found.value?.account === account.value;
        return isOurs && found.value !== undefined ? settling.byPerson(found.value, word) : undefined;
      },
    },
    reconcile: async () => {
      const settled = await settling.reconcile();
      // Lets go of what nobody approved in time.
      if (context.knowsAccount) await pendingTransfers(context, parts).list();
      return settled;
    },
    waiting: async () => {
      const found = await pendingTransfers(context, parts).list();
      return found.ok ? ok(found.value.length) : found;
    },
    unsettled: () => unsettledTransfers(journal, context.journalAccount()),
    rest: () => telling.flush(),
    journal,
  };
}

/** Payments and remittances, drafts, over the same desk. */
export interface TransferDesk {
  quotePayment(body: QuotePaymentBody): Promise<Result<QuoteView>>;
  quoteRemittance(body: QuoteRemittanceBody): Promise<Result<QuoteView>>;
  payment(name: TransferName): Promise<Result<TransferView>>;
  remittance(name: TransferName): Promise<Result<TransferView>>;
  /** Moves money, once, if policy and person let it. Never throws for expected outcomes. */
  make(request: TransferRequest): Promise<TransferReport>;
  /** What waits for a person, oldest first. */
  pending(): Promise<Result<readonly PendingTransfer[]>>;
  /** @param shown `digest` of the question that the person has read */
  approve(transferId: string, way: ApprovalWay, shown: string): Promise<TransferReport>;
  /** A person's no. @returns a fault where it could not be written down: then it does not stand */
  deny(transferId: string): Promise<Result<TransferReport>>;
  sealApproval(transferId: string, request: TransferRequest): Promise<Result<string>>;
  answerApproval(answer: TransferAnswer): Promise<TransferReport>;
  /** A person, who has looked at the exchange, says what became of a transfer without an answer. @returns undefined for no transfer's id */
  settle(transferId: string, word: PersonsWord): Promise<Result<TransferReport> | undefined>;
}
