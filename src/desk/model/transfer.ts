/** A transfer, as the journal keeps it: a payment, a refund, a remittance, or the cancel of one. */
import type { CreateRemittanceBody, Payment, Remittance, RemittanceQuote } from "../../contract/index.ts";
import type { NewSubmission, QuestionTerms, Submission, SubmissionBody, SubmissionChange } from "./submission.ts";
import type { TransferState } from "./transfer-state.ts";

export type TransferFamily = "payment" | "remittance";

/** Says what is to be done, with everything that a person approves: the quote as the exchange gave it, and every field that is sent. */
export type TransferTask =
  | { readonly kind: "confirm_payment"; readonly quote: Payment }
  /** @param amount whole won. */
  | { readonly kind: "refund_payment"; readonly payment: Payment; readonly amount: string }
  | { readonly kind: "send_remittance"; readonly quote: RemittanceQuote; readonly send: CreateRemittanceBody }
  | { readonly kind: "cancel_remittance"; readonly remittance: Remittance };

export type TransferKind = TransferTask["kind"];

/** What a person is asked to approve of a transfer. Its question is never open longer than the quote. */
export interface TransferTerms extends QuestionTerms {
  readonly askedAtMs: number;
}

/** Says what a transfer is about; everything but its progress. */
export interface TransferBody extends SubmissionBody {
  /** Once it has ended, without what is personal. */
  readonly task: TransferTask;
  readonly approval?: TransferTerms;
  /** Stands as the exchange showed it when it was done. */
  readonly payment?: Payment;
  readonly remittance?: Remittance;
}

/** Records one movement of money that was asked for: at most one ever comes of it. */
export interface TransferRecord<State extends string = TransferState, Body = TransferBody>
  extends Submission<State, Body> {
  readonly transferId: string;
  /** Budgets are counted for each family by itself. */
  readonly family: string;
  /** Names what is asked for, so that the same is not done twice. */
  readonly requestKey: string;
  /** Goes with its one request, and with no other. */
  readonly idempotencyKey: string;
}

export type NewTransfer<State extends string = TransferState, Body = TransferBody> = Omit<
  NewSubmission<TransferRecord<State, Body>>,
  "nonce"
>;

export type TransferChange = SubmissionChange<TransferRecord>;
