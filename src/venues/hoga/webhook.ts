/**
 * Receiving webhooks: checks that a delivery was signed with the secret a short time ago, and reads its event. It agrees with the
 * service at the published test vectors (`WEBHOOK_VECTORS`), not by sharing code with it.
 * Entry points: `verifyWebhook`, or its two halves `authenticWebhook` and `readWebhook` for callers that store a delivery in between.
 *
 * Invariants: a body is not read before its signature is verified; signatures are compared in constant time; no fault shows a
 * secret, a signature or the body.
 *
 * Source: service.md#webhook-signature, service.md#webhook-tolerance, service.md#webhook-body.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  failed,
  isWebhookType,
  localFault,
  ok,
  parseForeignJson,
  type Result,
  WEBHOOK_DATA,
  WEBHOOK_DELIVERY,
  WEBHOOK_HEADERS,
  WEBHOOK_SECRET_PREFIX,
  type WebhookEvent,
  webhookEnvelope,
  webhookId,
  webhookSecret,
} from "../../contract/index.ts";

export interface WebhookDelivery {
  /** Names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as received, not parsed and serialized again. */
  readonly body: string | Uint8Array;
}

export interface WebhookTrust {
  /** `whsec_…` of the endpoint; several while one is being replaced. A function is called for every delivery. */
  readonly secret: string | readonly string[] | (() => string | readonly string[]);
  /** Unix milliseconds. Default: the system's clock. */
  readonly now?: () => number;
  /** Bounds how far the delivery's time may be from ours. Default: 5 minutes. */
  readonly toleranceMs?: number;
}

/** A delivery whose signature was verified. */
export interface AuthenticWebhook {
  /** The same for every delivery of an event. */
  readonly id: string;
  readonly body: string;
}

/**
 * The event of a delivery. Faults: `ELocal:Webhook not authentic`; `ELocal:Webhook not understood` for an authentic one.
 * @throws TypeError for a malformed secret; the error does not show it.
 */
export function verifyWebhook(delivery: WebhookDelivery, trust: WebhookTrust): Result<WebhookEvent> {
  const authentic = authenticWebhook(delivery, trust);
  return authentic.ok ? readWebhook(authentic.value) : authentic;
}

/** @throws TypeError for a malformed secret. */
export function authenticWebhook(delivery: WebhookDelivery, trust: WebhookTrust): Result<AuthenticWebhook> {
  const keys = keysOf(trust.secret);
  const { now = Date.now, toleranceMs = WEBHOOK_DELIVERY.toleranceMs } = trust;
  const id = header(delivery, WEBHOOK_HEADERS.id);
  const timestamp = header(delivery, WEBHOOK_HEADERS.timestamp);
  const signatures = header(delivery, WEBHOOK_HEADERS.signature);
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return notAuthentic(`a webhook needs the headers ${Object.values(WEBHOOK_HEADERS).join(", ")}, each once.`);
  if (!webhookId.safeParse(id).success) return notAuthentic(`${WEBHOOK_HEADERS.id} is not an id.`);
  if (!UNIX_SECONDS.test(timestamp)) return notAuthentic(`${WEBHOOK_HEADERS.timestamp} is not a time in Unix seconds.`);
  const body = Buffer.from(delivery.body);
  if (!isSignedBy(keys, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), signatures))
    return notAuthentic(`no entry of ${WEBHOOK_HEADERS.signature} is the secret's for this webhook.`);
  const aheadMs = Number(timestamp) * 1000 - now(); // not money: a time
  if (Math.abs(aheadMs) > toleranceMs)
    return notAuthentic(
      `it was signed ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs < 0 ? "ago" : "ahead of this machine's clock"}.`,
    );
  return ok({ id, body: body.toString("utf8") });
}

/** Reads an authentic delivery. Fault: `ELocal:Webhook not understood`. */
export function readWebhook({ id, body }: AuthenticWebhook): Result<WebhookEvent> {
  const envelope = webhookEnvelope.safeParse(jsonOf(body));
  if (!envelope.success) return notUnderstood("its body is not that of an event");
  const { type, created_at, data } = envelope.data;
  if (envelope.data.id !== id) return notUnderstood("its body has another id than its header");
  if (!isWebhookType(type)) return notUnderstood(`its type ${type} is not in the contract`);
  const read = WEBHOOK_DATA[type].safeParse(data);
  if (!read.success) return notUnderstood(`its data is not that of ${type}`);
  // `WEBHOOK_DATA` has the schema of each type, which the compiler cannot follow through `type`.
  return ok({ type, id, created_at, data: read.data } as WebhookEvent);
}

const UNIX_SECONDS = /^[1-9]\d{0,10}$/;
/** Further signatures are ignored: replacing a secret never needs so many. */
const ENTRIES_MAX = 16;

/** @returns undefined unless the header is there exactly once */
function header({ headers }: WebhookDelivery, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function keysOf(secret: WebhookTrust["secret"]): readonly Buffer[] {
  const given = typeof secret === "function" ? secret() : secret;
  const secrets = typeof given === "string" ? [given] : given;
  if (secrets.length === 0) throw new TypeError("there is no webhook secret");
  return secrets.map((text) => {
    if (!webhookSecret.safeParse(text).success)
      throw new TypeError(`a webhook secret is ${WEBHOOK_SECRET_PREFIX} and 24 to 64 bytes in base64`);
    return Buffer.from(text.slice(WEBHOOK_SECRET_PREFIX.length), "base64");
  });
}

/** Compares every entry with every key, also after a match, so that the time taken says nothing. */
function isSignedBy(keys: readonly Buffer[], signed: Buffer, signatures: string): boolean {
  const entries = signatures.split(" ", ENTRIES_MAX);
  let found = false;
  for (const key of keys) {
    const expected = Buffer.from(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    for (const entry of entries) {
      const given = Buffer.from(entry);
      if (given.length === expected.length && timingSafeEqual(given, expected)) found = true;
    }
  }
  return found;
}

function jsonOf(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}

function notAuthentic(why: string) {
  return failed(localFault("ELocal:Webhook not authentic", { message: `The webhook is not authentic: ${why}` }));
}

function notUnderstood(why: string) {
  return failed(localFault("ELocal:Webhook not understood", { message: `The webhook is authentic, but ${why}.` }));
}
