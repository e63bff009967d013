/**
 * Twins: a transfer just like one of which the caller may not know what became, under another quote or name. Whoever asks again most
 * likely means that one, so nothing is sent until it is settled and told.
 *
 * Source: decisions 0016 and 0017.
 */
import { type Fault, localFault } from "../../contract/index.ts";
import { DUPLICATE_WINDOW_MS } from "../execution/duplicate-guard.ts";
import type { TransferRecord } from "../model/transfer.ts";
import type { TransferState } from "../model/transfer-state.ts";
import { isDuplicateTask } from "../model/transfer-task.ts";
import type { SentTransfers } from "../ports/transfer.ts";
import type { Acknowledgements } from "../reconciliation/acknowledgements.ts";
import { queryToolFor } from "./transfer-report.ts";

/** Asked for, and not settled. */
export const OPEN: readonly TransferState[] = ["awaiting_approval", "approved", "submitting", "unknown"];

/** Whether it is on its way, or was made so lately that whoever asks again may mean it. */
export function isRecent({ state, updatedAtMs }: TransferRecord, nowMs: number): boolean {
  return state === "done" ? nowMs - updatedAtMs < DUPLICATE_WINDOW_MS : OPEN.includes(state);
}

/**
 * One just like it that left while this one was on its way here: not heard of yet, or sent since this one was asked for, so that whoever
 * asked could not know of it. Of several asked for at the same moment, the first to be sent goes.
 */
export function sentDuplicate(
  { requestKey, body }: TransferRecord,
  { unacknowledged: unheard, since }: SentTransfers,
  { telling, askedAtMs, nowMs }: Asked,
): Fault | undefined {
  const twin = [...unheard.filter(({ transferId }) => !telling.isAcknowledged(transferId)), ...since(askedAtMs)].find(
    (other) => isRecent(other, nowMs) && other.requestKey !== requestKey && isDuplicateTask(other.body.task, body.task),
  );
  return twin && duplicateFault(twin);
}

interface Asked {
  readonly telling: Acknowledgements;
  readonly askedAtMs: number;
  readonly nowMs: number;
}

export function duplicateFault({ transferId, state, body }: TransferRecord): Fault {
  const look = queryToolFor(body.task.kind);
  const [how, nextAction] =
    state === "done"
      ? [
          "was made before, and whoever asked for it may not have been told",
          `Look with ${look}, transfer_id ${transferId}. Only if a second one is wanted, ask for it again after that.`,
        ]
      : state === "awaiting_approval"
        ? ["waits for a person's approval", `Have the user approve or deny transfer ${transferId} first.`]
        : [
            "was sent or let through before and has no answer yet",
            `Look with ${look}, transfer_id ${transferId}, until it is settled.`,
          ];
  const message = `One just like it ${how}: transfer ${transferId}. Nothing was sent now.`;
  return localFault("ELocal:Twin unresolved", { message, nextAction });
}
