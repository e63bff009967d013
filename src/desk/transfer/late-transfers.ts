/**
 * Payments and remittances as the desk has them before anybody asks for one: what they are made of is loaded by the first call. What a halt
 * and a status tell of them needs no more than the journal.
 */
import type { DeskContext } from "../core/context.ts";
import type { TransferReport } from "../model/transfer-reports.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { waitingItems } from "../queries/waiting.ts";
import { unsettledTransfers } from "./desk-reports.ts";
import type { OpenedTransfers, TransferDesk } from "./transfer-desk.ts";
import { transferKind } from "./transfer-lookup.ts";

/** @param guarded halts everything where a broken invariant shows */
export function transfersLater(
  context: DeskContext,
  parts: TransferParts,
  guarded: (send: () => Promise<TransferReport>) => Promise<TransferReport>,
): OpenedTransfers {
  const { journal } = parts;
  let opening: Promise<OpenedTransfers> | undefined;
  const opened = (): Promise<OpenedTransfers> => {
    opening ??= import("./transfer-desk.ts").then(({ openTransfers }) => openTransfers(context, parts, guarded));
    return opening;
  };
  return {
    desk: deskOf(async () => (await opened()).desk),
    reconcile: async () => (await opened()).reconcile(),
    waiting: () => waitingItems(context, transferKind(journal)),
    unsettled: () => unsettledTransfers(journal, context.journalAccount()),
    // Where nothing was asked for, nothing is told.
    flush: async () => (await opening)?.flush(),
    journal,
  };
}

function deskOf(open: () => Promise<TransferDesk>): TransferDesk {
  return {
    quotePayment: async (body) => (await open()).quotePayment(body),
    quoteRemittance: async (body) => (await open()).quoteRemittance(body),
    payment: async (...named) => (await open()).payment(...named),
    remittance: async (...named) => (await open()).remittance(...named),
    make: async (...asked) => (await open()).make(...asked),
    pending: async () => (await open()).pending(),
    approve: async (...yes) => (await open()).approve(...yes),
    deny: async (transferId) => (await open()).deny(transferId),
    sealApproval: async (...question) => (await open()).sealApproval(...question),
    answerApproval: async (...answer) => (await open()).answerApproval(...answer),
    settle: async (...word) => (await open()).settle(...word),
  };
}
