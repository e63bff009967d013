/**
 * Owns checking `API-Sign`, the sandbox's own implementation of decisions §2 (the client has another on purpose).
 *
 * Invariant: the comparison takes the same time wherever the texts differ, and runs for an unknown key too.
 */

import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { SecretCache } from "../service/service.ts";

export interface SignedText {
  readonly nonce: string;
  /** `METHOD + " " + path-with-query` as in the request line; the path alone on the Trading API. */
  readonly prefix: string;
  readonly body: Buffer;
}

/** `base64( HMAC-SHA512( secret, prefix || SHA256( nonce || body ) ) )`. */
export function signatureOf(key: KeyObject, { nonce, prefix, body }: SignedText): string {
  const digest = hash("sha256", body.length === 0 ? nonce : Buffer.concat([Buffer.from(nonce), body]), "buffer");
  // Node reads the request line as latin1; written back the same way, these are the bytes that were sent.
  return createHmac("sha512", key).update(prefix, "latin1").update(digest).digest("base64");
}

/** The HMAC key of a base64 secret, kept in `cache` under `keyId`. */
export function hmacKey(cache: SecretCache, keyId: string, secret: string): KeyObject {
  const kept = cache.get(keyId);
  if (kept?.secret === secret) return kept.key;
  const key = createSecretKey(Buffer.from(secret, "base64"));
  cache.set(keyId, { secret, key });
  return key;
}

/** Whether the texts are equal. A wrong length shows, and may: every signature has the same. */
export function equalSignatures(expected: string, given: string): boolean {
  const wanted = Buffer.from(expected, "latin1");
  const got = Buffer.from(given, "latin1");
  const comparable = got.length === wanted.length;
  return timingSafeEqual(wanted, comparable ? got : wanted) && comparable;
}
