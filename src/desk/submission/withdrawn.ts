/**
 * A call that its caller withdraws. Until its request is begun nothing is sent; from then on it counts as sent, and that is noted.
 *
 * Source: architecture.md#rule-1; decision 0060.
 */
import { type Fault, localFault } from "../../contract/index.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { Listener } from "../model/listener.ts";
import type { WriteOutcome } from "../model/reports.ts";

export function withdrawnFault(): Fault {
  return localFault("ELocal:Withdrawn");
}

/** Undefined while it is wanted. */
export function withdrawal(withdrawn: AbortSignal | undefined): Fault | undefined {
  return withdrawn?.aborted === true ? withdrawnFault() : undefined;
}

/** Of a submission, whatever its kind. */
interface Reported {
  readonly outcome: WriteOutcome;
  readonly state: string;
  readonly duplicate_of?: string;
}

/** What was sent for a call that is withdrawn before its answer was heard is noted in the log. */
export async function noteLate(
  context: DeskContext,
  intentId: string | undefined,
  { outcome, state, duplicate_of }: Reported,
  listener: Listener | undefined,
): Promise<void> {
  const { withdrawn, whenHeard } = listener ?? {};
  if (withdrawn === undefined || intentId === undefined || outcome === "not_sent" || duplicate_of !== undefined) return;
  const account = context.journalAccount();
  const entry = { event: "withdrawn_late", account, intentId, detail: { state } };
  if (withdrawn.aborted) {
    await recordStep(context, entry);
    return;
  }
  const note = (): void => void recordStep(context, entry);
  withdrawn.addEventListener("abort", note, { once: true });
  whenHeard?.(() => withdrawn.removeEventListener("abort", note));
}
