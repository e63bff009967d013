/**
 * The token (JWT) that a key of some exchanges signs over the parameters of a request.
 */
import { createHmac, hash } from "node:crypto";

/** In the order in which they are sent; an array is one name with `[]` several times. */
export type Parameters = readonly (readonly [name: string, value: string])[];

/** What such exchanges hash of a request: the parameters as they are before any encoding. */
export function hashedText(parameters: Parameters): string {
  return parameters.map(([name, value]) => `${name}=${value}`).join("&");
}

/** @param text as of `hashedText`; empty where there is no parameter, which has no hash */
export function hashClaims(text: string): object {
  return text === "" ? {} : { query_hash: hash("sha512", text, "hex"), query_hash_alg: "SHA512" };
}

/** @param bits of the hash that signs: HS256 or HS512 */
export function signedToken(secret: string, bits: 256 | 512, claims: object): string {
  const parts = [{ alg: `HS${bits}`, typ: "JWT" }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${signed}.${createHmac(`sha${bits}`, secret).update(signed).digest("base64url")}`;
}
