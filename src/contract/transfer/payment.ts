/**
 * Owns the Payment API: a price in won, paid in another asset.
 *
 * `quoted → paid → settled → partially_refunded → refunded`, `quoted → expired | canceled`. A quote moves no money; a confirmation
 * takes `pay_amount` and credits `amount`; won that were credited can be spent at once, and withdrawn once settled.
 *
 * Source: service.md#payment-endpoints, service.md#payment-states; decision 0015.
 */
import { z } from "zod";
import { asset, cursor, decimalString, isoTime, nextCursor, pageLimitText, userref, uuid } from "../wire.ts";
import {
  draftMark,
  idempotencyKey,
  KEY_REUSED,
  standsAlone,
  TRANSFER_LIST,
  TRANSFER_READ,
  TRANSFER_WRITE,
  type TransferEndpoint,
  transferPath,
  wonAmount,
} from "./wire.ts";

export const paymentState = z.enum([
  "quoted",
  "paid",
  "settled",
  "partially_refunded",
  "refunded",
  "expired",
  "canceled",
]);

/** Longest a rate is held, and how long unless `expires_in_s` says otherwise, in seconds. */
export const PAYMENT_QUOTE_S = 60;

export const quotePaymentBody = z
  .strictObject({
    amount: wonAmount.meta({ description: "Won to be paid." }),
    pay_asset: asset.meta({ description: "What it is paid with." }),
    order_ref: userref.meta({ description: "The caller's own number of what is paid for." }),
    description: z
      .string()
      .regex(/^[^\p{Cc}\p{Cf}]{1,200}$/u, { error: "use 1 to 200 characters on one line" })
      .optional(),
    expires_in_s: z
      .int()
      .min(1)
      .max(PAYMENT_QUOTE_S)
      .optional()
      .meta({ description: `How long the rate is held; ${PAYMENT_QUOTE_S} when absent.` }),
  })
  .meta({ id: "QuotePayment" });

export const refundPaymentBody = z
  .strictObject({
    amount: wonAmount.optional().meta({ description: "Won to give back; all that is left when absent." }),
  })
  .meta({ id: "RefundPayment" });

export const paymentsQuery = z
  .strictObject({
    order_ref: userref.optional(),
    state: paymentState.optional(),
    idempotency_key: idempotencyKey.optional().meta({
      description:
        "The one payment a request with this key was about; none if it had no effect. No other filter beside it.",
    }),
    cursor: cursor.optional(),
    limit: pageLimitText.optional(),
  })
  .superRefine(standsAlone);

export const payment = z
  .object({
    draft: draftMark,
    payment_id: uuid,
    state: paymentState,
    amount: decimalString.meta({ description: "KRW." }),
    pay_asset: asset,
    pay_amount: decimalString.meta({ description: "What the amount costs at the rate." }),
    rate: decimalString.meta({ description: "KRW for one of pay_asset, held until expires_at." }),
    order_ref: userref,
    description: z.string().nullable(),
    refunded_amount: decimalString.meta({ description: "KRW given back so far." }),
    refunded_pay_amount: decimalString.meta({ description: "What of pay_asset came back for it." }),
    created_at: isoTime,
    expires_at: isoTime,
    paid_at: isoTime.nullable(),
    settled_at: isoTime.nullable(),
    updated_at: isoTime,
  })
  .meta({ id: "Payment" });

export const paymentList = z
  .object({ draft: draftMark, payments: z.array(payment), next_cursor: nextCursor })
  .meta({ id: "PaymentList" });

const UNKNOWN = "ETransfer:Unknown transfer";
const CONFLICT = [UNKNOWN, "ETransfer:Wrong state", KEY_REUSED] as const;

export const PAYMENT_ENDPOINTS = {
  quotePayment: {
    ...TRANSFER_WRITE,
    path: "/v0.1/payments",
    summary: "Quote an amount of won in an asset",
    status: 201,
    body: quotePaymentBody,
    response: payment,
    faults: ["EQuery:Unknown asset pair", "EOrder:Market halted", "EOrder:Invalid price", KEY_REUSED],
  },
  confirmPayment: {
    ...TRANSFER_WRITE,
    path: "/v0.1/payments/{id}/confirm",
    summary: "Pay at the quoted rate",
    status: 200,
    params: transferPath,
    response: payment,
    faults: ["EOrder:Insufficient funds", ...CONFLICT],
  },
  cancelPayment: {
    ...TRANSFER_WRITE,
    path: "/v0.1/payments/{id}/cancel",
    summary: "Cancel a quote",
    status: 200,
    params: transferPath,
    response: payment,
    faults: CONFLICT,
  },
  refundPayment: {
    ...TRANSFER_WRITE,
    path: "/v0.1/payments/{id}/refund",
    summary: "Refund a payment, in whole or in part",
    status: 200,
    params: transferPath,
    body: refundPaymentBody,
    response: payment,
    faults: ["EOrder:Insufficient funds", ...CONFLICT],
  },
  payment: {
    ...TRANSFER_READ,
    path: "/v0.1/payments/{id}",
    summary: "One payment",
    response: payment,
    faults: [UNKNOWN],
  },
  payments: {
    ...TRANSFER_LIST,
    path: "/v0.1/payments",
    summary: "Payments, newest first",
    query: paymentsQuery,
    response: paymentList,
  },
} as const satisfies Record<string, TransferEndpoint>;

export type QuotePaymentBody = z.infer<typeof quotePaymentBody>;
export type Payment = z.infer<typeof payment>;
export type PaymentList = z.infer<typeof paymentList>;
export type PaymentState = z.infer<typeof paymentState>;
