/**
 * The life of a transfer, as one exhaustive table. A transfer is a request to move money: to pay a quoted payment, to give a paid one
 * back, to send a quoted remittance, or to take one back. It has one idempotency key, and at most one movement ever comes of it.
 *
 * - `awaiting_approval`: requested, and a person has to say yes. `denied`: a person or the policy said no; nothing was sent.
 *   `lapsed`: the question, or the quote it is about, ran out.
 * - `approved`: the policy, and where it asks for one a person, lets it pass; on disk, and no byte has left.
 * - `submitting`: the nonce of its one request is on disk; the request may be on its way.
 * - `unknown`: sent, and no readable answer came.
 * - `done`: the exchange has shown that it took effect. What becomes of the payment or remittance then is the exchange's to tell.
 * - `rejected`: the exchange answered no. `not_made`: proven that no request of it can take effect, or a person's
 *   word that none has; over that word, a movement that the exchange shows later wins.
 *
 * Invariant: `submitting` and `unknown` leave only on evidence from the exchange (an answer, or a query whose "not found" is final), on
 * proof that no byte was sent, or by the word of a person who has looked at the exchange.
 *
 * Source: architecture.md#transfer-states; decision 0016.
 */

export const TRANSFER_STATES = [
  "awaiting_approval",
  "denied",
  "lapsed",
  "approved",
  "submitting",
  "unknown",
  "done",
  "rejected",
  "not_made",
] as const;

export type TransferState = (typeof TRANSFER_STATES)[number];

/** Every permitted move. A state with an empty list is terminal. */
export const TRANSFER_MOVES: Readonly<Record<TransferState, readonly TransferState[]>> = {
  awaiting_approval: ["approved", "denied", "lapsed"],
  denied: [],
  lapsed: [],
  // To itself: its process says that it works on it still.
  approved: ["approved", "submitting", "denied", "lapsed", "not_made"],
  submitting: ["done", "rejected", "unknown", "not_made"],
  // To itself: what was found out about it, or a person's word while the exchange cannot be asked.
  unknown: ["unknown", "done", "rejected", "not_made"],
  done: [],
  rejected: [],
  // Proven without effect, so the same may be asked for again, with the same key: the one permitted second sending. Shown as made after all where
  // it was not proven, but a person's word.
  not_made: ["awaiting_approval", "approved", "done"],
};

/** Ended without effect, for good: the same may be requested again. */
export const ENDED_UNDONE = ["denied", "lapsed", "rejected"] as const satisfies readonly TransferState[];
export function canTransferMove(from: TransferState, to: TransferState): boolean {
  return TRANSFER_MOVES[from].includes(to);
}
