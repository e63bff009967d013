/**
 * A transfer just like one whose outcome the caller may not know, under another quote or name, counts as its duplicate: whoever asks
 * again most likely means that one, so nothing is sent until it is settled, and then that one is the answer.
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

/** Requested, and not settled. */
export const UNSETTLED_OR_PENDING: readonly TransferState[] = [
  "awaiting_approval",
  "approved",
  "submitting",
  "unknown",
];

/** Whether it is on its way, or was made so lately that whoever asks again may mean it. */
export function isRecent({ state, updatedAtMs }: TransferRecord, nowMs: number): boolean {
  return state === "done" ? nowMs - updatedAtMs < DUPLICATE_WINDOW_MS : UNSETTLED_OR_PENDING.includes(state);
}

/**
 * One just like it that left while this one was on its way here: not acknowledged yet, or sent since this one was requested, so that the
 * caller could not know of it. Of several requested at the same moment, the first to be sent goes.
 */
export function sentDuplicate(
  { requestKey, body }: TransferRecord,
  { unacknowledged, since }: SentTransfers,
  { acknowledgements, requestedAtMs, nowMs }: RecheckContext,
): TransferRecord | undefined {
  return [
    ...unacknowledged.filter(({ transferId }) => !acknowledgements.isAcknowledged(transferId)),
    ...since(requestedAtMs),
  ].find(
    (other) => isRecent(other, nowMs) && other.requestKey !== requestKey && isDuplicateTask(other.body.task, body.task),
  );
}

/** Said beside the first one, in place of a second. */
export function madeText({ transferId }: TransferRecord): string {
  return `The same was made before as transfer ${transferId}, and nobody may have heard of it: this is that one. No second one was made.`;
}

interface RecheckContext {
  readonly acknowledgements: Acknowledgements;
  readonly requestedAtMs: number;
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
  const message = `The same transfer ${how}: transfer ${transferId}. Nothing was sent now.`;
  return localFault("ELocal:Twin unresolved", { message, nextAction });
}
