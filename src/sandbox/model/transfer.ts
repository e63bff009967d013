/**
 * Transfers, that is payments and remittances: commands, records, states, events, reads. Source: service.md#transfers.
 */
import type { Millis, Units } from "./units.ts";

/**
 * Makes a repeated request harmless. `digest` is of the whole request: the account's same key with the same digest gets the first
 * answer again, without effect; the same key with another digest is refused. Keys are kept for good, as a request with a
 * forgotten key would move money again; the key of a refused request is not kept, as it had no effect.
 * Source: service.md#idempotency-key; decision 0015.
 */
export interface Idempotency {
  /** 1 to 64 of `[A-Za-z0-9._-]`. */
  readonly key: string;
  readonly digest: string;
}

interface TransferRequest {
  readonly accountId: string;
  readonly idempotency: Idempotency | null;
}

/** Account numbers of a beneficiary that make a remittance fail; with any other it is completed. */
export const ACCOUNT_REJECTED = "0000000001";
export const ACCOUNT_RETURNED = "0000000002";

export interface BeneficiaryRecord {
  readonly name: string;
  readonly account: string;
  readonly bankCode: string;
  /** Two letters. */
  readonly country: string;
}

/** The account itself pays a payment: payer and merchant are the same in the sandbox. */
export type TransferCommand =
  /** Asks for the price of `amount` KRW in an asset. @param expiresInMs 1 s to 60 s; null is 60 s. */
  | (TransferRequest & {
      readonly type: "quotePayment";
      readonly paymentId: string;
      readonly amount: Units;
      readonly payAsset: string;
      readonly orderRef: string;
      readonly description: string | null;
      readonly expiresInMs: Millis | null;
    })
  /** Pays: takes `payAmount` of the asset, and credits `amount` KRW. */
  | (TransferRequest & { readonly type: "confirmPayment"; readonly paymentId: string })
  | (TransferRequest & { readonly type: "cancelPayment"; readonly paymentId: string })
  /** Returns KRW for the asset that was paid. @param amount in KRW; null is all that is left. */
  | (TransferRequest & { readonly type: "refundPayment"; readonly paymentId: string; readonly amount: Units | null })
  /** Exactly one of `amount` (of the source asset) and `targetAmount`. */
  | (TransferRequest & {
      readonly type: "quoteRemittance";
      readonly quoteId: string;
      readonly sourceAsset: string;
      readonly targetCurrency: string;
      readonly amount: Units | null;
      readonly targetAmount: Units | null;
      readonly destinationCountry: string;
    })
  | (TransferRequest & {
      readonly type: "createRemittance";
      readonly remittanceId: string;
      readonly quoteId: string;
      readonly beneficiary: BeneficiaryRecord;
      readonly originatorVaspId: string;
      readonly beneficiaryVaspId: string | null;
      readonly purposeCode: string;
    })
  /** Possible until the remittance is sent. */
  | (TransferRequest & { readonly type: "cancelRemittance"; readonly remittanceId: string });

/** `quoted → paid → settled → partially_refunded → refunded`, `quoted → expired | canceled`. */
export type PaymentState = "quoted" | "paid" | "settled" | "partially_refunded" | "refunded" | "expired" | "canceled";

/** Immutable: each step makes a new record. */
export interface PaymentRecord {
  readonly paymentId: string;
  readonly accountId: string;
  readonly state: PaymentState;
  /** KRW. */
  readonly amount: Units;
  readonly payAsset: string;
  /** The price of `amount` at the rate, rounded up to the asset's step. */
  readonly payAmount: Units;
  /** KRW for one unit of the asset, fixed until `expiresAt`. */
  readonly rate: Units;
  readonly orderRef: string;
  readonly description: string | null;
  /** The KRW returned so far, and the asset returned for it. */
  readonly refunded: Units;
  readonly refundedPay: Units;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  readonly paidAt: Millis | null;
  readonly settledAt: Millis | null;
  readonly updatedAt: Millis;
}

/** Valid for one remittance until it expires. */
export interface RemittanceQuoteRecord {
  readonly quoteId: string;
  readonly accountId: string;
  readonly sourceAsset: string;
  readonly sourceAmount: Units;
  readonly targetCurrency: string;
  /** The amount that arrives, rounded down to the currency's smallest amount. */
  readonly targetAmount: Units;
  /** The amount of target currency for one unit of the source asset. */
  readonly rate: Units;
  readonly destinationCountry: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** `created → compliance_review → sent → completed`; `rejected` after the review, `canceled` before `sent`, `returned` after. */
export type RemittanceState =
  | "created"
  | "compliance_review"
  | "sent"
  | "completed"
  | "rejected"
  | "canceled"
  | "returned";

/** Immutable: each step makes a new record. */
export interface RemittanceRecord {
  readonly remittanceId: string;
  readonly accountId: string;
  readonly state: RemittanceState;
  readonly quote: RemittanceQuoteRecord;
  readonly beneficiary: BeneficiaryRecord;
  readonly originatorVaspId: string;
  readonly beneficiaryVaspId: string | null;
  readonly purposeCode: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

export interface TransferFilter<State extends PaymentState | RemittanceState> {
  readonly state?: State | undefined;
  /** Only transfers older than this one (cursor). */
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

export type TransferApplied =
  | { readonly ok: true; readonly kind: "payment"; readonly payment: PaymentRecord }
  | { readonly ok: true; readonly kind: "remittanceQuote"; readonly quote: RemittanceQuoteRecord }
  | { readonly ok: true; readonly kind: "remittance"; readonly remittance: RemittanceRecord };

export type TransferEvent =
  | { readonly kind: "payment"; readonly payment: PaymentRecord }
  | { readonly kind: "remittance"; readonly remittance: RemittanceRecord };

/** Reads of payments and remittances; an account sees its own. */
export interface TransferReads {
  /** The answer to the request with this idempotency key; undefined when there was none, or it was refused. */
  answerTo(accountId: string, idempotencyKey: string): TransferApplied | undefined;
  payment(accountId: string, paymentId: string): PaymentRecord | undefined;
  /** Newest first; `more` says whether others follow. */
  payments(
    accountId: string,
    filter: TransferFilter<PaymentState> & { readonly orderRef?: string | undefined },
  ): { readonly payments: readonly PaymentRecord[]; readonly more: boolean };
  /** undefined once the quote was used or has expired. */
  remittanceQuote(accountId: string, quoteId: string): RemittanceQuoteRecord | undefined;
  remittance(accountId: string, remittanceId: string): RemittanceRecord | undefined;
  /** Newest first; `more` says whether others follow. */
  remittances(
    accountId: string,
    filter: TransferFilter<RemittanceState>,
  ): { readonly remittances: readonly RemittanceRecord[]; readonly more: boolean };
}
