/**
 * Owns the kill switch: one per store, and while it is on no order begins, in any process.
 *
 * Entry points: `createKillSwitch`; `engageKillSwitchFile`, which needs no database.
 * Invariants: it is kept in two places, a row and a file, and is on when either says so, or cannot be read; one place is
 * enough to put it on, both are needed to take it off (of a database that several machines share, the row); it writes no audit entry in its transaction, as a log that cannot
 * be written must not hold it up: what it stops besides, plans that wait, is in the log, and is left where that fails. Once `engage` has returned, every `begin` has either committed or sees it, but for one whose
 * process hangs with the lock.
 */
import { lstatSync } from "node:fs";
import { failed, ok, type Result } from "../../contract/index.ts";
import type { KillSwitchRecord, KillSwitchStore } from "../../desk/index.ts";
import type { Connection } from "../sql/connection.ts";
import { type Bindable, bytesTextCell, numberCell, type Statements, together, type Work } from "../sql/statement.ts";
import { explainError, isBusy, resultOf, StoreError, StoreInvariantError, storeError } from "../sql/store-error.ts";
import { KillSwitchFile, type KillSwitchReading } from "./kill-switch-file.ts";

export interface KillSwitchKeeper extends KillSwitchStore {
  /** Reads as `state` does, inside a transaction. */
  stateIn(statements: Statements, atMs: number): Work<KillSwitchRecord | undefined>;
}

/** @param found told how many there are, before any is written */
export type HaltPlans = (statements: Statements, atMs: number, found?: (count: number) => void) => Work<void>;

/** The file beside a database. */
export const haltPathOf = (databasePath: string): string => `${databasePath}.brake`;

const JUST_NOW_MS = 60_000;
/** For the row: a process that hangs with the lock must not hold up what follows, which is to cancel. */
const ROW_WAIT = { busyMs: 2_000 } as const;

const READ = "SELECT CAST(reason AS BLOB) AS reason, CAST(engaged_by AS BLOB) AS engaged_by, at_ms FROM brake";
const ENGAGE = "INSERT INTO brake (id, reason, engaged_by, at_ms) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
const RELEASE = "DELETE FROM brake";
const IS_ON = "SELECT 1 AS found FROM brake";

export interface KillSwitchPlace {
  readonly filePath: string;
  /**
   * Says that processes with other files share the database. The file is then for when that cannot be written, and is off again as soon as
   * it was: who releases the kill switch elsewhere cannot reach it.
   */
  readonly isShared: boolean;
}

/**
 * @param now Unix milliseconds; when one that cannot be read was found so.
 * @param place undefined of a database in memory
 * @param haltPlans stops what would send by itself, with entries in the log. @returns how much there was
 */
export function createKillSwitch(
  connection: Connection,
  now: () => number,
  place?: KillSwitchPlace,
  haltPlans?: HaltPlans,
): KillSwitchKeeper {
  const file = place && new KillSwitchFile(place.filePath);
  prepare(file);
  const stateIn = function* (statements: Statements, atMs: number): Work<KillSwitchRecord | undefined> {
    return recordOf([yield* readRow(statements), readFile(file)], atMs);
  };
  const row = rowOf(connection, now, haltPlans);
  const engage = async (record: KillSwitchRecord): Promise<Result<readonly string[]>> => {
    const { reason, by, atMs } = record;
    // The file first, as it stops everybody at once. A `begin` that read it before still holds the write lock; the row
    // waits for that lock even where the disk is full, so that `begin` has ended when this returns.
    const inFile = file === undefined ? undefined : await failureOf(async () => file.engage(record));
    const inRow = await row.setOn([reason, by, atMs]);
    if (inRow === undefined && place?.isShared === true) await failureOf(async () => file?.release());
    if (inRow !== undefined && (file === undefined || inFile !== undefined || place?.isShared === true)) {
      const isHalf = inFile === undefined && file !== undefined;
      return failed((isHalf ? engagedHere : notEngaged)(inRow.error, connection.path).toFault());
    }
    return ok([]);
  };
  return {
    stateIn,
    state: async () => {
      const inFile = readFile(file);
      // One place is enough, and the file needs no database.
      if (inFile.says === "on") return ok(inFile.record);
      return resultOf(connection.single((statements) => stateIn(statements, now())));
    },
    spread: async () => {
      if (place?.isShared !== true) return ok(undefined);
      const inFile = readFile(file);
      if (inFile.says !== "on") return ok(undefined);
      const spread = await engage(inFile.record);
      return spread.ok ? ok(undefined) : spread;
    },
    engage,
    release: () =>
      resultOf(
        // What a halt could not stop then is stopped now, or the switch stays on: nobody's plan goes on because trading does.
        row.setOff().then(() => {
          try {
            file?.release();
          } catch (error) {
            throw explainError(error, file?.path ?? connection.path);
          }
        }),
      ),
  };
}

