/**
 * Finds out who calls an alias endpoint: key, signature, and whether the call's timestamp is still valid. Entry point:
 * `authenticate`.
 *
 * Invariants: no nonce is read or used up here, so these calls do not affect the nonce fence; an unknown key and a wrong
 * signature take the same path; the timestamp is checked by the service's clock in the same step that carries the call out.
 * Source: service.md#alias-signing, service.md#nonce-fence; decision 0010.
 */
import { createHmac } from "node:crypto";
import { ALIAS_WINDOW } from "../../../contract/index.ts";
import type { Authentication } from "../../access/authentication.ts";
import { equalSignatures, hmacKey, NO_KEY } from "../../access/signature.ts";
import type { Millis } from "../../model/index.ts";
import type { SecretCache, Service } from "../../service/service.ts";
import { type AliasFault, fault, problem } from "./alias-outcome.ts";
import type { SentParameters } from "./parameters.ts";

/** @param secrets HMAC keys by key id; not those of the other families, which decode the secret from base64 */
export function authenticate(
  service: Service,
  secrets: SecretCache,
  keyId: string | undefined,
  { envelope, signedText }: SentParameters,
): Authentication<AliasFault> {
  const key = keyId === undefined ? undefined : service.exchange.key(keyId);
  // The dialect's clients sign with the bytes of the secret's text.
  const hmac = createHmac("sha256", key === undefined ? NO_KEY : hmacKey(secrets, key, "utf8"));
  const expected = hmac.update(signedText, "latin1").digest("hex");
  const signed = equalSignatures(expected, (envelope.signature ?? "").toLowerCase());
  if (key === undefined) return { key, refused: fault("EAPI:Invalid key") };
  for (const name of ["timestamp", "signature"] as const)
    if ((envelope[name] ?? "") === "")
      return { key: signed ? key : undefined, refused: problem("missingParameter", name) };
  if (!signed) return { key: undefined, refused: fault("EAPI:Invalid signature") };
  const refused = checkTimestamp(envelope, service.now());
  // For reads too: without a nonce that fails to be written, a read would show what a restart may not find.
  return {
    key,
    refused: refused ?? (service.journaled.failed === undefined ? undefined : fault("EService:Unavailable")),
  };
}

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
