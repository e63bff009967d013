/**
 * Owns the PIN by which a person proves to be one. Only its scrypt key is kept.
 *
 * Invariants: a try is counted in the store before it is looked at, so that no number of guesses at once, in any number of
 * processes, is more than the tries there are. On a terminal five wrong ones in a row lock it there for half a minute, and from then
 * on each one locks it, longer each time, up to five minutes; nothing that is tried at the console counts for that. A right one on a terminal
 * forgets all wrong ones. A try and what came of it are in the audit log, in the transaction that counts it.
 *
 * Source: decision 0072.
 */
import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { AuditEntry } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, type Work } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";
import {
  type ConsoleTrouble,
  type ConsoleTry,
  countConsoleTry,
  forgetConsoleTries,
  takeBackConsoleTry,
} from "./console-tries.ts";

/** `left`: tries before the lock. `locked` is also the answer to the wrong try that locks. */
export type PinVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: "wrong"; readonly left: number }
  | { readonly ok: false; readonly why: "locked"; readonly untilMs: number }
  | { readonly ok: false; readonly why: "unset" };

/** Answers a try at the console. */
export type ConsolePinVerdict = { readonly ok: true } | { readonly ok: false; readonly why: "unset" } | ConsoleTrouble;

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
  /** On a terminal. */
  check(pin: string, atMs: number): Promise<PinVerdict>;
  /** @param session of the console, a name that no other has */
  checkAtConsole(pin: string, atMs: number, session: string): Promise<ConsolePinVerdict>;
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
const FORGET = "UPDATE pin SET tries = 0, locks = 0, locked_until_ms = 0";

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

/** The same PIN typed on another keyboard is the same. */
const normal = (pin: string) => pin.normalize("NFKC");

function hasLength(pin: string): boolean {
  const { length } = Array.from(normal(pin));
  return length >= MIN && length <= MAX;
}

type TerminalTrouble = Extract<PinVerdict, { why: "wrong" | "locked" }>;
type Unset = Extract<PinVerdict, { why: "unset" }>;
const UNSET: Unset = { ok: false, why: "unset" };

/** Says how the tries of one place are counted, inside a transaction. */
interface Counting<Trouble> {
  /** @param row the PIN's. @returns what it gets if it is wrong; `isCounted` false where it may not be looked at */
  readonly count: (
    statements: Statements,
    row: Row,
  ) => Work<{ readonly isCounted: boolean; readonly ifWrong: Trouble }>;
  /** It was right. */
  readonly forget: (statements: Statements) => Work<void>;
  /** Tells the log of a try: written before the PIN is looked at, so that unless `pin_right` follows, it was wrong. */
  readonly told: (ifWrong: Trouble) => AuditEntry["detail"];
  readonly toldRight: AuditEntry["detail"];
}

const SALT_OF = "SELECT salt FROM pin WHERE salt = ?";

