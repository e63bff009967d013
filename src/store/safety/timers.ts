/**
 * Owns the dead man's timers, one per account: when it is due, what is open is to be canceled.
 *
 * Invariants: a clock that is set back makes a timer due, as nobody can tell how long it has been since; one process
 * claims a due timer; only `done` removes it, and once the claim has expired another process may claim it. Reading a timer that is not due
 * writes nothing.
 */
import type { CancelTimer, CancelTimers } from "../../desk/index.ts";
import type { Connection } from "../sql/connection.ts";
import { type Bindable, numberCell, type Row, type Statements, type Work } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";

const ARM = `INSERT INTO timers (account, due_at_ms, armed_at_ms, claimed_until_ms) VALUES (?, ?, ?, 0)
  ON CONFLICT (account) DO UPDATE SET due_at_ms = excluded.due_at_ms, armed_at_ms = excluded.armed_at_ms,
  claimed_until_ms = 0`;
const DISARM = "DELETE FROM timers WHERE account = ?";
const READ = "SELECT due_at_ms FROM timers WHERE account = ?";
/** The clock stands before the moment the timer was set, by more than the clocks of two machines may differ: it was set back. */
const SET_BACK_MS = 10_000;
/** A claim that ends further ahead than any was made for is void: the clock was set back since. */
const CLAIMABLE =
  "account = ? AND (due_at_ms <= ? OR armed_at_ms > ?) AND (claimed_until_ms <= ? OR claimed_until_ms > ?)";
const ANY_DUE = "SELECT 1 AS found FROM timers WHERE due_at_ms <= ? OR armed_at_ms > ? LIMIT 1";
const IS_FREE = `SELECT due_at_ms FROM timers WHERE ${CLAIMABLE}`;
const CLAIM = `UPDATE timers SET claimed_until_ms = ? WHERE ${CLAIMABLE}`;
const DONE = "DELETE FROM timers WHERE account = ? AND due_at_ms = ?";

export function createTimers(connection: Connection): CancelTimers {
  const read = <T>(work: (statements: Statements) => Work<T>) => resultOf(connection.single(work));
  const run = (sql: string, values: readonly Bindable[]) =>
    resultOf(connection.transaction(({ put }) => put(sql, values)));
  return {
    read: (account) => read(find(READ, [account])),
    arm: (account, dueAtMs, nowMs) => run(ARM, [account, dueAtMs, nowMs]),
    disarm: (account) => run(DISARM, [account]),
    anyDue: (nowMs) =>
      read(function* ({ get }) {
        return (yield* get(ANY_DUE, [nowMs, nowMs + SET_BACK_MS])) !== undefined;
      }),
    claimDue: async (account, nowMs, claimMs) => {
      // Twice claimMs: nowMs was read before waiting for the lock, so a newer claim may end later.
      const free = [account, nowMs, nowMs + SET_BACK_MS, nowMs, nowMs + 2 * claimMs];
      const findFree = find(IS_FREE, free);
      const found = await read(findFree);
      if (!found.ok || found.value === undefined) return found;
      return resultOf(
        connection.transaction(function* (statements) {
          const timer = yield* findFree(statements);
          if (timer !== undefined) yield* statements.put(CLAIM, [nowMs + claimMs, ...free]);
          return timer;
        }),
      );
    },
    done: (account, dueAtMs) => run(DONE, [account, dueAtMs]),
  };
}

function find(sql: string, values: readonly Bindable[]) {
  return function* ({ get }: Statements): Work<CancelTimer | undefined> {
    return timerOf(yield* get(sql, values));
  };
}

function timerOf(row: Row | undefined): CancelTimer | undefined {
  return row && { dueAtMs: numberCell(row, "due_at_ms") };
}
