/** Payments and remittances put together. Entry point: `openTransfers`, of which `desk.ts` makes part of the desk. */

import { ok, type QuotePaymentBody, type QuoteRemittanceBody, type Result } from "../../contract/index.ts";
import { ApprovalInstruction } from "../approval/instruction.ts";
import type { DeskContext } from "../core/context.ts";
import type { AskedBy } from "../model/approval-request.ts";
import type { Listener } from "../model/listener.ts";
import type { PersonsWord, ReconcileReport, WaitingItem } from "../model/reports.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/submission.ts";
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
import { waitingItems } from "../queries/waiting.ts";
import { Acknowledgements } from "../reconciliation/acknowledgements.ts";
import { settleByPerson } from "../reconciliation/manual-settlement.ts";
import { Reconciler } from "../reconciliation/reconciler.ts";
import { Approvals } from "../submission/approve.ts";
import { Duplicates } from "../submission/duplicates.ts";
import { SubmitOnce } from "../submission/submit.ts";
import { noteLate } from "../submission/withdrawn.ts";
import { unsettledTransfers } from "./desk-reports.ts";
import { ExecuteTransfer } from "./execute.ts";
import { pendingTransfers } from "./pending-approvals.ts";
import { TransferQueries } from "./queries.ts";
import { TransferRiskCheck } from "./risk-check.ts";
import { submittedTransfers } from "./transfer-kind.ts";
import { transferKind } from "./transfer-lookup.ts";
import { pendingView, untilApproved, wordOnTransfers } from "./transfer-report.ts";

export interface OpenedTransfers {
  readonly desk: TransferDesk;
  reconcile(): Promise<ReconcileReport>;
  waiting(): Promise<Result<readonly WaitingItem[]>>;
  /** Without an answer, on all accounts. */
  unsettled(): Promise<Result<readonly UnsettledTransfer[]>>;
  flush(): Promise<void>;
  readonly journal: TransferJournal;
}

/** @param guarded halts everything where a broken invariant shows */
export function openTransfers(
  context: DeskContext,
  parts: TransferParts,
  guarded: (send: () => Promise<TransferReport>) => Promise<TransferReport>,
): OpenedTransfers {
  const { journal } = parts;
  const riskCheck = new TransferRiskCheck(context, parts);
  const acknowledgements = new Acknowledgements((transferId) => journal.acknowledge(transferId));
  const kind = submittedTransfers({ context, transfers: parts, riskCheck, acknowledgements });
  const reconciler = new Reconciler(context, kind);
  const submission = new SubmitOnce(context, kind, reconciler);
  const duplicates = new Duplicates(context, kind, reconciler);
  const execution = new ExecuteTransfer({ context, transfers: parts, riskCheck, submission, reconciler, duplicates });
  const approval = new Approvals(context, kind, submission);
  const queries = new TransferQueries({ context, transfers: parts, riskCheck, reconciler, acknowledgements });
  const instruction = new ApprovalInstruction(context);
  const acknowledged = async (report: TransferReport, listener?: Listener): Promise<TransferReport> => {
    const { transfer_id = "", kind, outcome, state } = report;
    await noteLate(context, report.transfer_id, report, listener);
    const isEnd = outcome !== "unknown" && state !== "awaiting_approval";
    if (isEnd && report.transfer_id !== undefined) acknowledgements.toldTo(listener, transfer_id);
    return instruction.complete(report, report.transfer_id, untilApproved(kind, transfer_id));
  };
  const shown = async (view: Result<TransferView>): Promise<Result<TransferView>> => {
    if (!view.ok || view.value.kind === undefined) return view;
    const { transfer_id = "", kind } = view.value;
    return ok(await instruction.complete(view.value, view.value.transfer_id, untilApproved(kind, transfer_id)));
  };
  return {
    desk: {
      quotePayment: (body) => queries.quotePayment(body),
      quoteRemittance: (body) => queries.quoteRemittance(body),
      payment: async (...named) => shown(await queries.payment(...named)),
      remittance: async (...named) => shown(await queries.remittance(...named)),
      make: (request, session, by) =>
        guarded(async () => acknowledged(await execution.execute(request, session, by?.withdrawn), by)),
      pending: async () => pendingView(await approval.pending()),
      // Reported to a person, and not to whoever requested it.
      approve: (...yes) => guarded(() => approval.approve(...yes)),
      deny: (transferId) => approval.deny(transferId),
      sealApproval: (...question) => approval.seal(...question),
      answerApproval: (answer, by) =>
        guarded(async () => acknowledged(await approval.answer(answer, by?.withdrawn), by)),
      settle: async (transferId, word) => {
        const account = await context.account();
        const found = await journal.byId(transferId);
        const isOurs = account.ok && found.ok && found.value?.account === account.value;
        if (!isOurs || found.value === undefined) return undefined;
        return settleByPerson(context, { kind, reconciler, word: wordOnTransfers(context) }, found.value, word);
      },
    },
    reconcile: async () => {
      const settled = await reconciler.reconcile();
      // Ends what nobody approved in time.
      if (context.knowsAccount) await pendingTransfers(context, parts).list();
      return settled;
    },
    waiting: () => waitingItems(context, transferKind(journal)),
    unsettled: () => unsettledTransfers(journal, context.journalAccount()),
    flush: () => acknowledgements.flush(),
    journal,
  };
}

/** Payments and remittances over the same desk. */
export interface TransferDesk {
  quotePayment(body: QuotePaymentBody): Promise<Result<QuoteView>>;
  quoteRemittance(body: QuoteRemittanceBody): Promise<Result<QuoteView>>;
  payment(name: TransferName, listener?: Listener): Promise<Result<TransferView>>;
  remittance(name: TransferName, listener?: Listener): Promise<Result<TransferView>>;
  /** Moves money, once, if policy and person let it. Never throws for expected outcomes. */
  make(request: TransferRequest, session?: string, listener?: Listener): Promise<TransferReport>;
  /** What waits for a person, oldest first. */
  pending(): Promise<Result<readonly PendingTransfer[]>>;
  /** @param shown `digest` of the question that the person has read @param assertion of a passkey, over that digest */
  approve(transferId: string, way: ApprovalWay, shown: string, assertion?: PasskeyAssertion): Promise<TransferReport>;
  /** A person's no. @returns a fault where it could not be written down: then it does not stand */
  deny(transferId: string): Promise<Result<TransferReport>>;
  /** @param shown `digest` of the question that is put */
  sealApproval(
    transferId: string,
    shown: string,
    request: TransferRequest,
    session?: string,
    asked?: AskedBy,
  ): Promise<Result<string>>;
  answerApproval(answer: TransferAnswer, listener?: Listener): Promise<TransferReport>;
  /** A person, who has looked at the exchange, says what became of a transfer without an answer. @returns undefined for no transfer's id */
  settle(transferId: string, word: PersonsWord): Promise<Result<TransferReport> | undefined>;
}
