/**
 * Names what the desk answers of payments and remittances. Field names are public, hence snake_case; everything is marked as a draft.
 *
 * The words are those of orders: `denied` is ours and nothing was sent, `rejected` is the exchange's, `unknown` was sent and has no
 * answer yet, `not_made` is proven to have had no effect.
 */
import type { Payment, PaymentState, Remittance, RemittanceQuote, RemittanceState } from "../../contract/index.ts";
import type { ClientAnswer } from "./approval-request.ts";
import type { LookupView } from "./evidence.ts";
import type { ReportedError, Stamp, WriteOutcome } from "./reports.ts";
import type { TransferKind, TransferTask } from "./transfer.ts";

export type TransferReportedState =
  | "awaiting_approval"
  /** Let through and recorded; its one request has not left. */
  | "not_sent_yet"
  | "denied"
  | "not_made"
  | "rejected"
  | "unknown"
  /** Done by the word of a person; the exchange has not shown it. */
  | "done"
  | PaymentState
  | RemittanceState;

/** Says what a caller asks for. */
export type TransferRequest =
  | { readonly kind: "confirm_payment"; readonly payment_id: string }
  | {
      readonly kind: "refund_payment";
      readonly payment_id: string;
      /** Whole won; all that is left when absent. */
      readonly amount?: string;
      /** To give the same amount back once more. */
      readonly userref?: string;
    }
  | SendRequest
  | { readonly kind: "cancel_remittance"; readonly remittance_id: string };

export interface SendRequest {
  readonly kind: "send_remittance";
  readonly quote_id: string;
  /** May lack a part: then that is named, and nothing is sent. */
  readonly beneficiary?: {
    readonly name?: string;
    readonly account?: string;
    readonly bank_code?: string;
    readonly country?: string;
  };
  /** The profile's where it is absent. */
  readonly originator_vasp_id?: string;
  readonly beneficiary_vasp_id?: string;
  readonly purpose_code?: string;
}

/** A transfer that waits for a person. */
export interface TransferApprovalRequest {
  readonly transfer_id: string;
  readonly kind: TransferKind;
  /** Tells what it is, in one line, without what is personal. */
  readonly summary: string;
  readonly value: string;
  readonly why: string;
  readonly asked_at: string;
  /** Never later than the quote. */
  readonly expires_at: string;
}

/** The same for the eyes of the person who is asked: every field. */
export interface PendingTransfer {
  readonly asked: TransferApprovalRequest;
  readonly task: TransferTask;
  /** Names exactly this question; a yes is to it alone. */
  readonly digest: string;
}

export interface TransferReport extends Stamp {
  readonly draft: true;
  readonly outcome: WriteOutcome;
  readonly state: TransferReportedState;
  readonly kind: TransferKind;
  readonly transfer_id?: string;
  /** `transfer_id` of the one that is the answer: it was made before for the same request, and no second one was. */
  readonly duplicate_of?: string;
  readonly payment?: Payment;
  /** Its beneficiary's account is masked. */
  readonly remittance?: Remittance;
  /** Present while a person has to say yes. */
  readonly approval?: TransferApprovalRequest;
  readonly warnings: readonly string[];
  readonly next_action?: string;
  readonly error?: ReportedError;
}

/** A quote, and what the policy says to it as things stand. Nothing has moved. */
export interface QuoteView extends Stamp {
  readonly draft: true;
  readonly payment?: Payment;
  readonly quote?: RemittanceQuote;
  readonly value: string | null;
  readonly policy: "allowed" | "needs_approval" | "denied";
  readonly why?: string;
  readonly next_action: string;
}

/** Shows how a payment or remittance stands at the exchange, and the transfer it was named by. */
export interface TransferView extends Stamp {
  readonly draft: true;
  readonly state: TransferReportedState;
  readonly payment?: Payment;
  readonly remittance?: Remittance;
  readonly transfer_id?: string;
  /** Tells what that transfer was to do; only where it is not done: `state` is its own then, else that of what the exchange shows. */
  readonly kind?: TransferKind;
  /** Shows what look-ups found of that transfer while it has no answer. */
  readonly evidence?: LookupView;
  readonly warnings: readonly string[];
  readonly next_action?: string;
}

/** Names it by the exchange's id, or by that of the transfer. */
export type TransferName = { readonly id: string } | { readonly transferId: string };

/** A transfer that is not sent yet or has no answer. */
export interface UnsettledTransfer extends Pick<Stamp, "account"> {
  readonly transfer_id: string;
  readonly kind: TransferKind;
  readonly state: "not_sent_yet" | "unknown";
  readonly summary: string;
  readonly since: string;
}

export interface TransferAnswer {
  readonly seal: string;
  readonly said: ClientAnswer;
  /** Means the same as for an order. */
  readonly session?: string;
  readonly request: TransferRequest;
}
