/**
 * Owns how the key of a tenant lies in the store: AES-256-GCM under the master key, with a nonce of its own, bound to whose it is.
 *
 * Invariants: what was changed, belongs to another tenant or profile, or is under another master key is not opened, and no error holds
 * anything of it; a nonce is random and never used again.
 *
 * Source: decision 0040; NIST SP 800-38D.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";
import { ConfigError } from "../files/config-error.ts";
import type { Credentials } from "../secrets/read-credentials.ts";
import { Secret } from "../secrets/secret.ts";
import type { MasterKey, MasterKeys } from "./master-key.ts";

/** Bound to it: to another it is not opened. */
export interface KeyOwner {
  readonly tenant: string;
  readonly profile: string;
}

export interface SealedKey {
  readonly masterKeyId: string;
  /** Nonce, ciphertext and tag, in base64. */
  readonly sealed: string;
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const pair = z.tuple([z.string(), z.string()]);

export function sealKey({ apiKey, apiSecret }: Credentials, owner: KeyOwner, { id, bytes }: MasterKey): SealedKey {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(owner, id));
  const text = JSON.stringify([apiKey.reveal(), apiSecret.reveal()]);
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { masterKeyId: id, sealed: sealed.toString("base64") };
}

/** Rejects with a ConfigError that says why it cannot be opened. */
export async function unsealKey(
  { masterKeyId, sealed }: SealedKey,
  owner: KeyOwner,
  keys: MasterKeys,
): Promise<Credentials> {
  const master = await keys.find(masterKeyId);
  if (master === undefined)
    throw new ConfigError(
      `The key of the tenant ${owner.tenant} is sealed under another master key (${masterKeyId.slice(0, 16)}).`,
      "Give that one as HOGA_MASTER_KEY, or as HOGA_MASTER_KEY_OLD beside a new one until hoga tenants rotate has run.",
    );
  try {
    const bytes = Buffer.from(sealed, "base64");
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, master.bytes, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(owner, masterKeyId)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    const [apiKey, apiSecret] = pair.parse(JSON.parse(text.toString("utf8")));
    return { apiKey: new Secret(apiKey), apiSecret: new Secret(apiSecret) };
  } catch {
    // Whatever Node says of it: nothing of what was opened halfway is to be told.
    throw new ConfigError(
      `The key of the tenant ${owner.tenant} cannot be opened: it was changed in the store, or is another's.`,
      `Seal it again: hoga tenants key ${owner.tenant}. Find out who can write the store.`,
    );
  }
}

function boundTo({ tenant, profile }: KeyOwner, masterKeyId: string): Buffer {
  return Buffer.from(JSON.stringify(["hoga key of a tenant, 1", tenant, profile, masterKeyId]));
}
