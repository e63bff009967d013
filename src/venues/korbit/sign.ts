/**
 * A key of Korbit, and what it signs a request with: HMAC-SHA256 by a secret, or Ed25519 by a private key that never leaves this machine. Both
 * stand in private fields, and no error shows them; outside of the request's headers the key goes by its name.
 *
 * Signed is the text that is sent, encoded as in a form; no value goes that forms are known to encode differently.
 *
 * Source: SOURCES.md#sign, architecture.md#rule-9.
 */
import { createHmac, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { type KeyOptions, plainSecret, TextKey } from "../text-key.ts";
import type { Parameters } from "../token.ts";

export const SIGNATURE = "signature";

export function encoded(parameters: Parameters): string {
  return new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString();
}

/** @param secret the text itself, or a private key as PKCS#8 in PEM. @throws TypeError for one that is neither; the error does not show it */
export function signature(secret: string, text: string): string {
  if (!isPem(secret)) return createHmac("sha256", plainSecret(secret)).update(text).digest("hex");
  return sign(null, Buffer.from(text), privateKey(secret)).toString("base64");
}

export class KorbitKey extends TextKey {
  /** @throws TypeError for a key or a secret that cannot be right */
  constructor(options: KeyOptions) {
    const signerOf =
      (key: string, secret: string) =>
      (text = "") => ({
        "x-kapi-key": key,
        [SIGNATURE]: signature(secret, text),
      });
    super(options, signerOf, (secret) => {
      signature(secret, "");
      return secret;
    });
  }
}

function isPem(secret: string): boolean {
  return secret.trimStart().startsWith("-----BEGIN ");
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
