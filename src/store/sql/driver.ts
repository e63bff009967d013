/**
 * Owns libsql: the one file that imports it. Work is carried out at once, in a transaction or as a single statement; in between it waits
 * for other processes.
 *
 * Entry point: `openConnection`.
 * Invariants: only checked values reach libsql (`statement.ts`); a statement that yields rows is never `run`, as libsql
 * then leaves it open and the commit fails; nothing is used after close, where libsql would quietly go on writing; nothing is written
 * outside of a transaction, as libsql leaves a statement open that had to wait for a lock, and an open one holds the connection to what
 * the file was then: its reads miss what others commit, and its writes are refused;
 * SQLite's own busy handler is off: it starves a contender for seconds, while a short jittered retry does not.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { setImmediate, setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { Catalog, Connection, WaitLimit } from "./connection.ts";
import { APPLICATION_ID, claimDatabaseFile, lookAtDatabaseFile } from "./database-file.ts";
import {
  type Answer,
  bindable,
  carryOut,
  placeholderCount,
  type Query,
  readRow,
  type Statements,
  type Work,
} from "./statement.ts";
import { explainError, isBusy, StoreInvariantError, storeError } from "./store-error.ts";

export interface FileConnection extends Connection {
  /** The same connection, whose commits survive the process, not a power cut; closed with it. Of its own it would read again what the other has written. */
  readonly lazily: Connection;
  /** Takes the write lock and keeps it until close. @returns false when another connection has it. */
  holdLock(): boolean;
  /** Settings and schema changes; the text is ours. */
  exec(sql: string): Promise<void>;
}

/** `full`: a commit is on disk; `normal`: it survives the process, not a power cut. */
type Durability = "full" | "normal";

export interface ConnectionSettings {
  /** `wal` for shared facts, `delete` for a file that is only a lock. */
  readonly journal: "wal" | "delete";
  readonly durability: Durability;
  /** Says that it is the store, and not any database. */
  readonly isStore?: boolean;
  /** For the jitter of the retry; at least 0, below 1. */
  readonly random: () => number;
}

interface NativeStatement {
  readonly reader: boolean;
  run(values: readonly unknown[]): { readonly changes: number };
  all(values: readonly unknown[]): unknown[];
}

interface NativeDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
}

const BUSY_MS = 5_000;
/** The loop is blocked at most this long at a time, so that timers and sockets of the process live on. */
const BURST_MS = 1;
/** After this long the owner is stuck rather than quick: no more spinning. */
const SPIN_MS = 50;

type NativeConstructor = new (path: string, options?: { readonly readonly: boolean }) => NativeDatabase;

async function loadDriver(path: string): Promise<NativeConstructor> {
  try {
    const { default: Database } = await import("libsql");
    return Database as unknown as NativeConstructor;
  } catch (error) {
    throw storeError("no_driver", path, error);
  }
}

