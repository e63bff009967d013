/**
 * A key of Upbit, and the token that it signs a request with. Key and secret stand in private fields, and no error shows them; outside of the
 * request's headers the key goes by its name.
 *
 * The hash is over the parameters as they are before any encoding: the exchange's own samples differ there, so no value is sent that encoding
 * would change.
 *
 * Source: SOURCES.md#sign, architecture.md#rule-9.
 */
import { createHmac, hash } from "node:crypto";
import { keyName, type Signer, type SigningKey } from "../../transport/index.ts";

/** In the order in which they are sent; an array is one name with `[]` several times. */
export type Parameters = readonly (readonly [name: string, value: string])[];

export interface KeyOptions {
  readonly apiKey: string;
  /** The text itself, no base64. A function is called for every signature, so that the secret need not be kept here. */
  readonly apiSecret: string | (() => string);
}

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

/** Printable ASCII, as no header carries more. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

export class UpbitKey implements SigningKey {
  readonly keyId: string;
  readonly #accessKey: string;
  readonly #secret: () => string;

  /** @throws TypeError for a key or a secret that is empty or not plain text */
  constructor({ apiKey, apiSecret }: KeyOptions) {
    if (!PLAIN.test(apiKey)) throw new TypeError("the API key is empty or not plain text");
    if (typeof apiSecret === "string") checked(apiSecret);
    this.keyId = keyName(apiKey);
    this.#accessKey = apiKey;
    this.#secret = typeof apiSecret === "string" ? () => apiSecret : () => checked(apiSecret());
  }

  isNamed(accessKey: string): boolean {
    return accessKey === this.#accessKey;
  }

  /** @returns undefined when a secret function fails; its error stays here, because it may quote the secret */
  signer(): Signer | undefined {
    try {
      const secret = this.#secret();
      return (nonce = "", text = "") => ({ authorization: `Bearer ${token(this.#accessKey, secret, nonce, text)}` });
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
