/**
 * Owns what can go wrong with the store and how it is said: `StoreError` for what an operator can repair (a full disk, a
 * damaged file), `StoreInvariantError` for a mistake in our own code.
 *
 * Invariants: a message names the file and never the SQL or the values bound; every `StoreError` says what to do.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";

/**
 * `busy`: another process kept the store locked. `damaged`: the file is not a readable database. `foreign_file`: it belongs
 * to another program. `newer_schema`: a newer hoga wrote it, `older_schema`: one from before any release. `unwritable`: permissions, a directory in the way, a read-only
 * file system. `disk_full`, `io_error`: the disk. `no_driver`: the driver is not installed. `audit_unwritable`:
 * the store itself works, but refuses entries of the audit log. On a server also: `bad_address`, `no_server`, `no_room` (its connections are all
 * taken), `no_session` (those of this process are), `no_answer` in time, `login_refused`, `no_database`, `old_server`; `connection_lost`: nothing was written;
 * `outcome_unknown`: whether it was written is not known; `canceled`: the server ended a statement before it was done. `put_back`: it lacks what this process
 * knows to have been in it. `no_tables`: those of the store are gone. `refused`: a statement, for a reason that is not known here.
 * `another_store`: it is not the one that was meant.
 */
export type StoreErrorCode =
  | "busy"
  | "damaged"
  | "foreign_file"
  | "newer_schema"
  | "older_schema"
  | "unwritable"
  | "disk_full"
  | "io_error"
  | "no_driver"
  | "audit_unwritable"
  | "bad_address"
  | "no_server"
  | "no_room"
  | "no_session"
  | "no_answer"
  | "login_refused"
  | "no_database"
  | "old_server"
  | "connection_lost"
  | "outcome_unknown"
  | "canceled"
  | "put_back"
  | "no_tables"
  | "refused"
  | "another_store";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** Says what the operator does about it, one sentence. */
  readonly fix: string;

  constructor(code: StoreErrorCode, message: string, fix: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fix = fix;
  }

  /** `ELocal:Store unavailable`, or `ELocal:Store damaged`, with this message and fix. */
  toFault(): Fault {
    const code = this.code === "damaged" ? "ELocal:Store damaged" : "ELocal:Store unavailable";
    return localFault(code, { message: this.message, nextAction: this.fix });
  }
}

/** Tells what a step of the store came to: what an operator can repair is a fault, a mistake of ours goes on as a throw. */
export async function resultOf<T>(step: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await step);
  } catch (error) {
    if (error instanceof StoreError) return failed(error.toFault());
    throw error;
  }
}

/** A mistake of ours: the desk stops taking orders when it sees one. */
export class StoreInvariantError extends Error {
  override readonly name = "StoreInvariantError";
}

const moveAway = (path: string) =>
  `Move ${path} and the files ${path}-wal and ${path}-shm aside, or restore them from a backup, then start again.`;

type Explanations<Code extends StoreErrorCode> = Readonly<
  Record<Code, (path: string) => { readonly message: string; readonly fix: string }>
>;

