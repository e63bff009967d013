/**
 * Finds out who calls, by the JSON Web Token of the request with the time in it, and then by the address. Entry point: `authenticate`.
 */
import { headerOf, type RequestHead } from "../../http/family.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import {
  type Claims,
  isAllowedAddress,
  readCaller,
  type TokenFault,
  type TokenParts,
} from "../../venue-kit/web-token.ts";
import { type BithumbError, type ErrorName, refuse } from "./outcome.ts";
import type { BithumbSent } from "./parameters.ts";

/** `other` is what other sources say where they differ: SOURCES.md has the list. */
export const VARIANTS = ["newest", "other"] as const;

export type Variant = (typeof VARIANTS)[number];

export interface AuthenticationParts extends TokenParts {
  readonly variant: Variant;
}

type Authenticated = { readonly ok: true; readonly key: KeyRecord } | BithumbError;

/** The parameters of a call, as they are hashed; empty without any. */
type HashedTexts = Pick<BithumbSent, "hashedText" | "encodedText">;

export const NOTHING_HASHED: HashedTexts = { hashedText: "", encodedText: "" };

const FAULTS: Readonly<Record<TokenFault, ErrorName>> = {
  none: "jwt_verification",
  malformed: "jwt_verification",
  unknown_key: "invalid_access_key",
  revoked_key: "invalid_access_key",
  signature: "jwt_verification",
  claims: "jwt_verification",
  hash: "invalid_query_payload",
  nonce: "jwt_verification",
};

/** How old a token may be is not documented; in API 1.0 a request had so long. */
const TOKEN_LIFE_MS: Millis = 20_000;

export function authenticate(parts: AuthenticationParts, head: RequestHead, texts: HashedTexts): Authenticated {
  const { service, variant } = parts;
  const hashedText = variant === "other" ? texts.encodedText : texts.hashedText;
  let isExpired = false;
  const fits = ({ timestamp }: Claims): boolean => {
    isExpired = variant === "other" && isOld(timestamp, service.now());
    return Number.isSafeInteger(timestamp) && !isExpired;
  };
  const terms = { algorithms: ["HS256"] as const, hashedText, fits };
  const caller = readCaller(parts, headerOf(head, "authorization"), terms);
  if (!caller.ok) return refuse(isExpired ? "expired_jwt" : FAULTS[caller.fault]);
  return isAllowedAddress(caller.key, head.address) ? caller : refuse("NotAllowIP");
}

function isOld(timestamp: unknown, now: Millis): boolean {
  return typeof timestamp === "number" && Math.abs(now - timestamp) > TOKEN_LIFE_MS;
}
