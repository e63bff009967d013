/**
 * Finds out who calls, by the JSON Web Token of the request, and then by the address. Entry point: `authenticate`.
 */
import { headerOf, type RequestHead } from "../../http/family.ts";
import type { KeyRecord } from "../../model/index.ts";
import { isAllowedAddress, readCaller, type TokenFault, type TokenParts } from "../../venue-kit/web-token.ts";
import { type ErrorName, refuse, type UpbitError } from "./outcome.ts";
import type { UpbitSent } from "./parameters.ts";

/** `other` is what other sources say where they differ: SOURCES.md has the list. */
export const VARIANTS = ["newest", "other"] as const;

export type Variant = (typeof VARIANTS)[number];

export interface AuthenticationParts extends TokenParts {
  readonly variant: Variant;
}

type Authenticated = { readonly ok: true; readonly key: KeyRecord } | UpbitError;

/** The parameters of a call, as they are hashed; empty without any. */
type HashedTexts = Pick<UpbitSent, "hashedText" | "encodedText">;

export const NOTHING_HASHED: HashedTexts = { hashedText: "", encodedText: "" };

const FAULTS: Readonly<Record<TokenFault, ErrorName>> = {
  none: "no_authorization_token",
  malformed: "jwt_verification",
  unknown_key: "invalid_access_key",
  revoked_key: "expired_access_key",
  signature: "jwt_verification",
  claims: "jwt_verification",
  hash: "invalid_query_payload",
  nonce: "nonce_used",
};

export function authenticate(parts: AuthenticationParts, head: RequestHead, texts: HashedTexts): Authenticated {
  const { variant } = parts;
  const hashedText = variant === "other" ? texts.encodedText : texts.hashedText;
  const terms = { algorithms: ["HS256", "HS512"] as const, hashedText };
  const caller = readCaller(parts, headerOf(head, "authorization"), terms);
  if (!caller.ok) return refuse(FAULTS[caller.fault]);
  if (isAllowedAddress(caller.key, head.address)) return caller;
  return refuse(variant === "other" ? "no_authorization_i_p" : "no_authorization_ip");
}