/** Opens or creates a database file (mode 0600, in a directory of mode 0700 if it has to be made), or `:memory:`. */
export async function openConnection(path: string, settings: ConnectionSettings): Promise<FileConnection> {
  const Database = await loadDriver(path);
  let connection: GuardedConnection;
  let givenUp: (() => void) | undefined;
  try {
    if (path !== ":memory:") givenUp = claimDatabaseFile(path, settings.isStore === true);
    const { random, durability } = settings;
    connection = new GuardedConnection(path, new Database(path), { random, durability, givenUp });
  } catch (error) {
    givenUp?.();
    throw explainError(error, path);
  }
  const { journal, durability } = settings;
  try {
    await connection.exec(`PRAGMA busy_timeout=0; PRAGMA foreign_keys=ON; PRAGMA synchronous=${durability}`);
    if (journal === "wal" && path !== ":memory:") {
      const answer = await connection.single(({ get }) => get("PRAGMA journal_mode=WAL", []));
      if (answer?.["journal_mode"] !== "wal") {
        throw storeError("unwritable", path, undefined, `The file system of ${path} cannot share a store.`);
      }
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/**
 * Opens a store's file to look at it alone. Nothing is written, not even beside it: without a log no process has it open, and it is read as it
 * stands; where there is a log, the files that share it are there too. By the address of the file, as the driver's own `readonly` refuses no
 * write, and the last to close would bring a log that a killed process left into the file.
 */
export async function openToLook(path: string, random: () => number): Promise<Connection> {
  const Database = await loadDriver(path);
  const givenUp = lookAtDatabaseFile(path);
  try {
    const how = existsSync(`${path}-wal`) ? "mode=ro" : "immutable=1";
    const native = new Database(`${pathToFileURL(path).href}?${how}`, { readonly: true });
    return new GuardedConnection(path, native, { random, durability: "normal", givenUp });
  } catch (error) {
    givenUp();
    throw explainError(error, path);
  }
}

/** A thread of its own, as SQLite reads a file through without a pause. Its text is run as it stands, so that no file of its own is shipped for it. */
const CHECK = `const { parentPort, workerData } = require("node:worker_threads");
const Database = require(workerData.driver);
const database = new Database(workerData.path, { readonly: true });
let found;
try { found = database.prepare("PRAGMA quick_check(1)").all().map((row) => row.quick_check).join(); }
catch (error) { found = "code " + error.rawCode; }
finally { database.close(); }
parentPort.postMessage(found);`;
const CORRUPT = /^code (11|26)$/;

/** Reads a file through that this process has open. @throws StoreError "damaged" */
export async function quickCheck(path: string, signal: AbortSignal): Promise<void> {
  const driver = createRequire(import.meta.url).resolve("libsql");
  const thread = new Worker(CHECK, { eval: true, workerData: { driver, path }, stdout: true, stderr: true });
  thread.unref();
  try {
    const [answer]: readonly unknown[] = await once(thread, "message", { signal });
    const found = String(answer);
    // What cannot be looked at now, as it is locked or out of reach, is not damaged.
    if (found !== "ok" && (!found.startsWith("code ") || CORRUPT.test(found))) throw storeError("damaged", path);
  } finally {
    await thread.terminate();
  }
}

/** Says what a statement does: `setting` is for the connection or the file, most of which SQLite refuses within a transaction. */
type Kind = "read" | "setting" | "write";

function kindOf(sql: string): Kind {
  if (/^(?:SELECT|WITH RECURSIVE|EXPLAIN)\b/.test(sql)) return "read";
  return /^PRAGMA\b/.test(sql) ? "setting" : "write";
}

interface Prepared {
  readonly statement: NativeStatement;
  readonly placeholders: number;
  readonly yieldsRows: boolean;
  readonly kind: Kind;
}

interface ConnectionParts {
  readonly random: () => number;
  readonly durability: Durability;
  /** Told when the file is not open any more. */
  readonly givenUp: (() => void) | undefined;
}

const CATALOG: Catalog = {
  anything: "SELECT 1 AS found FROM sqlite_schema LIMIT 1",
  tables: "SELECT name FROM sqlite_schema WHERE type = 'table'",
  id: "PRAGMA application_id",
  begin: [`PRAGMA application_id = ${APPLICATION_ID}`],
  check: "PRAGMA quick_check(1)",
  nowMs: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
};

class GuardedConnection implements FileConnection {
  readonly path: string;
  readonly catalog = CATALOG;
  closed = false;
  readonly lazily: Connection;
  readonly #durability: Durability;
  /** Tells what the commits are at the moment. */
  #commits: Durability;
  readonly #native: NativeDatabase;
  readonly #random: () => number;
  readonly #givenUp: (() => void) | undefined;
  readonly #prepared = new Map<string, Prepared>();
  /** Since when each has waited for another process, on the machine's clock that only rises. */
  readonly #waiting = new Set<{ readonly sinceMs: number }>();
  /** Never by libsql's own `get`: it finds nothing once, after an `all` of the same statement that had found nothing. */
  readonly #answer = ({ sql, values, wantsRows }: Query, prepared = this.#prepare(sql)): Answer => {
    const { statement, placeholders, yieldsRows } = prepared;
    const bound = bindable(values, placeholders);
    if (yieldsRows && !wantsRows) throw new StoreInvariantError("a statement that yields rows must not be run");
    if (!yieldsRows && wantsRows) throw new StoreInvariantError("a statement without rows must be run");
    return yieldsRows
      ? { rows: statement.all(bound).map(readRow), changes: 0 }
      : { rows: [], changes: statement.run(bound).changes };
  };

  constructor(path: string, native: NativeDatabase, { random, durability, givenUp }: ConnectionParts) {
    this.path = path;
    this.#native = native;
    this.#random = random;
    this.#durability = durability;
    this.#commits = durability;
    this.#givenUp = givenUp;
    const isClosed = (): boolean => this.closed;
    this.lazily = {
      ...{ path, catalog: CATALOG, waitingMs: () => this.waitingMs(), close: () => {} },
      get closed() {
        return isClosed();
      },
      transaction: (work, limit = {}) => this.#whenFree(() => this.#carryOut(work, "normal"), limit.busyMs),
      single: (work, limit = {}) => this.#whenFree(() => this.#ask(work, "normal"), limit.busyMs),
    };
  }

  transaction<T>(work: (statements: Statements) => Work<T>, limit: WaitLimit = {}): Promise<T> {
    return this.#whenFree(() => this.#carryOut(work, this.#durability), limit.busyMs);
  }

  single<T>(work: (statements: Statements) => Work<T>, limit: WaitLimit = {}): Promise<T> {
    return this.#whenFree(() => this.#ask(work, this.#durability), limit.busyMs);
  }

  waitingMs(): number {
    const now = performance.now();
    return [...this.#waiting].reduce((longest, { sinceMs }) => Math.max(longest, now - sinceMs), 0);
  }

  exec(sql: string): Promise<void> {
    return this.#whenFree(() => this.#native.exec(sql), undefined);
  }

  holdLock(): boolean {
    this.#refuseWhenClosed();
    try {
      // Not EXCLUSIVE: two that ask for that at the same moment can both fail.
      this.#native.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw explainError(error, this.path);
    }
  }

  close(): void {
    if (this.closed) return;
    // libsql keeps the file open until its statements are collected; the lock must go now.
    if (this.#native.inTransaction) this.#native.exec("ROLLBACK");
    this.closed = true;
    this.#prepared.clear();
    this.#native.close();
    this.#givenUp?.();
  }

  #carryOut<T>(work: (statements: Statements) => Work<T>, durability: Durability): T {
    return this.#transact(() => carryOut(work, (query) => this.#answer(query)), durability);
  }

  #ask<T>(work: (statements: Statements) => Work<T>, durability: Durability): T {
    return carryOut(work, (query) => this.#answerAlone(query, durability));
  }

  #answerAlone(query: Query, durability: Durability): Answer {
    const prepared = this.#prepare(query.sql);
    switch (prepared.kind) {
      case "read":
        return this.#answer(query, prepared);
      case "setting":
        this.#commitAs(durability);
        return this.#answer(query, prepared);
      case "write":
        return this.#transact(() => this.#answer(query, prepared), durability);
    }
  }

  /** SQLite refuses it inside a transaction, and none is open between two attempts. What only reads needs neither, and is asked between two of one kind. */
  #commitAs(durability: Durability): void {
    if (this.#commits === durability) return;
    this.#native.exec(`PRAGMA synchronous=${durability}`);
    this.#commits = durability;
  }

  #transact<T>(step: () => T, durability: Durability): T {
    if (this.#native.inTransaction) throw new StoreInvariantError("transactions do not nest");
    this.#commitAs(durability);
    this.#native.exec("BEGIN IMMEDIATE");
    try {
      const result = step();
      this.#native.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (this.#native.inTransaction) this.#native.exec("ROLLBACK");
      throw error;
    }
  }

  #prepare(sql: string): Prepared {
    this.#refuseWhenClosed();
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const placeholders = placeholderCount(sql);
    const statement = this.#native.prepare(sql);
    const prepared = { statement, placeholders, yieldsRows: statement.reader, kind: kindOf(sql) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #refuseWhenClosed(): void {
    if (this.closed) throw new StoreInvariantError(`the store ${this.path} was used after it was closed`);
  }

  /**
   * Tries until no other process is in the way: every 20–120 µs at first, in bursts between which the event loop turns.
   * Time is the machine's own here, not an injected clock: what is waited for is another process of this machine.
   */
  async #whenFree<T>(attempt: () => T, busyMs = BUSY_MS): Promise<T> {
    const startedAt = performance.now();
    for (;;) {
      const burstEndsAt = performance.now() + BURST_MS;
      do {
        this.#refuseWhenClosed();
        try {
          return attempt();
        } catch (error) {
          if (!isBusy(error)) throw explainError(error, this.path);
        }
        Atomics.wait(PAUSE, 0, 0, (20 + 100 * this.#random()) / 1_000);
      } while (performance.now() < burstEndsAt);
      const waitedMs = performance.now() - startedAt;
      if (waitedMs > busyMs) throw storeError("busy", this.path);
      await this.#rest(startedAt, waitedMs);
    }
  }

  async #rest(sinceMs: number, waitedMs: number): Promise<void> {
    const waiting = { sinceMs };
    this.#waiting.add(waiting);
    if (waitedMs < SPIN_MS) await setImmediate();
    else await setTimeout(1 + 4 * this.#random());
    this.#waiting.delete(waiting);
  }
}

/** Never notified: waiting on it is sleeping for less than a timer can. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
