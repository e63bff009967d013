/**
 * Names what the store needs of a database, whichever it is.
 *
 * Invariants: write transactions of one store come one after another, in all processes: what one has read stays true until it ends. When
 * `transaction` resolves, it is committed.
 */
import type { Statements, Work } from "./statement.ts";

export interface WaitLimit {
  /** Bounds how long to wait for another process before `StoreError` "busy", and, a little longer, for each answer of a server. */
  readonly busyMs?: number;
  /** That the server is waited for no longer than that either. What then was not answered says nothing of the server: others may have more time. */
  readonly isHurried?: boolean;
  /** That the work comes to the same where it is done twice: where its end is not known, it is done again. */
  readonly isRepeatable?: boolean;
}

/** For a statement that reads all there is. */
export const WHOLE: WaitLimit = { busyMs: 30_000 };

/** Holds what each database is asked in words of its own. */
export interface Catalog {
  /** A row where there is anything in it. */
  readonly anything: string;
  /** The `name` of every table. */
  readonly tables: string;
  /** A row whose `application_id` says whose it is. */
  readonly id: string;
  /** Makes an empty one ours. */
  readonly begin: readonly string[];
  /** A row whose `quick_check` is "ok" unless it is damaged. Takes time with its size. */
  readonly check: string;
  /** Tells its own time, Unix milliseconds, within a statement: the same to all processes. */
  readonly nowMs: string;
}

export interface Connection {
  /** Names it for messages: the file, or `:memory:`. */
  readonly path: string;
  readonly closed: boolean;
  readonly catalog: Catalog;
  /** Runs `work` in one write transaction; rolls back when it throws. */
  transaction<T>(work: (statements: Statements) => Work<T>, limit?: WaitLimit): Promise<T>;
  /** Runs `work`, which reads or is one statement, without a transaction around it. */
  single<T>(work: (statements: Statements) => Work<T>, limit?: WaitLimit): Promise<T>;
  /** Milliseconds for which the oldest of what is going on here has waited: for an answer of a server, or for another process. */
  waitingMs(): number;
  close(): void;
}

/** Connections to one database; `lazy` does not wait for the disk. */
export interface Connections {
  readonly durable: Connection;
  readonly lazy: Connection;
}
