/** Transfers that wait for a person: as orders, and never longer than their quote holds. */
import { PendingApprovals, type SubmissionKind } from "../approval/pending-approvals.ts";
import { together, type Withdrawal, withdrawAll } from "../approval/withdrawal.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { TransferRecord } from "../model/transfer.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { HALTED_WHILE_WAITING, withdrawOrders } from "../safety/kill-switch.ts";
import { ASK_AGAIN, transferKind } from "./transfer-lookup.ts";

export function pendingTransfers(context: DeskContext, { journal }: TransferParts): PendingApprovals<TransferRecord> {
  return new PendingApprovals<TransferRecord>(context, transferKind(journal));
}

interface Journals {
  readonly journal: SubmissionKind<IntentRecord>["journal"];
  readonly transfers?: { readonly journal: SubmissionKind<TransferRecord>["journal"] };
}

/** The same of what a store keeps. */
export function withdrawAllIn({ journal, transfers }: StoreJournals, atMs: number): Promise<Withdrawal> {
  return withdrawEverything({ journal, transfers: { journal: transfers } }, atMs);
}

interface StoreJournals {
  readonly journal: Journals["journal"];
  readonly transfers: Required<Journals>["transfers"]["journal"];
}

/** At a halt: orders, payments and remittances of all accounts. */
export async function withdrawEverything({ journal, transfers }: Journals, atMs: number): Promise<Withdrawal> {
  const orders = await withdrawOrders(journal, atMs);
  if (transfers === undefined) return orders;
  const why = { ...HALTED_WHILE_WAITING, nextAction: ASK_AGAIN };
  return together(orders, await withdrawAll(transferKind(transfers.journal), { why, atMs }));
}
