/**
 * Owns the shape of the database: its tables as they are made, and numbered steps forward from there, none ever edited after a release.
 * `migrations.ts` applies them. Sums are integers, in steps of the unit beside them (`UNIT_DECIMALS`), so that they add exactly.
 */
import { GENESIS_HASH } from "../audit/audit-chain.ts";

/** The first of them makes everything. Earlier ones were of stores from before any release. */
export const FIRST_VERSION = 17;

/** What orders and transfers are counted by: a partial index for each sum, with all that it adds up. */
const HELD = `held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
      unit TEXT NOT NULL,
      held_live INTEGER NOT NULL DEFAULT 0 CHECK (held_live IN (0, 1)),
      held_at_ms INTEGER,
      sent_at_ms INTEGER,
      unacknowledged INTEGER NOT NULL DEFAULT 0 CHECK (unacknowledged IN (0, 1))`;

/** Orders that wait, what became of each, who watches, and what is told. Ends and turns are by the exchange's clock. */
const PLANS: readonly string[] = [
  `CREATE TABLE plans (
    plan_id TEXT PRIMARY KEY NOT NULL,
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    symbol TEXT,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    terms TEXT NOT NULL,
    mandate TEXT,
    progress TEXT NOT NULL,
    asked TEXT,
    protects INTEGER NOT NULL CHECK (protects IN (0, 1)),
    volume TEXT,
    open_step INTEGER,
    replaces TEXT,
    until_ms INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER
  ) STRICT`,
  "CREATE INDEX plans_by_state ON plans (account, state)",
  "CREATE INDEX plans_listed ON plans (account, plan_id)",
  "CREATE INDEX plans_open ON plans (account, plan_id) WHERE ended_at_ms IS NULL",
  "CREATE INDEX plans_protecting ON plans (account, symbol) WHERE protects = 1 AND ended_at_ms IS NULL",
  `CREATE TABLE plan_steps (
    plan_id TEXT NOT NULL,
    step INTEGER NOT NULL,
    account TEXT NOT NULL,
    label TEXT,
    symbol TEXT NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
    state TEXT NOT NULL,
    due_at_ms INTEGER,
    worst_value INTEGER NOT NULL CHECK (worst_value >= 0),
    unit TEXT NOT NULL,
    volume TEXT,
    intent_id TEXT,
    result TEXT NOT NULL,
    claimed_at_ms INTEGER,
    updated_at_ms INTEGER NOT NULL,
    PRIMARY KEY (plan_id, step)
  ) STRICT, WITHOUT ROWID`,
  "CREATE UNIQUE INDEX plan_steps_by_label ON plan_steps (plan_id, label) WHERE label IS NOT NULL",
  "CREATE INDEX plan_steps_due ON plan_steps (account, state, due_at_ms, worst_value)",
  // Of a step comes one order at most, whoever records it.
  "ALTER TABLE intents ADD COLUMN plan_id TEXT",
  "ALTER TABLE intents ADD COLUMN plan_step INTEGER",
  "CREATE UNIQUE INDEX intents_by_plan ON intents (plan_id, plan_step) WHERE plan_id IS NOT NULL",
  `CREATE TABLE plan_watch (
    account TEXT PRIMARY KEY NOT NULL,
    holder TEXT NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE plan_gaps (
    account TEXT NOT NULL,
    symbol TEXT NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER,
    why TEXT NOT NULL,
    PRIMARY KEY (account, symbol, from_ms)
  ) STRICT, WITHOUT ROWID`,
  // One that was given up is due at no time.
  `CREATE TABLE notices (
    notice_id TEXT PRIMARY KEY NOT NULL,
    account TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    due_at_ms INTEGER,
    tries INTEGER NOT NULL,
    claimed_until_ms INTEGER NOT NULL,
    delivered_at_ms INTEGER,
    UNIQUE (plan_id, type, key)
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX notices_due ON notices (account, due_at_ms) WHERE delivered_at_ms IS NULL",
  "CREATE INDEX notices_told ON notices (account, at_ms)",
];

export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // A person's orders, and what became of them.
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
      ${HELD},
      UNIQUE (account, userref)
    ) STRICT`,
    "CREATE UNIQUE INDEX intents_by_order ON intents (account, order_id) WHERE order_id IS NOT NULL",
    "CREATE INDEX intents_by_state ON intents (account, state, created_at_ms)",
    "CREATE INDEX intents_live ON intents (account, held, unit) WHERE held_live = 1",
    "CREATE INDEX intents_held ON intents (account, held_at_ms, held, unit) WHERE held_live = 0 AND held > 0",
    "CREATE INDEX intents_sent ON intents (account, sent_at_ms) WHERE sent_at_ms IS NOT NULL",
    `CREATE INDEX intents_unacknowledged ON intents (account, created_at_ms)
      WHERE unacknowledged = 1 AND order_id IS NOT NULL`,
    `CREATE TABLE transfers (
      transfer_id TEXT PRIMARY KEY NOT NULL,
      account TEXT NOT NULL,
      family TEXT NOT NULL,
      request_key TEXT NOT NULL,
      idempotency_key TEXT NOT NULL UNIQUE,
      state TEXT NOT NULL,
      nonce TEXT,
      body TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      updated_at_ms INTEGER NOT NULL,
      ${HELD}
    ) STRICT`,
    "CREATE INDEX transfers_by_request ON transfers (account, request_key)",
    "CREATE INDEX transfers_by_state ON transfers (account, state, created_at_ms)",
    "CREATE INDEX transfers_held ON transfers (account, family, held_live, held_at_ms, held) WHERE held > 0",
    "CREATE INDEX transfers_sent ON transfers (account, sent_at_ms) WHERE sent_at_ms IS NOT NULL",
    "CREATE INDEX transfers_unacknowledged ON transfers (account, created_at_ms) WHERE unacknowledged = 1",

    // Without defaults, so that nothing is ever added outside the chain.
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
    "CREATE INDEX audit_by_intent ON audit (intent_id, seq) WHERE intent_id IS NOT NULL",
    "CREATE INDEX audit_by_order ON audit (order_id, seq) WHERE order_id IS NOT NULL",
    // Else the rows of an account that has few are looked for in all of the log.
    "CREATE INDEX audit_by_account ON audit (account, seq)",
    `CREATE TABLE audit_head (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      count INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL
    ) STRICT`,
    `INSERT INTO audit_head (id, count, seq, hash) VALUES (1, 0, 0, '${GENESIS_HASH}')`,

    // The turns and nonces of a key.
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

    // What stops trading, and who may let it go on.
    `CREATE TABLE brake (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      reason TEXT NOT NULL,
      engaged_by TEXT NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE timers (
      account TEXT PRIMARY KEY NOT NULL,
      due_at_ms INTEGER NOT NULL,
      armed_at_ms INTEGER NOT NULL,
      claimed_until_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE pin (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      salt BLOB NOT NULL,
      key BLOB NOT NULL,
      set_at_ms INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      locks INTEGER NOT NULL,
      locked_until_ms INTEGER NOT NULL
    ) STRICT`,
    "CREATE TABLE seal (id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1), key BLOB NOT NULL) STRICT",
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
    // Wrong tries of the PIN at the console; those on a terminal are counted in the PIN's own row.
    `CREATE TABLE console_tries (
      id TEXT PRIMARY KEY NOT NULL,
      session TEXT NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // Who is signed in at the console: what lets a browser in is not here, only its digest.
    `CREATE TABLE console_sessions (
      digest TEXT PRIMARY KEY NOT NULL,
      let_in_by TEXT NOT NULL,
      ends_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    "CREATE TABLE ended_sessions (digest TEXT PRIMARY KEY NOT NULL, until_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX ended_sessions_by_end ON ended_sessions (until_ms)",
    // The tenant is empty for the operator's own.
    `CREATE TABLE access_tokens (
      name TEXT PRIMARY KEY NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      expires_at_ms INTEGER,
      used_at_ms INTEGER,
      tenant TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID`,

    // What the exchange has sent: a body is bytes, as it is somebody else's text.
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

    // By what an account was found: a key, an address, the name it had before.
    "CREATE TABLE account_names (name TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE key_labels (key_id TEXT PRIMARY KEY NOT NULL, environment TEXT NOT NULL) STRICT, WITHOUT ROWID",
    `CREATE TABLE identity (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      store_id TEXT NOT NULL,
      place TEXT NOT NULL
    ) STRICT`,
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

    // The ledger.
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
    "CREATE INDEX fills_bought ON fills (account, symbol, at_ms) WHERE side = 'buy'",
    `CREATE TABLE fill_progress (
      account TEXT PRIMARY KEY NOT NULL,
      done_to_ms INTEGER,
      whole_at_ms INTEGER,
      pass_from_ms INTEGER,
      pass_newest_ms INTEGER,
      pass_cursor TEXT,
      revision INTEGER NOT NULL DEFAULT 0,
      seen_ms INTEGER
    ) STRICT, WITHOUT ROWID`,
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
    // What an account was seen to hold, where the fills do not explain it as they did before.
    `CREATE TABLE balance_sightings (
      account TEXT NOT NULL,
      asset TEXT NOT NULL,
      at_ms INTEGER NOT NULL,
      since_ms INTEGER,
      total TEXT NOT NULL,
      PRIMARY KEY (account, at_ms, asset)
    ) STRICT, WITHOUT ROWID`,
  ],
  [
    // What of an order is in the ledger, at an exchange that shows fills in their order alone.
    "CREATE INDEX fills_by_order ON fills (account, order_id)",
    ...PLANS,
    // What all processes have used of an exchange's rates, by what it counts by: a key, or the address.
    `CREATE TABLE rate_scopes (
      scope TEXT PRIMARY KEY NOT NULL,
      revision INTEGER NOT NULL,
      banned_from_ms INTEGER NOT NULL,
      banned_until_ms INTEGER NOT NULL,
      bans INTEGER NOT NULL,
      spent TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // Of which time nobody read the fills before an exchange ceased to list them: nothing else can tell.
    `CREATE TABLE unread_spans (
      account TEXT NOT NULL,
      from_ms INTEGER NOT NULL,
      to_ms INTEGER NOT NULL,
      PRIMARY KEY (account, from_ms)
    ) STRICT, WITHOUT ROWID`,
  ],
];
