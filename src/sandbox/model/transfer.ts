/**
 * The vocabulary of the draft Payment and Remittance APIs (decisions §9): commands, records, states. Part of `model.ts`, which
 * passes it on. Amounts are counts of 1e-8 as everywhere in the exchange.
 */
import type { Millis, Units } from "./units.ts";

/**
 * What makes a repeated request harmless. `digest` stands for the whole request: the same key of the account and the same digest get
 * the answer of the first time without effect, the same key with another digest is refused. Remembered for good, as a key that was
 * forgotten would move money again; a refused request is not remembered, as it had no effect.
 */
export interface Idempotency {
  /** 1 to 64 of `[A-Za-z0-9._-]`. */
  readonly key: string;
  readonly digest: string;
}

interface TransferTerms {
  readonly accountId: string;
  readonly idempotency: Idempotency | null;
}

/** Numbers of a beneficiary's account that decide what becomes of the remittance; it is completed for any other. */
export const ACCOUNT_REJECTED = "0000000001";
export const ACCOUNT_RETURNED = "0000000002";

export interface BeneficiaryRecord {
  readonly name: string;
  readonly account: string;
  readonly bankCode: string;
  /** Two letters. */
  readonly country: string;
}

/** A payment is paid, and a remittance sent, by the account itself: payer and merchant are one in the sandbox. */
export type TransferCommand =
  /** Asks what `amount` KRW cost in an asset. @param expiresInMs 1 s to 60 s, which is what null means. */
  | (TransferTerms & {
      readonly type: "quotePayment";
      readonly paymentId: string;
      readonly amount: Units;
      readonly payAsset: string;
      readonly orderRef: string;
      readonly description: string | null;
      readonly expiresInMs: Millis | null;
    })
  /** Pays: takes `payAmount`, brings `amount` KRW in. */
  | (TransferTerms & { readonly type: "confirmPayment"; readonly paymentId: string })
  | (TransferTerms & { readonly type: "cancelPayment"; readonly paymentId: string })
  /** Gives KRW back for the asset that was paid. @param amount in KRW; null is all that is left. */
  | (TransferTerms & { readonly type: "refundPayment"; readonly paymentId: string; readonly amount: Units | null })
  /** Exactly one of `amount` (of the source asset) and `targetAmount`. */
  | (TransferTerms & {
      readonly type: "quoteRemittance";
      readonly quoteId: string;
      readonly sourceAsset: string;
      readonly targetCurrency: string;
      readonly amount: Units | null;
      readonly targetAmount: Units | null;
      readonly destinationCountry: string;
    })
  | (TransferTerms & {
      readonly type: "createRemittance";
      readonly remittanceId: string;
      readonly quoteId: string;
      readonly beneficiary: BeneficiaryRecord;
      readonly originatorVaspId: string;
      readonly beneficiaryVaspId: string | null;
      readonly purposeCode: string;
    })
  /** Possible until it is sent. */
  | (TransferTerms & { readonly type: "cancelRemittance"; readonly remittanceId: string });

/** `quoted → paid → settled → partially_refunded → refunded`, `quoted → expired | canceled`. */
export type PaymentState = "quoted" | "paid" | "settled" | "partially_refunded" | "refunded" | "expired" | "canceled";

/** Never changed: each step makes a new one. */
export interface PaymentRecord {
  readonly paymentId: string;
  readonly accountId: string;
  readonly state: PaymentState;
  /** KRW. */
  readonly amount: Units;
  readonly payAsset: string;
  /** What `amount` costs at the rate, rounded up to the asset's step. */
  readonly payAmount: Units;
  /** KRW for one of the asset, held until `expiresAt`. */
  readonly rate: Units;
  readonly orderRef: string;
  readonly description: string | null;
  /** KRW given back so far, and the asset for it. */
  readonly refunded: Units;
  readonly refundedPay: Units;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  readonly paidAt: Millis | null;
  readonly settledAt: Millis | null;
  readonly updatedAt: Millis;
}

/** Good for one remittance until it expires. */
export interface RemittanceQuoteRecord {
  readonly quoteId: string;
  readonly accountId: string;
  readonly sourceAsset: string;
  readonly sourceAmount: Units;
  readonly targetCurrency: string;
  /** What arrives, rounded down to the currency's smallest coin. */
  readonly targetAmount: Units;
  /** Target currency for one of the source asset. */
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

/** Never changed: each step makes a new one. */
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
  readonly state?: State;
  /** Only those older than this id (cursor). */
  readonly beforeId?: string;
  readonly limit: number;
}

export type TransferApplied =
  | { readonly ok: true; readonly kind: "payment"; readonly payment: PaymentRecord }
  | { readonly ok: true; readonly kind: "remittanceQuote"; readonly quote: RemittanceQuoteRecord }
  | { readonly ok: true; readonly kind: "remittance"; readonly remittance: RemittanceRecord };

export type TransferEvent =
  | { readonly kind: "payment"; readonly payment: PaymentRecord }
  | { readonly kind: "remittance"; readonly remittance: RemittanceRecord };

/** What may be asked about payments and remittances; an account sees its own. */
export interface TransferReads {
  /** What the request with this idempotency key was answered with; undefined when there was none, or it was refused. */
  answerTo(accountId: string, idempotencyKey: string): TransferApplied | undefined;
  payment(accountId: string, paymentId: string): PaymentRecord | undefined;
  /** Newest first, with whether more follow. */
  payments(
    accountId: string,
    filter: TransferFilter<PaymentState> & { readonly orderRef?: string },
  ): { readonly payments: readonly PaymentRecord[]; readonly more: boolean };
  /** While it can be used. */
  remittanceQuote(accountId: string, quoteId: string): RemittanceQuoteRecord | undefined;
  remittance(accountId: string, remittanceId: string): RemittanceRecord | undefined;
  /** Newest first, with whether more follow. */
  remittances(
    accountId: string,
    filter: TransferFilter<RemittanceState>,
  ): { readonly remittances: readonly RemittanceRecord[]; readonly more: boolean };
}
