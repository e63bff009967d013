/**
 * A key of Korbit, and what it signs a request with: HMAC-SHA256 by a secret, or Ed25519 by a private key that never leaves this machine. Both
 * stand in private fields, and no error shows them; outside of the request's headers the key goes by its name.
 *
 * Signed is the text that is sent, encoded as in a form; no value goes that forms are known to encode differently.
 *
 * Source: SOURCES.md#sign, architecture.md#rule-9.
 */
import { createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { keyName, type Signer, type SigningKey } from "../../transport/index.ts";
import type { KeyOptions } from "../text-key.ts";

/** In the order in which they are sent. */
export type Parameters = readonly [name: string, value: string][];

export const SIGNATURE = "signature";

export function encoded(parameters: Parameters): string {
  return new URLSearchParams(parameters).toString();
}

/** @param secret the text itself, or a private key as PKCS#8 in PEM. @throws TypeError for one that is neither; the error does not show it */
export function signature(secret: string, text: string): string {
  if (!isPem(secret)) return createHmac("sha256", checked(secret)).update(text).digest("hex");
  return sign(null, Buffer.from(text), privateKey(secret)).toString("base64");
}

/** Printable ASCII, as no header carries more. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

export class KorbitKey implements SigningKey {
  readonly keyId: string;
  readonly #apiKey: string;
  readonly #secret: () => string;

  /** @throws TypeError for a key or a secret that cannot be right */
  constructor({ apiKey, apiSecret }: KeyOptions) {
    if (!PLAIN.test(apiKey)) throw new TypeError("the API key is empty or not plain text");
    if (typeof apiSecret === "string") signature(apiSecret, "");
    this.keyId = keyName(apiKey);
    this.#apiKey = apiKey;
    this.#secret = typeof apiSecret === "string" ? () => apiSecret : apiSecret;
  }

  /** @returns undefined when the secret cannot be read or is none; the error stays here, because it may quote it */
  signer(): Signer | undefined {
    try {
      const secret = this.#secret();
      signature(secret, "");
      return (text = "") => ({ "x-kapi-key": this.#apiKey, [SIGNATURE]: signature(secret, text) });
    } catch {
      return undefined;
    }
  }

  toJSON(): string {
    return "[credentials]";
  }
}

function isPem(secret: string): boolean {
  return secret.trimStart().startsWith("-----BEGIN ");
}

function checked(secret: string): string {
  if (!PLAIN.test(secret)) throw new TypeError("the API secret is empty or not plain text");
  return secret;
}

function privateKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // Node's own words may quote it.
  }
  if (key?.asymmetricKeyType !== "ed25519") throw new TypeError("the private key is not one of Ed25519 in PEM");
  return key;
}
