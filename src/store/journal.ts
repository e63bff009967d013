/**
 * Owns the intents: what was meant to be traded and how far it has come.
 *
 * Invariants: a call returns when the fact is on disk, unless `lazy` was asked for; a record moves only from one of the
 * states named, so of two processes one wins; a userref is used once per account, an order belongs to one intent; every
 * move stands in the audit log, written in the same transaction.
 */
import { type AuditEntry, appendAudit } from "./audit.ts";
import type { Connection } from "./driver.ts";
import { numberCell, optionalTextCell, type Row, type Statements, textCell } from "./statement.ts";
import { StoreInvariantError } from "./store-error.ts";

export interface JournalRecord<State extends string, Body> {
  readonly intentId: string;
  readonly account: string;
  readonly userref: string;
  readonly state: State;
  /** Decimal text, as nonces outgrow JavaScript's numbers. */
  readonly nonce: string | null;
  readonly orderId: string | null;
  /** Kept as JSON: what does not survive that is not kept. */
  readonly body: Body;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface JournalChange<State extends string, Body> {
  readonly from: readonly State[];
  readonly to: State;
  /** Move only while the intent still has this nonce. */
  readonly ifNonce?: string | null;
  readonly nonce?: string;
  readonly orderId?: string;
  readonly body?: Body;
  readonly lazy?: boolean;
}

export interface IntentJournal<State extends string, Body> {
  /** @returns undefined when the account already has an intent with this userref. */
  record(intent: Omit<JournalRecord<State, Body>, "updatedAtMs">): Promise<JournalRecord<State, Body> | undefined>;
  /** @returns the changed record, or undefined when there is none in one of the `from` states with that nonce. */
  advance(
    intentId: string,
    change: JournalChange<State, Body>,
    atMs: number,
  ): Promise<JournalRecord<State, Body> | undefined>;
  byIntentId(intentId: string): Promise<JournalRecord<State, Body> | undefined>;
  byUserref(account: string, userref: string): Promise<JournalRecord<State, Body> | undefined>;
  byOrderId(account: string, orderId: string): Promise<JournalRecord<State, Body> | undefined>;
  /** Oldest first. */
  inStates(account: string, states: readonly State[], limit: number): Promise<readonly JournalRecord<State, Body>[]>;
}

const COLUMNS = "intent_id, account, userref, state, nonce, order_id, body, created_at_ms, updated_at_ms";
const BY_INTENT = `SELECT ${COLUMNS} FROM intents WHERE intent_id = ?`;
const BY_USERREF = `SELECT ${COLUMNS} FROM intents WHERE account = ? AND userref = ?`;
const BY_ORDER = `SELECT ${COLUMNS} FROM intents WHERE account = ? AND order_id = ?`;
const IN_STATES = `SELECT ${COLUMNS} FROM intents WHERE account = ? AND state IN (SELECT value FROM json_each(?))
  ORDER BY created_at_ms, rowid LIMIT ?`;
const INSERT = `INSERT INTO intents (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE = `UPDATE intents SET state = ?, nonce = ?, order_id = ?, body = ?, updated_at_ms = ?
  WHERE intent_id = ? AND state = ?`;

/**
 * @param durable commits to disk before it answers.
 * @param lazy the same database, without waiting for the disk.
 */
export function createJournal<State extends string, Body>(
  durable: Connection,
  lazy: Connection,
): IntentJournal<State, Body> {
  const one = (sql: string, values: readonly string[]) =>
    durable.single(({ get }) => {
      const row = get(sql, values);
      return row === undefined ? undefined : recordOf<State, Body>(row);
    });
  return {
    record: (intent) => durable.transaction((statements) => insert(statements, intent)),
    advance: (intentId, change, atMs) =>
      (change.lazy === true ? lazy : durable).transaction((statements) => move(statements, intentId, change, atMs)),
    byIntentId: (intentId) => one(BY_INTENT, [intentId]),
    byUserref: (account, userref) => one(BY_USERREF, [account, userref]),
    byOrderId: (account, orderId) => one(BY_ORDER, [account, orderId]),
    inStates: (account, states, limit) =>
      durable.single(({ all }) => all(IN_STATES, [account, JSON.stringify(states), limit]).map(recordOf<State, Body>)),
  };
}

function insert<State extends string, Body>(
  statements: Statements,
  intent: Omit<JournalRecord<State, Body>, "updatedAtMs">,
): JournalRecord<State, Body> | undefined {
  const { intentId, account, userref, state, nonce, orderId, body, createdAtMs } = intent;
  if (statements.get(BY_USERREF, [account, userref]) !== undefined) return;
  const text = JSON.stringify(body);
  statements.run(INSERT, [intentId, account, userref, state, nonce, orderId, text, createdAtMs, createdAtMs]);
  const detail = { to: state, userref, nonce, body };
  appendAudit(statements, auditEntry("intent_recorded", intent, detail), createdAtMs);
  return { ...intent, body: JSON.parse(text) as Body, updatedAtMs: createdAtMs };
}

function move<State extends string, Body>(
  statements: Statements,
  intentId: string,
  change: JournalChange<State, Body>,
  atMs: number,
): JournalRecord<State, Body> | undefined {
  const row = statements.get(BY_INTENT, [intentId]);
  if (row === undefined) return;
  const before = recordOf<State, Body>(row);
  if (!change.from.includes(before.state)) return;
  if (change.ifNonce !== undefined && change.ifNonce !== before.nonce) return;
  const { to, nonce = before.nonce, orderId = before.orderId, body = before.body } = change;
  const text = JSON.stringify(body);
  const { changes } = statements.run(UPDATE, [to, nonce, orderId, text, atMs, intentId, before.state]);
  if (changes !== 1) throw new StoreInvariantError(`intent ${intentId} changed inside a transaction`);
  const after = { ...before, state: to, nonce, orderId, body: JSON.parse(text) as Body, updatedAtMs: atMs };
  const { nonce: newNonce, body: newBody } = change;
  const detail = { from: before.state, to, nonce: newNonce, body: newBody };
  appendAudit(statements, auditEntry("intent_moved", after, detail), atMs);
  return after;
}

function auditEntry(
  event: string,
  intent: { readonly account: string; readonly intentId: string; readonly orderId: string | null },
  detail: Readonly<Record<string, unknown>>,
): AuditEntry {
  const { account, intentId, orderId } = intent;
  return { event, account, intentId, ...(orderId === null ? {} : { orderId }), detail };
}

/** The state and body are what this program wrote, in the types it was instantiated with. */
function recordOf<State extends string, Body>(row: Row): JournalRecord<State, Body> {
  return {
    intentId: textCell(row, "intent_id"),
    account: textCell(row, "account"),
    userref: textCell(row, "userref"),
    state: textCell(row, "state") as State,
    nonce: optionalTextCell(row, "nonce"),
    orderId: optionalTextCell(row, "order_id"),
    body: JSON.parse(textCell(row, "body")) as Body,
    createdAtMs: numberCell(row, "created_at_ms"),
    updatedAtMs: numberCell(row, "updated_at_ms"),
  };
}
