/**
 * Owns how work is carried out over the sessions of a PostgreSQL server: statement by statement as the answers come, in a transaction that takes its turn,
 * again where a session is lost with nothing done, and with a question about the commit whose answer is lost.
 *
 * Entry point: `ServerConnection`, over a pool of sessions, which is `pg`'s or, in the simulation, a model's.
 * Invariants: as in `postgres-driver.ts`; time is the pool's own, so that a model can have its.
 *
 * Source: decision 0037.
 */
import type { Catalog, Connection, WaitLimit } from "./connection.ts";
import { toPostgresText } from "./postgres-dialect.ts";
import { explainServerError, isLost, isSilence } from "./postgres-error.ts";
import type { ServerState } from "./server-state.ts";
import { type Answer, bindable, carryOutLater, type Query, readRow, type Statements, type Work } from "./statement.ts";
import { type StoreError, StoreInvariantError, storeError } from "./store-error.ts";

const BUSY_MS = 5_000;
/** Bounds what an answer may take longer than another process is waited for; then the server counts as gone. */
const ANSWER_MS = 1_000;
/** The same for who waits for nobody: the way there and back. */
const HURRIED_ANSWER_MS = 50;
/** A process that is stopped in a transaction holds up the others for this long: less than they wait. */
const STAND_STILL_MS = 3_000;
/** Bounds how long the server is asked what became of a commit. */
const OUTCOME_MS = 5_000;
const AGAIN_MS = 50;

/** Makes what each session begins with, so that there is none without. */
export function sessionOptions(schema: string): string {
  // Where somebody has locked a table, the server says so before it would count as silent.
  const limits = `-c idle_in_transaction_session_timeout=${STAND_STILL_MS} -c lock_timeout=${BUSY_MS}`;
  return `-c search_path=${schema} -c synchronous_commit=on ${limits}`;
}

/** A statement as a session is given it. */
export interface Asked {
  readonly text: string;
  /** Prepared once on each session. */
  readonly name?: string;
  readonly values?: unknown[];
  /** Milliseconds for the answer. Every query of `pg` takes it; its types know that of the whole connection alone. */
  readonly query_timeout: number;
}

export interface Answered {
  readonly command: string;
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number | null;
  readonly fields: readonly unknown[];
}

/** The part of `pg`'s client that is used. */
export interface Session {
  query(asked: Asked): Promise<Answered>;
  /** @param ends whether it is given to nobody again */
  release(ends: boolean): void;
}

export interface SessionPool {
  connect(): Promise<Session>;
  end(): Promise<void>;
  readonly ending: boolean;
  readonly waitingCount: number;
}

/** Passes while an answer is waited for. */
export interface Pause {
  /** Milliseconds that only rise. */
  steady(): number;
  /** Resolves after `ms`, or early when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface ServerParts {
  readonly pool: SessionPool;
  readonly pause: Pause;
  /** Says how a statement of the store is said there, and how many values it takes. */
  readonly say: (sql: string) => { readonly text: string; readonly placeholders: number; readonly name?: string };
  /** Sessions that are used no more. */
  readonly lost: WeakSet<Session>;
  readonly path: string;
  readonly catalog: Catalog;
  readonly lock: bigint;
  readonly random: () => number;
}

/** A statement that writes has to take its turn. */
class NeedsTurn extends Error {}

/** Until when some work may take, and what an answer may take beyond that. */
interface Limit {
  readonly untilMs: number;
  readonly answerMs: number;
}

export class ServerConnection implements Connection {
  readonly path: string;
  readonly catalog: Catalog;
  readonly #parts: ServerParts;
  readonly #state: ServerState;
  readonly #durability: Durability;

  /** @param state one for all connections of a pool */
  constructor(parts: ServerParts, state: ServerState, durability: Durability) {
    this.path = parts.path;
    this.catalog = parts.catalog;
    this.#parts = parts;
    this.#state = state;
    this.#durability = durability;
  }

  get closed(): boolean {
    return this.#parts.pool.ending;
  }

  waitingMs(): number {
    return this.#state.waitingMs(this.#parts.pause.steady());
  }

  transaction<T>(work: (statements: Statements) => Work<T>, limit: WaitLimit = {}): Promise<T> {
    return this.#untilDone((until) => this.#transact(work, until), limit);
  }

