/**
 * Turns orders, intents and faults into the reports of `reports.ts`.
 *
 * Invariant: the outcome follows from evidence only. `accepted` means that the venue showed the order, `rejected` that it
 * answered no, `not_sent` that no byte left, `unknown` everything else.
 */
import { defined, type Fault, localFault, type OrderState } from "../../contract/index.ts";
import { formatAmount, notional, price, quantity } from "../../decimal/index.ts";
import type { ApprovalRequest } from "./approval-request.ts";
import type { IntentRecord, Sizing } from "./intent.ts";
import { type IntentState, isAtVenue } from "./intent-state.ts";
import type { ReplacedView, ReportedError, ReportedState, Stamp, WriteOutcome, WriteReport } from "./reports.ts";

/** A fault as callers see it. */
export function reportError(fault: Fault): ReportedError {
  return {
    code: fault.code,
    class: fault.code.split(":", 1)[0] ?? fault.code,
    message: fault.message,
    ...defined({ field: fault.field, proposals: fault.proposals }),
    retryable: fault.retry !== "never" && fault.reachedVenue !== "unknown",
    ...defined({
      retry_after_ms: fault.retryAfterMs,
      user_action_url: fault.userActionUrl,
      venue_text: fault.venueText,
      rule: fault.rule,
      figure: fault.figure,
      limit: fault.limit,
    }),
  };
}

/** The state of a venue order in reported words: an open order with executions is partially filled. */
export function orderStateOf(order: { readonly state: OrderState; readonly executed_volume: string }): ReportedState {
  if (order.state !== "open") return order.state;
  return /[1-9]/.test(order.executed_volume) ? "partially_filled" : "open";
}

/** The state of an intent in reported words, without a query to the venue. */
export function intentStateOf(intent: IntentRecord): ReportedState {
  const { seen } = intent.body;
  if (seen === undefined) return STATE_WORDS[intent.state];
  const shown = orderStateOf(seen);
  const isOpen = shown === "open" || shown === "partially_filled";
  return isOpen && intent.state === "cancel_requested" ? "cancel_requested" : shown;
}

const STATE_WORDS: Readonly<Record<IntentState, ReportedState>> = {
  draft: "not_placed",
  used: "not_placed",
  awaiting_approval: "awaiting_approval",
  denied: "denied",
  lapsed: "not_placed",
  approved: "not_sent_yet",
  submitting: "unknown",
  unknown: "unknown",
  accepted: "accepted",
  open: "open",
  partially_filled: "partially_filled",
  cancel_requested: "cancel_requested",
  filled: "filled",
  canceled: "canceled",
  expired: "expired",
  rejected: "rejected",
  not_placed: "not_placed",
};

const OUTCOMES: Readonly<Record<IntentState, WriteOutcome>> = {
  draft: "not_sent",
  used: "not_sent",
  awaiting_approval: "not_sent",
  denied: "not_sent",
  lapsed: "not_sent",
  // Its process may be about to send it.
  approved: "unknown",
  submitting: "unknown",
  unknown: "unknown",
  accepted: "accepted",
  open: "accepted",
  partially_filled: "accepted",
  cancel_requested: "accepted",
  filled: "accepted",
  canceled: "accepted",
  expired: "accepted",
  rejected: "rejected",
  not_placed: "not_sent",
};

const WITHDRAWN_LATE =
  "The call that asked for this order was withdrawn after it had been sent, so it counts as sent. Cancel it if it is not wanted.";
const CONTRADICTED = "A person had said that this order was not placed; the exchange shows it.";

/** Warns of an order that was sent, or may have been, for a call that was withdrawn then. */
export function withdrawnLate({ state, body }: IntentRecord): string | undefined {
  return body.withdrawn === true && OUTCOMES[state] !== "not_sent" ? WITHDRAWN_LATE : undefined;
}

/** The report of a write that is in the journal. */
export function intentReport(stamp: Stamp, intent: IntentRecord, warnings: readonly string[] = []): WriteReport {
  const { seen, fault, sizing, contradicted = false } = intent.body;
  const late = withdrawnLate(intent);
  const approval = intent.state === "awaiting_approval" ? approvalRequest(intent) : undefined;
  return {
    outcome: isOldUnknown(intent) ? "unknown" : OUTCOMES[intent.state],
    state: intentStateOf(intent),
    ...defined({ order: seen }),
    intent_id: intent.intentId,
    userref: intent.userref,
    ...defined({ sizing: sizing && sizingText(sizing), approval, replaced: replacedView(intent) }),
    ...stamp,
    warnings: [...warnings, ...(contradicted ? [CONTRADICTED] : []), ...(late === undefined ? [] : [late])],
    ...defined({ next_action: nextActionOf(intent) }),
    ...(fault && !isAtVenue(intent.state) && { error: reportError(fault) }),
  };
}

