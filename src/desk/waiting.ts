/**
 * Orders that wait for a person, and how their waiting ends without a yes.
 *
 * Invariant: what nobody answered in time does not wait any more, whoever looks first.
 */
import { localFault, ok, type Result } from "../contract/index.ts";
import { hasRunOut } from "./approval-terms.ts";
import { type DeskContext, stored } from "./context.ts";
import { holdAfter } from "./evidence.ts";
import type { IntentRecord } from "./ports.ts";

const LOOKED_AT = 200;

/** What waits now, oldest first; what has run out is let go of on the way. */
export async function stillWaiting(context: DeskContext): Promise<Result<readonly IntentRecord[]>> {
  const { journal, clock } = context.parts;
  const found = await stored(() => journal.inStates(context.journalAccount(), ["awaiting_approval"], LOOKED_AT));
  if (!found.ok) return found;
  const waiting: IntentRecord[] = [];
  for (const intent of found.value) {
    if (isOver(intent, clock.now())) await letGo(context, intent);
    else waiting.push(intent);
  }
  return ok(waiting);
}

/** Whether one that waits has waited long enough. */
export function isOver({ body: { approval } }: IntentRecord, nowMs: number): boolean {
  return approval === undefined || hasRunOut(approval, nowMs);
}

/** @returns the intent as it then stands; as it was where it does not wait, has time left, or cannot be written */
export async function letGoIfOver(context: DeskContext, intent: IntentRecord): Promise<IntentRecord> {
  if (intent.state !== "awaiting_approval" || !isOver(intent, context.parts.clock.now())) return intent;
  const ended = await letGo(context, intent);
  return ended.ok ? ended.value : intent;
}

function letGo(context: DeskContext, intent: IntentRecord): Promise<Result<IntentRecord>> {
  return endWaiting(context, intent, "lapsed", "Nobody approved this order in time. Nothing was sent.");
}

/** @returns the intent as it then stands: somebody may have been faster */
export async function endWaiting(
  context: DeskContext,
  intent: IntentRecord,
  to: "denied" | "lapsed",
  message: string,
): Promise<Result<IntentRecord>> {
  const { journal, clock } = context.parts;
  const body = { ...intent.body, fault: localFault("ELocal:Not approved", { message }) };
  const hold = holdAfter(to, undefined);
  const change = { from: ["awaiting_approval"], to, body, ...(hold === undefined ? {} : { hold }) } as const;
  const moved = await stored(() => journal.advance(intent.intentId, change, clock.now()));
  if (!moved.ok) return moved;
  if (moved.value !== undefined) return ok(moved.value);
  const now = await stored(() => journal.byIntentId(intent.intentId));
  return now.ok ? ok(now.value ?? intent) : now;
}
