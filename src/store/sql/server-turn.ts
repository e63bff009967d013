/**
 * Owns in which flights a transaction goes to a PostgreSQL server: all that can be asked before an answer is needed leaves together, the beginning with the
 * first questions, and the commit with the last writes.
 *
 * Invariants: nothing is asked before the store's lock is had; once the commit may have been carried out without our knowing, the server can be asked by the
 * transaction's id what became of it, which was answered before the commit left, unless the work may be done twice; a statement that failed lets no commit be
 * carried out, as the server then rolls back.
 *
 * Source: decision 0037.
 */

import { toPostgresText } from "./postgres-dialect.ts";
import { explainServerError, isLost } from "./postgres-error.ts";
import { type Answer, bindable, type Failure, type Query, readRow } from "./statement.ts";
import { type StoreError, StoreInvariantError } from "./store-error.ts";

/** What a statement comes to. */
export interface Answered {
  readonly command: string;
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number | null;
  readonly fields: readonly unknown[];
}

/** A statement as it is sent. */
export interface Said {
  readonly text: string;
  readonly name?: string;
  readonly values?: unknown[];
}

/** Sends all of them, and waits for the answer to each. Never rejects. */
export type Fly = (said: readonly Said[]) => Promise<readonly (Answered | Failure)[]>;

/** Says how a statement of the store is said there, and how many values it takes. @param changes how many rows it changes, or fails */
export type Say = (
  sql: string,
  changes?: number,
) => { readonly text: string; readonly placeholders: number; readonly name?: string };

interface TurnParts {
  readonly path: string;
  readonly begin: string;
  /** The server's life as the session knows it. */
  readonly life: string | undefined;
  readonly say: Say;
  readonly fly: Fly;
}

/** Another after each crash of the server, and on each server: then its statistics began anew. */
export const LIFE = "SELECT concat(pg_stat_get_bgwriter_stat_reset_time()) AS life";
/** Gives it one, so that it is known before anything is written. */
const ID = "SELECT pg_current_xact_id()::text AS id";
const READS = /^\s*(?:SELECT|WITH)\b/i;

/** How a transaction ended. `lost`: its commit has no answer, and by `id` and `life` the server can be asked what became of what was written. */
export interface Ended {
  readonly lost?: StoreError;
  readonly id?: string;
  readonly life?: string;
}

