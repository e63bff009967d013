/**
 * Transfers that wait for a person, and how their waiting ends without a yes.
 *
 * Invariant: what nobody answered in time, or whose quote has run out, does not wait any more, whoever looks first.
 */
import { localFault, ok, type Result } from "../../contract/index.ts";
import { hasExpired } from "../approval/approval-digest.ts";
import type { DeskContext } from "../core/context.ts";
import type { TransferRecord } from "../model/transfer.ts";
import type { TransferParts } from "../ports/transfer.ts";
import { endedBy } from "./reconciler.ts";

const LOOKED_AT = 200;

/** What waits now, oldest first; what has run out is let go of on the way. */
export async function pendingTransfers(
  context: DeskContext,
  parts: TransferParts,
): Promise<Result<readonly TransferRecord[]>> {
  const found = await parts.journal.inStates(context.journalAccount(), ["awaiting_approval"], LOOKED_AT);
  if (!found.ok) return found;
  const waiting: TransferRecord[] = [];
  for (const transfer of found.value) {
    if (isExpired(transfer, context.parts.clock.now())) await expire(context, parts, transfer);
    else waiting.push(transfer);
  }
  return ok(waiting);
}

function isExpired({ body: { approval } }: TransferRecord, nowMs: number): boolean {
  return approval === undefined || hasExpired(approval, nowMs);
}

/** @returns the transfer as it then stands; as it was where it does not wait, has time left, or cannot be written */
export async function expireIfDue(
  context: DeskContext,
  parts: TransferParts,
  transfer: TransferRecord,
): Promise<TransferRecord> {
  if (transfer.state !== "awaiting_approval" || !isExpired(transfer, context.parts.clock.now())) return transfer;
  const ended = await expire(context, parts, transfer);
  return ended.ok ? ended.value : transfer;
}

function expire(context: DeskContext, parts: TransferParts, transfer: TransferRecord): Promise<Result<TransferRecord>> {
  const message = "Nobody approved it while its quote held. Nothing was sent.";
  return endPending(context, parts, transfer, "lapsed", message);
}

/** @returns the transfer as it then stands: somebody may have been faster */
export async function endPending(
  context: DeskContext,
  { journal }: TransferParts,
  transfer: TransferRecord,
  to: "denied" | "lapsed",
  message: string,
): Promise<Result<TransferRecord>> {
  const nextAction = "Ask the user whether it is still wanted; if so, ask for a new quote and for it anew.";
  const fault = localFault("ELocal:Not approved", { message, nextAction });
  const change = { from: ["awaiting_approval"], ...endedBy(transfer.body, to, { fault }) } as const;
  const moved = await journal.advance(transfer.transferId, change, context.parts.clock.now());
  if (!moved.ok) return moved;
  if (moved.value !== undefined) return ok(moved.value);
  const now = await journal.byId(transfer.transferId);
  return now.ok ? ok(now.value ?? transfer) : now;
}
