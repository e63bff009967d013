/**
 * Owns what may be bound to a statement and read from a row, so that no driver sees what it mishandles; and the form in which work on the
 * database is written once for all drivers.
 *
 * Invariants: work is a generator that yields what it asks the database, one statement or several whose answers nobody needs for the others, and is
 * resumed with the answers, at once by SQLite and later by a server, which is asked all of them in one flight; a statement that is made and not carried
 * out (a forgotten `yield*`) fails the transaction. Integers are bound as bigint, as libsql would store a JavaScript number as a float; a boolean, undefined or
 * object never reaches it (a boolean aborts the process); the count of values fits the statement; an integer too large
 * for a JavaScript number is refused rather than rounded.
 */
import { isUtf8 } from "node:buffer";
import { StoreInvariantError } from "./store-error.ts";

/** Numbers are whole and safe; larger ones travel as text. */
export type Bindable = number | string | bigint | Buffer | null;
export type Cell = number | string | Buffer | null;
export type Row = Readonly<Record<string, Cell>>;

/** Holds what is asked of the database. */
export interface Query {
  readonly sql: string;
  readonly values: readonly Bindable[];
  /** Asks for rows; else for how many were changed. */
  readonly wantsRows: boolean;
  /** Present where it changes so many rows, or the transaction fails: nobody has to wait for its answer. */
  readonly certain?: Certain;
}

interface Certain {
  /** Undefined: however many. */
  readonly changes: number | undefined;
  /** What its failure means. */
  readonly failure?: ((error: unknown) => unknown) | undefined;
}

/** No rows where none were wanted, and no changes where rows were. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly changes: number;
}

/** Why a statement has no answer. */
export interface Failure {
  readonly error: unknown;
}

/**
 * Yields what is asked together, and is resumed with an answer for each. May run more than once, and up to its first question before the transaction has
 * its turn: whatever it does besides asking has to bear that.
 */
export type Work<T> = Generator<readonly Query[], T, readonly (Answer | Failure)[]>;

/** Serves a transaction's function: `yield* get(…)`. Valid only until it returns. */
export interface Statements {
  /** @returns how many rows were changed */
  readonly run: (sql: string, values: readonly Bindable[]) => Work<{ readonly changes: number }>;
  readonly get: (sql: string, values: readonly Bindable[]) => Work<Row | undefined>;
  readonly all: (sql: string, values: readonly Bindable[]) => Work<readonly Row[]>;
  /** Writes, and is certain to change so many rows, where that is said, or fails the transaction; its answer comes with the next one, or the commit's. */
  readonly put: (
    sql: string,
    values: readonly Bindable[],
    changes?: number,
    failure?: Certain["failure"],
  ) => Work<void>;
}

/** The statements of one run of some work. */
class Asked implements Statements {
  /** Made, and not carried out yet. */
  #open = 0;

  readonly run = (sql: string, values: readonly Bindable[]): Work<Answer> => {
    this.#open += 1;
    return this.#answer({ sql, values, wantsRows: false });
  };

  readonly get = (sql: string, values: readonly Bindable[]): Work<Row | undefined> => {
    this.#open += 1;
    return this.#first({ sql, values, wantsRows: true });
  };

  readonly all = (sql: string, values: readonly Bindable[]): Work<readonly Row[]> => {
    this.#open += 1;
    return this.#rows({ sql, values, wantsRows: true });
  };

  /** @throws StoreInvariantError where something was not carried out */
  end(): void {
    if (this.#open !== 0) throw new StoreInvariantError("a statement was made and not carried out");
  }

  readonly put = (
    sql: string,
    values: readonly Bindable[],
    changes?: number,
    failure?: Certain["failure"],
  ): Work<void> => {
    this.#open += 1;
    return this.#nothing({ sql, values, wantsRows: false, certain: { changes, failure } });
  };

  *#answer(query: Query): Work<Answer> {
    this.#open -= 1;
    const [given] = yield [query];
    return answerIn(given);
  }

  *#first(query: Query): Work<Row | undefined> {
    return (yield* this.#answer(query)).rows[0];
  }

  *#rows(query: Query): Work<readonly Row[]> {
    return (yield* this.#answer(query)).rows;
  }

  *#nothing(query: Query): Work<void> {
    yield* this.#answer(query);
  }
}

function answerIn(given: Answer | Failure | undefined): Answer {
  if (given === undefined) throw new StoreInvariantError("a statement was not answered");
  if ("error" in given) throw given.error;
  return given;
}

type Done<Works extends readonly Work<unknown>[]> = {
  -readonly [Index in keyof Works]: Works[Index] extends Work<infer T> ? T : never;
};

/** Carries out several at the same time: what they ask first is asked together, then what they ask second, and so on, in their order each time. */
export function* together<const Works extends readonly Work<unknown>[]>(...works: Works): Work<Done<Works>> {
  const steps = works.map((work) => work.next());
  for (;;) {
    const open = steps.flatMap((step, index) => (step.done === true ? [] : [{ index, asked: step.value }]));
    if (open.length === 0) return steps.map(({ value }) => value) as Done<Works>;
    const given = yield open.flatMap(({ asked }) => asked);
    let from = 0;
    for (const { index, asked } of open) {
      const step = works[index]?.next(given.slice(from, from + asked.length));
      if (step !== undefined) steps[index] = step;
      from += asked.length;
    }
  }
}

