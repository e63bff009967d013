/**
 * Orders that wait for a person, and how their waiting ends without a yes.
 *
 * Invariant: what nobody answered in time does not wait any more, whoever looks first.
 */
import { localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { holdAfter } from "../model/intent-transition.ts";
import { hasExpired } from "./approval-digest.ts";

const LOOKED_AT = 200;

/** What waits now, oldest first; what has run out is let go of on the way. */
export async function pendingApprovals(context: DeskContext): Promise<Result<readonly IntentRecord[]>> {
  const { journal, clock } = context.parts;
  const found = await journal.inStates(context.journalAccount(), ["awaiting_approval"], LOOKED_AT);
  if (!found.ok) return found;
  const waiting: IntentRecord[] = [];
  for (const intent of found.value) {
    if (isExpired(intent, clock.now())) await expire(context, intent);
    else waiting.push(intent);
  }
  return ok(waiting);
}

/** Whether one that waits has waited long enough. */
export function isExpired({ body: { approval } }: IntentRecord, nowMs: number): boolean {
  return approval === undefined || hasExpired(approval, nowMs);
}

/** @returns the intent as it then stands; as it was where it does not wait, has time left, or cannot be written */
export async function expireIfDue(context: DeskContext, intent: IntentRecord): Promise<IntentRecord> {
  if (intent.state !== "awaiting_approval" || !isExpired(intent, context.parts.clock.now())) return intent;
  const ended = await expire(context, intent);
  return ended.ok ? ended.value : intent;
}

function expire(context: DeskContext, intent: IntentRecord): Promise<Result<IntentRecord>> {
  return endPending(context, intent, "lapsed", "Nobody approved this order in time. Nothing was sent.");
}

/** @returns the intent as it then stands: somebody may have been faster */
export async function endPending(
  context: DeskContext,
  intent: IntentRecord,
  to: "denied" | "lapsed",
  message: string,
): Promise<Result<IntentRecord>> {
  const { journal, clock } = context.parts;
  const body = { ...intent.body, fault: localFault("ELocal:Not approved", { message }) };
  const hold = holdAfter(to, undefined);
  const change = { from: ["awaiting_approval"], to, body, ...(hold === undefined ? {} : { hold }) } as const;
  const moved = await journal.advance(intent.intentId, change, clock.now());
  if (!moved.ok) return moved;
  if (moved.value !== undefined) return ok(moved.value);
  const now = await journal.byId(intent.intentId);
  return now.ok ? ok(now.value ?? intent) : now;
}
