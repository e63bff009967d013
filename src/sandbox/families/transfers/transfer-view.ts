/**
 * Converts payments and remittances into the wire's shapes.
 *
 * Invariant: each is marked as a draft. Source: service.md#transfers-marked, service.md#payment-endpoints,
 * service.md#remittance-endpoints.
 */
import type { Payment, Remittance, RemittanceQuote } from "../../../contract/index.ts";
import type { Millis, PaymentRecord, RemittanceQuoteRecord, RemittanceRecord } from "../../model/index.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";

export function paymentView(payment: PaymentRecord): Payment {
  return {
    draft: true,
    payment_id: payment.paymentId,
    state: payment.state,
    amount: decimalText(payment.amount),
    pay_asset: payment.payAsset,
    pay_amount: decimalText(payment.payAmount),
    rate: decimalText(payment.rate),
    order_ref: payment.orderRef,
    description: payment.description,
    refunded_amount: decimalText(payment.refunded),
    refunded_pay_amount: decimalText(payment.refundedPay),
    created_at: timeText(payment.createdAt),
    expires_at: timeText(payment.expiresAt),
    paid_at: nullableTime(payment.paidAt),
    settled_at: nullableTime(payment.settledAt),
    updated_at: timeText(payment.updatedAt),
  };
}

export function quoteView(quote: RemittanceQuoteRecord): RemittanceQuote {
  return {
    ...quotedView(quote),
    state: "quoted",
    created_at: timeText(quote.createdAt),
    expires_at: timeText(quote.expiresAt),
  };
}

export function remittanceView({ quote, beneficiary, ...remittance }: RemittanceRecord): Remittance {
  const { name, account, bankCode, country } = beneficiary;
  return {
    ...quotedView(quote),
    remittance_id: remittance.remittanceId,
    state: remittance.state,
    beneficiary: { name, account, bank_code: bankCode, country },
    originator_vasp_id: remittance.originatorVaspId,
    beneficiary_vasp_id: remittance.beneficiaryVaspId,
    purpose_code: remittance.purposeCode,
    created_at: timeText(remittance.createdAt),
    updated_at: timeText(remittance.updatedAt),
  };
}

function quotedView(quote: RemittanceQuoteRecord): Omit<RemittanceQuote, "state" | "created_at" | "expires_at"> {
  return {
    draft: true,
    quote_id: quote.quoteId,
    source_asset: quote.sourceAsset,
    source_amount: decimalText(quote.sourceAmount),
    target_currency: quote.targetCurrency,
    target_amount: decimalText(quote.targetAmount),
    rate: decimalText(quote.rate),
    destination_country: quote.destinationCountry,
  };
}

function nullableTime(at: Millis | null): string | null {
  return at === null ? null : timeText(at);
}