/** Nothing of it was sent, and whether the order that it was to replace is canceled is not known. */
function isOldUnknown({ state, body }: IntentRecord): boolean {
  const old = body.replaces?.ended?.state;
  return OUTCOMES[state] === "not_sent" && (old === "unknown" || old === "cancel_requested");
}

/** The order that was to go for it, as it was when this was written down. */
function replacedView({ body: { replaces } }: IntentRecord): ReplacedView | undefined {
  if (replaces === undefined) return undefined;
  const { orderId: order_id, executedVolume: executed_volume } = replaces;
  if (replaces.ended === undefined)
    return { order_id, state: orderStateOf({ state: "open", executed_volume }), executed_volume };
  return { order_id, state: replaces.ended.state, executed_volume: replaces.ended.executedVolume };
}

function sizingText({ asked, given, field, size, why }: Sizing): string {
  return `${asked} ${given} came to ${field} ${size}: ${why}`;
}

/** Shows what waits for a person; undefined for an intent that never did. */
export function approvalRequest({ intentId, userref, body, createdAtMs }: IntentRecord): ApprovalRequest | undefined {
  const { approval, order, replaces } = body;
  if (approval === undefined) return undefined;
  return {
    intent_id: intentId,
    userref,
    order,
    ...(replaces && {
      replaces: { order_id: replaces.orderId, price: replaces.price, open_volume: replaces.openVolume },
    }),
    value: approval.value,
    costs: approval.costs ?? null,
    price_seen: approval.priceSeen,
    why: approval.why,
    asked_at: new Date(approval.askedAtMs ?? createdAtMs).toISOString(),
    expires_at: new Date(approval.expiresAtMs).toISOString(),
  };
}

function queryAdvice({ userref }: IntentRecord): string {
  return (
    `Look with get_order, userref ${userref}. The order was sent and has no answer yet; ` +
    "it is never sent twice, and placing it again could double it."
  );
}

/** What to look for there: "buy 0.01 BTC on its market at ₩95,000,000, sent at 2026-07-20T00:00:00.000Z". */
function soughtText({ body: { order }, sentAtMs }: IntentRecord): string {
  const { symbol, side, volume, amount = "0", price: limit } = order;
  const [base = "", quote = ""] = symbol.split("/");
  const size = volume === undefined ? formatAmount(notional(amount), quote) : formatAmount(quantity(volume), base);
  const at = limit === undefined ? "at market" : `at ${formatAmount(price(limit), quote)}`;
  return `${side} ${size} on ${symbol} ${at}${sentAtMs === null ? "" : `, sent at ${new Date(sentAtMs).toISOString()}`}`;
}

function nextActionOf(intent: IntentRecord): string | undefined {
  switch (intent.state) {
    case "submitting":
      return queryAdvice(intent);
    case "unknown":
      return (
        `${queryAdvice(intent)} Where it stays so, a person looks at the exchange for ${soughtText(intent)}, and settles it on a terminal with ` +
        `\`hoga settle ${intent.userref} placed\` or \`not-placed\`.`
      );
    case "not_placed":
      if (intent.body.replaces !== undefined)
        return `Look at the old order with get_order, order_id ${intent.body.replaces.orderId}. While it is open, ask for the change again; else place what is still wanted with place_order.`;
      return intent.body.settledBy === "person"
        ? "A person has said so; the exchange has not proven it. Ask the user before placing it again."
        : "The order is proven not placed. Place it again if it is still wanted.";
    case "rejected":
      return intent.body.fault?.nextAction;
    case "accepted":
    case "open":
    case "partially_filled":
    case "cancel_requested":
      return "Follow it with await_order, or cancel it with cancel_order.";
    case "denied":
    case "lapsed":
      return intent.body.fault?.nextAction;
    // How it is approved from here is told by `approval/instruction.ts`.
    case "awaiting_approval":
    case "draft":
    case "used":
    case "filled":
    case "canceled":
    case "expired":
      return undefined;
    case "approved":
      return (
        `Look with get_order, userref ${intent.userref}. The order is let through and not sent yet; another process may be ` +
        "about to send it, so placing it again could double it."
      );
    default:
      return intent.state satisfies never;
  }
}

/**
 * A fault of a query that precedes a write: the write itself was not sent, and the advice for a failed query is no advice for a
 * write.
 */
export function beforeSending(fault: Fault): Fault {
  if (fault.reachedVenue === "unknown") return localFault("ELocal:Not checked");
  const before = { ...fault, reachedVenue: "no" } as const;
  return fault.retry === "never" ? before : { ...before, nextAction: NOTHING_SENT };
}

const NOTHING_SENT =
  "Nothing was sent and nothing is on its way. See with get_desk_status what the desk and the exchange can do now.";

/** The report of a write that was refused here: nothing was recorded, nothing was sent. */
export function deniedOrder(stamp: Stamp, cause: Fault, warnings: readonly string[] = []): WriteReport {
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
