/**
 * A key that signs a token (JWT) over the parameters of a request. Key and secret stand in private fields, and no error shows them; outside of the
 * request's headers the key goes by its name.
 *
 * Source: architecture.md#rule-9.
 */
import { createHmac, hash } from "node:crypto";
import { keyName, type Signer, type SigningKey } from "../transport/index.ts";

/** In the order in which they are sent; an array is one name with `[]` several times. */
export type Parameters = readonly (readonly [name: string, value: string])[];

export interface KeyOptions {
  readonly apiKey: string;
  /** The text itself, no base64. A function is called for every signature, so that the secret need not be kept here. */
  readonly apiSecret: string | (() => string);
}

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

/** Printable ASCII, as no header carries more. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

export type TokenOf = (accessKey: string, secret: string, ...parts: readonly string[]) => string;

export class TokenKey implements SigningKey {
  readonly keyId: string;
  readonly #accessKey: string;
  readonly #secret: () => string;
  readonly #tokenOf: TokenOf;

  /** @throws TypeError for a key or a secret that is empty or not plain text */
  constructor({ apiKey, apiSecret }: KeyOptions, tokenOf: TokenOf) {
    if (!PLAIN.test(apiKey)) throw new TypeError("the API key is empty or not plain text");
    if (typeof apiSecret === "string") checked(apiSecret);
    this.keyId = keyName(apiKey);
    this.#accessKey = apiKey;
    this.#secret = typeof apiSecret === "string" ? () => apiSecret : () => checked(apiSecret());
    this.#tokenOf = tokenOf;
  }

  /** @returns undefined when a secret function fails; its error stays here, because it may quote the secret */
  signer(): Signer | undefined {
    try {
      const secret = this.#secret();
      return (...parts) => ({ authorization: `Bearer ${this.#tokenOf(this.#accessKey, secret, ...parts)}` });
    } catch {
      return undefined;
    }
  }

  toJSON(): string {
    return "[credentials]";
  }
}

function checked(secret: string): string {
  if (!PLAIN.test(secret)) throw new TypeError("the API secret is empty or not plain text");
  return secret;
}