const explanations: Explanations<StoreErrorCode> = {
  busy: (path) => ({
    message: `The store ${path} stayed locked by another process.`,
    fix: "Find the process that holds it (a stopped hoga, a backup or a database browser) and end it.",
  }),
  damaged: (path) => ({
    message: `The store ${path} is damaged or is not a database.`,
    fix: `${moveAway(path)} Check open orders at the venue first: intents recorded in it are not known any more.`,
  }),
  foreign_file: (path) => ({
    message: `The file ${path} is a database of another program.`,
    fix: "Move that file away, or set HOGA_HOME to another directory. Nothing of it was changed.",
  }),
  newer_schema: (path) => ({
    message: `The store ${path} was written by a newer version of hoga.`,
    fix: "Update this installation of hoga, or give it a data directory of its own.",
  }),
  older_schema: (path) => ({
    message: `The store ${path} was written by a version of hoga from before its first release, which no other one reads.`,
    fix: `${moveAway(path)} Look first, with that version, at what is open and what was not answered.`,
  }),
  unwritable: (path) => ({
    message: `The store ${path} cannot be opened for writing.`,
    fix: `Make sure that ${path} is a file, in a directory on a local disk that the current user may write to.`,
  }),
  disk_full: (path) => ({
    message: `The disk that holds the store ${path} is full.`,
    fix: "Free some disk space; nothing has to be restarted.",
  }),
  io_error: (path) => ({
    message: `Reading or writing the store ${path} failed.`,
    fix: "Check the disk: it may be full, disconnected or failing.",
  }),
  no_driver: () => ({
    message: `The SQLite driver for ${process.platform}-${process.arch} is not installed.`,
    fix: "Install hoga again without leaving out optional dependencies.",
  }),
  audit_unwritable: (path) => ({
    message: `The audit log in the store ${path} cannot be written, so no order may leave.`,
    fix: `Somebody changed its tables: find out who. ${moveAway(path)}`,
  }),
  bad_address: () => ({
    message: "The address of the store (HOGA_STORE_URL) cannot be used.",
    fix: "It has the form postgres://user:password@host:5432/database?schema=hoga.",
  }),
  no_server: (path) => ({
    message: `The store ${path} cannot be reached.`,
    fix: "Make sure that the PostgreSQL server runs and can be reached from here; host and port stand in HOGA_STORE_URL.",
  }),
  no_room: (path) => ({
    message: `The server of the store ${path} takes no more connections: all are taken.`,
    fix: "End sessions there that nobody needs (pg_stat_activity), or raise max_connections or the user's limit; nothing has to be restarted here.",
  }),
  no_session: (path) => ({
    message: `All connections that this process may have to the store ${path} are in use.`,
    fix: "Ask again in a moment.",
  }),
  no_answer: (path) => ({
    message: `The server of the store ${path} gave no answer in time.`,
    fix: "Look at the PostgreSQL server and the network; nothing has to be restarted here.",
  }),
  login_refused: (path) => ({
    message: `The store ${path} refused our user or its password.`,
    fix: "Correct them in HOGA_STORE_URL, or put the password into PGPASSWORD.",
  }),
  no_database: (path) => ({
    message: `There is no such database: ${path}.`,
    fix: "Make it (createdb), or correct its name in HOGA_STORE_URL. hoga makes the schema and the tables in it.",
  }),
  old_server: (path) => ({
    message: `The server of the store ${path} is too old.`,
    fix: "A store needs PostgreSQL 14 or newer.",
  }),
  connection_lost: (path) => ({
    message: `The connection to the store ${path} was lost, and did not come back in time.`,
    fix: "Look at the PostgreSQL server and the network; nothing has to be restarted here.",
  }),
  outcome_unknown: (path) => ({
    message: `The connection to the store ${path} was lost, and whether the last change is in it is not known yet.`,
    fix: "Look at the PostgreSQL server and the network; nothing has to be restarted here.",
  }),
  canceled: (path) => ({
    message: `The server of the store ${path} ended a statement before it was done: it took longer than statement_timeout allows there, or somebody canceled it.`,
    fix: "Raise statement_timeout for hoga's user, or find out who cancels its statements.",
  }),
  no_tables: (path) => ({
    message: `The store ${path} lacks its tables: somebody dropped them, or put another database in its place.`,
    fix: "End all processes of hoga, bring the store back from a backup, and start them again. Check open orders at the exchange first.",
  }),
  refused: (path) => ({
    message: `The store ${path} refused a statement.`,
    fix: "Find out whether somebody changed its tables. Cancels go on without it.",
  }),
  another_store: (path) => ({
    message: `The store ${path} is another than the one of this data directory. Nothing of it was changed.`,
    fix: "Look at HOGA_STORE_URL.",
  }),
  put_back: (path) => ({
    message: `The store ${path} lacks what this process has written to it: a copy was put in its place, or its server is another now.`,
    fix: "End all processes of hoga and start them again: trading is then halted until you have compared the journal with the exchange.",
  }),
};