  async single<T>(work: (statements: Statements) => Work<T>, limit: WaitLimit = {}): Promise<T> {
    const read = (until: Limit): Promise<T> =>
      this.#withClient(until, (client) =>
        carryOutLater(work, async (query) => {
          if (!query.wantsRows) throw new NeedsTurn();
          return this.#answer(client, query, until);
        }),
      );
    try {
      return await this.#untilDone(read, limit);
    } catch (error) {
      if (!(error instanceof NeedsTurn)) throw error;
      return this.transaction(work, limit);
    }
  }

  close(): void {
    if (!this.closed) this.#parts.pool.end().catch(() => undefined);
  }

  async #transact<T>(work: (statements: Statements) => Work<T>, until: Limit): Promise<T> {
    const done = await this.#withClient(until, async (client) => {
      const before = await this.#doBeforeCommit(client, work, until);
      return { ...before, lost: await this.#commit(client, before.id !== undefined, until) };
    });
    const { value, id, life, lost } = done;
    if (id === undefined || lost === undefined) return value;
    // The connection was given back before: several that ask at once would leave none to ask by.
    const outcome = await this.#outcomeOf(id, life);
    if (outcome === "committed") return value;
    throw outcome === "aborted" ? lost : storeError("outcome_unknown", this.path, lost);
  }

  async #doBeforeCommit<T>(
    client: Session,
    work: (statements: Statements) => Work<T>,
    until: Limit,
  ): Promise<{ readonly value: T; readonly id: string | undefined; readonly life: string }> {
    const lazily = this.#durability === "normal" ? "SET LOCAL synchronous_commit = off; " : "";
    // 0 would be without end.
    const wait = `SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(until.untilMs - this.#parts.pause.steady()))}`;
    try {
      const begin = `BEGIN; ${lazily}${wait}; SELECT pg_advisory_xact_lock(${this.#parts.lock})`;
      await this.#ask(client, begin, until);
      const value = await carryOutLater(work, (query) => this.#answer(client, query, until));
      return { value, id: await this.#transactionId(client, until), life: await this.#lifeOf(client, until) };
    } catch (error) {
      const meaning = explainServerError(error, this.path);
      if (!isLost(meaning)) await this.#ask(client, "ROLLBACK", until).catch(() => this.#parts.lost.add(client));
      throw meaning;
    }
  }

  /** @returns how the answer was lost, where something was written; else nothing can be lost */
  async #commit(client: Session, hasWritten: boolean, until: Limit): Promise<StoreError | undefined> {
    let command: string;
    try {
      ({ command } = await this.#ask(client, "COMMIT", until));
    } catch (error) {
      const lost = explainServerError(error, this.path);
      if (!isLost(lost)) throw lost;
      this.#parts.lost.add(client);
      return hasWritten ? lost : undefined;
    }
    if (command !== "COMMIT") throw new StoreInvariantError("PostgreSQL rolled back what was to be committed");
    return undefined;
  }

  /** Finds out what became of a transaction whose commit was not answered; undefined where that cannot be found out in time. */
  async #outcomeOf(id: string, life: string): Promise<"committed" | "aborted" | undefined> {
    const until: Limit = { untilMs: this.#parts.pause.steady() + OUTCOME_MS, answerMs: ANSWER_MS };
    do {
      try {
        const asked = { text: STATUS, values: [id] };
        const { rows, now } = await this.#withClient(until, async (client) => ({
          now: await this.#lifeOf(client, until),
          rows: (await this.#ask(client, asked, until)).rows,
        }));
        // After a crash, and on another server, an id that was not on disk is given to another transaction.
        if (now !== life) return undefined;
        const { status } = rows[0] as { status: string | null };
        if (status === "committed" || status === "aborted") return status;
        // In progress: the server has not noticed yet that we are gone.
      } catch (error) {
        if (!isLost(explainServerError(error, this.path))) return undefined;
      }
      await this.#parts.pause.sleep(AGAIN_MS);
    } while (this.#parts.pause.steady() < until.untilMs);
    return undefined;
  }

  /** Another after each crash of the server, and on each server: then its statistics began anew. */
  async #lifeOf(client: Session, until: Limit): Promise<string> {
    const known = this.#state.lives.get(client);
    if (known !== undefined) return known;
    const { rows } = await this.#ask(client, LIFE, until);
    const { life } = rows[0] as { life: string };
    this.#state.lives.set(client, life);
    return life;
  }

  async #transactionId(client: Session, until: Limit): Promise<string | undefined> {
    const { rows } = await this.#ask(client, "SELECT pg_current_xact_id_if_assigned()::text AS id", until);
    return (rows[0] as { id: string | null }).id ?? undefined;
  }

  async #answer(client: Session, { sql, values, wantsRows }: Query, until: Limit): Promise<Answer> {
    const { placeholders, ...prepared } = this.#parts.say(sql);
    const bound = bindable(values, placeholders).map((value) =>
      typeof value === "string" ? toPostgresText(value) : value,
    );
    const result = await this.#ask(client, { ...prepared, values: bound }, until);
    if (!wantsRows && result.fields.length > 0)
      throw new StoreInvariantError("a statement that yields rows must not be run");
    return { rows: result.rows.map(readRow), changes: wantsRows ? 0 : (result.rowCount ?? 0) };
  }

  /** @throws what the error means */
  async #ask(client: Session, asked: string | Omit<Asked, "query_timeout">, until: Limit): Promise<Answered> {
    const query = typeof asked === "string" ? { text: asked } : asked;
    const nowMs = this.#parts.pause.steady();
    try {
      const answer = client.query({ ...query, query_timeout: this.#answerMs(until) });
      const result = await this.#state.asking(nowMs, answer);
      this.#state.answered();
      return result;
    } catch (error) {
      throw explainServerError(error, this.path);
    }
  }

  /** Again on another connection where one is lost with nothing done, for as long as another process would be waited for. */
  async #untilDone<T>(attempt: (until: Limit) => Promise<T>, limit: WaitLimit): Promise<T> {
    const { busyMs = BUSY_MS, isHurried = false } = limit;
    const now = (): number => this.#parts.pause.steady();
    const answerMs = isHurried ? HURRIED_ANSWER_MS : ANSWER_MS;
    await this.#refuseWhenAway(answerMs);
    const until = { untilMs: now() + busyMs, answerMs };
    for (;;) {
      try {
        return await attempt(until);
      } catch (error) {
        const meaning = explainServerError(error, this.path);
        this.#state.failed(meaning, now(), !isHurried);
        if (!isLost(meaning) || this.#state.away !== undefined || now() > until.untilMs) throw meaning;
      }
      await this.#parts.pause.sleep(AGAIN_MS * (1 + this.#parts.random()));
      // Others may have found out meanwhile.
      await this.#refuseWhenAway(answerMs);
    }
  }

  async #refuseWhenAway(answerMs: number): Promise<void> {
    const { away } = this.#state;
    if (away === undefined || this.closed) return;
    const now = (): number => this.#parts.pause.steady();
    const isForgotten = this.#state.isForgotten(now());
    const looking = this.#state.look(now, () => {
      const until = { untilMs: now(), answerMs };
      return this.#withClient(until, (client) => this.#ask(client, "SELECT 1", until));
    });
    if (isForgotten) await looking;
    if (this.#state.away !== undefined) throw away;
  }

  async #withClient<T>(until: Limit, use: (client: Session) => Promise<T>): Promise<T> {
    if (this.closed) throw new StoreInvariantError(`the store ${this.path} was used after it was closed`);
    const { lost } = this.#parts;
    const client = await this.#connect(this.#answerMs(until));
    try {
      return await use(client);
    } catch (error) {
      if (isLost(explainServerError(error, this.path))) lost.add(client);
      throw error;
    } finally {
      client.release(lost.has(client));
    }
  }

  #answerMs({ untilMs, answerMs }: Limit): number {
    return Math.max(0, untilMs - this.#parts.pause.steady()) + answerMs;
  }

  /** The pool's own limit is one for all. */
  async #connect(withinMs: number): Promise<Session> {
    const { pool, pause } = this.#parts;
    const isInTime = new AbortController();
    const connecting = pool.connect();
    // Where all connections are in use, it is not the server that says nothing.
    const missing = pool.waitingCount > 0 ? "no_session" : "no_answer";
    const late = pause.sleep(withinMs, isInTime.signal).then(() => undefined);
    const either = Promise.race([connecting, late]).finally(() => isInTime.abort());
    let client: Session | undefined;
    try {
      client = await this.#state.asking(pause.steady(), either);
    } catch (error) {
      const meaning = explainServerError(error, this.path);
      throw isSilence(meaning) ? storeError(missing, this.path, error) : meaning;
    }
    if (client !== undefined) return client;
    connecting.then((unused) => unused.release(false)).catch(() => undefined);
    throw storeError(missing, this.path);
  }
}

type Durability = "full" | "normal";

const LIFE = "SELECT concat(pg_stat_get_bgwriter_stat_reset_time()) AS life";
const STATUS = "SELECT pg_xact_status($1::text::xid8) AS status";
