/**
 * Owns who is signed in at the console, for every process and across restarts: of each browser's cookie only its SHA-256 digest, by which of 32 random
 * bytes nobody finds it.
 *
 * Invariants: none is here for longer than it lasts; of each way in there are at most 32, and none gives way to another.
 *
 * Source: decision 0078.
 */
import type { Result } from "../../contract/index.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, textCell } from "../sql/statement.ts";
import { peopleTable } from "./people-table.ts";

export interface StoredSession {
  /** SHA-256 of the cookie's value, in hex. */
  readonly digest: string;
  /** Says how it was let in; the words are those of the server. */
  readonly letInBy: string;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
}

export interface StoredSessions {
  /** @returns false where there is no room */
  add(session: StoredSession, nowMs: number): Promise<Result<boolean>>;
  /** Finds one by its digest, where it still lasts. */
  find(digest: string, nowMs: number): Promise<Result<StoredSession | undefined>>;
  /** It was signed out. */
  end(digest: string): Promise<Result<void>>;
  endAll(): Promise<Result<void>>;
}

/** Holds for each way in: as many as the server lets in. */
const ROOM = 32;

const DROP = "DELETE FROM console_sessions WHERE ends_at_ms <= ?";
const COUNT = "SELECT count(*) AS count FROM console_sessions WHERE let_in_by = ?";
const ADD = `INSERT INTO console_sessions (digest, let_in_by, ends_at_ms) VALUES (?, ?, ?)
  ON CONFLICT (digest) DO NOTHING`;
const FIND = "SELECT let_in_by, ends_at_ms FROM console_sessions WHERE digest = ? AND ends_at_ms > ?";
const END = "DELETE FROM console_sessions WHERE digest = ?";
const END_ALL = "DELETE FROM console_sessions";

export function createStoredSessions(connection: Connection): StoredSessions {
  const { read, write } = peopleTable(connection);
  return {
    add: ({ digest, letInBy, endsAtMs }, nowMs) =>
      write(function* ({ get, run }) {
        yield* run(DROP, [nowMs]);
        const row = yield* get(COUNT, [letInBy]);
        if (row !== undefined && numberCell(row, "count") >= ROOM) return false;
        yield* run(ADD, [digest, letInBy, endsAtMs]);
        return true;
      }),
    find: (digest, nowMs) =>
      read(function* ({ get }) {
        const row = yield* get(FIND, [digest, nowMs]);
        if (row === undefined) return undefined;
        return { digest, letInBy: textCell(row, "let_in_by"), endsAtMs: numberCell(row, "ends_at_ms") };
      }),
    end: (digest) => write(({ put }) => put(END, [digest])),
    endAll: () => write(({ put }) => put(END_ALL, [])),
  };
}
