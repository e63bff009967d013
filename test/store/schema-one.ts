/** The database as the first version of the store made it, with what that wrote. Kept as it was: files like it exist. */
import type { FileConnection } from "../../src/store/sql/driver.ts";

const SCHEMA = `
  PRAGMA application_id = 1752131425;
  CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE intents (
    intent_id TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL, userref TEXT NOT NULL, state TEXT NOT NULL, nonce TEXT,
    order_id TEXT, body TEXT NOT NULL, created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL,
    UNIQUE (account, userref)
  ) STRICT;
  CREATE UNIQUE INDEX intents_by_order ON intents (account, order_id) WHERE order_id IS NOT NULL;
  CREATE INDEX intents_by_state ON intents (account, state, created_at_ms);
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, account TEXT NOT NULL, event TEXT NOT NULL,
    intent_id TEXT, order_id TEXT, detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_intent ON audit (intent_id, seq) WHERE intent_id IS NOT NULL;
  CREATE INDEX audit_by_order ON audit (order_id, seq) WHERE order_id IS NOT NULL;
  CREATE TABLE lanes (
    key_id TEXT PRIMARY KEY NOT NULL, last_nonce TEXT NOT NULL, calls_until_us INTEGER NOT NULL,
    weight_until_us INTEGER NOT NULL, paused_from_ms INTEGER NOT NULL, paused_until_ms INTEGER NOT NULL,
    lease_id INTEGER NOT NULL, lease_from_ms INTEGER NOT NULL, lease_until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE lane_line (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT, key_id TEXT NOT NULL, due_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX lane_line_by_key ON lane_line (key_id, ticket);
  INSERT INTO schema_version VALUES (1, 500);
`;

const INTENT = "INSERT INTO intents VALUES (?, 'main', ?, ?, ?, ?, ?, ?, ?)";
export const OLD_AUDIT_INSERT =
  "INSERT INTO audit (at_ms, account, event, intent_id, order_id, detail) VALUES (?, ?, ?, ?, ?, ?)";

/** Members in the order that code gave them, not sorted. */
export const OLD_ENTRIES = [
  { intentId: "i1", orderId: null, detail: '{"to":"recorded","userref":"u1","nonce":null,"body":{"n":1}}' },
  { intentId: "i1", orderId: null, detail: '{"from":"recorded","to":"submitting","nonce":"17"}' },
  { intentId: "i1", orderId: "o1", detail: '{"from":"submitting","to":"accepted","body":{"n":1,"seen":"호가 📈"}}' },
  { intentId: null, orderId: "o1", detail: '{"z":1.5,"a":[{"y":null,"b":"\\ud800"}]}' },
  { intentId: null, orderId: null, detail: "{half an entry" },
];

/** @param copies of the entries, for a log that takes time. */
export async function writeSchemaOne(connection: FileConnection, copies = 1): Promise<void> {
  await connection.exec(SCHEMA);
  await connection.transaction(function* ({ run }) {
    yield* run(INTENT, ["i1", "u1", "accepted", "17", "o1", '{"n":1,"seen":"호가 📈"}', 1_000, 3_000]);
    yield* run(INTENT, ["i2", "u2", "recorded", null, null, '{"n":2}', 4_000, 4_000]);
    for (let copy = 0; copy < copies; copy++) {
      for (const { intentId, orderId, detail } of OLD_ENTRIES) {
        yield* run(OLD_AUDIT_INSERT, [1_000, "main", "stepped", intentId, orderId, detail]);
      }
    }
    yield* run("INSERT INTO lanes VALUES ('key', '41', 0, 0, 0, 0, 0, 0, 0)", []);
  });
}
