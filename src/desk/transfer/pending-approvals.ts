/** Transfers that wait for a person: as orders, and never longer than their quote holds. */
import { localFault } from "../../contract/index.ts";
import { PendingApprovals } from "../approval/pending-approvals.ts";
import type { DeskContext } from "../core/context.ts";
import type { TransferRecord } from "../model/transfer.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { endedBy } from "./reconciler.ts";

const nextAction = "Ask the user whether it is still wanted; if so, ask for a new quote and for it anew.";

export function pendingTransfers(context: DeskContext, { journal }: TransferParts): PendingApprovals<TransferRecord> {
  return new PendingApprovals<TransferRecord>(context, {
    journal,
    idOf: ({ transferId }) => transferId,
    endedBy: ({ body }, to, message) =>
      endedBy(body, to, { fault: localFault("ELocal:Not approved", { message, nextAction }) }),
    lapsedMessage: "Nobody approved it while its quote held. Nothing was sent.",
  });
}
