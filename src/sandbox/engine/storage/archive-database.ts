/**
 * Owns libsql in the sandbox: opens the archive's database file and runs statements on it. Entry point: `openArchiveDatabase`.
 *
 * Invariants: whole numbers are bound as bigint, as libsql would store a JavaScript number as a float; rows are read by `all`, as
 * libsql's `get` misses rows; text of a damaged file is never read as text, which would end the process.
 */
import type Native from "libsql";
import { claimFile } from "../../private-files.ts";
import { type Fields, isFields } from "./record-line.ts";

type Bindable = string | number | Buffer | null;

export class ArchiveDatabase {
  readonly #native: Native.Database;
  readonly #prepared = new Map<string, Native.Statement>();

  constructor(native: Native.Database) {
    this.#native = native;
  }

  exec(sql: string): void {
    this.#native.exec(sql);
  }

  run(sql: string, values: readonly Bindable[]): void {
    this.#statement(sql).run(values.map(bound));
  }

  /** Columns of text are not to be selected. */
  all(sql: string, values: readonly Bindable[] = []): Fields[] {
    return this.#statement(sql).all(values.map(bound)).filter(isFields);
  }

  transaction(work: () => void): void {
    this.#native.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#native.exec("COMMIT");
    } catch (error) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (this.#native.inTransaction) this.#native.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#native.close();
  }

  #statement(sql: string): Native.Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#native.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

function bound(value: Bindable): unknown {
  return typeof value === "number" ? BigInt(value) : value;
}

/** @throws Error where the row or the column holds none. */
export function numberCell(row: Fields | undefined, column: string): number {
  const cell = row?.[column];
  if (typeof cell === "number") return cell;
  throw new Error(`column ${column} holds no number`);
}

/** libsql gives a Buffer for one row and an ArrayBuffer for several. @throws Error where the row or the column holds neither. */
export function bytesCell(row: Fields | undefined, column: string): Buffer {
  const cell = row?.[column];
  if (cell instanceof ArrayBuffer) return Buffer.from(cell);
  if (Buffer.isBuffer(cell)) return cell;
  throw new Error(`column ${column} holds no bytes`);
}

/**
 * Opens the file, or creates it for its owner only. SQLite alone opens one that is there: closing it again would end SQLite's locks.
 * @throws as `fs` and libsql do; an error for a file that is no database.
 */
export async function openArchiveDatabase(path: string): Promise<ArchiveDatabase> {
  claimFile(path);
  const { default: Database } = await import("libsql");
  return new ArchiveDatabase(new Database(path));
}
