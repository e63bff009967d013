/**
 * Finds out who calls. Entry points: `checkAddress`, which runs before anything else of a request is read; `authenticate`, all
 * other checks up to the nonce; `signedHeaders`.
 *
 * Invariants: an unknown key and a wrong signature take the same path and get the same text; a nonce is used up only by a
 * request whose signature was right, and then in every case, whatever becomes of the request (which makes it a fence).
 * Source: service.md#signing, service.md#nonce-fence, service.md#indistinguishable-keys, service.md#ip-allow-list.
 */
import { AUTH_HEADERS } from "../../contract/index.ts";
import { headerOf, type RequestHead } from "../http/family.ts";
import { type Fault, fault, unavailable } from "../http/outcome.ts";
import type { KeyRecord } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import { plainAddress } from "./address.ts";
import { equalSignatures, hmacKey, NO_KEY, signatureOf } from "./signature.ts";

export interface SignedRequest {
  /** Comes before nonce and body in what is signed: method and target as in the request line, or what the family signs instead. */
  readonly prefix: string;
  readonly keyId: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly body: Buffer;
}

const KEY = AUTH_HEADERS.key.toLowerCase();
const NONCE = AUTH_HEADERS.nonce.toLowerCase();
const SIGN = AUTH_HEADERS.sign.toLowerCase();

/** A request that has key, nonce and signature in its headers. */
export function signedHeaders(head: RequestHead, body: Buffer): SignedRequest {
  return {
    keyId: headerOf(head, KEY),
    nonce: headerOf(head, NONCE),
    signature: headerOf(head, SIGN),
    prefix: `${head.method} ${head.target}`,
    body,
  };
}

/** Refuses a known key from an address that is not on its allow-list. */
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

/** The caller's key, once key and signature were right, and why the call is refused, if it is. */
export type Authentication<Refused = Fault> =
  | { readonly key: KeyRecord; readonly refused: Refused | undefined }
  | { readonly key: undefined; readonly refused: Refused };

export function authenticate(service: Service, request: SignedRequest): Authentication {
  const key = request.keyId === undefined ? undefined : service.exchange.key(request.keyId);
  const nonce = request.nonce === undefined || !NONCE_PATTERN.test(request.nonce) ? undefined : BigInt(request.nonce);
  const expected = signatureOf(key === undefined ? NO_KEY : hmacKey(service.secrets, key, "base64"), {
    nonce: request.nonce ?? "",
    prefix: request.prefix,
    body: request.body,
  });
  const signed = equalSignatures(expected, request.signature ?? "");
  if (key === undefined) return { key, refused: fault("EAPI:Invalid key", NOT_AUTHENTIC) };
  if (nonce === undefined || nonce > NONCE_MAX)
    return { key: signed ? key : undefined, refused: fault("EAPI:Invalid nonce", NONCE_FORM) };
  if (!signed) return { key: undefined, refused: fault("EAPI:Invalid signature", NOT_AUTHENTIC) };
  return { key, refused: useNonce(service, key, nonce) };
}

/** A call whose nonce cannot be written down is refused before it begins, and the nonce stays unused. */
function useNonce(service: Service, key: KeyRecord, nonce: bigint): Fault | undefined {
  const applied = service.journaled.applyUnwritten({ type: "nonce", keyId: key.keyId, nonce }, service.now());
  if (applied.ok) return undefined;
  return applied.code === "EAPI:Invalid nonce" ? fault(applied.code, NONCE_OLD) : unavailable(503);
}

const NOT_AUTHENTIC = "the request could not be authenticated";
const NONCE_FORM = `${AUTH_HEADERS.nonce} is a whole number without leading zeros, below 2^64; Unix milliseconds are recommended`;
const NONCE_OLD = `${AUTH_HEADERS.nonce} is not larger than the last one accepted for this key`;
const NONCE_PATTERN = /^(0|[1-9]\d{0,19})$/;
const NONCE_MAX = 2n ** 64n - 1n;
