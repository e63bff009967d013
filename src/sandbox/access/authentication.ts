/**
 * Owns who is calling: the checks of decisions §2 in their order. `admit` is the first of them and runs before anything
 * else of the request is looked at; `authenticate` is the rest, up to and including the nonce.
 *
 * Invariants: an unknown key and a wrong signature take the same path and get the same text; a nonce is used up only by a
 * request whose signature was right, and then in every case, whatever becomes of the request (this makes it a fence).
 */
import { createSecretKey } from "node:crypto";
import { AUTH_HEADERS } from "../../contract/index.ts";
import { type Fault, fault, unavailable } from "../http/outcome.ts";
import type { KeyRecord } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import { plainAddress } from "./address.ts";
import { equalSignatures, hmacKey, signatureOf } from "./signature.ts";

export interface SignedRequest {
  /** What is signed before nonce and body: method and target as in the request line, or what the family signs instead. */
  readonly prefix: string;
  readonly keyId: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly body: Buffer;
}

/** A known key is only heard from its own addresses. */
export function checkAddress(
  service: Service,
  keyId: string | undefined,
  address: string | undefined,
): Fault | undefined {
  const key = keyId === undefined ? undefined : service.exchange.key(keyId);
  if (key === undefined || key.ipAllowList.length === 0) return undefined;
  const caller = plainAddress(address ?? "");
  return key.ipAllowList.some((listed) => plainAddress(listed) === caller)
    ? undefined
    : fault("EAPI:IP not allowed", "this address is not on the allow-list of the key");
}

/** Who calls, once key and signature were right, and why the call is refused, if it is. */
type Authentication =
  | { readonly key: KeyRecord; readonly refused: Fault | undefined }
  | { readonly key: undefined; readonly refused: Fault };

export function authenticate(service: Service, request: SignedRequest): Authentication {
  const key = request.keyId === undefined ? undefined : service.exchange.key(request.keyId);
  const nonce = request.nonce === undefined || !NONCE.test(request.nonce) ? undefined : BigInt(request.nonce);
  const expected = signatureOf(key === undefined ? NOBODY : hmacKey(service.secrets, key.keyId, key.secret), {
    nonce: request.nonce ?? "",
    prefix: request.prefix,
    body: request.body,
  });
  const signed = equalSignatures(expected, request.signature ?? "");
  if (key === undefined) return { key, refused: fault("EAPI:Invalid key", NOT_AUTHENTIC) };
  if (nonce === undefined || nonce > NONCE_MAX)
    return { key: signed ? key : undefined, refused: fault("EAPI:Invalid nonce", NONCE_FORM) };
  if (!signed) return { key: undefined, refused: fault("EAPI:Invalid signature", NOT_AUTHENTIC) };
  return useNonce(service, key, nonce);
}

/** What cannot be written down is not begun: the nonce stays unused then. */
function useNonce(service: Service, key: KeyRecord, nonce: bigint): Authentication {
  const applied = service.journaled.apply({ type: "nonce", keyId: key.keyId, nonce }, service.now());
  if (applied.ok) return { key, refused: undefined };
  const refused = applied.code === "EAPI:Invalid nonce" ? fault(applied.code, NONCE_OLD) : unavailable(503);
  return { key, refused };
}

const NOT_AUTHENTIC = "the request could not be authenticated";
const NONCE_FORM = `${AUTH_HEADERS.nonce} is a whole number without leading zeros, below 2^64; Unix milliseconds are recommended`;
const NONCE_OLD = `${AUTH_HEADERS.nonce} is not larger than the last one accepted for this key`;
const NONCE = /^(0|[1-9]\d{0,19})$/;
const NONCE_MAX = 2n ** 64n - 1n;
/** Signs in the place of a key that does not exist, so that the answer takes as long. */
const NOBODY = createSecretKey(Buffer.alloc(64));
