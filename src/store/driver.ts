/**
 * Owns libsql: the one file that imports it. A `Connection` runs synchronous functions in a transaction, or a single
 * statement, and waits for other processes in between.
 *
 * Entry point: `openConnection`.
 * Invariants: only checked values reach libsql (`statement.ts`); a statement that yields rows is never `run`, as libsql
 * then leaves it open and the commit fails; nothing is used after close, where libsql would quietly go on writing;
 * SQLite's own busy handler is off: it starves a contender for seconds, while a short jittered retry does not.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import { claimDatabaseFile } from "./database-file.ts";
import {
  type Bindable,
  bindable,
  type NativeStatement,
  placeholderCount,
  readRow,
  type Statements,
} from "./statement.ts";
import { explainError, isBusy, StoreInvariantError, storeError } from "./store-error.ts";

export interface WaitLimit {
  /** How long to wait for another process before `StoreError` "busy". */
  readonly busyMs?: number;
}

export interface Connection {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly closed: boolean;
  /** Runs `work`, which is synchronous, in one write transaction; rolls back when it throws. */
  transaction<T>(work: (statements: Statements) => T, limit?: WaitLimit): Promise<T>;
  /** Runs `work`, one statement only, without a transaction around it. */
  single<T>(work: (statements: Statements) => T, limit?: WaitLimit): Promise<T>;
  /** Takes the write lock and keeps it until close. @returns false when another connection has it. */
  holdLock(): boolean;
  /** Settings and schema changes; the text is ours. */
  exec(sql: string): Promise<void>;
  close(): void;
}

export interface ConnectionSettings {
  /** `wal` for shared facts, `delete` for a file that is only a lock. */
  readonly journal: "wal" | "delete";
  /** `full`: a commit is on disk; `normal`: it survives the process, not a power cut. */
  readonly durability: "full" | "normal";
  /** Whether it is the store, and not any database. */
  readonly isStore?: boolean;
  /** For the jitter of the retry; at least 0, below 1. */
  readonly random: () => number;
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

type NativeConstructor = new (path: string) => NativeDatabase;

async function loadDriver(path: string): Promise<NativeConstructor> {
  try {
    const { default: Database } = await import("libsql");
    return Database as unknown as NativeConstructor;
  } catch (error) {
    throw storeError("no_driver", path, error);
  }
}

/** Opens or creates a database file (mode 0600, in a directory of mode 0700 if it has to be made), or `:memory:`. */
export async function openConnection(path: string, settings: ConnectionSettings): Promise<Connection> {
  const Database = await loadDriver(path);
  let connection: GuardedConnection;
  let givenUp: (() => void) | undefined;
  try {
    if (path !== ":memory:") givenUp = claimDatabaseFile(path, settings.isStore === true);
    connection = new GuardedConnection(path, new Database(path), { random: settings.random, givenUp });
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

interface Prepared {
  readonly statement: NativeStatement;
  readonly placeholders: number;
  readonly yieldsRows: boolean;
}

interface ConnectionParts {
  readonly random: () => number;
  /** Told when the file is not open any more. */
  readonly givenUp: (() => void) | undefined;
}

class GuardedConnection implements Connection {
  readonly path: string;
  closed = false;
  readonly #native: NativeDatabase;
  readonly #random: () => number;
  readonly #givenUp: (() => void) | undefined;
  readonly #prepared = new Map<string, Prepared>();
  readonly #statements: Statements = {
    run: (sql, values) => {
      const { statement, yieldsRows, bound } = this.#bind(sql, values);
      if (yieldsRows) throw new StoreInvariantError("a statement that yields rows must not be run");
      const { changes, lastInsertRowid } = statement.run(bound);
      return { changes, insertedId: Number(lastInsertRowid) };
    },
    // By `all`: libsql's own `get` finds nothing once, after an `all` of the same statement that had found nothing.
    get: (sql, values) => this.#statements.all(sql, values)[0],
    all: (sql, values) => {
      const { statement, yieldsRows, bound } = this.#bind(sql, values);
      if (!yieldsRows) throw new StoreInvariantError("a statement without rows must be run");
      return statement.all(bound).map(readRow);
    },
  };

  constructor(path: string, native: NativeDatabase, { random, givenUp }: ConnectionParts) {
    this.path = path;
    this.#native = native;
    this.#random = random;
    this.#givenUp = givenUp;
  }

  transaction<T>(work: (statements: Statements) => T, limit: WaitLimit = {}): Promise<T> {
    return this.#whenFree(() => this.#transact(work), limit.busyMs);
  }

  single<T>(work: (statements: Statements) => T, limit: WaitLimit = {}): Promise<T> {
    return this.#whenFree(() => work(this.#statements), limit.busyMs);
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

  #transact<T>(work: (statements: Statements) => T): T {
    if (this.#native.inTransaction) throw new StoreInvariantError("transactions do not nest");
    this.#native.exec("BEGIN IMMEDIATE");
    try {
      const result = work(this.#statements);
      if (result instanceof Promise) throw new StoreInvariantError("a transaction is synchronous");
      this.#native.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (this.#native.inTransaction) this.#native.exec("ROLLBACK");
      throw error;
    }
  }

  #bind(sql: string, values: readonly Bindable[]): Prepared & { readonly bound: readonly unknown[] } {
    this.#refuseWhenClosed();
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const placeholders = placeholderCount(sql);
      const statement = this.#native.prepare(sql);
      prepared = { statement, placeholders, yieldsRows: statement.reader };
      this.#prepared.set(sql, prepared);
    }
    return { ...prepared, bound: bindable(values, prepared.placeholders) };
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
      if (waitedMs < SPIN_MS) await setImmediate();
      else await setTimeout(1 + 4 * this.#random());
    }
  }
}

/** Never notified: waiting on it is sleeping for less than a timer can. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
