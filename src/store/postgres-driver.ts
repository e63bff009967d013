/**
 * Owns `pg`: the one file that imports it. Work is carried out over a connection of a pool, statement by statement as the answers come.
 *
 * Entry point: `openServer`.
 * Invariants: a write transaction takes its store's lock first, so what it reads stays true until it ends, as on SQLite; a store is a
 * schema, and nothing outside of it is named or found. A connection that is lost before the commit was asked for leaves nothing behind, and the
 * work is done again on another; lost while the commit was asked for, the server is asked what became of it, and where it cannot say
 * the work counts as failed. A transaction that stands still (a process that was stopped) is ended by the server.
 *
 * Source: decision 0037.
 */
import { setTimeout } from "node:timers/promises";
import type { Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from "pg";
import type { Catalog, Connection, WaitLimit } from "./connection.ts";
import type { ServerAddress } from "./postgres-address.ts";
import { catalogOf, fromPostgresText, lockOf, toPostgres, toPostgresText } from "./postgres-dialect.ts";
import { explainServerError, isLost } from "./postgres-error.ts";
import { type Answer, bindable, carryOutLater, type Query, readRow, type Statements, type Work } from "./statement.ts";
import { type StoreError, StoreInvariantError, storeError } from "./store-error.ts";

/** A schema of a server, as two connections see it. */
export interface Server {
  readonly durable: Connection;
  /** What it commits survives every process, and not a crash of the server. */
  readonly lazy: Connection;
  /** What the operator should know of the server. */
  readonly warnings: readonly string[];
}

/** 14 is the oldest that its makers maintain. */
const OLDEST_VERSION = 140_000;
const BUSY_MS = 5_000;
const CONNECT_MS = 5_000;
/** What an answer may take longer than another process is waited for; then the server counts as gone. */
const ANSWER_MS = 1_000;
/** How long one is tried that gave no answer the last time: what goes on without the store, such as a cancel, must not wait for it at each step. */
const SILENT_MS = 500;
/** A process that is stopped in a transaction holds up the others for this long: less than they wait. */
const STAND_STILL_MS = 3_000;
const POOL_SIZE = 5;
const IDLE_MS = 30_000;
/** How long the server is asked what became of a commit. */
const OUTCOME_MS = 5_000;
const AGAIN_MS = 50;

/** By the numbers of the server's types: int8, name, text. A number that JavaScript would round is refused where the row is read. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [20, (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text))], // not money: what is not exact stays a bigint
  [19, fromPostgresText],
  [25, fromPostgresText],
]);

type Durability = "full" | "normal";

async function loadPool(path: string, config: PoolConfig): Promise<Pool> {
  try {
    const { default: pg } = await import("pg");
    const getTypeParser: typeof pg.types.getTypeParser = (type: number, format?: "text" | "binary") =>
      PARSERS.get(type) ?? pg.types.getTypeParser(type, format as "text");
    return new pg.Pool({ ...config, types: { getTypeParser } });
  } catch (error) {
    throw storeError("no_driver", path, error);
  }
}

/** @throws StoreError where the server is not there, does not let us in, or is not one that a store can be kept on */
export async function openServer(address: ServerAddress, random: () => number): Promise<Server> {
  const { shown, schema, connectionString } = address;
  const pool = await loadPool(shown, {
    connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    application_name: "hoga",
    // At the start of each connection, so that there is none without them.
    options: `-c search_path=${schema} -c synchronous_commit=on -c idle_in_transaction_session_timeout=${STAND_STILL_MS}`,
  });
  const lost = new WeakSet<PoolClient>();
  // Whenever it happens: whoever uses it is told by what it asks, and nobody is given it again.
  pool.on("connect", (client) => client.on("error", () => lost.add(client)));
  pool.on("error", () => undefined);
  const own = { path: shown, catalog: catalogOf(schema), lock: lockOf(schema), random };
  const parts: ServerParts = { pool, lost, lives: new WeakMap(), ...own, isSilent: false };
  const durable = new ServerConnection(parts, "full");
  try {
    const warnings = await inspect(durable);
    return { durable, lazy: new ServerConnection(parts, "normal"), warnings };
  } catch (error) {
    durable.close();
    throw error;
  }
}

const FACTS = `SELECT current_setting('server_version_num')::int4 AS version, current_setting('server_encoding') AS encoding,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, pg_is_in_recovery()::int4 AS standby`;

async function inspect(connection: Connection): Promise<readonly string[]> {
  const { path } = connection;
  const facts = await connection.single(({ get }) => get(FACTS, []), { busyMs: 0 });
  const { version, encoding, fsync, pages, standby } = facts ?? {};
  if (typeof version !== "number" || version < OLDEST_VERSION) throw storeError("old_server", path);
  if (encoding !== "UTF8")
    throw storeError(
      "unwritable",
      path,
      undefined,
      `The database of the store ${path} is not in UTF8, so not every text can be kept.`,
    );
  if (standby === 1)
    throw storeError("unwritable", path, undefined, `The store ${path} is on a standby server, which takes no writes.`);
  if (fsync === "on" && pages === "on") return [];
  const which = fsync === "on" ? "full_page_writes" : "fsync";
  return [
    `The server of the store ${path} has ${which} off: a power cut may damage the store or take what was sent out of it. Set it on.`,
  ];
}

interface ServerParts {
  readonly pool: Pool;
  readonly lost: WeakSet<PoolClient>;
  readonly lives: WeakMap<PoolClient, string>;
  readonly path: string;
  readonly catalog: Catalog;
  readonly lock: bigint;
  readonly random: () => number;
  /** Whether it gave no answer the last time that it was asked. */
  isSilent: boolean;
}

/** A statement that writes has to take its turn. */
class NeedsTurn extends Error {}

class ServerConnection implements Connection {
  readonly path: string;
  readonly catalog: Catalog;
  readonly #parts: ServerParts;
  readonly #durability: Durability;

  constructor(parts: ServerParts, durability: Durability) {
    this.path = parts.path;
    this.catalog = parts.catalog;
    this.#parts = parts;
    this.#durability = durability;
  }

  get closed(): boolean {
    return this.#parts.pool.ending;
  }

  transaction<T>(work: (statements: Statements) => Work<T>, { busyMs }: WaitLimit = {}): Promise<T> {
    return this.#untilDone((untilMs) => this.#transact(work, untilMs), busyMs);
  }

  async single<T>(work: (statements: Statements) => Work<T>, limit: WaitLimit = {}): Promise<T> {
    const read = (untilMs: number): Promise<T> =>
      this.#withClient(untilMs, (client) =>
        carryOutLater(work, async (query) => {
          if (!query.wantsRows) throw new NeedsTurn();
          return this.#answer(client, query, untilMs);
        }),
      );
    try {
      return await this.#untilDone(read, limit.busyMs);
    } catch (error) {
      if (!(error instanceof NeedsTurn)) throw error;
      return this.transaction(work, limit);
    }
  }

  close(): void {
    if (!this.closed) this.#parts.pool.end().catch(() => undefined);
  }

  async #transact<T>(work: (statements: Statements) => Work<T>, untilMs: number): Promise<T> {
    const done = await this.#withClient(untilMs, async (client) => {
      const before = await this.#doBeforeCommit(client, work, untilMs);
      return { ...before, lost: await this.#commit(client, before.id !== undefined, untilMs) };
    });
    const { value, id, life, lost } = done;
    if (id === undefined || lost === undefined) return value;
    // The connection was given back before: several that ask at once would leave none to ask by.
    const outcome = await this.#outcomeOf(id, life);
    if (outcome === "committed") return value;
    throw outcome === "aborted" ? lost : storeError("outcome_unknown", this.path, lost);
  }

  async #doBeforeCommit<T>(
    client: PoolClient,
    work: (statements: Statements) => Work<T>,
    untilMs: number,
  ): Promise<{ readonly value: T; readonly id: string | undefined; readonly life: string }> {
    const lazily = this.#durability === "normal" ? "SET LOCAL synchronous_commit = off; " : "";
    // 0 would be without end.
    const wait = `SET LOCAL lock_timeout = ${Math.max(1, Math.ceil(untilMs - performance.now()))}`;
    try {
      const begin = `BEGIN; ${lazily}${wait}; SELECT pg_advisory_xact_lock(${this.#parts.lock})`;
      await this.#ask(client, begin, untilMs);
      const value = await carryOutLater(work, (query) => this.#answer(client, query, untilMs));
      return { value, id: await this.#transactionId(client, untilMs), life: await this.#lifeOf(client, untilMs) };
    } catch (error) {
      const meaning = explainServerError(error, this.path);
      if (!isLost(meaning)) await this.#ask(client, "ROLLBACK", untilMs).catch(() => this.#parts.lost.add(client));
      throw meaning;
    }
  }

  /** @returns how the answer was lost, where something was written; else nothing can be lost */
  async #commit(client: PoolClient, hasWritten: boolean, untilMs: number): Promise<StoreError | undefined> {
    let command: string;
    try {
      ({ command } = await this.#ask(client, "COMMIT", untilMs));
    } catch (error) {
      const lost = explainServerError(error, this.path);
      if (!isLost(lost)) throw lost;
      this.#parts.lost.add(client);
      return hasWritten ? lost : undefined;
    }
    if (command !== "COMMIT") throw new StoreInvariantError("PostgreSQL rolled back what was to be committed");
    return undefined;
  }

  /** What became of a transaction whose commit was not answered; undefined where that cannot be found out in time. */
  async #outcomeOf(id: string, life: string): Promise<"committed" | "aborted" | undefined> {
    const untilMs = performance.now() + OUTCOME_MS;
    do {
      try {
        const asked = { text: STATUS, values: [id] };
        const { rows, now } = await this.#withClient(untilMs, async (client) => ({
          now: await this.#lifeOf(client, untilMs),
          rows: (await this.#ask(client, asked, untilMs)).rows,
        }));
        // After a crash, and on another server, an id that was not on disk is given to another transaction.
        if (now !== life) return undefined;
        const { status } = rows[0] as { status: string | null };
        if (status === "committed" || status === "aborted") return status;
        // In progress: the server has not noticed yet that we are gone.
      } catch (error) {
        if (!isLost(explainServerError(error, this.path))) return undefined;
      }
      await setTimeout(AGAIN_MS);
    } while (performance.now() < untilMs);
    return undefined;
  }

  /** Another after each crash of the server, and on each server: then its statistics began anew. */
  async #lifeOf(client: PoolClient, untilMs: number): Promise<string> {
    const known = this.#parts.lives.get(client);
    if (known !== undefined) return known;
    const { rows } = await this.#ask(client, LIFE, untilMs);
    const { life } = rows[0] as { life: string };
    this.#parts.lives.set(client, life);
    return life;
  }

  async #transactionId(client: PoolClient, untilMs: number): Promise<string | undefined> {
    const { rows } = await this.#ask(client, "SELECT pg_current_xact_id_if_assigned()::text AS id", untilMs);
    return (rows[0] as { id: string | null }).id ?? undefined;
  }

  async #answer(client: PoolClient, { sql, values, wantsRows }: Query, untilMs: number): Promise<Answer> {
    const { placeholders, ...prepared } = preparedOf(sql);
    const bound = bindable(values, placeholders).map((value) =>
      typeof value === "string" ? toPostgresText(value) : value,
    );
    const result = await this.#ask(client, { ...prepared, values: bound }, untilMs);
    if (!wantsRows && result.fields.length > 0)
      throw new StoreInvariantError("a statement that yields rows must not be run");
    return { rows: result.rows.map(readRow), changes: wantsRows ? 0 : (result.rowCount ?? 0) };
  }

  /** @throws what the error means */
  async #ask(client: PoolClient, asked: string | QueryConfig, untilMs: number): Promise<QueryResult<Columns>> {
    const query = typeof asked === "string" ? { text: asked } : asked;
    // Every query of `pg` takes it; its types know that of the whole connection alone.
    const limited: QueryConfig & { query_timeout: number } = { ...query, query_timeout: answerMs(untilMs) };
    try {
      const result = await client.query<Columns>(limited);
      this.#parts.isSilent = false;
      return result;
    } catch (error) {
      if (isUnanswered(error)) this.#parts.isSilent = true;
      throw explainServerError(error, this.path);
    }
  }

  /** Again on another connection where one is lost with nothing done, for as long as another process would be waited for. */
  async #untilDone<T>(attempt: (untilMs: number) => Promise<T>, busyMs = BUSY_MS): Promise<T> {
    const untilMs = performance.now() + (this.#parts.isSilent ? Math.min(busyMs, SILENT_MS) : busyMs);
    for (;;) {
      try {
        return await attempt(untilMs);
      } catch (error) {
        const meaning = explainServerError(error, this.path);
        if (!isLost(meaning) || this.#parts.isSilent || performance.now() > untilMs) throw meaning;
      }
      await setTimeout(AGAIN_MS * (1 + this.#parts.random()));
    }
  }

  async #withClient<T>(untilMs: number, use: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.closed) throw new StoreInvariantError(`the store ${this.path} was used after it was closed`);
    const { lost } = this.#parts;
    const client = await this.#connect(answerMs(untilMs));
    try {
      return await use(client);
    } catch (error) {
      if (isLost(explainServerError(error, this.path))) lost.add(client);
      throw error;
    } finally {
      client.release(lost.has(client));
    }
  }

  /** The pool's own limit is one for all. */
  async #connect(withinMs: number): Promise<PoolClient> {
    const { pool } = this.#parts;
    const isInTime = new AbortController();
    const connecting = pool.connect();
    const late = setTimeout(withinMs, undefined, { signal: isInTime.signal }).catch(() => undefined);
    const client = await Promise.race([connecting, late]).finally(() => isInTime.abort());
    if (client !== undefined) return client;
    connecting.then((unused) => unused.release()).catch(() => undefined);
    // Where all connections are in use, it is not the server that says nothing.
    if (pool.waitingCount === 0) this.#parts.isSilent = true;
    throw storeError("no_server", this.path);
  }
}

type Columns = Record<string, unknown>;

function answerMs(untilMs: number): number {
  return Math.max(0, untilMs - performance.now()) + ANSWER_MS;
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

const LIFE = "SELECT concat(pg_stat_get_bgwriter_stat_reset_time()) AS life";
const STATUS = "SELECT pg_xact_status($1::text::xid8) AS status";

interface Prepared {
  /** Prepared once on each connection. */
  readonly name: string;
  readonly text: string;
  readonly placeholders: number;
}

const prepared = new Map<string, Prepared>();

function preparedOf(sql: string): Prepared {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  const made = { name: `hoga_${prepared.size}`, ...toPostgres(sql) };
  prepared.set(sql, made);
  return made;
}
