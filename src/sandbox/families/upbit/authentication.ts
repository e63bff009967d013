/**
 * Finds out who calls, by the JSON Web Token of the request: its form, its key, its signature, the hash of the parameters, its nonce, the
 * address, in this order. Entry points: `authenticate`, `Nonces`.
 *
 * Invariant: a nonce is used up by a token whose signature and hash were right, and by no other.
 */
import { createHash, createHmac } from "node:crypto";
import { plainAddress } from "../../access/address.ts";
import { equalSignatures, hmacKey, NO_KEY } from "../../access/signature.ts";
import { headerOf, type RequestHead } from "../../http/family.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { SecretCache, Service } from "../../service/service.ts";
import { refuse, type UpbitError } from "./outcome.ts";
import type { SentParameters } from "./parameters.ts";

/** Beyond so many of a key the oldest are forgotten. How long Upbit remembers them is not documented. */
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

/** `other` is what other sources say where they differ: SOURCES.md has the list. */
export const VARIANTS = ["newest", "other"] as const;

export type Variant = (typeof VARIANTS)[number];

export interface AuthenticationParts {
  readonly variant: Variant;
  readonly service: Service;
  readonly secrets: SecretCache;
  readonly nonces: Nonces;
}

type Authenticated = { readonly ok: true; readonly key: KeyRecord } | UpbitError;

/** The parameters of a call, as they are hashed; empty without any. */
type HashedTexts = Pick<SentParameters, "hashedText" | "encodedText">;

export const NOTHING_HASHED: HashedTexts = { hashedText: "", encodedText: "" };

export function authenticate(parts: AuthenticationParts, head: RequestHead, texts: HashedTexts): Authenticated {
  const { service, secrets, nonces, variant } = parts;
  const hashedText = variant === "other" ? texts.encodedText : texts.hashedText;
  const header = headerOf(head, "authorization");
  if (header === undefined) return refuse("no_authorization_token");
  const token = readToken(/^Bearer (\S+)$/.exec(header)?.[1] ?? "");
  if (token === undefined) return refuse("jwt_verification");
  const { access_key: keyId, nonce } = token.claims;
  if (typeof keyId !== "string") return refuse("invalid_access_key");
  const key = service.exchange.key(keyId);
  const hmac = createHmac(token.digest, key === undefined ? NO_KEY : hmacKey(secrets, key, "utf8"));
  const signed = equalSignatures(hmac.update(token.signed, "latin1").digest("base64url"), token.signature);
  if (key === undefined) return refuse(service.exchange.isRevoked(keyId) ? "expired_access_key" : "invalid_access_key");
  if (!signed || typeof nonce !== "string" || nonce === "") return refuse("jwt_verification");
  if (!fitsHash(token.claims, hashedText)) return refuse("invalid_query_payload");
  if (!nonces.use(keyId, nonce)) return refuse("nonce_used");
  if (isAllowed(key, head.address)) return { ok: true, key };
  return refuse(variant === "other" ? "no_authorization_i_p" : "no_authorization_ip");
}

interface Token {
  readonly digest: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Header and claims as sent. */
  readonly signed: string;
  readonly signature: string;
}

const DIGESTS: ReadonlyMap<unknown, string> = new Map([
  ["HS256", "sha256"],
  ["HS512", "sha512"],
]);
const PART = /^[A-Za-z0-9_-]+$/;

function readToken(text: string): Token | undefined {
  const parts = text.split(".");
  const [header = "", claims = "", signature = ""] = parts;
  if (parts.length !== 3 || !parts.every((part) => PART.test(part))) return undefined;
  const digest = DIGESTS.get(jsonOf(header)?.["alg"]);
  const read = jsonOf(claims);
  if (digest === undefined || read === undefined) return undefined;
  return { digest, claims: read, signed: `${header}.${claims}`, signature };
}

function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function fitsHash({ query_hash: hash, query_hash_alg: algorithm = "SHA512" }: Token["claims"], text: string): boolean {
  if (text === "") return true;
  return algorithm === "SHA512" && hash === createHash("sha512").update(text).digest("hex");
}

function isAllowed({ ipAllowList }: KeyRecord, address = ""): boolean {
  const caller = plainAddress(address);
  return ipAllowList.length === 0 || ipAllowList.some((listed) => plainAddress(listed) === caller);
}
