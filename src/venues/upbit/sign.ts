/**
 * The token that a key of Upbit signs a request with.
 *
 * The hash is over the parameters as they are before any encoding: the exchange's own samples differ there, so no value is sent that encoding
 * would change.
 *
 * Source: SOURCES.md#sign, architecture.md#rule-9.
 */
import { hashClaims, type KeyOptions, signedToken, TokenKey } from "../token-key.ts";

/** @param text as of `hashedText`; empty where there is no parameter */
export function token(accessKey: string, secret: string, nonce: string, text: string): string {
  return signedToken(secret, 512, { access_key: accessKey, nonce, ...hashClaims(text) });
}

/** @throws TypeError for a key or a secret that is empty or not plain text */
export function upbitKey(options: KeyOptions): TokenKey {
  return new TokenKey(options, (accessKey, secret, nonce = "", text = "") => token(accessKey, secret, nonce, text));
}
