/**
 * Keeps in the journal what is sent to the venue once, whatever it is: an order (an intent), or money on its way. Each kind has states and a body of its
 * own.
 *
 * Source: architecture.md#rule-1.
 */

import type { Fault, Unit } from "../../contract/index.ts";
import type { Evidence } from "./evidence.ts";

export type Environment = "sandbox" | "live";

/** What a person is asked to approve, and who approved it. */
export interface QuestionTerms {
  /** SHA-256, hex, over what is asked for in every field, its value, and the time of request and expiry: exactly this is approved. */
  readonly digest: string;
  /** What it was valued at, in `unit`. */
  readonly value: string;
  readonly unit: Unit;
  /** Why a person has to be asked. */
  readonly why: string;
  /** Absent in terms of versions before this was kept. */
  readonly askedAtMs?: number;
  readonly expiresAtMs: number;
  /** Session of the client that asked for it; absent where no client can be asked about it. */
  readonly askedIn?: string;
  readonly approvedBy?: ApprovalWay;
  readonly approvedAtMs?: number;
  /** By a passkey: what it has signed, over `digest`. */
  readonly assertion?: PasskeyAssertion;
}

/**
 * `client`: an elicitation that a person answered in the client. `passkey`: a signature over the digest, given in the console. `pin`: the PIN, on a terminal
 * or in the console.
 */
export type ApprovalWay = "client" | "passkey" | "pin";

/** What a passkey has signed, as WebAuthn names its parts, each base64url. Nothing of it is secret. */
export interface PasskeyAssertion {
  readonly credentialId: string;
  readonly authenticatorData: string;
  readonly clientDataJson: string;
  readonly signature: string;
}

/** What a body holds, whatever it is about. */
export interface SubmissionBody {
  readonly environment: Environment;
  /** Key that the request was, or will be, signed with. */
  readonly keyId: string;
  /** SHA-256, hex, over what was asked for in every field, the account and the environment. */
  readonly digest: string;
  readonly approval?: QuestionTerms;
  /** Why it was rejected, or what made it unknown. */
  readonly fault?: Fault;
  /** Settled by a person who has looked at the exchange, not by the exchange's answer; while `unknown`: to be, unless it shows the item. */
  readonly settledBy?: "person";
  /** The process that works on it while it is approved. */
  readonly holder?: string;
  /** What look-ups have shown while it has no answer. */
  readonly evidence?: Evidence;
  /** By whoever asked for it, while it was on its way. */
  readonly withdrawn?: true;
  /** What it counted for when a person said that it had no effect: where the exchange shows it later, it counts again. */
  readonly heldBeforeWord?: string;
}

/** Sent, and the venue may have, or come to have, something that is not known here. */
export const UNRESOLVED_STATES = ["submitting", "unknown"] as const;

export function isUnresolved(state: string): boolean {
  return UNRESOLVED_STATES.some((each) => each === state);
}

/** A submission of either kind, for what goes one way for both. */
export type AnySubmission = Submission<string, SubmissionBody>;

export interface Submission<State extends string, Body> {
  readonly account: string;
  readonly state: State;
  /** Decimal text of the nonce its request carried, as nonces outgrow JavaScript's numbers; null while nothing was sent. */
  readonly nonce: string | null;
  /** Kept as JSON: what does not survive that is not kept. May hold personal data. */
  readonly body: Body;
  /** What its sums are counted in. */
  readonly unit: Unit;
  /** Counts in the budgets: a sum in `unit`, whole steps of it, as decimal text. */
  readonly held: string;
  /** Counts at any age: an open order, or one that may be on its way. */
  readonly isLive: boolean;
  /** When its request was numbered, Unix milliseconds; null while nothing was sent, and once it is proven to have had no effect. */
  readonly sentAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A new one: nothing is sent yet, so nothing is held. */
export type NewSubmission<Item> = Omit<Item, "held" | "isLive" | "sentAtMs" | "updatedAtMs">;

export interface SubmissionChange<Item extends Submission<string, unknown>> {
  readonly from: readonly Item["state"][];
  readonly to: Item["state"];
  /** Only while it still has this nonce: what was found out about one request must not settle a later one. */
  readonly ifNonce?: string | null;
  /** Only while this holds of it, asked inside the transaction. */
  readonly ifStill?: (before: Item) => boolean;
  readonly body?: Item["body"];
  /** Sets what it counts for from now on; 0 for what is proven to have had no effect. `value`: at most 2^53 - 1 steps of its unit. */
  readonly hold?: { readonly value: string; readonly isLive: boolean };
  /** It is proven that what was sent has no effect: it does not count as sent. */
  readonly unsend?: boolean;
  /** Goes into the audit log with the step. */
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
  /** A sum in `unit`, at most 2^53 - 1 steps of it. */
  readonly held: string;
  readonly unit: Unit;
  readonly body?: Item["body"];
  /** The moments, Unix milliseconds, since which whoever admits asks what was sent: it is read before. */
  readonly sinceMs?: readonly number[];
  /** By how much the exchange's clock is ahead of ours, in milliseconds: what plans have set aside is due by it. */
  readonly offsetMs?: number;
}

/** Tells the audit log of a step. */
export type AuditDetail = Readonly<Record<string, unknown>>;
