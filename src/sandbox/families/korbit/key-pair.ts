/**
 * The Ed25519 key that belongs to each key of the sandbox: made of its secret, so that it needs no place of its own and is the same after a restart.
 * Entry points: `privateKeyText`, `KeyPairs`.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { KeyRecord } from "../../model/index.ts";

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8. */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

function privateKeyOf(secret: string): KeyObject {
  const seed = createHash("sha256").update(`hoga sandbox ed25519 ${secret}`).digest();
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: "der", type: "pkcs8" });
}

/** The private key as PEM. @param secret of the API key */
export function privateKeyText(secret: string): string {
  return privateKeyOf(secret).export({ format: "pem", type: "pkcs8" }).toString();
}

/** The public keys by key id, as making one costs more than to check a signature. */
export class KeyPairs {
  readonly #known = new Map<string, { readonly secret: string; readonly key: KeyObject }>();

  publicKey({ keyId, secret }: Pick<KeyRecord, "keyId" | "secret">): KeyObject {
    const known = this.#known.get(keyId);
    if (known?.secret === secret) return known.key;
    const key = createPublicKey(privateKeyOf(secret));
    this.#known.set(keyId, { secret, key });
    return key;
  }

  publicKeyText(record: Pick<KeyRecord, "keyId" | "secret">): string {
    return this.publicKey(record).export({ format: "pem", type: "spki" }).toString();
  }
}
