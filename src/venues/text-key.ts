/**
 * A key whose two parts are plain text. Both stand in private fields, and no error shows them; outside of a request the key goes by its name.
 *
 * Source: architecture.md#rule-9.
 */
import { keyName, type Signer, type SigningKey } from "../transport/index.ts";

export interface KeyOptions {
  readonly apiKey: string;
  /** The text itself, no base64. A function is called for every signature, so that the secret need not be kept here. */
  readonly apiSecret: string | (() => string);
}

/** Printable ASCII, as no header carries more. */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

export class TextKey implements SigningKey {
  readonly keyId: string;
  readonly #key: string;
  readonly #secret: () => string;
  readonly #signerOf: (key: string, secret: string) => Signer;

  /**
   * @param checked hands back a secret that can be one, and throws a TypeError that does not show it otherwise
   * @throws TypeError for a key that is empty or not plain text, and for a secret that cannot be right
   */
  constructor(
    { apiKey, apiSecret }: KeyOptions,
    signerOf: (key: string, secret: string) => Signer,
    checked: (secret: string) => string = plainSecret,
  ) {
    if (!PLAIN.test(apiKey)) throw new TypeError("the API key is empty or not plain text");
    if (typeof apiSecret === "string") checked(apiSecret);
    this.keyId = keyName(apiKey);
    this.#key = apiKey;
    this.#secret = typeof apiSecret === "string" ? () => apiSecret : () => checked(apiSecret());
    this.#signerOf = signerOf;
  }

  isNamed(key: string): boolean {
    return key === this.#key;
  }

  /** @returns undefined when a secret cannot be read or is none; the error stays here, because it may quote the secret */
  signer(): Signer | undefined {
    try {
      return this.#signerOf(this.#key, this.#secret());
    } catch {
      return undefined;
    }
  }

  toJSON(): string {
    return "[credentials]";
  }
}

/** @throws TypeError for one that is empty or not plain text; the error does not show it */
export function plainSecret(secret: string): string {
  if (!PLAIN.test(secret)) throw new TypeError("the API secret is empty or not plain text");
  return secret;
}
