/**
 * Owns the PIN by which a person proves to be one. Only its scrypt key is kept.
 *
 * Invariants: a try is counted in the store before it is looked at, so that no number of guesses at once, in any number of
 * processes, is more than the tries there are; five wrong ones in a row lock it for half a minute, and from then
 * on each one locks it, longer each time, up to five minutes; a right one forgets them. A try
 * and what came of it are in the audit log, in the transaction that counts it.
 */
import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { AuditEntry } from "../desk/index.ts";
import type { AuditWriter } from "./audit.ts";
import type { Connection } from "./connection.ts";
import { numberCell, type Row, type Statements, type Work } from "./statement.ts";
import { StoreInvariantError } from "./store-error.ts";

/** `left`: tries before the lock. `locked` is also the answer to the wrong try that locks. */
export type PinVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: "wrong"; readonly left: number }
  | { readonly ok: false; readonly why: "locked"; readonly untilMs: number }
  | { readonly ok: false; readonly why: "unset" };

/** `current_needed`: a PIN is set, and changing it takes it. `wrong` and `locked` are about the current one. */
export type PinRefusal =
  | { readonly why: "length"; readonly min: number; readonly max: number }
  | { readonly why: "current_needed" }
  | { readonly why: "wrong"; readonly left: number }
  | { readonly why: "locked"; readonly untilMs: number };

export interface Pin {
  isSet(): Promise<boolean>;
  /** @param current is needed, and counts as a try, when a PIN is set already. */
  set(pin: string, atMs: number, current?: string): Promise<"set" | PinRefusal>;
  check(pin: string, atMs: number): Promise<PinVerdict>;
}

const MIN = 6;
const MAX = 64;
const TRIES = 5;
/** Slow enough that guessing takes years, short enough that whoever guesses cannot keep a person from resuming for long. */
const LOCK_MS = 30_000;
const LONGEST_LOCK_MS = 5 * 60_000;

const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** 32 MiB and about a tenth of a second. Node refuses what takes as much as `maxmem`. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

const READ = "SELECT salt, key, tries, locks, locked_until_ms FROM pin";
const SET = `INSERT INTO pin (id, salt, key, set_at_ms, tries, locks, locked_until_ms) VALUES (1, ?, ?, ?, 0, 0, 0)
  ON CONFLICT (id) DO NOTHING`;
const CHANGE =
  "UPDATE pin SET salt = ?, key = ?, set_at_ms = ?, tries = 0, locks = 0, locked_until_ms = 0 WHERE salt = ?";
const COUNT = "UPDATE pin SET tries = ?, locks = ?, locked_until_ms = ?";
const FORGET = "UPDATE pin SET tries = 0, locks = 0, locked_until_ms = 0 WHERE salt = ?";

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

/** The same PIN typed on another keyboard is the same. */
const normal = (pin: string) => pin.normalize("NFKC");

function hasLength(pin: string): boolean {
  const { length } = Array.from(normal(pin));
  return length >= MIN && length <= MAX;
}

/** A try that was counted, and what it is to be compared with. */
interface CountedTry {
  readonly salt: Buffer;
  readonly key: Buffer;
  /** What it gets if it is wrong. */
  readonly ifWrong: Extract<PinVerdict, { why: "wrong" | "locked" }>;
}

