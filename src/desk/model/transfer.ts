/** A transfer, as the journal keeps it: a payment, a refund, a remittance, or the cancel of one. */
import type { CreateRemittanceBody, Fault, Payment, Remittance, RemittanceQuote } from "../../contract/index.ts";
import type { Evidence } from "./evidence.ts";
import type { ApprovalWay, Environment, PasskeyAssertion } from "./intent.ts";
import type { NewSubmission, Submission, SubmissionChange } from "./submission.ts";
import type { TransferState } from "./transfer-state.ts";

export type TransferFamily = "payment" | "remittance";

/** What is to be done, with everything that a person approves: the quote as the exchange gave it, and every field that is sent. */
export type TransferTask =
  | { readonly kind: "confirm_payment"; readonly quote: Payment }
  /** @param amount whole won. */
  | { readonly kind: "refund_payment"; readonly payment: Payment; readonly amount: string }
  | { readonly kind: "send_remittance"; readonly quote: RemittanceQuote; readonly send: CreateRemittanceBody }
  | { readonly kind: "cancel_remittance"; readonly remittance: Remittance };

export type TransferKind = TransferTask["kind"];

/** What a person is asked to approve, and who approved it. */
export interface TransferTerms {
  /** SHA-256 over the transfer, every field of its task, account, environment, key, value and times, hex. */
  readonly digest: string;
  readonly valueKrw: string;
  /** Why a person has to be asked. */
  readonly why: string;
  readonly askedAtMs: number;
  /** When the question is over: never later than the quote. */
  readonly expiresAtMs: number;
  /** Session of the client that asked for it; absent where no client can be asked about it. */
  readonly askedIn?: string;
  readonly approvedBy?: ApprovalWay;
  readonly approvedAtMs?: number;
  /** By a passkey: what it has signed, over `digest`. */
  readonly assertion?: PasskeyAssertion;
}

/** What a transfer is about; everything but its progress. */
export interface TransferBody {
  /** Once it has ended, without what is personal. */
  readonly task: TransferTask;
  readonly environment: Environment;
  /** Key that the request was, or will be, signed with. */
  readonly keyId: string;
  /** SHA-256 over what was asked for, account and environment, hex. */
  readonly digest: string;
  readonly approval?: TransferTerms;
  /** As the exchange showed it when it was done. */
  readonly payment?: Payment;
  readonly remittance?: Remittance;
  /** Why it was rejected, or what made it unknown. */
  readonly fault?: Fault;
  /** Settled by the word of a person who has looked at the exchange. */
  readonly settledBy?: "person";
  /** The process that works on it while it is approved. */
  readonly holder?: string;
  /** What look-ups have shown while it has no answer. */
  readonly evidence?: Evidence;
  /** By whoever asked for it, while it was on its way. */
  readonly withdrawn?: true;
  /** What it counted for when a person said that it was not made. */
  readonly heldBeforeWord?: string;
}

/** One movement of money that was asked for: at most one ever comes of it. */
export interface TransferRecord<State extends string = TransferState, Body = TransferBody>
  extends Submission<State, Body> {
  readonly transferId: string;
  /** Budgets are counted for each family by itself. */
  readonly family: string;
  /** What is asked for, so that the same is not done twice. */
  readonly requestKey: string;
  /** Goes with its one request, and with no other. */
  readonly idempotencyKey: string;
}

export type NewTransfer<State extends string = TransferState, Body = TransferBody> = Omit<
  NewSubmission<TransferRecord<State, Body>>,
  "nonce"
>;

export type TransferChange = SubmissionChange<TransferRecord>;
