/** Transfers that wait for a person: as orders, and never longer than their quote holds. */
import { endingFault, PendingApprovals, type PendingKind } from "../approval/pending-approvals.ts";
import { together, type Withdrawal, withdrawAll } from "../approval/withdrawal.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { TransferRecord } from "../model/transfer.ts";
import { summaryOf } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { HALTED_WHILE_WAITING, withdrawOrders } from "../safety/kill-switch.ts";
import { endedBy } from "./reconciler.ts";

const nextAction = "Ask the user whether it is still wanted; if so, ask for a new quote and for it anew.";

export function pendingTransfers(context: DeskContext, { journal }: TransferParts): PendingApprovals<TransferRecord> {
  return new PendingApprovals<TransferRecord>(context, transferPendingKind(journal));
}

export function transferPendingKind(journal: PendingKind<TransferRecord>["journal"]): PendingKind<TransferRecord> {
  return {
    journal,
    idOf: ({ transferId }) => transferId,
    endedBy: ({ body }, to, why) => endedBy(body, to, { fault: endingFault({ nextAction, ...why }) }),
    lapsedMessage: "Nobody approved it while its quote held. Nothing was sent.",
    viewOf: ({ transferId, body: { task } }) => ({ id: transferId, userref: null, summary: summaryOf(task) }),
  };
}

interface Journals {
  readonly journal: PendingKind<IntentRecord>["journal"];
  readonly transfers?: { readonly journal: PendingKind<TransferRecord>["journal"] };
}

/** At a halt: orders, payments and remittances of all accounts. */
export async function withdrawEverything({ journal, transfers }: Journals, atMs: number): Promise<Withdrawal> {
  const orders = await withdrawOrders(journal, atMs);
  if (transfers === undefined) return orders;
  const why = { ...HALTED_WHILE_WAITING, nextAction };
  return together(orders, await withdrawAll(transferPendingKind(transfers.journal), { why, atMs }));
}