export class ServerTurn {
  readonly #parts: TurnParts;
  #isBegun = false;
  #isOver = false;
  #hasWritten = false;
  /** The first that failed: nothing behind it is carried out, for no other reason. */
  #failed: Failure | undefined;
  #id: string | undefined;
  #life: string | undefined;
  /** What is certain, and not sent yet. */
  #waiting: Query[] = [];

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#life = parts.life;
  }

  /** Tells whether there is something to roll back. */
  get isOpen(): boolean {
    return this.#isBegun && !this.#isOver;
  }

  get life(): string | undefined {
    return this.#life;
  }

  /** @throws where what was certain has failed, and where it could not begin */
  async answer(queries: readonly Query[]): Promise<readonly (Answer | Failure)[]> {
    this.#hasWritten ||= queries.some(({ sql }) => !READS.test(sql));
    if (queries.every(({ certain }) => certain !== undefined)) {
      this.#waiting.push(...queries);
      return queries.map(({ certain }) => ({ rows: [], changes: certain?.changes ?? 0 }));
    }
    const before = this.#waiting.length;
    const answers = await this.#ask([...this.#waiting, ...queries]);
    return answers.slice(before);
  }

  /** @param isRepeatable the work does the same where it is done twice: then what has no answer is done again, and all of it may be one flight */
  async commit(isRepeatable: boolean): Promise<Ended> {
    if (!this.#isBegun && this.#waiting.length === 0) return {};
    if (!this.#isBegun && !isRepeatable) await this.#ask(this.#waiting);
    const beginning = this.#isBegun ? [] : [{ text: this.#parts.begin }];
    const last = this.#waiting;
    this.#isBegun = true;
    this.#isOver = true;
    const answers = await this.#parts.fly([
      ...beginning,
      ...last.map((query) => this.#said(query)),
      { text: "COMMIT" },
    ]);
    const first = answers.findIndex(isFailure);
    const failure = answers[first];
    if (failure !== undefined && isFailure(failure)) {
      const meaning = this.#meaningOf(failure, last[first - beginning.length]);
      if (!isLost(meaning) || this.#id === undefined || this.#life === undefined) throw meaning;
      // What wrote nothing is done in any case.
      return { lost: meaning, ...(this.#hasWritten && { id: this.#id, life: this.#life }) };
    }
    const committed = answers.at(-1);
    if (committed === undefined || isFailure(committed) || committed.command !== "COMMIT")
      throw new StoreInvariantError("PostgreSQL rolled back what was to be committed");
    return {};
  }

  /** Sends what waits and these behind it; before the first of them, the beginning. */
  async #ask(queries: readonly Query[]): Promise<readonly (Answer | Failure)[]> {
    const isFirst = !this.#isBegun;
    const asksLife = isFirst && this.#life === undefined;
    const beginning = isFirst ? [{ text: this.#parts.begin }, { text: ID }, ...(asksLife ? [{ text: LIFE }] : [])] : [];
    const said = queries.map((query) => this.#said(query));
    this.#waiting = [];
    this.#isBegun = true;
    const answers = await this.#parts.fly([...beginning, ...said]);
    const begun = answers.slice(0, beginning.length);
    const failure = begun.find(isFailure);
    if (failure !== undefined) throw failure.error;
    if (isFirst) this.#id = textIn(begun[1], "id");
    if (asksLife) this.#life = textIn(begun[2], "life");
    return queries.map((query, index) => this.#given(query, answers[beginning.length + index]));
  }

  #said({ sql, values, certain }: Query): Said {
    const { placeholders, ...prepared } = this.#parts.say(sql, certain?.changes);
    return { ...prepared, values: boundTo(values, placeholders) };
  }

  #given(query: Query, given: Answered | Failure | undefined): Answer | Failure {
    if (given === undefined) throw new StoreInvariantError("a statement has no answer");
    if (isFailure(given)) this.#failed ??= given;
    const answer = isFailure(given) ? (this.#failed ?? given) : given;
    if (query.certain === undefined) return answerOf(query, answer);
    if (isFailure(answer)) throw this.#meaningOf(answer, query);
    return { rows: [], changes: query.certain.changes ?? 0 };
  }

  #meaningOf(failure: Failure, query: Query | undefined): unknown {
    const meaning = explainServerError(failure.error, this.#parts.path);
    return isLost(meaning) ? meaning : (query?.certain?.failure?.(meaning) ?? meaning);
  }
}

export function boundTo(values: Query["values"], placeholders: number): unknown[] {
  return bindable(values, placeholders).map((value) => (typeof value === "string" ? toPostgresText(value) : value));
}

/** The answer to a statement that is waited for. */
export function answerOf({ wantsRows }: Query, answer: Answered | Failure): Answer | Failure {
  if (isFailure(answer)) return answer;
  if (!wantsRows && answer.fields.length > 0)
    return { error: new StoreInvariantError("a statement that yields rows must not be run") };
  try {
    return { rows: answer.rows.map(readRow), changes: wantsRows ? 0 : (answer.rowCount ?? 0) };
  } catch (error) {
    return { error };
  }
}

export function isFailure(answer: Answered | Failure | Answer): answer is Failure {
  return "error" in answer;
}

function textIn(answer: Answered | Failure | undefined, column: string): string | undefined {
  if (answer === undefined || isFailure(answer)) return undefined;
  const cell = answer.rows[0]?.[column];
  return typeof cell === "string" ? cell : undefined;
}
