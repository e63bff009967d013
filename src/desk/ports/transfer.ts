/**
 * The ports of the transfer road: what it needs from the outside besides the desk's own. The client of the draft APIs satisfies
 * `TransferVenue`, the store `TransferJournal`.
 *
 * Invariants the implementations keep: as for orders. A write sends at most one request, ever, and nothing when `beforeSend` answers
 * false; `TransferJournal.begin` decides on budget and brake in the transaction that takes its share.
 */
import type {
  CreateRemittanceBody,
  Fault,
  Payment,
  QuotePaymentBody,
  QuoteRemittanceBody,
  Remittance,
  RemittanceQuote,
  Result,
} from "../../contract/index.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { AuditDetail, NewTransfer, TransferBody, TransferRecord } from "../model/transfer.ts";
import type { TransferState } from "../model/transfer-state.ts";
import type { OrdersOptions } from "./venue.ts";

export interface TransferWrite {
  /** For this one request and no other, ever. */
  readonly idempotencyKey: string;
  /** Told the nonce before the first byte leaves; when it answers false nothing is sent. */
  readonly beforeSend?: (nonce: string) => Promise<boolean>;
}

/** The Payment and Remittance APIs, drafts. */
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

export interface TransferChange {
  readonly from: readonly TransferState[];
  readonly to: TransferState;
  /** Only while it still has this nonce: what was found out about one request must not settle a later one. */
  readonly ifNonce?: string | null;
  /** Only while this holds of it, asked inside the transaction. */
  readonly ifStill?: (before: TransferRecord) => boolean;
  readonly body?: TransferBody;
  readonly hold?: { readonly krw: string; readonly isLive: boolean };
  readonly told?: AuditDetail;
}

/** Budget used by the family in the last 24 hours, whole KRW, and the brake. */
export interface TransferUsage {
  readonly dayKrw: string;
  readonly brake: KillSwitchRecord | undefined;
}

/** The account's other transfers that were sent. */
export interface SentTransfers {
  /** Nobody has heard since what became of them. */
  readonly unacknowledged: readonly TransferRecord[];
  /** Sent since that moment, heard of or not. */
  readonly since: (atMs: number) => readonly TransferRecord[];
}

export type TransferBegun = { readonly transfer: TransferRecord } | { readonly refused: Fault };

/** Where transfers live. Every call also appends the step to the audit log, in the same transaction. */
export interface TransferJournal {
  /** @returns undefined when the account has one of this wish that has not ended in one of the states named. */
  record(
    transfer: NewTransfer,
    ended: readonly TransferState[],
    told?: AuditDetail,
  ): Promise<Result<TransferRecord | undefined>>;
  /** @returns the changed record, or undefined when it was in none of the `from` states or has another nonce. */
  advance(transferId: string, change: TransferChange, atMs: number): Promise<Result<TransferRecord | undefined>>;
  /** As `Journal.begin`. @param admit is also told of the account's others that were sent. */
  begin(
    transferId: string,
    send: {
      readonly from: readonly TransferState[];
      readonly to: TransferState;
      readonly nonce: string;
      readonly heldKrw: string;
      readonly body?: TransferBody;
    },
    admit: (accountUsage: TransferUsage, others: SentTransfers) => Fault | undefined,
    now: () => number,
  ): Promise<Result<TransferBegun | undefined>>;
  standing(account: string, family: string, atMs: number): Promise<Result<TransferUsage>>;
  byId(transferId: string): Promise<Result<TransferRecord | undefined>>;
  /** The latest of this wish. */
  byWish(account: string, wish: string): Promise<Result<TransferRecord | undefined>>;
  /** In any of the states, or sent and nobody has heard since what became of it; newest first. Without an account: of all. */
  unresolvedOrUnacknowledged(
    account: string | undefined,
    states: readonly TransferState[],
    limit: number,
  ): Promise<Result<readonly TransferRecord[]>>;
  acknowledge(transferId: string): Promise<Result<void>>;
  /** Oldest first. */
  inStates(
    account: string,
    states: readonly TransferState[],
    limit: number,
  ): Promise<Result<readonly TransferRecord[]>>;
  /** As `inStates`, of all accounts but this one. */
  elsewhere(
    account: string,
    states: readonly TransferState[],
    limit: number,
  ): Promise<Result<readonly TransferRecord[]>>;
}

/** What the desk is given where it may also pay and remit. */
export interface TransferParts {
  readonly venue: TransferVenue;
  readonly journal: TransferJournal;
}
