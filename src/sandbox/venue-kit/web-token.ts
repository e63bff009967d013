/**
 * Finds out who calls by a JSON Web Token: its form, its key, its signature, the hash of the parameters, its nonce, in this order. Entry
 * points: `readCaller`, `Nonces`, `isAllowedAddress`.
 *
 * Invariant: a nonce is used up by a token whose signature and hash were right, and by no other.
 */
import { createHash, createHmac } from "node:crypto";
import { plainAddress } from "../access/address.ts";
import { equalSignatures, hmacKey, NO_KEY } from "../access/signature.ts";
import type { KeyRecord } from "../model/index.ts";
import type { SecretCache, Service } from "../service/service.ts";

/** Beyond so many of a key the oldest are forgotten. */
const NONCES_MAX = 200_000;

/** The nonces that were used; a restart forgets them. */
export class Nonces {
  readonly #used = new Map<string, Set<string>>();

  /** @returns false when it was used before. */
  use(keyId: string, nonce: string): boolean {
    const used = this.#used.get(keyId) ?? new Set();
    this.#used.set(keyId, used);
    if (used.has(nonce)) return false;
    used.add(nonce);
    const [oldest = ""] = used.size > NONCES_MAX ? used : [];
    used.delete(oldest);
    return true;
  }
}

export interface TokenParts {
  readonly service: Service;
  readonly secrets: SecretCache;
  readonly nonces: Nonces;
}

export interface TokenTerms {
  /** Those that the exchange takes, such as `HS256`. */
  readonly algorithms: readonly TokenAlgorithm[];
  /** The parameters as they are hashed; empty without any. */
  readonly hashedText: string;
  /** What else the claims have to have. */
  readonly fits?: (claims: Claims) => boolean;
}

/** `unknown_key` never was one; `revoked_key` was. */
export type TokenFault =
  | "none"
  | "malformed"
  | "unknown_key"
  | "revoked_key"
  | "signature"
  | "claims"
  | "hash"
  | "nonce";

type Claims = Readonly<Record<string, unknown>>;

export type Caller =
  | { readonly ok: true; readonly key: KeyRecord }
  | { readonly ok: false; readonly fault: TokenFault };

const DIGESTS = { HS256: "sha256", HS512: "sha512" } as const;

export type TokenAlgorithm = keyof typeof DIGESTS;

/** @param header the request's `Authorization` */
export function readCaller(parts: TokenParts, header: string | undefined, terms: TokenTerms): Caller {
  const { service, secrets, nonces } = parts;
  if (header === undefined) return fault("none");
  const token = readToken(/^Bearer (\S+)$/.exec(header)?.[1] ?? "", terms.algorithms);
  if (token === undefined) return fault("malformed");
  const { access_key: keyId, nonce } = token.claims;
  if (typeof keyId !== "string") return fault("unknown_key");
  const key = service.exchange.key(keyId);
  const hmac = createHmac(token.digest, key === undefined ? NO_KEY : hmacKey(secrets, key, "utf8"));
  const signed = equalSignatures(hmac.update(token.signed, "latin1").digest("base64url"), token.signature);
  if (key === undefined) return fault(service.exchange.isRevoked(keyId) ? "revoked_key" : "unknown_key");
  if (!signed) return fault("signature");
  if (typeof nonce !== "string" || nonce === "" || terms.fits?.(token.claims) === false) return fault("claims");
  if (!fitsHash(token.claims, terms.hashedText)) return fault("hash");
  return nonces.use(keyId, nonce) ? { ok: true, key } : fault("nonce");
}

function fault(name: TokenFault): Caller {
  return { ok: false, fault: name };
}

interface Token {
  readonly digest: string;
  readonly claims: Claims;
  /** Header and claims as sent. */
  readonly signed: string;
  readonly signature: string;
}

const PART = /^[A-Za-z0-9_-]+$/;

function readToken(text: string, algorithms: readonly TokenAlgorithm[]): Token | undefined {
  const parts = text.split(".");
  const [header = "", claims = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every((part) => PART.test(part))) return undefined;
  const named = jsonOf(header)?.["alg"];
  const algorithm = algorithms.find((each) => each === named);
  const read = jsonOf(claims);
  if (algorithm === undefined || read === undefined) return undefined;
  return { digest: DIGESTS[algorithm], claims: read, signed: `${header}.${claims}`, signature };
}

function jsonOf(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function fitsHash({ query_hash: hash, query_hash_alg: algorithm = "SHA512" }: Claims, text: string): boolean {
  if (text === "") return true;
  return algorithm === "SHA512" && hash === createHash("sha512").update(text).digest("hex");
}

/** Whether the key may be used from there. */
export function isAllowedAddress({ ipAllowList }: KeyRecord, address = ""): boolean {
  const caller = plainAddress(address);
  return ipAllowList.length === 0 || ipAllowList.some((listed) => plainAddress(listed) === caller);
}
