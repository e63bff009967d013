/**
 * Brings the database to the shape that `schema-steps.ts` gives it, each step in order. Entry point: `migrate`.
 *
 * Invariant: any number of processes may start at once; a step is applied by the first to get there, once.
 */
import type { Catalog, Connection } from "../sql/connection.ts";
import { APPLICATION_ID } from "../sql/database-file.ts";
import { numberCell, type Statements, type Work } from "../sql/statement.ts";
import { storeError } from "../sql/store-error.ts";
import { FIRST_VERSION, MIGRATIONS } from "./schema-steps.ts";

export const SCHEMA_VERSION = FIRST_VERSION + MIGRATIONS.length - 1;

/** For another process that upgrades: a long audit log takes it some seconds. */
const UPGRADE_WAIT = { busyMs: 30_000 } as const;

/** Version of the schema in the file; 0 when it is empty. */
function* versionIn({ get }: Statements, { tables }: Catalog): Work<number> {
  const table = yield* get(`SELECT name FROM (${tables}) AS listed WHERE name = 'schema_version'`, []);
  if (table === undefined) return 0;
  const row = yield* get("SELECT coalesce(max(version), 0) AS version FROM schema_version", []);
  return row === undefined ? 0 : numberCell(row, "version");
}

/** The tables first: where another process makes a new file ours between the two looks, the id is there with them. */
function* isForeign({ get }: Statements, { anything, id: askId }: Catalog): Work<boolean> {
  if ((yield* get(anything, [])) === undefined) return false;
  const id = yield* get(askId, []);
  return id !== undefined && numberCell(id, "application_id") !== APPLICATION_ID;
}

function* checkedVersion(statements: Statements, { catalog, path }: Connection): Work<number> {
  if (yield* isForeign(statements, catalog)) throw storeError("foreign_file", path);
  const version = yield* versionIn(statements, catalog);
  if (version > SCHEMA_VERSION) throw storeError("newer_schema", path);
  if (version > 0 && version < FIRST_VERSION) throw storeError("older_schema", path);
  return version;
}

/** Tells what is there; 0 where it is empty. Changes nothing. @throws StoreError "newer_schema", "older_schema" or "foreign_file" */
export function schemaVersion(connection: Connection): Promise<number> {
  return connection.single((statements) => checkedVersion(statements, connection));
}

/**
 * Brings the schema up to date, in one transaction: wholly or not at all.
 * @returns whether there was nothing in it
 * @throws StoreError "newer_schema", "older_schema" or "foreign_file"; the file is left as it was.
 */
export async function migrate(connection: Connection, nowMs: number): Promise<boolean> {
  const { catalog } = connection;
  // Without a write lock first: nearly every start finds nothing to do.
  if ((await schemaVersion(connection)) === SCHEMA_VERSION) return false;
  return connection.transaction(function* (statements) {
    const version = yield* checkedVersion(statements, connection);
    if (version === 0) yield* begin(statements, catalog);
    for (const [index, steps] of MIGRATIONS.entries()) {
      const to = FIRST_VERSION + index;
      if (to <= version) continue;
      // To libsql, a change of a table has rows, of which there are none.
      for (const step of steps)
        if (step.startsWith("ALTER TABLE")) yield* statements.all(step, []);
        else yield* statements.run(step, []);
      yield* statements.run("INSERT INTO schema_version (version, applied_at_ms) VALUES (?, ?)", [to, nowMs]);
    }
    return version === 0;
  }, UPGRADE_WAIT);
}

function* begin({ run }: Statements, catalog: Catalog): Work<void> {
  for (const sql of catalog.begin) yield* run(sql, []);
  yield* run("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at_ms INTEGER NOT NULL) STRICT", []);
}
