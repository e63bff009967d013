/** A reference for payments and remittances: sums of what the exchange must have locked, unsettled, and in its treasury. */
import { expect } from "vitest";
import { type Engine, HOUSE } from "../../../src/sandbox/engine/index.ts";
import {
  ACCOUNT_REJECTED,
  ACCOUNT_RETURNED,
  type Applied,
  type PaymentRecord,
  type Refusal,
  type RemittanceRecord,
} from "../../../src/sandbox/model/index.ts";
import { balance } from "./exchange-kit.ts";

interface NaivePayment {
  readonly terms: PaymentRecord;
  state: string;
  dueAt: number;
  refunded: bigint;
  refundedPay: bigint;
}

interface NaiveRemittance {
  readonly terms: RemittanceRecord;
  state: string;
  readonly createdAt: number;
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

export class NaiveTransfers {
  readonly payments: NaivePayment[] = [];
  readonly remittances: NaiveRemittance[] = [];
  readonly quotes: { readonly quoteId: string; readonly accountId: string; readonly destinationCountry: string }[] = [];
  /** Won that were deposited for payments, and how much of them the treasury has. */
  minted = 0n;
  #treasury = 0n;

  /** Records an answer of the exchange. */
  record(answer: Applied | Refusal, at: number): void {
    if (!answer.ok) return;
    if (answer.kind === "remittanceQuote") this.quotes.push(answer.quote);
    if (answer.kind === "payment") this.#hearPayment(answer.payment, at);
    if (answer.kind !== "remittance") return;
    const known = this.remittances.find(({ terms }) => terms.remittanceId === answer.remittance.remittanceId);
    if (known !== undefined) known.state = answer.remittance.state;
    else this.remittances.push({ terms: answer.remittance, state: "created", createdAt: at });
  }

  #hearPayment(payment: PaymentRecord, at: number): void {
    const { paymentId, state, amount, payAmount, refunded, refundedPay } = payment;
    const known = this.payments.find(({ terms }) => terms.paymentId === paymentId);
    if (known === undefined) {
      const dueAt = at + payment.expiresAt - payment.createdAt;
      this.payments.push({ terms: payment, state, dueAt, refunded, refundedPay });
      return;
    }
    if (state === "paid") {
      known.dueAt = at + 2_000;
      if (this.#treasury < amount) {
        this.minted += amount - this.#treasury;
        this.#treasury = amount;
      }
      this.#treasury -= amount;
    }
    this.#treasury += refunded - known.refunded;
    // A partial refund returns at most its share, and a full refund everything.
    expect(refundedPay * amount <= payAmount * refunded).toBe(true);
    expect(refunded === amount).toBe(refundedPay === payAmount);
    Object.assign(known, { state, refunded, refundedPay });
  }

  passTime(now: number): void {
    for (const payment of this.payments) {
      if (payment.dueAt > now) continue;
      if (payment.state === "quoted") payment.state = "expired";
      if (payment.state === "paid") payment.state = "settled";
    }
    for (const remittance of this.remittances) {
      const { createdAt, state, terms } = remittance;
      if (["canceled", "rejected", "returned"].includes(state)) continue;
      const { account } = terms.beneficiary;
      const sent = account === ACCOUNT_REJECTED ? "rejected" : "sent";
      const end = account === ACCOUNT_RETURNED ? "returned" : "completed";
      const age = now - createdAt;
      if (age >= 1_000) remittance.state = "compliance_review";
      if (age >= 3_000) remittance.state = sent;
      if (age >= 6_000 && sent === "sent") remittance.state = end;
    }
  }

  /** Locked for an account's remittances. */
  locked(accountId: string, asset: string): bigint {
    return sum(this.#inState(asset, "created", "compliance_review", accountId));
  }

  /** Paid, and not settled yet. */
  unsettled(accountId: string): bigint {
    const paid = this.payments.filter(({ state, terms }) => state === "paid" && terms.accountId === accountId);
    return sum(paid.map(({ terms }) => terms.amount));
  }

  /** What has left the exchange by remittances. */
  left(asset: string): bigint {
    return sum(this.#inState(asset, "completed", "completed"));
  }

  expectAgreement(engine: Engine, assets: readonly string[]): void {
    for (const { terms, ...expected } of this.payments) {
      const { state, refunded, refundedPay } = engine.payment(terms.accountId, terms.paymentId) ?? {};
      const { dueAt: _, ...naive } = expected;
      expect({ state, refunded, refundedPay }).toEqual(naive);
    }
    for (const { terms, state } of this.remittances)
      expect(engine.remittance(terms.accountId, terms.remittanceId)?.state).toBe(state);
    for (const asset of assets) {
      const paid = this.payments.filter(
        ({ terms, state }) => terms.payAsset === asset && /paid|settled|refunded/.test(state),
      );
      const kept =
        asset === "KRW" ? this.#treasury : sum(paid.map(({ terms, refundedPay }) => terms.payAmount - refundedPay));
      expect(balance(engine, HOUSE.treasury, asset).available).toBe(kept);
      expect(balance(engine, HOUSE.transit, asset).available).toBe(sum(this.#inState(asset, "sent", "sent")));
    }
  }

  #inState(asset: string, one: string, other: string, accountId?: string): bigint[] {
    return this.remittances.flatMap(({ state, terms }) => {
      const counts = state === one || state === other;
      const isOwn = accountId === undefined || terms.accountId === accountId;
      return counts && isOwn && terms.quote.sourceAsset === asset ? [terms.quote.sourceAmount] : [];
    });
  }
}
