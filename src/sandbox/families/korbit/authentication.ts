/**
 * Finds out who calls, by the signed parameters of the request: its key, its signature, its time, the address, in this order. Entry point:
 * `authenticate`.
 *
 * Invariants: a signature is of HMAC-SHA256 in lower-case hex, or of Ed25519 in base64; the time is right from `recvWindow` before the server's up to
 * a second after it; nothing is used up, so that a request which is delivered twice is let in twice.
 */
import { createHmac, verify } from "node:crypto";
import { equalSignatures, hmacKey, NO_KEY } from "../../access/signature.ts";
import { headerOf, type RequestHead } from "../../http/family.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { SecretCache, Service } from "../../service/service.ts";
import { isAllowedAddress } from "../../venue-kit/web-token.ts";
import type { KeyPairs } from "./key-pair.ts";
import { badRequest, type KorbitError, refuse } from "./outcome.ts";
import type { SentParameters } from "./parameters.ts";

const WINDOW_DEFAULT_MS: Millis = 5_000;
const WINDOW_MAX_MS: Millis = 60_000;
const AHEAD_MS: Millis = 1_000;

export interface AuthenticationParts {
  readonly service: Service;
  readonly secrets: SecretCache;
  readonly keyPairs: KeyPairs;
}

export type KeyType = "hmac-sha256" | "ed25519";

export interface Caller {
  readonly ok: true;
  readonly key: KeyRecord;
  /** By which of the two the request was signed. */
  readonly keyType: KeyType;
}

/** @param at the server's time, as this request finds it */
export function authenticate(
  parts: AuthenticationParts,
  head: RequestHead,
  { parameters, signedText }: SentParameters,
  at: Millis,
): Caller | KorbitError {
  const keyId = headerOf(head, "x-kapi-key");
  const key = keyId === undefined ? undefined : parts.service.exchange.key(keyId);
  const keyType = signedBy(parts, key, signedText, parameters.text("signature") ?? "");
  if (key === undefined) return refuse("KEY_NOT_FOUND");
  if (keyType === undefined) return refuse("INVALID_SIGNATURE");
  const sentAt = parameters.time("timestamp", 0);
  if (typeof sentAt !== "number" || sentAt === 0) return badRequest("timestamp");
  const windowMs = parameters.count("recvWindow", WINDOW_DEFAULT_MS, WINDOW_MAX_MS);
  if (typeof windowMs !== "number") return windowMs;
  if (at - sentAt > windowMs || sentAt >= at + AHEAD_MS) return refuse("EXCEED_TIME_WINDOW");
  return isAllowedAddress(key, head.address) ? { ok: true, key, keyType } : refuse("IP_NOT_ALLOWED");
}

const HEX = /^[0-9a-f]{64}$/;

function signedBy(
  { secrets, keyPairs }: AuthenticationParts,
  key: KeyRecord | undefined,
  text: string,
  signature: string,
): KeyType | undefined {
  const hmac = createHmac("sha256", key === undefined ? NO_KEY : hmacKey(secrets, key, "utf8"));
  if (equalSignatures(hmac.update(text, "latin1").digest("hex"), signature) && key !== undefined) return "hmac-sha256";
  if (key === undefined || HEX.test(signature)) return undefined;
  const bytes = Buffer.from(signature, "base64");
  // A base64 text that is not the one of its bytes is not what was signed.
  if (bytes.toString("base64") !== signature) return undefined;
  return verify(null, Buffer.from(text, "latin1"), keyPairs.publicKey(key), bytes) ? "ed25519" : undefined;
}
