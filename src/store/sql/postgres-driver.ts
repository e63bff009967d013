/**
 * Owns `pg`: the one file that imports it. How work is carried out over its sessions is in `server-connection.ts`.
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
import type { Pool, PoolConfig } from "pg";
import type { Connection } from "./connection.ts";
import type { ServerAddress } from "./postgres-address.ts";
import { catalogOf, fromPostgresText, lockOf, saidForCertain, toPostgres } from "./postgres-dialect.ts";
import { type Pause, ServerConnection, type ServerParts, type Session, sessionOptions } from "./server-connection.ts";
import { ServerState } from "./server-state.ts";
import { storeError } from "./store-error.ts";

/** A schema of a server, as two connections see it. */
export interface Server {
  readonly durable: Connection;
  /** Commits what survives every process, and not a crash of the server. */
  readonly lazy: Connection;
  /** Tell the operator what to know of the server. */
  readonly warnings: readonly string[];
}

/** 14 is the oldest that its makers maintain. */
const OLDEST_VERSION = 140_000;
const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;
const MACHINE: Pause = {
  steady: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
};

/** Keyed by the numbers of the server's types: int8, name, text. A number that JavaScript would round is refused where the row is read. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [20, (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text))], // not money: what is not exact stays a bigint
  [19, fromPostgresText],
  [25, fromPostgresText],
]);

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
  const { shown, schema, connectionString, poolSize } = address;
  const pool = await loadPool(shown, {
    connectionString,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    // Statements leave without waiting for the answers to those before.
    pipeline: true,
    application_name: "hoga",
    options: sessionOptions(schema),
  });
  const lost = new WeakSet<Session>();
  // Whenever it happens: whoever uses it is told by what it asks, and nobody is given it again.
  pool.on("connect", (client) => client.on("error", () => lost.add(client)));
  pool.on("error", () => undefined);
  const own = { path: shown, catalog: catalogOf(schema), lock: lockOf(schema), random };
  const parts: ServerParts = { pool, pause: MACHINE, say: preparedOf, lost, ...own };
  const state = new ServerState();
  const durable = new ServerConnection(parts, state, "full");
  try {
    const warnings = await inspect(durable);
    return { durable, lazy: new ServerConnection(parts, state, "normal"), warnings };
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

interface Prepared {
  /** Prepared once on each connection. */
  readonly name: string;
  readonly text: string;
  readonly placeholders: number;
}

const prepared = new Map<string, Prepared>();

function preparedOf(sql: string, changes?: number): Prepared {
  const key = changes === undefined ? sql : `${changes} ${sql}`;
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const { text, placeholders } = toPostgres(sql);
  const said = changes === undefined ? text : saidForCertain(text, changes);
  const made = { name: `hoga_${prepared.size}`, text: said, placeholders };
  prepared.set(key, made);
  return made;
}