/** Does as below, with the answers when they come; where `answer` rejects, the work is over. */
export async function carryOutLater<T>(
  work: (statements: Statements) => Work<T>,
  answer: (queries: readonly Query[]) => Promise<readonly (Answer | Failure)[]>,
): Promise<T> {
  const statements = new Asked();
  const running = work(statements);
  let step = running.next();
  while (step.done !== true) step = running.next(await answer(step.value));
  statements.end();
  return step.value;
}

/** Carries work out at once. */
export function carryOut<T>(work: (statements: Statements) => Work<T>, answer: (query: Query) => Answer): T {
  const statements = new Asked();
  const running = work(statements);
  let step = running.next();
  while (step.done !== true) step = running.next(step.value.map((query) => answerAtOnce(query, answer)));
  statements.end();
  return step.value;
}

function answerAtOnce(query: Query, answer: (query: Query) => Answer): Answer | Failure {
  const { certain } = query;
  try {
    const given = answer(query);
    const wanted = certain?.changes;
    if (wanted !== undefined && given.changes !== wanted) throw notAsCertain(wanted);
    return given;
  } catch (error) {
    return { error: certain?.failure?.(error) ?? error };
  }
}

function notAsCertain(changes: number): StoreInvariantError {
  return new StoreInvariantError(`a statement was to change ${changes} rows, and did not`);
}

const MAX_INTEGER = 2n ** 63n - 1n;
const quoted = /'[^']*'/g;
const namedPlaceholder = /\?\d|[:@$][A-Za-z_]/;

/** Number of `?` in a statement. Only plain ones are allowed, as libsql is handed an array. */
export function placeholderCount(sql: string): number {
  const bare = sql.replace(quoted, "");
  if (namedPlaceholder.test(bare)) throw new StoreInvariantError("a statement uses a named placeholder");
  return bare.split("?").length - 1;
}

export function bindable(values: readonly unknown[], placeholders: number): readonly unknown[] {
  if (!Array.isArray(values)) throw new StoreInvariantError("values are bound as an array");
  if (values.length !== placeholders) {
    throw new StoreInvariantError(`a statement takes ${placeholders} values and was given ${values.length}`);
  }
  // By index: `map` would let a hole in a sparse array slip through.
  const bound: unknown[] = [];
  for (let index = 0; index < values.length; index++) bound.push(bindValue(values[index], index));
  return bound;
}

function bindValue(value: unknown, index: number): unknown {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      if (Number.isSafeInteger(value)) return BigInt(value);
      throw new StoreInvariantError(`value ${index} is not a safe integer`);
    case "bigint":
      if (value <= MAX_INTEGER && value >= -MAX_INTEGER - 1n) return value;
      throw new StoreInvariantError(`value ${index} does not fit 64 bits`);
    case "object":
      if (value === null || Buffer.isBuffer(value)) return value;
      break;
    case "boolean":
    case "undefined":
    case "function":
    case "symbol":
      break;
  }
  throw new StoreInvariantError(`value ${index} is a ${typeof value}, which cannot be bound`);
}

/** A row as the driver gave it, checked and without the driver's own property. */
export function readRow(given: unknown): Row {
  const row = given as Record<string, Cell>;
  delete row["_metadata"];
  for (const name in row) {
    const cell: unknown = row[name];
    // libsql gives a Buffer for one row and an ArrayBuffer for several.
    if (cell instanceof ArrayBuffer) row[name] = Buffer.from(cell);
    if (typeof cell === "bigint" || (typeof cell === "number" && !Number.isSafeInteger(cell))) {
      throw new StoreInvariantError(`column ${name} holds a number that is not exact`);
    }
  }
  return row;
}

export function textCell(row: Row, column: string): string {
  const cell = row[column];
  if (typeof cell === "string") return cell;
  throw new StoreInvariantError(`column ${column} holds no text`);
}

export function numberCell(row: Row, column: string): number {
  const cell = row[column];
  if (typeof cell === "number") return cell;
  throw new StoreInvariantError(`column ${column} holds no number`);
}

export function optionalTextCell(row: Row, column: string): string | null {
  return row[column] === null ? null : textCell(row, column);
}

/**
 * Text that was selected as `CAST(… AS BLOB)`; PostgreSQL, whose text is always text, gives it as that. libsql ends the process when it reads text that is not UTF-8, and ends text
 * at a NUL; so where a changed byte must be survived or found, text is read as bytes.
 * @throws StoreInvariantError when the bytes are not UTF-8.
 */
export function bytesTextCell(row: Row, column: string): string {
  if (isTextCell(row, column)) return lenientTextCell(row, column);
  throw new StoreInvariantError(`column ${column} holds bytes that are no text`);
}

/** Tells whether it is UTF-8. */
export function isTextCell(row: Row, column: string): boolean {
  const cell = row[column];
  return !Buffer.isBuffer(cell) || isUtf8(cell);
}

/** Reads as above, with a mark in place of what is not UTF-8. */
export function lenientTextCell(row: Row, column: string): string {
  const cell = row[column];
  if (typeof cell === "string") return cell;
  if (Buffer.isBuffer(cell)) return cell.toString("utf8");
  throw new StoreInvariantError(`column ${column} holds no bytes`);
}
