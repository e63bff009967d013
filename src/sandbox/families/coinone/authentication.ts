/**
 * Finds out who calls, by the two headers of a request: the payload, base64 of JSON, and its signature; then token, nonce and address. The body
 * is not looked at, as some of Coinone's own samples send none. Entry point: `authenticate`.
 *
 * Invariant: a nonce is used up by a payload whose signature was right, and by no other.
 */
import { isUtf8 } from "node:buffer";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { equalSignatures, hmacKey, NO_KEY } from "../../access/signature.ts";
import { headerOf, type RequestHead } from "../../http/family.ts";
import { duplicatedKey } from "../../http/json-body.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { SecretCache, Service } from "../../service/service.ts";
import { isAllowedAddress, type Nonces } from "../../venue-kit/web-token.ts";
import { type CoinoneError, refuse } from "./outcome.ts";

export interface AuthenticationParts {
  readonly service: Service;
  readonly secrets: SecretCache;
  readonly nonces: Nonces;
}

interface Authenticated {
  readonly ok: true;
  readonly key: KeyRecord;
  /** The payload, but for token and nonce. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function authenticate(
  { service, secrets, nonces }: AuthenticationParts,
  head: RequestHead,
): Authenticated | CoinoneError {
  const [payload, signature] = [headerOf(head, "x-coinone-payload"), headerOf(head, "x-coinone-signature")];
  if (!payload) return refuse(120);
  if (!signature) return refuse(121);
  const read = readPayload(payload);
  if (read === undefined) return refuse(101);
  const { access_token: token, nonce, ...fields } = read;
  if (token === undefined || token === "") return refuse(11);
  const key = typeof token === "string" ? service.exchange.key(token) : undefined;
  const hmac = createHmac("sha512", key === undefined ? NO_KEY : hmacKey(secrets, key, "utf8"));
  const isSigned = equalSignatures(hmac.update(payload, "latin1").digest("hex"), signature);
  if (key === undefined) return refuse(12);
  if (!isSigned) return refuse(123);
  if (nonce === undefined || nonce === null || nonce === "") return refuse(122);
  if (typeof nonce !== "string" || !UUID_V4.test(nonce)) return refuse(133);
  if (!nonces.use(key.keyId, nonce.toLowerCase())) return refuse(132);
  return isAllowedAddress(key, head.address) ? { ok: true, key, fields } : refuse(10);
}

const payloadObject = z.record(z.string(), z.unknown());

/** @returns undefined for what is not base64 of a JSON object in which each name is once */
function readPayload(payload: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = Buffer.from(payload, "base64");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(payload) || !isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return duplicatedKey(text, value) === undefined ? payloadObject.safeParse(value).data : undefined;
  } catch {
    return undefined;
  }
}
