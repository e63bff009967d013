/**
 * Owns who an account is. It goes by several names: one for each key and each address it was reached by. Those that were seen together
 * are one account, whatever the address is called, so that it has one budget.
 *
 * Invariants: an account keeps the name it was first kept under; when two are found to be one, the rows of the second become the first's,
 * in one transaction that says so in the log; a key has one environment for good. Names hold no secret.
 *
 * Source: decision 0005, decision 0024.
 */
import type { Result } from "../../contract/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { type Statements, textCell, type Work } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";

export interface AccountNames {
  /**
   * The account that goes by any of these names, which are all its own from now on.
   * @param names the first one decides where they were two accounts' until now
   * @param kept the name that its rows have where none of them is known yet
   */
  accountOf(names: readonly string[], kept: string, atMs: number): Promise<Result<string>>;
  /** The environment in which a key is used: this one, unless it was used in another before. */
  environmentOf(keyId: string, environment: string): Promise<Result<string>>;
}

const KNOWN = "SELECT account FROM account_names WHERE name = ?";
const REMEMBER = `INSERT INTO account_names (name, account) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET account = excluded.account`;
const RENAME = "UPDATE account_names SET account = ? WHERE account = ?";
/** Both have an order under one name of its own, and one of them is not over: they stay apart until it is. */
const IN_THE_WAY = `SELECT 1 AS found FROM intents AS one JOIN intents AS other
  ON other.account = ? AND (other.userref = one.userref OR other.order_id = one.order_id)
  WHERE one.account = ? AND (one.held_live = 1 OR other.held_live = 1) LIMIT 1`;
/** Leaves where it is what is over and has a name that the other account has used. */
const MOVE_INTENTS = `UPDATE intents SET account = ? WHERE account = ? AND NOT EXISTS (SELECT 1 FROM intents AS own
  WHERE own.account = ? AND (own.userref = intents.userref OR own.order_id = intents.order_id))`;
const MOVE_TRANSFERS = "UPDATE transfers SET account = ? WHERE account = ?";
/** The earlier timer of the two. */
const MOVE_TIMERS = `INSERT INTO timers (account, due_at_ms, armed_at_ms, claimed_until_ms)
  SELECT ?, due_at_ms, armed_at_ms, claimed_until_ms FROM timers WHERE account = ?
  ON CONFLICT (account) DO UPDATE SET due_at_ms =
  CASE WHEN excluded.due_at_ms < timers.due_at_ms THEN excluded.due_at_ms ELSE timers.due_at_ms END`;
/** A fill that both have is one: the account's own was read twice, under two names. How far either has come is true for both. */
const MOVE_FILLS = `UPDATE fills SET account = ? WHERE account = ? AND NOT EXISTS (SELECT 1 FROM fills AS own
  WHERE own.account = ? AND own.trade_id = fills.trade_id AND own.order_id = fills.order_id)`;
const MOVE_SIGHTINGS = `UPDATE balance_sightings SET account = ? WHERE account = ? AND NOT EXISTS (SELECT 1
  FROM balance_sightings AS own WHERE own.account = ? AND own.at_ms = balance_sightings.at_ms AND own.asset = balance_sightings.asset)`;
const MOVE_UNREAD = `UPDATE unread_spans SET account = ? WHERE account = ? AND NOT EXISTS (SELECT 1 FROM unread_spans AS own
  WHERE own.account = ? AND own.from_ms = unread_spans.from_ms)`;
const MOVE_PROGRESS = `UPDATE fill_progress SET account = ? WHERE account = ?
  AND NOT EXISTS (SELECT 1 FROM fill_progress AS own WHERE own.account = ?)`;
const DROP = ["timers", "fills", "balance_sightings", "fill_progress", "fill_marks", "unread_spans"].map(
  (table) => `DELETE FROM ${table} WHERE account = ?`,
);
/** Drops what was computed from the fills of one of them: it is not true of both. */
const TAKE_MARKS = "DELETE FROM fill_marks WHERE account = ?";
const REVISE = "UPDATE fill_progress SET revision = revision + 1 WHERE account = ?";
const LABEL = "SELECT environment FROM key_labels WHERE key_id = ?";
const SET_LABEL = "INSERT INTO key_labels (key_id, environment) VALUES (?, ?) ON CONFLICT (key_id) DO NOTHING";

export function createAccountNames(connection: Connection, audit: AuditWriter): AccountNames {
  const find = async (names: readonly string[], kept: string, atMs: number): Promise<string> => {
    const all = [...names, kept];
    const found = await connection.single((statements) => allKnown(statements, all));
    const [first] = found;
    if (first !== undefined && found.every((account) => account === first)) return first;
    return connection.transaction(function* (statements) {
      const accounts = (yield* allKnown(statements, all)).flatMap((known) => known ?? []);
      const account = accounts[0] ?? kept;
      const others = new Set([...accounts, kept].filter((each) => each !== account));
      for (const other of others) {
        if ((yield* statements.get(IN_THE_WAY, [account, other])) !== undefined) return kept;
      }
      for (const other of others) yield* join(statements, audit, { account, other, atMs });
      for (const name of [...all, account]) yield* statements.run(REMEMBER, [name, account]);
      return account;
    });
  };
  const labelled = async (keyId: string, environment: string): Promise<string> => {
    const before = await connection.single((statements) => label(statements, keyId));
    if (before !== undefined) return before;
    return connection.transaction(function* (statements) {
      yield* statements.run(SET_LABEL, [keyId, environment]);
      return (yield* label(statements, keyId)) ?? environment;
    });
  };
  return {
    accountOf: (...given) => resultOf(find(...given)),
    environmentOf: (...given) => resultOf(labelled(...given)),
  };
}

function* allKnown({ get }: Statements, names: readonly string[]): Work<readonly (string | undefined)[]> {
  const accounts: (string | undefined)[] = [];
  for (const name of names) {
    const row = yield* get(KNOWN, [name]);
    accounts.push(row && textCell(row, "account"));
  }
  return accounts;
}

function* label({ get }: Statements, keyId: string): Work<string | undefined> {
  const row = yield* get(LABEL, [keyId]);
  return row && textCell(row, "environment");
}

interface Joining {
  readonly account: string;
  readonly other: string;
  readonly atMs: number;
}

function* join(statements: Statements, audit: AuditWriter, { account, other, atMs }: Joining): Work<void> {
  const { run } = statements;
  let [moved, movedFills] = [0, 0];
  for (const sql of [MOVE_TRANSFERS, MOVE_TIMERS]) moved += (yield* run(sql, [account, other])).changes;
  for (const sql of [MOVE_INTENTS, MOVE_FILLS, MOVE_SIGHTINGS, MOVE_UNREAD, MOVE_PROGRESS]) {
    const { changes } = yield* run(sql, [account, other, account]);
    if (sql === MOVE_INTENTS) moved += changes;
    if (sql === MOVE_FILLS || sql === MOVE_SIGHTINGS) movedFills += changes;
  }
  for (const sql of DROP) yield* run(sql, [other]);
  if (movedFills > 0) for (const sql of [TAKE_MARKS, REVISE]) yield* run(sql, [account]);
  yield* run(RENAME, [account, other]);
  if (moved === 0) return;
  yield* audit.write(statements, { event: "accounts_joined", account, detail: { was: other } }, atMs);
}
