/**
 * Owns the brake: one per store, and while it is on no order begins, in any process.
 *
 * Entry points: `createBrake`; `pullBrakeFile`, which needs no database.
 * Invariants: it is kept in two places, a row and a file, and is on when either says so, or cannot be read; one place is
 * enough to put it on, both are needed to take it off; it writes no audit entry in its transaction, as a log that cannot
 * be written must not hold it up. Once `engage` has returned, every `begin` has either committed or sees it, but for one whose
 * process hangs with the lock.
 */
import { failed, ok, type Result } from "../contract/index.ts";
import { BrakeFile, type BrakeReading } from "./brake-file.ts";
import type { Connection } from "./driver.ts";
import type { KillSwitchRecord } from "./standing.ts";
import { bytesTextCell, numberCell, type Statements } from "./statement.ts";
import { explainError, isBusy, resultOf, StoreError, StoreInvariantError, storeError } from "./store-error.ts";

export interface Brake {
  /** Undefined while orders may leave. A brake that cannot be read counts as on; its reason then says so. */
  state(): Promise<Result<KillSwitchRecord | undefined>>;
  /**
   * On when this returns. Who engaged it first stays on record until it is released.
   * @returns warnings, none here; a fault when neither place can be written: orders are then not stopped.
   */
  engage(record: KillSwitchRecord): Promise<Result<readonly string[]>>;
  /** @returns a fault when one of the places cannot be written; the brake is then still on. */
  release(): Promise<Result<void>>;
}

export interface BrakeKeeper extends Brake {
  /** As `state`, inside a transaction. */
  look(statements: Statements, atMs: number): KillSwitchRecord | undefined;
}

/** For the row: a process that hangs with the lock must not hold up what follows, which is to cancel. */
const ROW_WAIT = { busyMs: 2_000 } as const;

const READ = "SELECT CAST(reason AS BLOB) AS reason, CAST(engaged_by AS BLOB) AS engaged_by, at_ms FROM brake";
const ENGAGE = "INSERT INTO brake (id, reason, engaged_by, at_ms) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
const RELEASE = "DELETE FROM brake";
const IS_ON = "SELECT 1 AS found FROM brake";

/** @param now Unix milliseconds; when a brake that cannot be read was found so. */
export function createBrake(connection: Connection, now: () => number): BrakeKeeper {
  const file = connection.path === ":memory:" ? undefined : new BrakeFile(`${connection.path}.brake`);
  prepare(file);
  const look = (statements: Statements, atMs: number) => recordOf([readRow(statements), readFile(file)], atMs);
  const setRow = (on: boolean, change: (statements: Statements) => void) =>
    connection.transaction((statements) => {
      change(statements);
      if ((statements.get(IS_ON, []) !== undefined) !== on) throw new StoreInvariantError("the brake did not move");
    }, ROW_WAIT);
  return {
    look,
    state: () => resultOf(connection.single((statements) => look(statements, now()))),
    engage: async (record) => {
      const { reason, by, atMs } = record;
      // The file first, as it stops everybody at once. A `begin` that looked before ends before the row gets the lock, which
      // it needs even to find that there is no space for it.
      const inFile = file === undefined ? undefined : await failureOf(async () => file.engage(record));
      const inRow = await failureOf(() => setRow(true, ({ run }) => run(ENGAGE, [reason, by, atMs])));
      if (inRow !== undefined && (file === undefined || inFile !== undefined)) {
        return failed(unstopped(inRow.error, connection.path).toFault());
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
 * The brake's file alone, for a store that may not open: it stops every process that shares the database, also those of another
 * version. @throws StoreError when it cannot be written
 */
export function pullBrakeFile(databasePath: string, record: KillSwitchRecord): void {
  const file = new BrakeFile(`${databasePath}.brake`);
  try {
    file.engage(record);
  } catch (error) {
    throw explainError(error, file.path);
  }
}

/** A file that cannot be made is one that cannot be read: `look` says so, and cancels are not kept from leaving. */
function prepare(file: BrakeFile | undefined): void {
  try {
    file?.prepare();
  } catch (error) {
    if (!(explainError(error, "") instanceof StoreError)) throw error;
  }
}

function readRow({ get }: Statements): BrakeReading {
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

function readFile(file: BrakeFile | undefined): BrakeReading {
  return file === undefined ? { says: "off" } : file.read();
}

function recordOf(readings: readonly BrakeReading[], atMs: number): KillSwitchRecord | undefined {
  let record: KillSwitchRecord | undefined;
  for (const reading of readings) {
    switch (reading.says) {
      case "on":
        return reading.record;
      case "unreadable":
        record = { reason: `The brake cannot be read (${reading.what}), so it counts as on.`, by: "hoga", atMs };
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

function unstopped(error: unknown, path: string): StoreError {
  const code = error instanceof StoreError ? error.code : "unwritable";
  return new StoreError(
    code,
    storeError(code, path).message,
    "The brake is not on. End every hoga process, cancel at the venue itself, then repair the store.",
    error,
  );
}
