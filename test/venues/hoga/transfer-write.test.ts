import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Payment, Result } from "../../../src/contract/index.ts";
import { sign, TransferClient } from "../../../src/venues/index.ts";
import {
  answer,
  type Behaviour,
  cut,
  garble,
  hang,
  hangUp,
  html,
  KEY,
  refuse,
  reset,
  SECRET,
  stall,
  startWire,
  type Wire,
} from "./wire.ts";

const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 5_000, deadlineMs: 10_000 };
const ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
const AT = "2026-07-20T09:00:00.000Z";
const quote = { amount: "90000", pay_asset: "BTC", order_ref: "cart-7" };
const payment: Payment = {
  ...{
    draft: true,
    payment_id: ID,
    state: "quoted",
    ...quote,
    pay_amount: "0.001",
    rate: "90000000",
    description: null,
  },
  ...{ refunded_amount: "0", refunded_pay_amount: "0", created_at: AT, expires_at: AT, updated_at: AT },
  ...{ paid_at: null, settled_at: null },
};
const beneficiary = { name: "Kim Minji", account: "123", bank_code: "BOFAUS3N", country: "US" };

let wire: Wire;
let client: TransferClient;
beforeEach(async () => {
  wire = await startWire(hang);
  const credentials = { apiKey: KEY, apiSecret: SECRET };
  client = new TransferClient({ environment: "sandbox", baseUrl: wire.url, credentials, timeouts, random: () => 0 });
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

const write = { idempotencyKey: "intent-1" };

const writes: readonly (readonly [string, () => Promise<Result<unknown>>])[] = [
  ["quotePayment", () => client.quotePayment(quote, write)],
  ["confirmPayment", () => client.confirmPayment(ID, write)],
  ["cancelPayment", () => client.cancelPayment(ID, write)],
  ["refundPayment", () => client.refundPayment(ID, "1000", write)],
  [
    "quoteRemittance",
    () =>
      client.quoteRemittance(
        { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" },
        write,
      ),
  ],
  [
    "createRemittance",
    () =>
      client.createRemittance(
        { quote_id: ID, beneficiary, originator_vasp_id: "VASP-KR-1", purpose_code: "FAMILY" },
        write,
      ),
  ],
  ["cancelRemittance", () => client.cancelRemittance(ID, write)],
];

const losses: readonly (readonly [string, Behaviour])[] = [
  ["silence", hang],
  ["a reset", reset],
  ["a hang-up", hangUp],
  ["garbage", garble],
  ["a page of HTML", html],
  ["half an answer", cut(payment)],
  ["a stalled answer", stall],
  ["an outage", refuse("EService:Unavailable", 503)],
  ["a time-out of the service", refuse("EService:Timeout", 504)],
  ["a refused nonce", refuse("EAPI:Invalid nonce", 401)],
  ["another payment's answer", answer({ ...payment, payment_id: ID.replace("7a10", "7a11"), amount: "1" })],
];

describe.each(writes)("%s", (_, send) => {
  it.each(losses)("is one request after %s, is unknown, and names the key to look it up by", async (__, behaviour) => {
    wire.script = [behaviour];
    expect(await send()).toMatchObject({
      ok: false,
      fault: {
        reachedVenue: "unknown",
        idempotencyKey: "intent-1",
        nextAction: expect.stringContaining("idempotency key"),
      },
    });
    expect(wire.arrivals).toHaveLength(1);
  });

  it("carries the caller's key, and is signed", async () => {
    await send();
    const [arrival] = wire.arrivals;
    if (arrival === undefined) throw new Error("nothing arrived");
    const { line, headers, body } = arrival;
    expect(headers["idempotency-key"]).toBe("intent-1");
    expect(headers["api-version"]).toBeUndefined();
    expect(line.startsWith("POST /v0.1/")).toBe(true);
    const nonce = String(headers["api-nonce"]);
    const signed = sign(line, nonce, body, Buffer.from(SECRET, "base64"));
    expect(headers["api-sign"]).toBe(signed);
  });

  it("when it is refused, says so, with the state of the transfer", async () => {
    wire.script = [refuse("ETransfer:Wrong state", 409, { state: "refunded", field: "id" })];
    expect(await send()).toMatchObject({
      ok: false,
      fault: { code: "ETransfer:Wrong state", reachedVenue: "yes", transferState: "refunded", status: 409 },
    });
  });
});

describe("a write", () => {
  it.each(["", "a b", '"x"', "x".repeat(65)])("when its key is %j, stays unsent", async (idempotencyKey) => {
    expect(await client.confirmPayment(ID, { idempotencyKey })).toMatchObject({
      ok: false,
      fault: { code: "ELocal:Invalid input", field: "idempotency_key", reachedVenue: "no" },
    });
    expect(wire.arrivals).toEqual([]);
  });

  it("when it does not match the contract, stays unsent, and the fault names the field", async () => {
    const misfits = await Promise.all([
      client.quotePayment({ ...quote, amount: "90000.5" }, write),
      client.refundPayment(ID, "0", write),
      client.confirmPayment("../1", write),
      client.createRemittance(
        { quote_id: ID, beneficiary: { ...beneficiary, name: "" }, originator_vasp_id: "V", purpose_code: "F" },
        write,
      ),
    ]);
    expect(misfits.map((each) => !each.ok && each.fault.field)).toEqual(["amount", "amount", "id", "beneficiary.name"]);
    expect(wire.arrivals).toEqual([]);
  });

  it("passes its nonce to `beforeSend`, and is not sent when that resolves to false", async () => {
    const nonces: string[] = [];
    const beforeSend = async (nonce: string) => {
      nonces.push(nonce);
      return false;
    };
    expect(await client.confirmPayment(ID, { ...write, beforeSend })).toMatchObject({
      ok: false,
      fault: { code: "ELocal:Not placed", reachedVenue: "no" },
    });
    expect(nonces).toHaveLength(1);
    expect(wire.arrivals).toEqual([]);
  });
});

describe("the secret", () => {
  it("is in nothing the client shows or returns", async () => {
    wire.script = [reset, html, refuse("EOrder:Insufficient funds", 422)];
    const shown: unknown[] = [client, Object.entries(client)];
    for (let count = 0; count < 3; count++) shown.push(await client.confirmPayment(ID, write));
    for (const thing of shown) {
      const text = [inspect(thing, { depth: 20, showHidden: true }), JSON.stringify(thing), String(thing)].join();
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(Buffer.from(SECRET, "base64").toString());
    }
  });
});

describe("a read", () => {
  it("is retried after an outage", async () => {
    wire.script = [refuse("EService:Unavailable", 503), answer(payment)];
    expect(await client.payment(ID)).toEqual({ ok: true, value: payment });
    expect(wire.arrivals.map(({ line }) => line)).toEqual(Array(2).fill(`GET /v0.1/payments/${ID}`));
  });

  it("when it goes by key, takes a larger nonce than `afterNonce`, or stays unsent", async () => {
    const afterNonce = String(10n ** 18n);
    expect(await client.paymentBy("intent-1", { afterNonce })).toMatchObject({
      ok: false,
      fault: { reachedVenue: "no" },
    });
    expect(wire.arrivals).toEqual([]);
    wire.script = [answer({ draft: true, payments: [], next_cursor: null })];
    expect(await client.paymentBy("intent-1", { afterNonce: "1" })).toEqual({ ok: true, value: undefined });
    expect(wire.arrivals[0]?.line).toBe("GET /v0.1/payments?idempotency_key=intent-1");
  });
});
