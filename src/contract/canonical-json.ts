/**
 * Owns the one text that a JSON value has here, and the digest over it: keys sorted by UTF-16 code unit, no white space, numbers
 * and strings as JavaScript writes them.
 *
 * Invariant: two values that mean the same have the same text, in every version of hoga: hashes over it are stored on disk.
 *
 * Source: RFC 8785, beyond which a lone surrogate is kept, escaped. (The library refuses it from version 4 on.)
 */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

export function canonicalJson(value: unknown): string {
  // Through JSON first: what it leaves out or turns into something else (undefined, dates, NaN) is settled there.
  return canonicalize(JSON.parse(JSON.stringify(value))) as string;
}

/** SHA-256 of the canonical text, in hex. */
export function canonicalDigest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