export function createPin(connection: Connection, randomBytes: (size: number) => Buffer, audit: AuditWriter): Pin {
  const isSet = async () => (await connection.single(({ get }) => get(READ, []))) !== undefined;
  /** @returns the salt the PIN was right for, or why not. */
  const prove = async (
    pin: string,
    atMs: number,
  ): Promise<{ readonly salt: Buffer } | Exclude<PinVerdict, { ok: true }>> => {
    const counted = await connection.transaction(function* (statements) {
      const found = yield* countTry(statements, atMs);
      if ("salt" in found) yield* audit.write(statements, triedEntry(found), atMs);
      return found;
    });
    if (!("salt" in counted)) return counted;
    const { salt, key, ifWrong } = counted;
    if (!hasLength(pin) || !timingSafeEqual(await derive(normal(pin), salt, KEY_BYTES, COST), key)) return ifWrong;
    // Changed by another process meanwhile: then it was right for the last one only.
    const { changes } = await connection.transaction(function* (statements) {
      const forgotten = yield* statements.run(FORGET, [salt]);
      if (forgotten.changes === 1)
        yield* audit.write(statements, { event: "pin_right", account: "", detail: {} }, atMs);
      return forgotten;
    });
    return changes === 1 ? { salt } : ifWrong;
  };
  return {
    isSet,
    check: async (pin, atMs) => {
      const proof = await prove(pin, atMs);
      return "salt" in proof ? { ok: true } : proof;
    },
    set: async (pin, atMs, current) => {
      if (!hasLength(pin)) return { why: "length", min: MIN, max: MAX };
      const isFirst = !(await isSet());
      if (!isFirst && current === undefined) return { why: "current_needed" };
      const proof = isFirst || current === undefined ? undefined : await prove(current, atMs);
      if (proof !== undefined && !("salt" in proof)) return refusalOf(proof);
      const salt = randomBytes(SALT_BYTES);
      const key = await derive(normal(pin), salt, KEY_BYTES, COST);
      const { changes } = await connection.transaction(({ run }) =>
        proof === undefined ? run(SET, [salt, key, atMs]) : run(CHANGE, [salt, key, atMs, proof.salt]),
      );
      // Set or changed by another process meanwhile.
      return changes === 1 ? "set" : { why: "current_needed" };
    },
  };
}

/** Written before the PIN is looked at: unless `pin_right` follows, it was wrong. */
function triedEntry({ ifWrong }: CountedTry): AuditEntry {
  const detail =
    ifWrong.why === "wrong" ? { tries_left: ifWrong.left } : { locked_until: new Date(ifWrong.untilMs).toISOString() };
  return { event: "pin_tried", account: "", detail };
}

function refusalOf(verdict: Exclude<PinVerdict, { ok: true }>): PinRefusal {
  switch (verdict.why) {
    case "wrong":
      return { why: "wrong", left: verdict.left };
    case "locked":
      return { why: "locked", untilMs: verdict.untilMs };
    case "unset":
      // There was one a moment ago, and none is ever taken away.
      throw new StoreInvariantError("the PIN is gone");
  }
}

function* countTry({ get, run }: Statements, atMs: number): Work<CountedTry | Exclude<PinVerdict, { ok: true }>> {
  const row = yield* get(READ, []);
  if (row === undefined) return { ok: false, why: "unset" };
  const [tries, locks] = [numberCell(row, "tries"), numberCell(row, "locks")];
  // A lock lasts as long as it was meant to, should the clock have been set back since.
  const untilMs = Math.min(numberCell(row, "locked_until_ms"), atMs + lockMs(locks));
  if (atMs < untilMs) {
    if (untilMs < numberCell(row, "locked_until_ms")) yield* run(COUNT, [tries, locks, untilMs]);
    return { ok: false, why: "locked", untilMs };
  }
  const counted = tries + 1;
  if (counted < TRIES) {
    yield* run(COUNT, [counted, locks, 0]);
    return { ...secretsOf(row), ifWrong: { ok: false, why: "wrong", left: TRIES - counted } };
  }
  const lockedUntilMs = atMs + lockMs(locks + 1);
  // The next wrong one locks at once: a lock does not buy five guesses.
  yield* run(COUNT, [TRIES - 1, locks + 1, lockedUntilMs]);
  return { ...secretsOf(row), ifWrong: { ok: false, why: "locked", untilMs: lockedUntilMs } };
}

/** Of the lock of this number, the first being 1. */
function lockMs(lock: number): number {
  return lock === 0 ? 0 : Math.min(LONGEST_LOCK_MS, LOCK_MS * 2 ** Math.min(lock - 1, 10));
}

function secretsOf(row: Row): { readonly salt: Buffer; readonly key: Buffer } {
  const { salt, key } = row;
  if (Buffer.isBuffer(salt) && Buffer.isBuffer(key) && key.length === KEY_BYTES) return { salt, key };
  throw new StoreInvariantError("the PIN's row holds no key");
}
