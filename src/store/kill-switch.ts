/**
 * Owns the kill switch: one per store, and while it is on no order begins, in any process.
 *
 * Entry points: `createKillSwitch`; `engageKillSwitchFile`, which needs no database.
 * Invariants: it is kept in two places, a row and a file, and is on when either says so, or cannot be read; one place is
 * enough to put it on, both are needed to take it off; it writes no audit entry in its transaction, as a log that cannot
 * be written must not hold it up. Once `engage` has returned, every `begin` has either committed or sees it, but for one whose
 * process hangs with the lock.
 */
import { statSync } from "node:fs";
import { failed, ok } from "../contract/index.ts";
import type { KillSwitchRecord, KillSwitchStore } from "../desk/index.ts";
import type { Connection } from "./driver.ts";
import { KillSwitchFile, type KillSwitchReading } from "./kill-switch-file.ts";
import { bytesTextCell, numberCell, type Statements } from "./statement.ts";
import { explainError, isBusy, resultOf, StoreError, StoreInvariantError, storeError } from "./store-error.ts";

export interface KillSwitchKeeper extends KillSwitchStore {
  /** As `state`, inside a transaction. */
  stateIn(statements: Statements, atMs: number): KillSwitchRecord | undefined;
}

const JUST_NOW_MS = 60_000;
/** For the row: a process that hangs with the lock must not hold up what follows, which is to cancel. */
const ROW_WAIT = { busyMs: 2_000 } as const;

const READ = "SELECT CAST(reason AS BLOB) AS reason, CAST(engaged_by AS BLOB) AS engaged_by, at_ms FROM brake";
const ENGAGE = "INSERT INTO brake (id, reason, engaged_by, at_ms) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
const RELEASE = "DELETE FROM brake";
const IS_ON = "SELECT 1 AS found FROM brake";

/** @param now Unix milliseconds; when one that cannot be read was found so. */
export function createKillSwitch(connection: Connection, now: () => number): KillSwitchKeeper {
  const file = connection.path === ":memory:" ? undefined : new KillSwitchFile(`${connection.path}.brake`);
  prepare(file);
  const stateIn = (statements: Statements, atMs: number) => recordOf([readRow(statements), readFile(file)], atMs);
  const setRow = (on: boolean, change: (statements: Statements) => void) =>
    connection.transaction((statements) => {
      change(statements);
      if ((statements.get(IS_ON, []) !== undefined) !== on)
        throw new StoreInvariantError("the kill switch did not move");
    }, ROW_WAIT);
  return {
    stateIn,
    state: () => resultOf(connection.single((statements) => stateIn(statements, now()))),
    engage: async (record) => {
      const { reason, by, atMs } = record;
      // The file first, as it stops everybody at once. A `begin` that read it before still holds the write lock; the row
      // waits for that lock even where the disk is full, so that `begin` has ended when this returns.
      const inFile = file === undefined ? undefined : await failureOf(async () => file.engage(record));
      const inRow = await failureOf(() => setRow(true, ({ run }) => run(ENGAGE, [reason, by, atMs])));
      if (inRow !== undefined && (file === undefined || inFile !== undefined)) {
        return failed(notEngaged(inRow.error, connection.path).toFault());
      }
      return ok([]);
    },
    release: () =>
      resultOf(
        setRow(false, ({ run }) => run(RELEASE, [])).then(() => {
          try {
            file?.release();
          } catch (error) {
            throw explainError(error, file?.path ?? connection.path);
          }
        }),
      ),
  };
}

/**
 * The file alone, for a store that may not open: it stops every process that shares the database, also those of another
 * version. @throws StoreError when it cannot be written
 */
export function engageKillSwitchFile(databasePath: string, record: KillSwitchRecord): void {
  const file = new KillSwitchFile(`${databasePath}.brake`);
  try {
    file.engage(record);
  } catch (error) {
    throw explainError(error, file.path);
  }
}

/** Whether the database was there before: the file is made with it. One that a halt made just now is no sign of that. */
export function hasKillSwitchFile(databasePath: string): boolean {
  const path = `${databasePath}.brake`;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const reading = new KillSwitchFile(path).read();
  return reading.says !== "on" || Date.now() - reading.record.atMs > JUST_NOW_MS;
}

/** A file that cannot be made is one that cannot be read: `stateIn` says so, and cancels are not kept from leaving. */
function prepare(file: KillSwitchFile | undefined): void {
  try {
    file?.prepare();
  } catch (error) {
    if (!(explainError(error, "") instanceof StoreError)) throw error;
  }
}

function readRow({ get }: Statements): KillSwitchReading {
  try {
    const row = get(READ, []);
    if (row === undefined) return { says: "off" };
    const [reason, by] = [bytesTextCell(row, "reason"), bytesTextCell(row, "engaged_by")];
    return { says: "on", record: { reason, by, atMs: numberCell(row, "at_ms") } };
  } catch (error) {
    if (isBusy(error)) throw error;
    return { says: "unreadable", what: "its row in the store" };
  }
}

function readFile(file: KillSwitchFile | undefined): KillSwitchReading {
  return file === undefined ? { says: "off" } : file.read();
}

function recordOf(readings: readonly KillSwitchReading[], atMs: number): KillSwitchRecord | undefined {
  let record: KillSwitchRecord | undefined;
  for (const reading of readings) {
    switch (reading.says) {
      case "on":
        return reading.record;
      case "unreadable":
        record = { reason: `The kill switch cannot be read (${reading.what}), so it counts as on.`, by: "hoga", atMs };
        break;
      case "off":
        break;
    }
  }
  return record;
}

/** What went wrong, for a step that may, as another makes up for it. */
async function failureOf(step: () => Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function notEngaged(error: unknown, path: string): StoreError {
  const code = error instanceof StoreError ? error.code : "unwritable";
  return new StoreError(
    code,
    storeError(code, path).message,
    "The kill switch is not on. End every hoga process, cancel at the venue itself, then repair the store.",
    error,
  );
}
