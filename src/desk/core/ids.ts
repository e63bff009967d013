/**
 * Fresh ids. Time-ordered UUIDs for intents; a `userref` is short enough to read out and long enough (80 random bits)
 * never to repeat across machines.
 */
import type { Clock, Ids } from "../ports/runtime.ts";

const MINTED = "hoga-";
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** @param randomBytes a source of `count` random bytes, such as `node:crypto`'s. */
export function createIds(clock: Clock, randomBytes: (count: number) => Uint8Array): Ids {
  return {
    intentId: () => uuidV7(clock.now(), randomBytes(10)),
    userref: () => `${MINTED}${Array.from(randomBytes(16), (byte) => ALPHABET[byte % 32]).join("")}`,
  };
}

/** Tells whether a userref is one that `createIds` minted: then at most one order ever has it. */
export function isMintedUserref(userref: string): boolean {
  return userref.startsWith(MINTED) && userref.length === MINTED.length + 16;
}

/** UUIDv7 of a time in Unix milliseconds and 10 random bytes. Source: RFC 9562 §5.7. */
function uuidV7(atMs: number, random: Uint8Array): string {
  const time = BigInt(atMs).toString(16).padStart(12, "0");
  const rest = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[(random[2] ?? 0) % 4];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(5, 8)}-${rest.slice(8, 20)}`;
}
