/**
 * Owns libsql in the sandbox: opens the archive's database file and runs statements on it. Entry point: `openArchiveDatabase`.
 *
 * Invariants: whole numbers are bound as bigint, as libsql would store a JavaScript number as a float; rows are read by `all`, as
 * libsql's `get` misses rows; text of a damaged file is never read as text, which would end the process.
 */
import { claimFile } from "../../private-files.ts";

interface NativeStatement {
  run(values: readonly unknown[]): unknown;
  all(values: readonly unknown[]): unknown[];
}

interface NativeDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
}

export type Cell = number | Buffer | null;
export type Row = Readonly<Record<string, Cell>>;
type Bindable = string | number | Buffer | null;

export class ArchiveDatabase {
  readonly #native: NativeDatabase;
  readonly #prepared = new Map<string, NativeStatement>();

  constructor(native: NativeDatabase) {
    this.#native = native;
  }

  exec(sql: string): void {
    this.#native.exec(sql);
  }

  run(sql: string, values: readonly Bindable[]): void {
    this.#statement(sql).run(values.map(bound));
  }

  /** Columns of text are not to be selected. */
  all(sql: string, values: readonly Bindable[] = []): Row[] {
    return this.#statement(sql).all(values.map(bound)).map(readRow);
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

  #statement(sql: string): NativeStatement {
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
export function numberCell(row: Row | undefined, column: string): number {
  const cell = row?.[column];
  if (typeof cell === "number") return cell;
  throw new Error(`column ${column} holds no number`);
}

/** libsql gives a Buffer for one row and an ArrayBuffer for several. */
function readRow(given: unknown): Row {
  const row = given as Record<string, Cell | ArrayBuffer>;
  for (const [name, cell] of Object.entries(row)) if (cell instanceof ArrayBuffer) row[name] = Buffer.from(cell);
  return row as Row;
}

/**
 * Opens the file, or creates it for its owner only. SQLite alone opens one that is there: closing it again would end SQLite's locks.
 * @throws as `fs` and libsql do; an error for a file that is no database.
 */
export async function openArchiveDatabase(path: string): Promise<ArchiveDatabase> {
  claimFile(path);
  const { default: Native } = await import("libsql");
  return new ArchiveDatabase(new Native(path) as unknown as NativeDatabase);
}