/** Says otherwise where the store is on a server. */
const onServer: Partial<Explanations<StoreErrorCode>> = {
  busy: (path) => ({
    message: `The store ${path} stayed locked: another session held its lock, or one on its tables.`,
    fix: "Find out who holds it (pg_locks, pg_stat_activity) and end that session.",
  }),
  damaged: (path) => ({
    message: `The server says that the store ${path} is damaged.`,
    fix: "Restore it from a backup. Check open orders at the venue first: intents recorded since are not known any more.",
  }),
  foreign_file: (path) => ({
    message: `What is at ${path} belongs to another program.`,
    fix: "Name another schema: add ?schema=… to HOGA_STORE_URL. Nothing of it was changed.",
  }),
  newer_schema: (path) => ({
    message: `The store ${path} was written by a newer version of hoga.`,
    fix: "Update this installation of hoga, or give it a schema of its own.",
  }),
  older_schema: (path) => ({
    message: `The store ${path} was written by a version of hoga from before its first release, which no other one reads.`,
    fix: "Name another schema: add ?schema=… to HOGA_STORE_URL. Look first, with that version, at what is open and what was not answered.",
  }),
  unwritable: (path) => ({
    message: `The store ${path} cannot be written.`,
    fix: "HOGA_STORE_URL has to name the primary server, a database in UTF8, and a user who may create and write a schema there.",
  }),
  disk_full: (path) => ({
    message: `The server's disk that holds the store ${path} is full.`,
    fix: "Free some disk space there; nothing has to be restarted.",
  }),
  io_error: (path) => ({
    message: `The server failed to read or write the store ${path}.`,
    fix: "Look at the server's log and its disk.",
  }),
  no_driver: () => ({
    message: "The PostgreSQL driver is not installed.",
    fix: "Install hoga again with all of its dependencies.",
  }),
  audit_unwritable: (path) => ({
    message: `The audit log in the store ${path} cannot be written, so no order may leave.`,
    fix: "Somebody changed its tables or their rights: find out who.",
  }),
};

/** @param message replaces the general sentence where more is known, and `fix` what to do about it. */
export function storeError(
  code: StoreErrorCode,
  path: string,
  cause?: unknown,
  message?: string,
  fix?: string,
): StoreError {
  const said = (path.startsWith("postgres://") ? onServer[code] : undefined)?.(path) ?? explanations[code](path);
  return new StoreError(code, message ?? said.message, fix ?? said.fix, cause);
}

interface DriverFault {
  readonly rawCode?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Primary result codes of SQLite. Source: sqlite.org/rescode.html. */
const BY_RESULT_CODE: Readonly<Record<number, StoreErrorCode>> = {
  3: "unwritable", // PERM
  5: "busy", // BUSY
  6: "busy", // LOCKED
  8: "unwritable", // READONLY
  10: "io_error", // IOERR
  11: "damaged", // CORRUPT
  13: "disk_full", // FULL
  14: "unwritable", // CANTOPEN
  15: "busy", // PROTOCOL: lost the race for a lock of the write-ahead log
  26: "damaged", // NOTADB
};

/** The shared memory file could not be made larger: in practice a full disk. */
const IOERR_SHMSIZE = 4874;
/** A row that the tables do not take, or a call that SQLite does not allow: what we wrote was wrong. */
const OUR_MISTAKES: readonly number[] = [19, 20, 21, 25];

const BY_SYSTEM_CODE: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EIO: "io_error",
};

/**
 * Tells what an error of the driver or of the file system means: a `StoreError`, also where it is not known here, or a
 * `StoreInvariantError` for what only a mistake of ours brings about. Anything else is handed back as it came.
 */
export function explainError(error: unknown, path: string): unknown {
  const { rawCode, code, message } = error as DriverFault;
  if (typeof rawCode === "number") {
    const found = rawCode === IOERR_SHMSIZE ? "disk_full" : BY_RESULT_CODE[rawCode & 0xff];
    if (found !== undefined) return storeError(found, path, error);
    if (OUR_MISTAKES.includes(rawCode & 0xff))
      return new StoreInvariantError(`SQLite refused a statement (${String(code)})`, { cause: error });
    if (/^no such table/.test(String(message))) return storeError("no_tables", path, error);
    return storeError("refused", path, error, `The store ${path} refused a statement (${String(code)}).`);
  }
  if (typeof message === "string" && message.startsWith("ConnectionFailed")) {
    return storeError("unwritable", path, error);
  }
  if (!(error instanceof StoreError) && typeof code === "string" && /^E[A-Z]+$/.test(code)) {
    const known = BY_SYSTEM_CODE[code];
    return known === undefined
      ? storeError("unwritable", path, error, `The store ${path} cannot be opened for writing (${code}).`)
      : storeError(known, path, error);
  }
  return error;
}

export function isBusy(error: unknown): boolean {
  const { rawCode } = error as DriverFault;
  return typeof rawCode === "number" && BY_RESULT_CODE[rawCode & 0xff] === "busy";
}