/** The row, and with it what a halt stops besides. */
function rowOf(connection: Connection, now: () => number, haltPlans?: HaltPlans) {
  /** @param halted plans in the same transaction; absent where they are left as they are */
  const setRow = (on: boolean, sql: string, values: readonly Bindable[], halted?: HaltPlans) =>
    connection.transaction(function* (statements) {
      const { run, get } = statements;
      const [, found] = yield* together(run(sql, values), get(IS_ON, []), halted?.(statements, now()) ?? together());
      if ((found !== undefined) !== on) throw new StoreInvariantError("the kill switch did not move");
    }, ROW_WAIT);
  /** A log that does not take what is said of the plans, or a plan that cannot be read, must not keep the row off. They then wait on, and begin nothing. */
  const setOn = async (values: readonly Bindable[]) => {
    let isForPlans = false;
    const noting: HaltPlans | undefined =
      haltPlans &&
      function* (statements, atMs) {
        try {
          yield* haltPlans(statements, atMs, (count) => {
            isForPlans ||= count > 0;
          });
        } catch (error) {
          isForPlans = true;
          throw error;
        }
      };
    const failure = await failureOf(() => setRow(true, ENGAGE, values, noting));
    if (failure === undefined || !isForPlans || isBusy(failure.error)) return failure;
    return failureOf(() => setRow(true, ENGAGE, values));
  };
  return { setOn, setOff: () => setRow(false, RELEASE, [], haltPlans) };
}

/**
 * The file alone, for a store that may not open: it stops every process that shares the database, also those of another
 * version. @throws StoreError when it cannot be written
 */
export function engageKillSwitchFile(databasePath: string, record: KillSwitchRecord): void {
  const file = new KillSwitchFile(haltPathOf(databasePath));
  try {
    file.engage(record);
  } catch (error) {
    throw explainError(error, file.path);
  }
}

/** Tells whether the database was there before: the file is made with it. One that a halt made just now is no sign of that. */
export function hasKillSwitchFile(databasePath: string): boolean {
  const path = haltPathOf(databasePath);
  const found = lstatSync(path, { throwIfNoEntry: false });
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

/** Reads both places, and makes neither. */
export function* killSwitchIn(
  statements: Statements,
  filePath: string,
  atMs: number,
): Work<KillSwitchRecord | undefined> {
  const isThere = lstatSync(filePath, { throwIfNoEntry: false }) !== undefined;
  return recordOf([yield* readRow(statements), readFile(isThere ? new KillSwitchFile(filePath) : undefined)], atMs);
}

function* readRow({ get }: Statements): Work<KillSwitchReading> {
  try {
    const row = yield* get(READ, []);
    if (row === undefined) return { says: "off" };
    const [reason, by] = [bytesTextCell(row, "reason"), bytesTextCell(row, "engaged_by")];
    return { says: "on", record: { reason, by, atMs: numberCell(row, "at_ms") } };
  } catch (error) {
    if (isBusy(error) || error instanceof StoreError) throw error;
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

/** Tells what went wrong, for a step that may, as another makes up for it. */
async function failureOf(step: () => Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** The file is on and the database, which others share, is not. */
function engagedHere(error: unknown, path: string): StoreError {
  const code = error instanceof StoreError ? error.code : "unwritable";
  return new StoreError(
    code,
    `The kill switch is on for this data directory alone. ${storeError(code, path).message}`,
    "Halt again once the store can be written: every process that shares it then stops. Until then end them, or cancel at the venue itself.",
    error,
  );
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
