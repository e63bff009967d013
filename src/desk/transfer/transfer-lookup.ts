/**
 * How a transfer without an answer is looked up, by the idempotency key of its one request, and what is written down of it.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence, service.md#idempotency-lookup; decisions 0016 and 0064.
 */
import { type Fault, localFault, ok, type Payment, type Remittance, type Result } from "../../contract/index.ts";
import type { SubmissionKind } from "../approval/pending-approvals.ts";
import type { DeskContext } from "../core/context.ts";
import type { TransferBody, TransferRecord } from "../model/transfer.ts";
import type { TransferState } from "../model/transfer-state.ts";
import { familyOf, maskedRemittance, maskedTask, summaryOf } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import type { OrdersOptions } from "../ports/venue.ts";
import { nothingFound } from "../reconciliation/absence.ts";
import type { Move, Seen, SettlingKind } from "../reconciliation/reconciler.ts";

const OTHER = { kind: "cannot_say", why: "the exchange shows something else under this name" } as const;

/** What to do where its waiting has ended and nothing else is known. */
export const ASK_AGAIN = "Ask the user whether it is still wanted; if so, ask for a new quote and for it anew.";

/** What the exchange shows of a movement that it has made. */
export type Shown = { readonly payment: Payment } | { readonly remittance: Remittance };

export function transferKind(journal: SubmissionKind<TransferRecord>["journal"]): SubmissionKind<TransferRecord> {
  return {
    journal,
    thing: "transfer",
    idOf: ({ transferId }) => transferId,
    endedBy: ({ body }, to, fault) => endedBy(body, to === "undone" ? "not_made" : to, { fault }),
    askAgain: ASK_AGAIN,
    lapsedMessage: "Nobody approved it while its quote held. Nothing was sent.",
    viewOf: ({ transferId, body: { task } }) => ({ id: transferId, userref: null, summary: summaryOf(task) }),
  };
}

export function settlingTransfers(context: DeskContext, parts: TransferParts): SettlingKind<TransferRecord, Shown> {
  return {
    ...transferKind(parts.journal),
    journal: parts.journal,
    undone: "not_made",
    isDone: (state) => state === "done",
    find: (transfer, query) => find(context, parts, transfer, query),
    shownBy: (transfer, shown) => {
      const { settledBy: _word, heldBeforeWord, ...body } = transfer.body;
      return doneBy({ body, held: heldBeforeWord ?? transfer.held }, shown);
    },
    undoneBy,
    named: ({ account, transferId }) => ({ account, intentId: transferId }),
  };
}

/** The change that says so of a transfer: what is personal in it is let go of. */
export function endedBy(body: TransferBody, to: TransferState, more: Partial<TransferBody>): Move<TransferRecord> {
  const { fault: _before, evidence: _looked, ...rest } = body;
  const hold = to === "done" ? {} : { hold: { value: "0", isLive: false } };
  return { to, body: { ...rest, task: maskedTask(body.task), ...more }, ...hold };
}

/** A movement that the exchange shows, on a transfer that was sent. It counts for a day from now on. */
export function doneBy({ body, held }: Pick<TransferRecord, "body" | "held">, shown: Shown): Move<TransferRecord> {
  const seen = "remittance" in shown ? { remittance: maskedRemittance(shown.remittance) } : shown;
  const state = "payment" in shown ? shown.payment.state : shown.remittance.state;
  return { ...endedBy(body, "done", seen), hold: { value: held, isLive: false }, detail: { shown: state } };
}

/** By the word of a person; the exchange has not shown it. */
export function doneByWord({ body, held }: TransferRecord): Move<TransferRecord> {
  return { ...endedBy(body, "done", { settledBy: "person" }), hold: { value: held, isLive: false } };
}

const WHY = {
  none: "The exchange has no such movement",
  unsent: "It was let through and never sent",
  word: "A person has looked at the exchange",
} as const;

function undoneBy({ body, held }: TransferRecord, why: keyof typeof WHY): Move<TransferRecord> {
  const fault: Fault = localFault("ELocal:Not placed", {
    message: `${WHY[why]}: it was not made, and no money has moved.`,
    nextAction: "Ask for it again if it is still wanted.",
  });
  return endedBy(body, "not_made", { fault, ...(why === "word" && { settledBy: "person", heldBeforeWord: held }) });
}

/** What the exchange has made of the one request with this key. `cannot_say` where it shows something else than was asked for. */
async function find(
  context: DeskContext,
  { venue }: TransferParts,
  { body, idempotencyKey }: TransferRecord,
  query: OrdersOptions,
): Promise<Result<Seen<Shown>>> {
  if (familyOf(body.task.kind) === "payment") {
    const answer = await venue.paymentBy(idempotencyKey, query);
    return answer.ok ? ok(seen(context, body, answer.value && { payment: answer.value })) : answer;
  }
  const answer = await venue.remittanceBy(idempotencyKey, query);
  return answer.ok ? ok(seen(context, body, answer.value && { remittance: answer.value })) : answer;
}

function seen(context: DeskContext, body: TransferBody, shown: Shown | undefined): Seen<Shown> {
  // By its key the service shows it whatever has become of it.
  if (shown === undefined) return nothingFound(context);
  return isOf(body, shown) ? { kind: "found", item: shown } : OTHER;
}

/** Whether what the exchange shows is what the task is about. */
function isOf({ task }: TransferBody, shown: Shown): boolean {
  switch (task.kind) {
    case "confirm_payment":
      return "payment" in shown && task.quote.payment_id === shown.payment.payment_id;
    case "refund_payment":
      return "payment" in shown && task.payment.payment_id === shown.payment.payment_id;
    case "send_remittance":
      return "remittance" in shown && task.quote.quote_id === shown.remittance.quote_id;
    case "cancel_remittance":
      return "remittance" in shown && task.remittance.remittance_id === shown.remittance.remittance_id;
    default:
      return task satisfies never;
  }
}
