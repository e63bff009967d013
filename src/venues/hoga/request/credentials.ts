/**
 * A key and its secret, kept where nothing can print them: private fields only, and errors that
 * say what is wrong without showing the value. Outside of the request's headers a key goes by its name.
 *
 * The signature of a private call. It agrees with the service at the published test vectors (`SIGNING_VECTORS`), not by
 * sharing code with it.
 *
 * Source: service.md#signing, architecture.md#rule-9; service.md#signature.
 */

import { createHmac, hash } from "node:crypto";
import { AUTH_HEADERS } from "../../../contract/index.ts";
import { keyName, type Signer, type SigningKey } from "../../../transport/index.ts";

export interface CredentialOptions {
  readonly apiKey: string;
  /** Base64. A function is called for every signature, so that the secret need not be kept here. */
  readonly apiSecret: string | (() => string);
}

const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2}==$|^[A-Za-z0-9+/]{3}=$/;

/** Decodes a secret. @throws TypeError when it is not base64; the text is never in the error. */
function decodeSecret(secret: string): Buffer {
  if (!BASE64.test(secret)) throw new TypeError("the API secret is not base64");
  return Buffer.from(secret, "base64");
}

/** Holds one key, ready to sign. */
export class Credentials implements SigningKey {
  /** The key's name. */
  readonly keyId: string;
  readonly #apiKey: string;
  readonly #secret: () => Uint8Array;

  /** @throws TypeError for a key that no header can carry, or a secret that is not base64. */
  constructor(options: CredentialOptions) {
    if (!/^[\x21-\x7e]{1,256}$/.test(options.apiKey)) throw new TypeError("the API key is empty or not plain text");
    this.keyId = keyName(options.apiKey);
    this.#apiKey = options.apiKey;
    const given = options.apiSecret;
    if (typeof given === "function") {
      this.#secret = () => decodeSecret(given());
    } else {
      const bytes = decodeSecret(given);
      this.#secret = () => bytes;
    }
  }

  /**
   * Reads the secret for one call, before the call takes its turn in the lane.
   * @returns undefined when a secret function fails; its error stays here, because it may quote the secret.
   */
  signer(): Signer | undefined {
    let secret: Uint8Array;
    try {
      secret = this.#secret();
    } catch {
      return undefined;
    }
    return (prefix = "", nonce = "", body = "") => ({
      [AUTH_HEADERS.key]: this.#apiKey,
      [AUTH_HEADERS.sign]: sign(prefix, nonce, body, secret),
    });
  }

  toJSON(): string {
    return "[credentials]";
  }
}

/**
 * `base64( HMAC-SHA512( secret, prefix || SHA256( nonce || body ) ) )`.
 * @param prefix `METHOD path-with-query` exactly as in the request line (Trading API: the path alone).
 * @param nonce decimal text; travels in `API-Nonce`.
 * @param body the raw body, `""` when there is none.
 * @param secret the secret's decoded bytes.
 */
export function sign(prefix: string, nonce: string, body: string, secret: Uint8Array): string {
  const inner = hash("sha256", nonce + body, "buffer");
  return createHmac("sha512", secret).update(prefix).update(inner).digest("base64");
}
