/**
 * A key of Upbit, and the token that it signs a request with.
 *
 * The hash is over the parameters as they are before any encoding: the exchange's own samples differ there, so no value is sent that encoding
 * would change.
 *
 * Source: SOURCES.md#sign, architecture.md#rule-9.
 */
import { createHmac, hash } from "node:crypto";
import { type KeyOptions, TextKey } from "../text-key.ts";

/** In the order in which they are sent; an array is one name with `[]` several times. */
export type Parameters = readonly (readonly [name: string, value: string])[];

/** What the exchange hashes of a request. */
export function hashedText(parameters: Parameters): string {
  return parameters.map(([name, value]) => `${name}=${value}`).join("&");
}

/** @param text as of `hashedText`; empty where there is no parameter */
export function token(accessKey: string, secret: string, nonce: string, text: string): string {
  const hashed = text === "" ? {} : { query_hash: hash("sha512", text, "hex"), query_hash_alg: "SHA512" };
  const parts = [
    { alg: "HS512", typ: "JWT" },
    { access_key: accessKey, nonce, ...hashed },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${signed}.${createHmac("sha512", secret).update(signed).digest("base64url")}`;
}

export class UpbitKey extends TextKey {
  /** @throws TypeError for a key or a secret that is empty or not plain text */
  constructor(options: KeyOptions) {
    super(options, (key, secret) => (nonce = "", text = "") => ({
      authorization: `Bearer ${token(key, secret, nonce, text)}`,
    }));
  }
}
