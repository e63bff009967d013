/**
 * The life cycle of an intent, as one exhaustive table. An intent is a request to trade under one `userref`; at most one order at
 * the venue ever comes of it.
 *
 * - `draft`: previewed, not requested yet. `used`: it was placed, once. The order placed from a draft is an intent of its own, so a
 *   draft never reserves a `userref`.
 * - `awaiting_approval`: requested, and a person has to approve it. `denied`: a person or the policy refused it; nothing was sent.
 *   `lapsed`: it expired, was withdrawn, or the market has moved since.
 * - `approved`: allowed by the policy, and by a person where the policy requires one; on disk, and no byte has left.
 * - `submitting`: the nonce of its one request is on disk; the request may be on its way.
 * - `unknown`: sent, and no readable answer came.
 * - `accepted`: the venue has taken the order and has not shown it yet. `open`, `partially_filled`, `cancel_requested`: it is
 *   in the book. `filled`, `canceled`, `expired`: the venue has shown how it ended.
 * - `rejected`: the venue answered no. `not_placed`: proven that no request of it can take effect, or a person's word that none has; over
 *   that word, an order that the venue shows later wins.
 *
 * Invariants: `submitting` and `unknown` leave only on evidence from the venue (an answer, or a query whose
 * "not found" is final), on proof that no byte was sent, or by manual settlement (`settledBy`). An order that the venue has shown as ended
 * never changes again.
 */
import type { OrderState } from "../../contract/index.ts";
import { UNRESOLVED_STATES } from "./submission.ts";

export const INTENT_STATES = [
  "draft",
  "used",
  "awaiting_approval",
  "denied",
  "lapsed",
  "approved",
  "submitting",
  "unknown",
  "accepted",
  "open",
  "partially_filled",
  "cancel_requested",
  "filled",
  "canceled",
  "expired",
  "rejected",
  "not_placed",
] as const;

export type IntentState = (typeof INTENT_STATES)[number];

/** Lists what an order that the venue has shown may be. */
const SHOWN = ["open", "partially_filled", "filled", "canceled", "expired"] as const;
const ENDED = ["filled", "canceled", "expired"] as const;

/** Every permitted move. A state with an empty list is terminal. */
export const INTENT_MOVES: Readonly<Record<IntentState, readonly IntentState[]>> = {
  draft: ["used", "lapsed"],
  used: [],
  awaiting_approval: ["approved", "denied", "lapsed"],
  denied: [],
  lapsed: [],
  // To itself: its process says that it works on it still.
  approved: ["approved", "submitting", "denied", "lapsed", "not_placed"],
  submitting: ["accepted", ...SHOWN, "rejected", "unknown", "not_placed"],
  // To itself: what was found out about it, or a person's word while the venue cannot be asked.
  unknown: ["unknown", "accepted", ...SHOWN, "rejected", "not_placed"],
  accepted: [...SHOWN, "cancel_requested", "rejected"],
  open: ["partially_filled", "cancel_requested", ...ENDED],
  // To itself: more of it has executed.
  partially_filled: ["partially_filled", "cancel_requested", ...ENDED],
  // Back, when the cancel is proven to have had no effect.
  cancel_requested: ["open", "partially_filled", ...ENDED],
  filled: [],
  canceled: [],
  expired: [],
  rejected: [],
  // Proven without effect, so the same intent may be placed again: the one permitted second submission. Shown by the venue after all where it
  // was not proven, but a person's word.
  not_placed: ["awaiting_approval", "approved", ...SHOWN],
};

export function canMove(from: IntentState, to: IntentState): boolean {
  return INTENT_MOVES[from].includes(to);
}

/** States from which `to` may be reached. */
export function sourcesOf(to: IntentState): readonly IntentState[] {
  return INTENT_STATES.filter((from) => canMove(from, to));
}

/** At the venue, and more can happen to it there. */
export const LIVE_STATES = ["accepted", "open", "partially_filled", "cancel_requested"] as const;
/** Not at the venue as far as is known, and may be or come there. */
export const UNSETTLED_STATES = ["approved", ...UNRESOLVED_STATES] as const;
/** Requested and not sent yet. */
export const WAITING_STATES = ["awaiting_approval", "approved"] as const;

export function isLive(state: IntentState): boolean {
  return oneOf(LIVE_STATES, state);
}

/** Tells whether the venue has, or had, the order. */
export function isAtVenue(state: IntentState): boolean {
  return isLive(state) || oneOf(ENDED, state);
}

/** Tells whether it is neither at the venue nor known not to come there. */
export function isUnsettled(state: IntentState): boolean {
  return oneOf(UNSETTLED_STATES, state);
}

function oneOf(states: readonly IntentState[], state: IntentState): boolean {
  return states.includes(state);
}

/** The state of an intent whose order the venue shows like this. */
export function stateShownBy(order: { readonly state: OrderState; readonly executed_volume: string }): IntentState {
  if (order.state !== "open") return order.state;
  return /[1-9]/.test(order.executed_volume) ? "partially_filled" : "open";
}
