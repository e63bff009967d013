/**
 * Computes and compares signatures of requests. The client has an implementation of its own, on purpose: shared code would hide
 * shared bugs.
 *
 * Invariant: the comparison takes the same time wherever the texts differ, and runs for an unknown key too.
 * Source: service.md#signature, service.md#secret-encoding.
 */
import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { KeyRecord } from "../model/index.ts";
import type { SecretCache } from "../service/service.ts";

export interface SignedText {
  readonly nonce: string;
  /** `METHOD + " " + path-with-query` as in the request line; the path alone on the Trading API. */
  readonly prefix: string;
  readonly body: Buffer;
}

/** Signs in place of a key that does not exist, so that the answer takes as long. */
export const NO_KEY = createSecretKey(Buffer.alloc(64));

/** `base64( HMAC-SHA512( secret, prefix || SHA256( nonce || body ) ) )`. */
export function signatureOf(key: KeyObject, { nonce, prefix, body }: SignedText): string {
  const digest = hash("sha256", body.length === 0 ? nonce : Buffer.concat([Buffer.from(nonce), body]), "buffer");
  // Node reads the request line as latin1; written back the same way, these are the bytes that were sent.
  return createHmac("sha512", key).update(prefix, "latin1").update(digest).digest("base64");
}

/** The HMAC key of an API key, kept in `cache`. @param encoding how the secret's text stands for bytes */
export function hmacKey(
  cache: SecretCache,
  { keyId, secret }: Pick<KeyRecord, "keyId" | "secret">,
  encoding: "base64" | "utf8",
): KeyObject {
  const cached = cache.get(keyId);
  if (cached?.secret === secret) return cached.key;
  const key = createSecretKey(Buffer.from(secret, encoding));
  cache.set(keyId, { secret, key });
  return key;
}

/** Tells whether the texts are equal. A wrong length may show, as every signature has the same. */
export function equalSignatures(expected: string, given: string): boolean {
  const expectedBytes = Buffer.from(expected, "latin1");
  const givenBytes = Buffer.from(given, "latin1");
  const comparable = givenBytes.length === expectedBytes.length;
  return timingSafeEqual(expectedBytes, comparable ? givenBytes : expectedBytes) && comparable;
}
