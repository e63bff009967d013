/**
 * Owns the tries of the PIN at the console, which are counted apart from those on a terminal: whoever has the owner's token can open the console and
 * guess there, and is to lock nobody out of the terminal by it.
 *
 * Invariants: a session has five wrong ones in a row, and takes no PIN any more after that; all sessions of the store together, in every process, have at most
 * twelve in any hour. A right one gives its session the five back, and takes nothing from the twelve but itself.
 *
 * Source: decision 0044, decision 0072.
 */
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";

/** `closed`: this session takes no PIN any more. `passkeys_only`: none does until then. */
export type ConsoleTrouble =
  | { readonly ok: false; readonly why: "wrong"; readonly left: number }
  | { readonly ok: false; readonly why: "closed" }
  | { readonly ok: false; readonly why: "passkeys_only"; readonly untilMs: number };

export interface ConsoleTry {
  /** Names this one, and was never used before. */
  readonly id: string;
  readonly session: string;
  readonly atMs: number;
}

const SESSION_TRIES = 5;
const HOUR_TRIES = 12;
const HOUR_MS = 3_600_000;
/** Longer than a session of the console lasts. */
const KEPT_MS = 24 * HOUR_MS;

/** None is of a time to come, also where the clock was set back: it would count for longer than an hour. */
const BRING_BACK = "UPDATE console_tries SET at_ms = ? WHERE at_ms > ?";
const DROP = "DELETE FROM console_tries WHERE at_ms <= ?";
const READ = "SELECT session, at_ms FROM console_tries ORDER BY at_ms";
const COUNT = "INSERT INTO console_tries (id, session, at_ms) VALUES (?, ?, ?)";
const TAKE_BACK = "DELETE FROM console_tries WHERE id = ?";
/** They still count in the hour. */
const FORGIVE = "UPDATE console_tries SET session = '' WHERE session = ?";
const FORGET = "DELETE FROM console_tries";

/** Counts it. @returns what it gets if it is wrong; `isCounted` false where it may not be looked at */
export function* countConsoleTry(
  { all, run }: Statements,
  { id, session, atMs }: ConsoleTry,
): Work<{ readonly isCounted: boolean; readonly ifWrong: ConsoleTrouble }> {
  yield* run(BRING_BACK, [atMs, atMs]);
  yield* run(DROP, [atMs - KEPT_MS]);
  const rows = yield* all(READ, []);
  const refusal = troubleOf(rows, session, atMs);
  if (refusal.why !== "wrong") return { isCounted: false, ifWrong: refusal };
  yield* run(COUNT, [id, session, atMs]);
  return { isCounted: true, ifWrong: troubleOf([...rows, { session, at_ms: atMs }], session, atMs) };
}

/** It was right. */
export function* takeBackConsoleTry({ run }: Statements, { id, session }: ConsoleTry): Work<void> {
  yield* run(TAKE_BACK, [id]);
  yield* run(FORGIVE, [session]);
}

/** A right one on a terminal: whoever knows the PIN and sits there starts all over. */
export function* forgetConsoleTries({ run }: Statements): Work<void> {
  yield* run(FORGET, []);
}

/** @param rows of the wrong ones, oldest first */
function troubleOf(rows: readonly Row[], session: string, atMs: number): ConsoleTrouble {
  const own = rows.filter((row) => textCell(row, "session") === session).length;
  const lately = rows.map((row) => numberCell(row, "at_ms")).filter((triedAtMs) => triedAtMs > atMs - HOUR_MS);
  if (own >= SESSION_TRIES) return { ok: false, why: "closed" };
  const first = lately.at(-HOUR_TRIES);
  if (first !== undefined) return { ok: false, why: "passkeys_only", untilMs: first + HOUR_MS };
  return { ok: false, why: "wrong", left: Math.min(SESSION_TRIES - own, HOUR_TRIES - lately.length) };
}
