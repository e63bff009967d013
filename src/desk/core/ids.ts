/**
 * Fresh ids. Time-ordered UUIDs for intents; a `userref` is short enough to read out and to be an order's id at every exchange, and long enough
 * (79 random bits) never to repeat across machines.
 */
import { hash } from "node:crypto";
import type { Clock, Ids } from "../ports/runtime.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Begins what was derived of another name; nothing that is minted begins with it. */
const DERIVED = "hgz";
const MINTED = /^hg[0-9a-hjkmnp-tv-y][0-9a-hjkmnp-tv-z]{15}$/;

/** @param randomBytes a source of `count` random bytes, such as `node:crypto`'s. */
export function createIds(clock: Clock, randomBytes: (count: number) => Uint8Array): Ids {
  return {
    intentId: () => uuidV7(clock.now(), randomBytes(10)),
    userref: () => `hg${letters(randomBytes(16)).replace(/^z/, "0")}`,
  };
}

function letters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}

/** Tells whether a userref is one that `createIds` minted: then at most one order ever has it. */
export function isMintedUserref(userref: string): boolean {
  return MINTED.test(userref);
}

/** Tells whether a `clientId` was derived of a name that somebody chose. */
export function isDerived(clientId: string): boolean {
  return clientId.startsWith(DERIVED);
}

/** The id of an order at an exchange that takes 18 lower-case letters and digits alone: the same of a name for ever. */
export function clientIdOf(userref: string): string {
  return isMintedUserref(userref) ? userref : `${DERIVED}${letters(hash("sha256", userref, "buffer").subarray(0, 15))}`;
}

/** UUIDv7 of a time in Unix milliseconds and 10 random bytes. Source: RFC 9562 §5.7. */
function uuidV7(atMs: number, random: Uint8Array): string {
  const time = BigInt(atMs).toString(16).padStart(12, "0");
  const rest = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[(random[2] ?? 0) % 4];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(5, 8)}-${rest.slice(8, 20)}`;
}
