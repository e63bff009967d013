/**
 * The ports of transfers: what they need from the outside besides the desk's own. The client of the Payment and Remittance APIs satisfies
 * `TransferVenue`, the store `TransferJournal`.
 *
 * Invariants the implementations keep: as for orders. A write sends at most one request, ever, and nothing when `beforeSend` answers
 * false; `TransferJournal.begin` decides on budget and kill switch in the transaction that takes its share.
 */
import type {
  CreateRemittanceBody,
  Payment,
  QuotePaymentBody,
  QuoteRemittanceBody,
  Remittance,
  RemittanceQuote,
  Result,
  Unit,
} from "../../contract/index.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { AuditDetail, SubmissionChange } from "../model/submission.ts";
import type { NewTransfer, TransferBody, TransferRecord } from "../model/transfer.ts";
import type { TransferState } from "../model/transfer-state.ts";
import type { SubmissionJournal } from "./submission-journal.ts";
import type { OrdersOptions } from "./venue.ts";

export interface TransferWrite {
  /** For this one request and no other, ever. */
  readonly idempotencyKey: string;
  /** Told the nonce before the first byte leaves; when it answers false nothing is sent. */
  readonly beforeSend?: (nonce: string) => Promise<boolean>;
}

/** The Payment and Remittance APIs. */
export interface TransferVenue {
  quotePayment(body: QuotePaymentBody, write: TransferWrite): Promise<Result<Payment>>;
  confirmPayment(paymentId: string, write: TransferWrite): Promise<Result<Payment>>;
  refundPayment(paymentId: string, amount: string, write: TransferWrite): Promise<Result<Payment>>;
  payment(paymentId: string): Promise<Result<Payment>>;
  /** The payment that the request with this key was about; undefined when that had no effect. */
  paymentBy(idempotencyKey: string, options?: OrdersOptions): Promise<Result<Payment | undefined>>;
  quoteRemittance(body: QuoteRemittanceBody, write: TransferWrite): Promise<Result<RemittanceQuote>>;
  /** While it can be used. */
  remittanceQuote(quoteId: string): Promise<Result<RemittanceQuote>>;
  createRemittance(body: CreateRemittanceBody, write: TransferWrite): Promise<Result<Remittance>>;
  cancelRemittance(remittanceId: string, write: TransferWrite): Promise<Result<Remittance>>;
  remittance(remittanceId: string): Promise<Result<Remittance>>;
  /** The remittance that the request with this key was about; undefined when that had no effect. */
  remittanceBy(idempotencyKey: string, options?: OrdersOptions): Promise<Result<Remittance | undefined>>;
}

/** Budget used by the family in the last 24 hours, in the unit of account, and the kill switch. */
export interface TransferUsage {
  readonly day: string;
  /** In what it is counted; absent where it is zero. */
  readonly unit?: Unit | "mixed";
  /** Undefined while money may leave. */
  readonly killSwitch: KillSwitchRecord | undefined;
}

/** The account's other transfers that were sent. */
export interface SentTransfers<State extends string = TransferState, Body = TransferBody> {
  /** Nobody was told since what became of them. */
  readonly unacknowledged: readonly TransferRecord<State, Body>[];
  /** Sent since that moment, acknowledged or not. Where the clock was set back, what lies ahead was sent before. */
  readonly since: (atMs: number) => readonly TransferRecord<State, Body>[];
}

/** Keeps transfers. */
export interface TransferJournal<State extends string = TransferState, Body = TransferBody>
  extends SubmissionJournal<
    TransferRecord<State, Body>,
    SubmissionChange<TransferRecord<State, Body>>,
    TransferUsage,
    SentTransfers<State, Body>
  > {
  /**
   * @param ended states in which another with the same request key does not count
   * @returns undefined when the account has one with this request key in another state
   */
  record(
    transfer: NewTransfer<State, Body>,
    ended: readonly State[],
    detail?: AuditDetail,
  ): Promise<Result<TransferRecord<State, Body> | undefined>>;
  usage(account: string, family: string, atMs: number): Promise<Result<TransferUsage>>;
  /** The latest with this request key. */
  byRequestKey(account: string, requestKey: string): Promise<Result<TransferRecord<State, Body> | undefined>>;
}

/** Lets the desk also pay and remit. */
export interface TransferParts {
  readonly venue: TransferVenue;
  readonly journal: TransferJournal;
}
