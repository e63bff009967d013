import { inspect } from "node:util";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { WEBHOOK_VECTORS, type WebhookEvent } from "../../../src/contract/index.ts";
import { verifyWebhook, type WebhookTrust } from "../../../src/index.ts";
import { order } from "../../fixture/order-sample.ts";

const NOW = Date.UTC(2026, 6, 20, 9);
const SECRET = `whsec_${Buffer.alloc(32, "one secret ").toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, "another secret ").toString("base64")}`;

const event = {
  type: "order.filled",
  id: "evt_1",
  created_at: "2026-07-20T09:00:00.000Z",
  data: { account_id: "paper", order },
} satisfies WebhookEvent;

interface Sending {
  readonly body?: unknown;
  readonly secrets?: readonly string[];
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly atMs?: number;
  readonly id?: string;
}

/** Signed by the reference library of the convention. */
function delivery({ body = event, secrets = [SECRET], headers = {}, atMs = NOW, id = "evt_1" }: Sending = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const signature = secrets.map((secret) => new Webhook(secret).sign(id, new Date(atMs), text)).join(" ");
  const timestamp = String(Math.floor(atMs / 1000));
  return {
    headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature, ...headers },
    body: text,
  };
}

const trust: WebhookTrust = { secret: SECRET, now: () => NOW };
const verify = (sending?: Sending, more: Partial<WebhookTrust> = {}) =>
  verifyWebhook(delivery(sending), { ...trust, ...more });
const codeOf = (result: ReturnType<typeof verifyWebhook>) => (result.ok ? "ok" : result.fault.code);

const NOT_AUTHENTIC = "ELocal:Webhook not authentic";
const NOT_UNDERSTOOD = "ELocal:Webhook not understood";

