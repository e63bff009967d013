/**
 * Owns the shape of the database: numbered steps forward, none ever edited after a release. `migrations.ts` applies them.
 */
import { canonicalJson } from "../../contract/index.ts";
import { type ChainHead, chainEntry, EMPTY_CHAIN } from "../audit/audit-chain.ts";
import {
  lenientTextCell,
  numberCell,
  optionalTextCell,
  type Row,
  type Statements,
  textCell,
  type Work,
} from "../sql/statement.ts";

type Step = string | ((statements: Statements) => Work<void>);

export const MIGRATIONS: readonly (readonly Step[])[] = [
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
  [
    addColumn("intents", "held_krw INTEGER NOT NULL DEFAULT 0 CHECK (held_krw >= 0)"),
    addColumn("intents", "held_live INTEGER NOT NULL DEFAULT 0 CHECK (held_live IN (0, 1))"),
    addColumn("intents", "held_at_ms INTEGER"),
    addColumn("intents", "sent_at_ms INTEGER"),
    // What stood recorded and unsent is called approved now.
    "UPDATE intents SET state = 'approved' WHERE state = 'recorded'",
    // One for each sum over an account, with all that it adds up.
    "CREATE INDEX intents_live ON intents (account, held_krw) WHERE held_live = 1",
    "CREATE INDEX intents_held ON intents (account, held_at_ms, held_krw) WHERE held_live = 0 AND held_krw > 0",
    "CREATE INDEX intents_sent ON intents (account, sent_at_ms) WHERE sent_at_ms IS NOT NULL",
    "ALTER TABLE audit RENAME TO audit_unchained",
    // Without defaults, so that a process of the version before, still running, cannot add an entry outside the chain.
    `CREATE TABLE audit (
      seq INTEGER PRIMARY KEY NOT NULL,
      at_ms INTEGER NOT NULL,
      account TEXT NOT NULL,
      event TEXT NOT NULL,
      intent_id TEXT,
      order_id TEXT,
      detail TEXT NOT NULL,
      prev_hash TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT`,
    `CREATE TABLE audit_head (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      count INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL
    ) STRICT`,
    chainAudit,
    "DROP TABLE audit_unchained",
    "CREATE INDEX audit_by_intent ON audit (intent_id, seq) WHERE intent_id IS NOT NULL",
    "CREATE INDEX audit_by_order ON audit (order_id, seq) WHERE order_id IS NOT NULL",
    `CREATE TABLE brake (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      reason TEXT NOT NULL,
      engaged_by TEXT NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE pin (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      salt BLOB NOT NULL,
      key BLOB NOT NULL,
      set_at_ms INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      locks INTEGER NOT NULL,
      locked_until_ms INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE timers (
      account TEXT PRIMARY KEY NOT NULL,
      due_at_ms INTEGER NOT NULL,
      armed_at_ms INTEGER NOT NULL,
      claimed_until_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    "CREATE TABLE seal (id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1), key BLOB NOT NULL) STRICT",
  ],
  [
    // A body is bytes, as it is somebody else's text.
    `CREATE TABLE inbox (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      source TEXT NOT NULL,
      event_id TEXT NOT NULL,
      body BLOB NOT NULL,
      received_at_ms INTEGER NOT NULL,
      claimed_until_ms INTEGER NOT NULL,
      processed_at_ms INTEGER,
      UNIQUE (source, event_id)
    ) STRICT`,
    "CREATE INDEX inbox_waiting ON inbox (source, seq) WHERE processed_at_ms IS NULL",
  ],
  [
    // Whether the order was sent and nobody was told yet what became of it.
    addColumn("intents", "unheard INTEGER NOT NULL DEFAULT 0 CHECK (unheard IN (0, 1))"),
    "CREATE INDEX intents_unheard ON intents (account, created_at_ms) WHERE unheard = 1 AND order_id IS NOT NULL",
  ],
  [
    `CREATE TABLE transfers (
      transfer_id TEXT PRIMARY KEY NOT NULL,
      account TEXT NOT NULL,
      family TEXT NOT NULL,
      wish TEXT NOT NULL,
      idempotency_key TEXT NOT NULL UNIQUE,
      state TEXT NOT NULL,
      nonce TEXT,
      body TEXT NOT NULL,
      held_krw INTEGER NOT NULL DEFAULT 0 CHECK (held_krw >= 0),
      held_live INTEGER NOT NULL DEFAULT 0 CHECK (held_live IN (0, 1)),
      held_at_ms INTEGER,
      unheard INTEGER NOT NULL DEFAULT 0 CHECK (unheard IN (0, 1)),
      created_at_ms INTEGER NOT NULL,
      updated_at_ms INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX transfers_by_wish ON transfers (account, wish)",
    "CREATE INDEX transfers_by_state ON transfers (account, state, created_at_ms)",
    "CREATE INDEX transfers_held ON transfers (account, family, held_live, held_at_ms, held_krw) WHERE held_krw > 0",
    "CREATE INDEX transfers_unheard ON transfers (account, created_at_ms) WHERE unheard = 1",
  ],
  [
    addColumn("transfers", "sent_at_ms INTEGER"),
    "CREATE INDEX transfers_sent ON transfers (account, sent_at_ms) WHERE sent_at_ms IS NOT NULL",
  ],
  [
    // By what an account was found: a key, an address, the name it had before.
    "CREATE TABLE account_names (name TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE key_labels (key_id TEXT PRIMARY KEY NOT NULL, environment TEXT NOT NULL) STRICT, WITHOUT ROWID",
    `CREATE TABLE identity (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      store_id TEXT NOT NULL,
      place TEXT NOT NULL
    ) STRICT`,
  ],
  [
    `CREATE TABLE fills (
      account TEXT NOT NULL,
      trade_id TEXT NOT NULL,
      order_id TEXT NOT NULL,
      symbol TEXT NOT NULL,
      side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
      price TEXT NOT NULL,
      volume TEXT NOT NULL,
      value TEXT NOT NULL,
      fee TEXT NOT NULL,
      fee_currency TEXT NOT NULL,
      at_ms INTEGER NOT NULL,
      PRIMARY KEY (account, trade_id, order_id)
    ) STRICT, WITHOUT ROWID`,
    "CREATE INDEX fills_by_time ON fills (account, at_ms)",
    `CREATE TABLE fill_progress (
      account TEXT PRIMARY KEY NOT NULL,
      done_to_ms INTEGER,
      whole_at_ms INTEGER,
      pass_from_ms INTEGER,
      pass_newest_ms INTEGER,
      pass_cursor TEXT
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE access_tokens (
      name TEXT PRIMARY KEY NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      expires_at_ms INTEGER,
      used_at_ms INTEGER
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE passkeys (
      credential_id TEXT PRIMARY KEY NOT NULL,
      public_key TEXT NOT NULL,
      counter INTEGER NOT NULL,
      transports TEXT NOT NULL,
      name TEXT NOT NULL,
      rp_id TEXT NOT NULL,
      is_proven INTEGER NOT NULL CHECK (is_proven IN (0, 1)),
      created_at_ms INTEGER NOT NULL,
      used_at_ms INTEGER
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    // Empty: the operator's own.
    addColumn("access_tokens", "tenant TEXT NOT NULL DEFAULT ''"),
    // One that was removed keeps its row, so that nobody else gets its name, and with it what it has left.
    `CREATE TABLE tenants (
      name TEXT PRIMARY KEY NOT NULL,
      profile TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      removed_at_ms INTEGER
    ) STRICT, WITHOUT ROWID`,
    // The digest is of the key at the exchange: two tenants with one would have two budgets, and take each other's nonces.
    `CREATE TABLE tenant_keys (
      tenant TEXT PRIMARY KEY NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      master_key_id TEXT NOT NULL,
      sealed TEXT NOT NULL,
      sealed_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE tenant_subjects (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      tenant TEXT NOT NULL,
      admitted_at_ms INTEGER NOT NULL,
      PRIMARY KEY (issuer, subject)
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    addColumn("fill_progress", "revision INTEGER NOT NULL DEFAULT 0"),
    // What was computed from the fills up to a time. It can be computed again.
    `CREATE TABLE fill_marks (
      account TEXT NOT NULL,
      kind TEXT NOT NULL,
      to_ms INTEGER NOT NULL,
      count INTEGER NOT NULL,
      is_lasting INTEGER NOT NULL CHECK (is_lasting IN (0, 1)),
      state TEXT NOT NULL,
      PRIMARY KEY (account, kind, to_ms)
    ) STRICT`,
    // Else the rows of an account that has few are looked for in all of the log.
    "CREATE INDEX audit_by_account ON audit (account, seq)",
    "CREATE INDEX fills_bought ON fills (account, symbol, at_ms) WHERE side = 'buy'",
  ],
  [
    // Wrong tries of the PIN at the console; those on a terminal are counted in the PIN's own row.
    `CREATE TABLE console_tries (
      id TEXT PRIMARY KEY NOT NULL,
      session TEXT NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    "CREATE TABLE ended_sessions (digest TEXT PRIMARY KEY NOT NULL, until_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX ended_sessions_by_end ON ended_sessions (until_ms)",
  ],
  [
    // Who is signed in at the console: what lets a browser in is not here, only its digest.
    `CREATE TABLE console_sessions (
      digest TEXT PRIMARY KEY NOT NULL,
      let_in_by TEXT NOT NULL,
      ends_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    // What an account was seen to hold, where the fills do not explain it as they did before.
    `CREATE TABLE balance_sightings (
      account TEXT NOT NULL,
      asset TEXT NOT NULL,
      at_ms INTEGER NOT NULL,
      since_ms INTEGER,
      total TEXT NOT NULL,
      PRIMARY KEY (account, at_ms, asset)
    ) STRICT, WITHOUT ROWID`,
    addColumn("fill_progress", "seen_ms INTEGER"),
  ],
];

/** libsql takes this one statement of the schema for one that yields rows. */
function addColumn(table: string, definition: string): Step {
  return function* ({ all }) {
    yield* all(`ALTER TABLE ${table} ADD COLUMN ${definition}`, []);
  };
}

const UNCHAINED = `SELECT seq, at_ms, account, event, intent_id, order_id, CAST(detail AS BLOB) AS detail
  FROM audit_unchained WHERE seq > ? ORDER BY seq LIMIT ?`;
const UNCHAINED_PAGE = 500;

/** Hashes the entries of schema 1 as they are found, in the order they were written. */
function* chainAudit(statements: Statements): Work<void> {
  let head: ChainHead = EMPTY_CHAIN;
  for (;;) {
    const page = yield* statements.all(UNCHAINED, [head.seq, UNCHAINED_PAGE]);
    for (const row of page) {
      head = yield* chainEntry(statements, head, {
        seq: numberCell(row, "seq"),
        atMs: numberCell(row, "at_ms"),
        account: textCell(row, "account"),
        event: textCell(row, "event"),
        intentId: optionalTextCell(row, "intent_id"),
        orderId: optionalTextCell(row, "order_id"),
        detail: canonicalDetail(row),
      });
    }
    if (page.length < UNCHAINED_PAGE) break;
  }
  const { count, seq, hash } = head;
  yield* statements.run("INSERT INTO audit_head (id, count, seq, hash) VALUES (1, ?, ?, ?)", [count, seq, hash]);
}

/** An entry that was damaged before is kept as it is, and no reason not to start. */
function canonicalDetail(row: Row): string {
  const text = lenientTextCell(row, "detail");
  try {
    return canonicalJson(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return canonicalJson({ unreadable: text });
  }
}
