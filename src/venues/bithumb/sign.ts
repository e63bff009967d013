/**
 * The token that a key of Bithumb signs a request with: HS256, with the time in milliseconds in every token.
 *
 * Source: SOURCES.md#sign, architecture.md#rule-9.
 */
import { hashClaims, type KeyOptions, signedToken, TokenKey } from "../token-key.ts";

export interface Moment {
  readonly nonce: string;
  /** The exchange's time in milliseconds. */
  readonly atMs: number;
}

/** @param text as of `hashedText`; empty where there is no parameter */
export function token(accessKey: string, secret: string, { nonce, atMs: timestamp }: Moment, text: string): string {
  return signedToken(secret, 256, { access_key: accessKey, nonce, timestamp, ...hashClaims(text) });
}

/** @throws TypeError for a key or a secret that is empty or not plain text */
export function bithumbKey(options: KeyOptions): TokenKey {
  return new TokenKey(
    options,
    (accessKey, secret, nonce = "", atMs = "", text = "") =>
      token(accessKey, secret, { nonce, atMs: Number(atMs) }, text), // not money: a time
  );
}
