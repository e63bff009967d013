/**
 * Owns the shape of the database: numbered steps forward, each in one transaction, none ever edited after a release.
 *
 * Invariant: any number of processes may start at once; a step is applied by the first to get there, once.
 */
import type { Connection } from "./driver.ts";
import { numberCell, type Statements } from "./statement.ts";
import { storeError } from "./store-error.ts";

/** "hoga" in ASCII, in the header of the file, so that another program's database is never touched. */
const APPLICATION_ID = 0x686f6761;

const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE intents (
      intent_id TEXT PRIMARY KEY NOT NULL,
      account TEXT NOT NULL,
      userref TEXT NOT NULL,
      state TEXT NOT NULL,
      nonce TEXT,
      order_id TEXT,
      body TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      updated_at_ms INTEGER NOT NULL,
      UNIQUE (account, userref)
    ) STRICT`,
    "CREATE UNIQUE INDEX intents_by_order ON intents (account, order_id) WHERE order_id IS NOT NULL",
    "CREATE INDEX intents_by_state ON intents (account, state, created_at_ms)",
    `CREATE TABLE audit (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      at_ms INTEGER NOT NULL,
      account TEXT NOT NULL,
      event TEXT NOT NULL,
      intent_id TEXT,
      order_id TEXT,
      detail TEXT NOT NULL
    ) STRICT`,
    "CREATE INDEX audit_by_intent ON audit (intent_id, seq) WHERE intent_id IS NOT NULL",
    "CREATE INDEX audit_by_order ON audit (order_id, seq) WHERE order_id IS NOT NULL",
    `CREATE TABLE lanes (
      key_id TEXT PRIMARY KEY NOT NULL,
      last_nonce TEXT NOT NULL,
      calls_until_us INTEGER NOT NULL,
      weight_until_us INTEGER NOT NULL,
      paused_from_ms INTEGER NOT NULL,
      paused_until_ms INTEGER NOT NULL,
      lease_id INTEGER NOT NULL,
      lease_from_ms INTEGER NOT NULL,
      lease_until_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE lane_line (
      ticket INTEGER PRIMARY KEY AUTOINCREMENT,
      key_id TEXT NOT NULL,
      due_ms INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX lane_line_by_key ON lane_line (key_id, ticket)",
  ],
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Version of the schema in the file; 0 when it is empty. */
function versionIn({ get }: Statements): number {
  const table = get("SELECT 1 AS found FROM sqlite_schema WHERE name = 'schema_version'", []);
  if (table === undefined) return 0;
  const row = get("SELECT coalesce(max(version), 0) AS version FROM schema_version", []);
  return row === undefined ? 0 : numberCell(row, "version");
}

function isForeign({ get }: Statements): boolean {
  const id = get("PRAGMA application_id", []);
  if (id === undefined || numberCell(id, "application_id") === APPLICATION_ID) return false;
  return get("SELECT 1 AS found FROM sqlite_schema LIMIT 1", []) !== undefined;
}

/**
 * Brings the schema up to date.
 * @throws StoreError "newer_schema" or "foreign_file"; the file is left as it was.
 */
export async function migrate(connection: Connection, nowMs: number): Promise<void> {
  const check = (statements: Statements): number => {
    if (isForeign(statements)) throw storeError("foreign_file", connection.path);
    const version = versionIn(statements);
    if (version > SCHEMA_VERSION) throw storeError("newer_schema", connection.path);
    return version;
  };
  // Without a write lock first: nearly every start finds nothing to do.
  let version = await connection.single(check);
  while (version < SCHEMA_VERSION) {
    version = await connection.transaction((statements) => {
      const next = check(statements) + 1;
      const steps = MIGRATIONS[next - 1];
      if (steps === undefined) return next - 1;
      if (next === 1) begin(statements);
      for (const step of steps) statements.run(step, []);
      statements.run("INSERT INTO schema_version (version, applied_at_ms) VALUES (?, ?)", [next, nowMs]);
      return next;
    });
  }
}

function begin({ run }: Statements): void {
  run(`PRAGMA application_id = ${APPLICATION_ID}`, []);
  run("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at_ms INTEGER NOT NULL) STRICT", []);
}
