/**
 * The life of an intent, as one exhaustive table. An intent is a wish to trade with one `userref`;
 * at most one order at the venue ever comes of it.
 *
 * - `draft`: previewed, not asked for yet. `used`: it was asked for, once; `lapsed`: it ran out. The order placed from
 *   a draft is an intent of its own, so a draft never holds a `userref` back.
 * - `recorded`: asked for, checked and on disk; no byte has left and no nonce is taken.
 * - `submitting`: the nonce of its one request is on disk; the request may be on its way.
 * - `unknown`: sent, and no readable answer came.
 * - `accepted`: the venue has the order; how it goes on is the order's own state.
 * - `rejected`: the venue answered no. `not_placed`: proven that no request of it can take effect.
 *
 * Invariant: `submitting` and `unknown` leave only on evidence from the venue (an answer, or a
 * query behind the nonce fence), or on proof that no byte was sent.
 */

export const INTENT_STATES = [
  "draft",
  "used",
  "lapsed",
  "recorded",
  "submitting",
  "unknown",
  "accepted",
  "rejected",
  "not_placed",
] as const;

export type IntentState = (typeof INTENT_STATES)[number];

/** Every permitted move. A state with an empty list is terminal. */
export const INTENT_MOVES: Readonly<Record<IntentState, readonly IntentState[]>> = {
  draft: ["used", "lapsed"],
  used: [],
  lapsed: [],
  recorded: ["submitting", "not_placed"],
  submitting: ["accepted", "rejected", "unknown", "not_placed"],
  unknown: ["accepted", "rejected", "not_placed"],
  accepted: [],
  rejected: [],
  // Proven without effect, so the same intent may be asked for again: the one permitted second sending.
  not_placed: ["recorded"],
};

export function canMove(from: IntentState, to: IntentState): boolean {
  return INTENT_MOVES[from].includes(to);
}

/** States from which `to` may be reached. */
export function sourcesOf(to: IntentState): readonly IntentState[] {
  return INTENT_STATES.filter((from) => canMove(from, to));
}

/** Whether the venue may hold, or come to hold, an order that we have not been told about. */
export function isUnresolved(state: IntentState): boolean {
  switch (state) {
    case "submitting":
    case "unknown":
      return true;
    case "draft":
    case "used":
    case "lapsed":
    case "recorded":
    case "accepted":
    case "rejected":
    case "not_placed":
      return false;
    default:
      return state satisfies never;
  }
}