export function createPin(connection: Connection, randomBytes: (size: number) => Buffer, audit: AuditWriter): Pin {
  const isSet = async () => (await connection.single(({ get }) => get(READ, []))) !== undefined;
  const entry = (event: "pin_tried" | "pin_right", detail: AuditEntry["detail"]) => ({ event, account: "", detail });
  /** @returns the salt the PIN was right for, or why not. */
  const prove = async <Trouble extends { readonly why: string }>(
    pin: string,
    atMs: number,
    counting: Counting<Trouble>,
  ): Promise<{ readonly salt: Buffer } | Trouble | Unset> => {
    const counted = await connection.transaction(function* (statements) {
      const row = yield* statements.get(READ, []);
      if (row === undefined) return UNSET;
      const found = yield* counting.count(statements, row);
      if (!found.isCounted) return found.ifWrong;
      yield* audit.write(statements, entry("pin_tried", counting.told(found.ifWrong)), atMs);
      return { ...secretsOf(row), ifWrong: found.ifWrong };
    });
    if (!("salt" in counted)) return counted;
    const { salt, key, ifWrong } = counted;
    if (!hasLength(pin) || !timingSafeEqual(await derive(normal(pin), salt, KEY_BYTES, COST), key)) return ifWrong;
    // Changed by another process meanwhile: then it was right for the last one only.
    const isRight = await connection.transaction(function* (statements) {
      if ((yield* statements.get(SALT_OF, [salt])) === undefined) return false;
      yield* counting.forget(statements);
      yield* audit.write(statements, entry("pin_right", counting.toldRight), atMs);
      return true;
    });
    return isRight ? { salt } : ifWrong;
  };
  return {
    isSet,
    check: async (pin, atMs) => {
      const proof = await prove(pin, atMs, atTerminal(atMs));
      return "salt" in proof ? { ok: true } : proof;
    },
    checkAtConsole: async (pin, atMs, session) => {
      const id = randomBytes(SALT_BYTES).toString("hex");
      const proof = await prove(pin, atMs, atConsole({ id, session, atMs }));
      return "salt" in proof ? { ok: true } : proof;
    },
    set: async (pin, atMs, current) => {
      if (!hasLength(pin)) return { why: "length", min: MIN, max: MAX };
      const isFirst = !(await isSet());
      if (!isFirst && current === undefined) return { why: "current_needed" };
      const proof = isFirst || current === undefined ? undefined : await prove(current, atMs, atTerminal(atMs));
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

const instant = (atMs: number): string => new Date(atMs).toISOString();

function atTerminal(atMs: number): Counting<TerminalTrouble> {
  return {
    count: (statements, row) => countTry(statements, row, atMs),
    forget: function* (statements) {
      yield* statements.run(FORGET, []);
      yield* forgetConsoleTries(statements);
    },
    told: (ifWrong) =>
      ifWrong.why === "wrong" ? { tries_left: ifWrong.left } : { locked_until: instant(ifWrong.untilMs) },
    toldRight: {},
  };
}

function atConsole(tried: ConsoleTry): Counting<ConsoleTrouble> {
  const at = "console";
  return {
    count: (statements) => countConsoleTry(statements, tried),
    forget: (statements) => takeBackConsoleTry(statements, tried),
    told: (ifWrong) => {
      switch (ifWrong.why) {
        case "wrong":
          return { at, tries_left: ifWrong.left };
        case "closed":
          return { at, session_closed: true };
        case "passkeys_only":
          return { at, passkeys_only_until: instant(ifWrong.untilMs) };
      }
    },
    toldRight: { at },
  };
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

function* countTry(
  { run }: Statements,
  row: Row,
  atMs: number,
): Work<{ readonly isCounted: boolean; readonly ifWrong: TerminalTrouble }> {
  const [tries, locks] = [numberCell(row, "tries"), numberCell(row, "locks")];
  // A lock lasts as long as it was meant to, should the clock have been set back since.
  const untilMs = Math.min(numberCell(row, "locked_until_ms"), atMs + lockMs(locks));
  if (atMs < untilMs) {
    if (untilMs < numberCell(row, "locked_until_ms")) yield* run(COUNT, [tries, locks, untilMs]);
    return { isCounted: false, ifWrong: { ok: false, why: "locked", untilMs } };
  }
  const counted = tries + 1;
  if (counted < TRIES) {
    yield* run(COUNT, [counted, locks, 0]);
    return { isCounted: true, ifWrong: { ok: false, why: "wrong", left: TRIES - counted } };
  }
  const lockedUntilMs = atMs + lockMs(locks + 1);
  // The next wrong one locks at once: a lock does not buy five guesses.
  yield* run(COUNT, [TRIES - 1, locks + 1, lockedUntilMs]);
  return { isCounted: true, ifWrong: { ok: false, why: "locked", untilMs: lockedUntilMs } };
}

/** Tells how long the lock of this number lasts, the first being 1. */
function lockMs(lock: number): number {
  return lock === 0 ? 0 : Math.min(LONGEST_LOCK_MS, LOCK_MS * 2 ** Math.min(lock - 1, 10));
}

function secretsOf(row: Row): { readonly salt: Buffer; readonly key: Buffer } {
  const { salt, key } = row;
  if (Buffer.isBuffer(salt) && Buffer.isBuffer(key) && key.length === KEY_BYTES) return { salt, key };
  throw new StoreInvariantError("the PIN's row holds no key");
}
