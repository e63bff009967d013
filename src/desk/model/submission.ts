/**
 * What is sent to the venue once, as the journal keeps it, whatever it is: orders (intents) and transfers. Each has states and a body of its own.
 *
 * Source: architecture.md#rule-1.
 */

export interface Submission<State extends string, Body> {
  readonly account: string;
  readonly state: State;
  /** Decimal text of the nonce its request carried, as nonces outgrow JavaScript's numbers; null while nothing was sent. */
  readonly nonce: string | null;
  /** Kept as JSON: what does not survive that is not kept. May hold personal data. */
  readonly body: Body;
  /** What it counts for in the budgets: whole KRW as decimal text. */
  readonly heldKrw: string;
  /** Whether it counts however old it is: it is an open order, or may be on its way. */
  readonly isLive: boolean;
  /** When its request was numbered, Unix milliseconds; null while nothing was sent, and once it is proven to have had no effect. */
  readonly sentAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A new one: nothing is sent yet, so nothing is held. */
export type NewSubmission<Item> = Omit<Item, "heldKrw" | "isLive" | "sentAtMs" | "updatedAtMs">;

export interface SubmissionChange<Item extends Submission<string, unknown>> {
  readonly from: readonly Item["state"][];
  readonly to: Item["state"];
  /** Only while it still has this nonce: what was found out about one request must not settle a later one. */
  readonly ifNonce?: string | null;
  /** Only while this holds of it, asked inside the transaction. */
  readonly ifStill?: (before: Item) => boolean;
  readonly body?: Item["body"];
  /** What it counts for from now on; 0 for what is proven to have had no effect. `krw`: whole, at most 2^53 - 1. */
  readonly hold?: { readonly krw: string; readonly isLive: boolean };
  /** It is proven that what was sent has no effect: it does not count as sent. */
  readonly unsend?: boolean;
  /** What the audit log says of the step besides. */
  readonly detail?: AuditDetail;
  /** Do not wait for the disk: for facts that can be queried from the venue again. */
  readonly lazy?: boolean;
  /** Says only who works on it and that this goes on: no step, so the audit log has nothing of it. */
  readonly isLease?: boolean;
}

/** The move that precedes the one request. */
export interface SubmissionSend<Item extends Submission<string, unknown>> {
  readonly from: readonly Item["state"][];
  readonly to: Item["state"];
  readonly nonce: string;
  /** Whole KRW, at most 2^53 - 1. */
  readonly heldKrw: string;
  readonly body?: Item["body"];
  /** The moments, Unix milliseconds, since which whoever admits asks what was sent: it is read before. */
  readonly sinceMs?: readonly number[];
}

/** What the audit log says of a step. */
export type AuditDetail = Readonly<Record<string, unknown>>;
