/**
 * Owns how work is carried out over the sessions of a PostgreSQL server: flight by flight as the answers come, in a transaction that takes its turn
 * (`server-turn.ts`), again where a session is lost with nothing done, and with a question about the commit whose answer is lost.
 *
 * Entry point: `ServerConnection`, over a pool of sessions, which is `pg`'s or, in the simulation, a model's.
 * Invariants: as in `postgres-driver.ts`; time is the pool's own, so that a model can have its.
 *
 * Source: decision 0037.
 */
import type { Catalog, Connection, WaitLimit } from "./connection.ts";
import { explainServerError, isLost, isSilence } from "./postgres-error.ts";
import type { ServerState } from "./server-state.ts";
import {
  type Answered,
  answerOf,
  boundTo,
  type Ended,
  isFailure,
  LIFE,
  type Said,
  type Say,
  ServerTurn,
} from "./server-turn.ts";
import { carryOutLater, type Failure, type Statements, type Work } from "./statement.ts";
import { StoreInvariantError, storeError } from "./store-error.ts";

export type { Answered } from "./server-turn.ts";

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

/** The part of `pg`'s client that is used. */
export interface Session {
  /** Sends it behind what it was asked before, without waiting for the answers to that. */
  query(asked: Asked): Promise<Answered>;
  /** By which what leaves together is handed over in one piece; a model needs none. */
  readonly connection?: { readonly stream: { cork(): void; uncork(): void } };
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
  readonly say: Say;
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
  /** Those who are about to read. */
  #readers: Readers | undefined;

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
    return this.#untilDone((until) => this.#transact(work, until, limit.isRepeatable === true), limit);
  }

  async single<T>(work: (statements: Statements) => Work<T>, limit: WaitLimit = {}): Promise<T> {
    const read = (until: Limit): Promise<T> =>
      this.#withReader(until, limit.busyMs !== undefined || limit.isHurried === true, (client) =>
        carryOutLater(work, async (queries) => {
          if (queries.some(({ wantsRows }) => !wantsRows)) throw new NeedsTurn();
          const said = queries.map(({ sql, values }) => this.#said(sql, values));
          const answers = await this.#fly(client, said, until);
          return answers.map((answer, index) => answerOf(queries[index] ?? NO_ROWS, answer));
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

  async #transact<T>(work: (statements: Statements) => Work<T>, until: Limit, isRepeatable: boolean): Promise<T> {
    const { value, id, life, lost } = await this.#withClient(until, (client) =>
      this.#carriedOut(client, work, until, isRepeatable),
    );
    if (id === undefined || life === undefined || lost === undefined) return value;
    // The connection was given back before: several that ask at once would leave none to ask by.
    const outcome = await this.#outcomeOf(id, life);
    if (outcome === "committed") return value;
    throw outcome === "aborted" ? lost : storeError("outcome_unknown", this.path, lost);
  }

  async #carriedOut<T>(
    client: Session,
    work: (statements: Statements) => Work<T>,
    until: Limit,
    isRepeatable: boolean,
  ): Promise<Ended & { readonly value: T }> {
    const { lives } = this.#state;
    const fly = (said: readonly Said[]) => this.#fly(client, said, until);
    const parts = {
      path: this.path,
      begin: this.#beginning(until),
      life: lives.get(client),
      say: this.#parts.say,
      fly,
    };
    const turn = new ServerTurn(parts);
    try {
      const value = await carryOutLater(work, (queries) => turn.answer(queries));
      return { value, ...(await turn.commit(isRepeatable)) };
    } catch (error) {
      const meaning = explainServerError(error, this.path);
      if (isLost(meaning)) this.#parts.lost.add(client);
      else if (turn.isOpen)
        await this.#ask(client, { text: "ROLLBACK" }, until).catch(() => this.#parts.lost.add(client));
      throw meaning;
    } finally {
      if (turn.life !== undefined) lives.set(client, turn.life);
    }
  }

  #beginning(until: Limit): string {
    const lazily = this.#durability === "normal" ? "SET LOCAL synchronous_commit = off; " : "";
    // 0 would be without end.
    const wait = `SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(until.untilMs - this.#parts.pause.steady()))}`;
    return `BEGIN; ${lazily}${wait}; SELECT pg_advisory_xact_lock(${this.#parts.lock})`;
  }

  /** Finds out what became of a transaction whose commit was not answered; undefined where that cannot be found out in time. */
  async #outcomeOf(id: string, life: string): Promise<"committed" | "aborted" | undefined> {
    const until: Limit = { untilMs: this.#parts.pause.steady() + OUTCOME_MS, answerMs: ANSWER_MS };
    do {
      try {
        const asked: Said = { text: STATUS, values: [id] };
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
    const { rows } = await this.#ask(client, { text: LIFE }, until);
    const { life } = rows[0] as { life: string };
    this.#state.lives.set(client, life);
    return life;
  }

  #said(sql: string, values: Parameters<typeof boundTo>[0]): Said {
    const { placeholders, ...prepared } = this.#parts.say(sql);
    return { ...prepared, values: boundTo(values, placeholders) };
  }

  /** @throws what the error means */
  async #ask(client: Session, said: Said, until: Limit): Promise<Answered> {
    const [answer] = await this.#fly(client, [said], until);
    if (answer === undefined) throw new StoreInvariantError("a statement has no answer");
    if (isFailure(answer)) throw answer.error;
    return answer;
  }

  /** Asks all of it at once, and waits for the answer to each: for its rows, or what its error means. */
  async #fly(client: Session, said: readonly Said[], until: Limit): Promise<readonly (Answered | Failure)[]> {
    const nowMs = this.#parts.pause.steady();
    const query_timeout = this.#answerMs(until);
    const stream = said.length > 1 ? client.connection?.stream : undefined;
    stream?.cork();
    const asked = said.map((each) =>
      client.query({ ...each, query_timeout }).catch((error: unknown) => ({
        error: explainServerError(error, this.path),
      })),
    );
    stream?.uncork();
    const answers = await this.#state.asking(nowMs, Promise.all(asked));
    if (answers.some((answer) => !isFailure(answer))) this.#state.answered();
    if (answers.some((answer) => isFailure(answer) && isLost(answer.error))) this.#parts.lost.add(client);
    return answers;
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
      return this.#withClient(until, (client) => this.#ask(client, { text: "SELECT 1" }, until));
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

  /** Several that read at the same moment share a session, so that what they ask leaves together; who has a limit of its own is alone. */
  async #withReader<T>(until: Limit, isAlone: boolean, use: (client: Session) => Promise<T>): Promise<T> {
    if (isAlone) return this.#withClient(until, use);
    this.#readers ??= this.#openReaders(until);
    const readers = this.#readers;
    readers.count += 1;
    let client: Session | undefined;
    try {
      client = await readers.client;
      return await use(client);
    } catch (error) {
      if (client !== undefined && isLost(explainServerError(error, this.path))) this.#parts.lost.add(client);
      throw error;
    } finally {
      readers.count -= 1;
      if (readers.count === 0) client?.release(this.#parts.lost.has(client));
    }
  }

  /** Open until there is a session. */
  #openReaders(until: Limit): Readers {
    if (this.closed) throw new StoreInvariantError(`the store ${this.path} was used after it was closed`);
    const client = this.#connect(this.#answerMs(until)).finally(() => {
      if (this.#readers === readers) this.#readers = undefined;
    });
    const readers: Readers = { client, count: 0 };
    return readers;
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

interface Readers {
  readonly client: Promise<Session>;
  /** Those who are not done yet. */
  count: number;
}

const NO_ROWS = { sql: "", values: [], wantsRows: true };
const STATUS = "SELECT pg_xact_status($1::text::xid8) AS status";
