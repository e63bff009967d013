import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import {
  isWebhookType,
  WEBHOOK_DATA,
  WEBHOOK_DELIVERY,
  WEBHOOK_HEADERS,
  WEBHOOK_TYPES,
  WEBHOOK_VECTORS,
  type WebhookVector,
  webhookEnvelope,
  webhookId,
  webhookSecret,
} from "../../../src/contract/index.ts";
import { order } from "../../fixture/order-sample.ts";

/** service.md#webhook-signature, written down once more, as no signing code is in the contract. */
function sign({ secret, id, timestamp, body }: Omit<WebhookVector, "name" | "signature">): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

describe("webhook vectors", () => {
  it.each(WEBHOOK_VECTORS)("hold for $name", (vector) => {
    expect(sign(vector)).toBe(vector.signature);
  });

  it.each(WEBHOOK_VECTORS)(
    "hold in the convention's own library for $name",
    ({ secret, id, timestamp, body, ...rest }) => {
      expect(new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body)).toBe(rest.signature);
    },
  );

  it("begin with the sample the convention publishes, and cover a body that is not ASCII, an empty one and a short key", () => {
    expect(WEBHOOK_VECTORS[0]).toMatchObject({
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
    expect(WEBHOOK_VECTORS.some(({ body }) => Buffer.byteLength(body) !== body.length)).toBe(true);
    expect(WEBHOOK_VECTORS.some(({ body }) => body === "")).toBe(true);
    expect(WEBHOOK_VECTORS.some(({ secret }) => secret.length === "whsec_".length + 32)).toBe(true);
  });

  it.each(["secret", "id", "timestamp", "body"] as const)("depend on the %s", (part) => {
    const [, vector] = WEBHOOK_VECTORS;
    if (vector === undefined) throw new Error("the vectors are shorter than this test thinks");
    const changed = { ...vector, [part]: part === "secret" ? `${vector.secret.slice(0, -4)}AAAA` : `0${vector[part]}` };
    expect(sign(changed)).not.toBe(vector.signature);
  });
});

describe("the figures of delivery", () => {
  it("are those of the service", () => {
    const [second, minute, hour] = [1_000, 60_000, 3_600_000];
    expect(WEBHOOK_HEADERS).toEqual({
      id: "webhook-id",
      timestamp: "webhook-timestamp",
      signature: "webhook-signature",
    });
    expect(WEBHOOK_DELIVERY).toMatchObject({
      toleranceMs: 5 * minute,
      answerMs: 5 * second,
      retryAfterMs: [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour],
      jitter: 0.1,
    });
  });
});

describe("a webhook secret", () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;

  it.each([24, 25, 26, 32, 64])("may have %i bytes", (bytes) => {
    expect(webhookSecret.safeParse(secretOf(bytes)).success).toBe(true);
  });

  it.each([
    secretOf(23),
    secretOf(65),
    secretOf(66),
    secretOf(67),
    secretOf(32).slice("whsec_".length),
    `${secretOf(32)} `,
    `${secretOf(32).slice(0, -1)}`,
    `whsec_${"-_".repeat(20)}`,
    "whsec_",
  ])("is not %s", (text) => {
    expect(webhookSecret.safeParse(text).success).toBe(false);
  });
});

describe("events", () => {
  const orderData = { account_id: "paper", order };
  const settlement = {
    ...{ orderId: order.orderId, trade_id: "7", symbol: "BTC/KRW", mode: "STANDARD_KRW", asset: "KRW", amount: "5" },
    ...{ state: "settled", due_at: "2026-07-20T15:00:00.000Z", ended_at: "2026-07-20T15:00:00.100Z" },
  };
  const balance = { asset: "KRW", total: "3", available: "1", locked: "2" };
  const samples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    order: orderData,
    settlement: { account_id: "paper", settlement },
    balance: { account_id: "paper", balance },
    payment: { account_id: "paper", payment_id: "p1", state: "paid" },
    remittance: { account_id: "paper", remittance_id: "r1", state: "sent" },
  };

  it("have the types of the service", () => {
    const types = WEBHOOK_TYPES.filter((type) => !/^(payment|remittance)\./.test(type));
    expect(types).toEqual([
      ...["order.created", "order.partially_filled", "order.filled", "order.canceled", "order.expired"],
      ...["settlement.settled", "settlement.failed", "balance.changed"],
    ]);
    expect(["order.filled", "order.lost", "constructor", "__proto__"].map(isWebhookType)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it.each(WEBHOOK_TYPES)(
    "%s take their data and refuse a field more, a field less and a number for an amount",
    (type) => {
      const [kind = ""] = type.split(".");
      const sample = samples[kind] ?? {};
      const schema = WEBHOOK_DATA[type];
      expect(schema.safeParse(sample)).toEqual({ success: true, data: sample });
      expect(schema.safeParse({ ...sample, extra: "" }).success).toBe(false);
      for (const name of Object.keys(sample)) {
        const { [name]: _left, ...rest } = sample;
        expect(schema.safeParse(rest).success).toBe(false);
      }
      expect(schema.safeParse({ ...sample, balance: { ...balance, total: 3 } }).success).toBe(false);
      expect(schema.safeParse({ ...sample, order: { ...order, price: 3 } }).success).toBe(false);
      expect(schema.safeParse({ ...sample, settlement: { ...settlement, amount: 5 } }).success).toBe(false);
    },
  );

  it("keep what a later version adds to a resource out, and do not stop at it", () => {
    const grown = WEBHOOK_DATA["order.filled"].safeParse({ ...orderData, order: { ...order, mood: "good" } });
    expect(grown).toEqual({ success: true, data: orderData });
  });

  it("come in a closed envelope whose id holds no full stop", () => {
    const envelope = { type: "order.filled", id: "evt_1", created_at: "2026-07-20T09:00:00.000Z", data: {} };
    expect(webhookEnvelope.safeParse(envelope).success).toBe(true);
    for (const wrong of [
      { extra: 1 },
      { type: "" },
      { type: "Order.filled\n" },
      { created_at: "today" },
      { id: "a.1" },
    ])
      expect(webhookEnvelope.safeParse({ ...envelope, ...wrong }).success).toBe(false);
    expect(webhookId.safeParse("evt_1.1784538000").success).toBe(false);
  });
});
