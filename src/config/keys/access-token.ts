/**
 * Owns what a token for HTTP looks like: `hoga_` and 32 random bytes, so that people and scanners of files recognise one. Entry points:
 * `newAccessToken`, and `digestOf`, by which one is kept and found.
 *
 * Invariant: a token is a `Secret` from the moment it is made. One round of SHA-256 without salt is enough to keep it by: it guards
 * against guessing what a person chose, and nobody guesses 32 random bytes.
 *
 * Source: decision 0035.
 */
import { createHash } from "node:crypto";
import { Secret } from "../secrets/secret.ts";

const PREFIX = "hoga_";
const TOKEN_BYTES = 32;
const TOKEN = /^hoga_[\w-]{43}$/;

/**
 * Names for the log the callers without a token of their own: whoever reads the data directory, and whoever asks for what is open to all.
 */
export const TOKENLESS = { owner: "http-token", anybody: "anybody" } as const;

/** @param randomBytes cryptographically strong */
export function newAccessToken(randomBytes: (size: number) => Buffer): Secret {
  return new Secret(`${PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`);
}

/** Tells whether it has the form of one that was made here. */
export function isAccessToken(text: string): boolean {
  return TOKEN.test(text);
}

/** In hex. */
export function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
