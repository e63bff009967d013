/**
 * Owns who is calling an alias endpoint: key, signature, and whether the call is still good (decisions §4; decision 0010).
 *
 * Invariants: no nonce is looked at or used up here, so the fence of decisions §2 stands as it does without these calls; an
 * unknown key and a wrong signature take the same path; whether a call is still good is judged by the service's clock in the
 * same step that carries it out.
 */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { ALIAS_WINDOW } from "../../contract/index.ts";
import { equalSignatures } from "../access/signature.ts";
import type { KeyRecord, Millis } from "../model/index.ts";
import type { SecretCache, Service } from "../service/service.ts";
import { type AliasFault, fault, problem } from "./alias-outcome.ts";
import type { SentParameters } from "./parameters.ts";

/** Who calls, once key and signature were right, and why the call is refused, if it is. */
export type AliasAuthentication =
  | { readonly key: KeyRecord; readonly refused: AliasFault | undefined }
  | { readonly key: undefined; readonly refused: AliasFault };

/** @param secrets HMAC keys by key id; not those of the other families, which decode the secret */
export function authenticate(
  service: Service,
  secrets: SecretCache,
  keyId: string | undefined,
  { envelope, signedText }: SentParameters,
): AliasAuthentication {
  const key = keyId === undefined ? undefined : service.exchange.key(keyId);
  const hmac = createHmac("sha256", key === undefined ? NOBODY : textKey(secrets, key));
  const expected = hmac.update(signedText, "latin1").digest("hex");
  const signed = equalSignatures(expected, (envelope.signature ?? "").toLowerCase());
  if (key === undefined) return { key, refused: fault("EAPI:Invalid key") };
  for (const name of ["timestamp", "signature"] as const)
    if ((envelope[name] ?? "") === "")
      return { key: signed ? key : undefined, refused: problem("missingParameter", name) };
  if (!signed) return { key: undefined, refused: fault("EAPI:Invalid signature") };
  return { key, refused: checkTimestamp(envelope, service.now()) };
}

/** Why the call is not good now. */
function checkTimestamp(
  { timestamp = "", recvWindow }: SentParameters["envelope"],
  now: Millis,
): AliasFault | undefined {
  if (!TIMESTAMP.test(timestamp)) return problem("illegalCharacters", "timestamp", TIMESTAMP.source);
  if (recvWindow !== undefined && !WINDOW.test(recvWindow))
    return problem("illegalCharacters", "recvWindow", WINDOW.source);
  const sentAt = Number(timestamp); // not money: Unix milliseconds
  const windowMs = recvWindow === undefined ? ALIAS_WINDOW.recvWindowMs : Number(recvWindow); // not money: milliseconds
  if (windowMs > ALIAS_WINDOW.recvWindowMaxMs)
    return problem("tooLarge", "recvWindow", String(ALIAS_WINDOW.recvWindowMaxMs));
  if (sentAt >= now + ALIAS_WINDOW.aheadMs) return problem("timestampAhead");
  return now - sentAt > windowMs ? fault("EAPI:Invalid nonce") : undefined;
}

const TIMESTAMP = /^\d{1,16}$/;
const WINDOW = /^\d{1,9}(\.\d{1,3})?$/;
/** Signs in the place of a key that does not exist, so that the answer takes as long. */
const NOBODY = createSecretKey(Buffer.alloc(64));

/** The dialect's clients sign with the secret as they were given it. */
function textKey(cache: SecretCache, { keyId, secret }: KeyRecord): KeyObject {
  const kept = cache.get(keyId);
  if (kept?.secret === secret) return kept.key;
  const key = createSecretKey(Buffer.from(secret, "utf8"));
  cache.set(keyId, { secret, key });
  return key;
}
