/**
 * Owns which sessions were ended before the end of their ids, by which a server would open them anew: each by a digest, as the id lets its bearer
 * in together with a token.
 *
 * Invariant: of those that were ended last, ten thousand are kept, none for longer than its id could count.
 *
 * Source: decision 0073.
 */
import type { Result } from "../../contract/index.ts";
import type { Connection } from "../sql/connection.ts";
import { peopleTable } from "./people-table.ts";

export interface EndedSessions {
  /** Times in Unix milliseconds. */
  note(digest: string, untilMs: number, nowMs: number): Promise<Result<void>>;
  has(digest: string): Promise<Result<boolean>>;
}

/** More in a day are of a program that runs wild, and what came back would be that program's own. */
const ENDED_MAX = 10_000;

const NOTE = "INSERT INTO ended_sessions (digest, until_ms) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING";
const DROP = `DELETE FROM ended_sessions WHERE until_ms <= ?
  OR until_ms < (SELECT until_ms FROM ended_sessions ORDER BY until_ms DESC LIMIT 1 OFFSET ?)`;
const HAS = "SELECT 1 AS found FROM ended_sessions WHERE digest = ?";

export function createEndedSessions(connection: Connection, max = ENDED_MAX): EndedSessions {
  const { read, write } = peopleTable(connection);
  return {
    note: (digest, untilMs, nowMs) =>
      write(function* ({ run }) {
        yield* run(NOTE, [digest, untilMs]);
        yield* run(DROP, [nowMs, max - 1]);
      }),
    has: (digest) =>
      read(function* ({ get }) {
        return (yield* get(HAS, [digest])) !== undefined;
      }),
  };
}
