/**
 * How facts become words: orders, intents and faults into the reports of `answers.ts`.
 *
 * Invariant: the outcome follows from evidence only. `accepted` means that the venue showed the order, `rejected` that it
 * answered no, `not_sent` that no byte left, `unknown` everything else.
 */
import { type Fault, localFault, type OrderState } from "../contract/index.ts";
import type { ReportedError, ReportedState, Stamp, WriteOutcome, WriteReport } from "./answers.ts";
import type { IntentState } from "./intent.ts";
import type { IntentRecord } from "./ports.ts";

/** A fault as callers see it. */
export function reportError(fault: Fault): ReportedError {
  return {
    code: fault.code,
    class: fault.code.split(":", 1)[0] ?? fault.code,
    message: fault.message,
    ...(fault.field === undefined ? {} : { field: fault.field }),
    retryable: fault.retry !== "never" && fault.reachedVenue !== "unknown",
    ...(fault.retryAfterMs === undefined ? {} : { retry_after_ms: fault.retryAfterMs }),
    ...(fault.userActionUrl === undefined ? {} : { user_action_url: fault.userActionUrl }),
    ...(fault.venueText === undefined ? {} : { venue_text: fault.venueText }),
  };
}

/** The state of a venue order in reported words: an open order with executions is partially filled. */
export function orderStateOf(order: { readonly state: OrderState; readonly executed_volume: string }): ReportedState {
  if (order.state !== "open") return order.state;
  return /[1-9]/.test(order.executed_volume) ? "partially_filled" : "open";
}

/** The state of an intent in reported words, without asking the venue. */
export function intentStateOf(intent: IntentRecord): ReportedState {
  if (intent.body.seen !== undefined) return orderStateOf(intent.body.seen);
  return STATE_WORDS[intent.state];
}

const STATE_WORDS: Readonly<Record<IntentState, ReportedState>> = {
  draft: "not_placed",
  used: "not_placed",
  lapsed: "not_placed",
  // Whoever recorded it may be about to send it.
  recorded: "unknown",
  submitting: "unknown",
  unknown: "unknown",
  accepted: "open",
  rejected: "rejected",
  not_placed: "not_placed",
};

const OUTCOMES: Readonly<Record<IntentState, WriteOutcome>> = {
  draft: "not_sent",
  used: "not_sent",
  lapsed: "not_sent",
  recorded: "unknown",
  submitting: "unknown",
  unknown: "unknown",
  accepted: "accepted",
  rejected: "rejected",
  not_placed: "not_sent",
};

/** The report of a write that stood in the journal. */
export function intentReport(stamp: Stamp, intent: IntentRecord, warnings: readonly string[] = []): WriteReport {
  const { seen, fault } = intent.body;
  const nextAction = nextActionOf(intent);
  return {
    outcome: OUTCOMES[intent.state],
    state: intentStateOf(intent),
    ...(seen === undefined ? {} : { order: seen }),
    intent_id: intent.intentId,
    userref: intent.userref,
    ...stamp,
    warnings,
    ...(nextAction === undefined ? {} : { next_action: nextAction }),
    ...(fault === undefined || intent.state === "accepted" ? {} : { error: reportError(fault) }),
  };
}

function nextActionOf(intent: IntentRecord): string | undefined {
  switch (intent.state) {
    case "submitting":
    case "unknown":
      return (
        `Look with get_order, userref ${intent.userref}. The order was sent and has no answer yet; ` +
        "it is never sent twice, and placing it again could double it."
      );
    case "not_placed":
      return "The order is proven not placed. Place it again if it is still wanted.";
    case "rejected":
      return intent.body.fault?.nextAction;
    case "accepted":
      return intent.body.seen?.state === "open"
        ? "Follow it with await_order, or cancel it with cancel_order."
        : undefined;
    case "draft":
    case "used":
    case "lapsed":
      return undefined;
    case "recorded":
      return (
        `Look with get_order, userref ${intent.userref}. The order is recorded and not sent yet; another process may be ` +
        "about to send it, so placing it again could double it."
      );
    default:
      return intent.state satisfies never;
  }
}

/** A fault of a question that goes before a write: to say of the write that it was sent would be a lie. */
export function beforeSending(fault: Fault): Fault {
  return fault.reachedVenue === "unknown" ? localFault("ELocal:Not checked") : fault;
}

/** The report of a write that was refused here: nothing was recorded, nothing was sent. */
export function deniedReport(stamp: Stamp, cause: Fault, warnings: readonly string[] = []): WriteReport {
  const fault = beforeSending(cause);
  return {
    outcome: "not_sent",
    state: "denied",
    ...stamp,
    warnings,
    next_action: fault.nextAction,
    error: reportError(fault),
  };
}
