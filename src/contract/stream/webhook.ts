/**
 * Owns webhooks: what the service reports to a partner's endpoint, how a delivery proves where it comes from, and when one that
 * was not answered is sent again. As with API signatures there is no signing code here: the sandbox signs, the client verifies,
 * each with its own code, and they agree at the vectors.
 *
 * A delivery is `POST` with a JSON body and three headers. `webhook-signature` holds one or more entries, separated by spaces;
 * an entry is `v1,` and `base64( HMAC-SHA256( key, id "." timestamp "." body ) )`, where the key is what stands in base64 behind
 * `whsec_`, and id and timestamp are the header texts. There are several entries while a secret is being replaced.
 *
 * Invariants: the same event may arrive more than once and out of order, and `webhook-id`, equal to the body's `id`, is the same
 * every time; the envelope and `data` are closed, and a resource inside `data` is read like any answer of the service (decision 0001).
 *
 * Source: service.md#webhooks, service.md#webhook-signature; the convention is that of standardwebhooks.com.
 */
import { z } from "zod";
import { balance, order, settlementMode } from "../open/order.ts";
import { asset, decimalString, isoTime, symbol, uuid } from "../wire.ts";

export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;

export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** `whsec_` and 24 to 64 bytes in base64. */
export const webhookSecret = z
  .string()
  .regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
  .max(WEBHOOK_SECRET_PREFIX.length + 88)
  .refine((text) => Buffer.byteLength(text.slice(WEBHOOK_SECRET_PREFIX.length), "base64") <= 64);

export const WEBHOOK_DELIVERY = {
  /** Bounds how far `webhook-timestamp` (Unix seconds, of the attempt) may be from the receiver's clock. */
  toleranceMs: 300_000,
  /** A receiver that has not answered 2xx by then has not accepted it. */
  answerMs: 5_000,
  /** Pauses before the second and each further attempt, without jitter; after the last one the delivery is parked. */
  retryAfterMs: [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
  /** A pause is longer or shorter by up to this share. */
  jitter: 0.1,
  /** A longer body was not sent by the service. */
  bodyBytesMax: 65_536,
} as const;

/** Has no full stop, which separates the parts of the signed text. */
export const webhookId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/)
  .meta({ id: "WebhookId", examples: ["evt_01999f3e7a107c319a520c6d5b1f2a77"] });

const accountId = z.string();
const orderData = z
  .strictObject({ account_id: accountId, order })
  .meta({ id: "OrderEventData", description: "The order as it was after what the event tells of." });

const settlementData = z
  .strictObject({
    account_id: accountId,
    settlement: z
      .object({
        orderId: uuid,
        trade_id: z.string(),
        symbol,
        mode: settlementMode,
        asset,
        amount: decimalString,
        state: z.enum(["settled", "failed"]),
        due_at: isoTime,
        ended_at: isoTime,
      })
      .meta({
        id: "EndedSettlement",
        description: "Of one fill: what it brought in, and that it may leave, or may not.",
      }),
  })
  .meta({ id: "SettlementEventData" });

const balanceData = z
  .strictObject({ account_id: accountId, balance })
  .meta({ id: "BalanceEventData", description: "One asset of the account as it is now." });

/** The APIs of transfers are drafts and may change, so their events name the resource and its state, and no more. */
const paymentData = z
  .strictObject({
    account_id: accountId,
    payment_id: z.string(),
    state: z.enum(["quoted", "paid", "settled", "expired", "canceled", "refunded", "partially_refunded"]),
  })
  .meta({ id: "PaymentEventData", description: "Draft." });

const remittanceData = z
  .strictObject({
    account_id: accountId,
    remittance_id: z.string(),
    state: z.enum(["created", "compliance_review", "sent", "completed", "rejected", "canceled", "returned"]),
  })
  .meta({ id: "RemittanceEventData", description: "Draft." });

export const WEBHOOK_DATA = {
  "order.created": orderData,
  "order.partially_filled": orderData,
  "order.filled": orderData,
  "order.canceled": orderData,
  "order.expired": orderData,
  "settlement.settled": settlementData,
  "settlement.failed": settlementData,
  "balance.changed": balanceData,
  "payment.quoted": paymentData,
  "payment.paid": paymentData,
  "payment.settled": paymentData,
  "payment.expired": paymentData,
  "payment.canceled": paymentData,
  "payment.refunded": paymentData,
  "payment.partially_refunded": paymentData,
  "remittance.created": remittanceData,
  "remittance.compliance_review": remittanceData,
  "remittance.sent": remittanceData,
  "remittance.completed": remittanceData,
  "remittance.rejected": remittanceData,
  "remittance.canceled": remittanceData,
  "remittance.returned": remittanceData,
} as const;

export type WebhookType = keyof typeof WEBHOOK_DATA;

export const WEBHOOK_TYPES = Object.keys(WEBHOOK_DATA) as [WebhookType, ...WebhookType[]];

export function isWebhookType(text: string): text is WebhookType {
  return Object.hasOwn(WEBHOOK_DATA, text);
}

/** The body of every delivery. Later versions may add types. */
export const webhookEnvelope = z.strictObject({
  type: z.string().regex(/^[a-z_]{1,32}(\.[a-z_]{1,32}){1,3}$/),
  id: webhookId,
  created_at: isoTime,
  data: z.unknown(),
});

export interface WebhookEventOf<T extends WebhookType> {
  readonly type: T;
  readonly id: string;
  readonly created_at: string;
  readonly data: z.infer<(typeof WEBHOOK_DATA)[T]>;
}

export type WebhookEvent = { [T in WebhookType]: WebhookEventOf<T> }[WebhookType];

export interface WebhookVector {
  readonly name: string;
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly body: string;
  readonly signature: string;
}

const SECRET = "whsec_aG9nYSB3ZWJob29rIHZlY3RvciBzZWNyZXQsIG5vdCBhIHJlYWwgb25l";

export const WEBHOOK_VECTORS: readonly WebhookVector[] = [
  {
    name: "the published sample of the convention",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: "1614265330",
    body: '{"test": 2432232314}',
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  {
    name: "an event of the service",
    secret: SECRET,
    id: "evt_01999f3e7a107c319a520c6d5b1f2a77",
    timestamp: "1784538000",
    body: '{"type":"balance.changed","id":"evt_01999f3e7a107c319a520c6d5b1f2a77","created_at":"2026-07-20T09:00:00.000Z","data":{"account_id":"paper","balance":{"asset":"KRW","total":"10000000","available":"9000000","locked":"1000000"}}}',
    signature: "v1,3sDlCZJhzca5b4QPEn0dsOJcwkJ6Gn6S//MgMm3FzvI=",
  },
  {
    name: "a body that is not ASCII, as its UTF-8 bytes",
    secret: SECRET,
    id: "evt_2",
    timestamp: "1784538001",
    body: '{"note":"호가 📈"}',
    signature: "v1,Mj5oPiUVEgei4rxbj+wAd36k+lZgL4z6TjoEwvzJdRw=",
  },
  {
    name: "an empty body, and a key of the fewest bytes, none of them text",
    secret: "whsec_////////////////////////////////",
    id: "evt_3",
    timestamp: "1784538002",
    body: "",
    signature: "v1,WkXd4JpBY6BXm3eykuFhi16dWfWkpMBK0DU4JqrOe1s=",
  },
];