describe("an authentic webhook", () => {
  it("is the event that was sent, with a body as text or bytes", () => {
    expect(verify()).toEqual({ ok: true, value: event });
    const { headers, body } = delivery({ body: { ...event, data: { ...event.data, order } } });
    expect(verifyWebhook({ headers, body: Buffer.from(body) }, trust)).toEqual({ ok: true, value: event });
  });

  it.each(WEBHOOK_VECTORS)("agrees with the published vector: $name", ({ secret, id, timestamp, body, signature }) => {
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    const found = verifyWebhook({ headers, body }, { secret, now: () => Number(timestamp) * 1000 });
    // All of them are authentic, but only one is an event.
    expect(codeOf(found)).toBe(body.startsWith('{"type"') ? "ok" : NOT_UNDERSTOOD);
  });

  it("needs one matching signature, at any place among others", () => {
    expect(codeOf(verify({ secrets: [OTHER, SECRET] }))).toBe("ok");
    expect(codeOf(verify({ secrets: [SECRET, OTHER] }))).toBe("ok");
    const [entry] = [delivery().headers["webhook-signature"]];
    for (const around of ["v1a,xyz ", "v1, ", "v2,AAAA ", " ", "v1,", "v1,AAAA "])
      expect(codeOf(verify({ headers: { "webhook-signature": `${around} ${entry}` } }))).toBe("ok");
  });

  it("may be signed with any trusted secret, also one from a function", () => {
    expect(codeOf(verify({ secrets: [OTHER] }, { secret: [SECRET, OTHER] }))).toBe("ok");
    expect(codeOf(verify({ secrets: [OTHER] }, { secret: () => OTHER }))).toBe("ok");
    expect(codeOf(verify({ secrets: [OTHER] }))).toBe(NOT_AUTHENTIC);
  });

  it.each([
    ["another version's entry alone", { headers: { "webhook-signature": "v2,AAAA" } }],
    ["no signature", { headers: { "webhook-signature": undefined } }],
    ["an empty signature", { headers: { "webhook-signature": "" } }],
    ["two signature headers", { headers: { "webhook-signature": ["v1,a", "v1,b"] } }],
    ["no id", { headers: { "webhook-id": undefined } }],
    ["another id", { headers: { "webhook-id": "evt_2" } }],
    ["no timestamp", { headers: { "webhook-timestamp": undefined } }],
    ["another timestamp", { headers: { "webhook-timestamp": String(NOW / 1000 + 1) } }],
    ["a timestamp written otherwise", { headers: { "webhook-timestamp": `0${NOW / 1000}` } }],
    ["a timestamp that is no number", { headers: { "webhook-timestamp": "NaN" } }],
  ] as const)("is none with %s", (_, sending) => {
    expect(codeOf(verify(sending as Sending))).toBe(NOT_AUTHENTIC);
  });

  it("is refused when one byte of the body or the signature differs", () => {
    const { headers, body } = delivery();
    expect(codeOf(verifyWebhook({ headers, body: body.replace("filled", "Filled") }, trust))).toBe(NOT_AUTHENTIC);
    expect(codeOf(verifyWebhook({ headers, body: `${body} ` }, trust))).toBe(NOT_AUTHENTIC);
    const signature = headers["webhook-signature"] as string;
    for (let at = "v1,".length; at < signature.length - 2; at++) {
      const changed = `${signature.slice(0, at)}${signature[at] === "A" ? "B" : "A"}${signature.slice(at + 1)}`;
      expect(codeOf(verify({ headers: { "webhook-signature": changed } }))).toBe(NOT_AUTHENTIC);
    }
  });

  it("cannot be split at another place, because an id has no full stop", () => {
    // Signed are the bytes "evt_1.1784538000.{…}"; as id "evt_1.1784538000" they would be of another body.
    const inner = delivery({ id: "evt_1", body: `${NOW / 1000}.${JSON.stringify(event)}` });
    const headers = { ...inner.headers, "webhook-id": `evt_1.${NOW / 1000}` };
    expect(codeOf(verifyWebhook({ headers, body: JSON.stringify(event) }, trust))).toBe(NOT_AUTHENTIC);
  });

  it("was signed within five minutes before or after now", () => {
    const ages = [-301_000, -300_000, 300_000, 301_000];
    expect(ages.map((ageMs) => codeOf(verify({ atMs: NOW - ageMs })))).toEqual([
      NOT_AUTHENTIC,
      "ok",
      "ok",
      NOT_AUTHENTIC,
    ]);
    expect(codeOf(verify({ atMs: NOW - 61_000 }, { toleranceMs: 60_000 }))).toBe(NOT_AUTHENTIC);
    const late = verify({ atMs: NOW - 301_000 });
    expect(late.ok || late.fault.message).toMatch(/signed 301 s ago/);
  });
});

describe("an authentic webhook that cannot be read", () => {
  it.each([
    ["no JSON", "not JSON"],
    ["no object", "[]"],
    ["a field more in the envelope", { ...event, extra: 1 }],
    ["another id inside", { ...event, id: "evt_2" }],
    ["a type that is not in the contract", { ...event, type: "order.lost" }],
    ["a type that every object has", { ...event, type: "constructor" }],
    ["data of another type", { ...event, type: "balance.changed" }],
    ["a number for an amount", { ...event, data: { account_id: "paper", order: { ...order, price: 95000000 } } }],
  ])("has %s", (_, body) => {
    expect(codeOf(verify({ body }))).toBe(NOT_UNDERSTOOD);
  });
});

describe("a webhook secret", () => {
  it("when it is malformed, throws the rule and never shows the secret", () => {
    for (const secret of ["", "whsec_short", SECRET.slice(6), `${SECRET}!`, []]) {
      const refused = () => verifyWebhook(delivery(), { ...trust, secret });
      expect(refused).toThrow(TypeError);
      expect(refused).not.toThrow(/c2VjcmV0|short/);
    }
  });

  it("is in no fault, nor is a signature or the body", () => {
    const faults = [verify({ secrets: [OTHER] }), verify({ body: { ...event, extra: SECRET } }), verify({ atMs: 0 })];
    for (const fault of faults) {
      const shown = inspect(fault, { depth: 9 });
      expect(shown).not.toContain(SECRET.slice(6, 20));
      expect(shown).not.toContain(delivery().headers["webhook-signature"] as string);
      expect(shown).not.toContain("BTC/KRW");
    }
  });
});
