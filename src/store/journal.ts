/**
 * Owns the intents: what was meant to be traded, how far it has come, and what it counts for in the budgets.
 *
 * Invariants: a call returns when the fact is on disk, unless `lazy` was asked for; a record moves only from one of the
 * states named, so of two processes one wins; a userref is used once per account, an order belongs to one intent; every
 * move stands in the audit log, written in the same transaction. What an intent is held against when it begins stays true
 * until its move is on disk, in all processes.
 */
import type { Result } from "../contract/index.ts";
import type { AuditEntry, AuditLog } from "./audit.ts";
import type { BrakeKeeper } from "./brake.ts";
import type { Connection } from "./driver.ts";
import { type AccountUsage, between, readUsage, wholeKrw } from "./standing.ts";
import { type Bindable, numberCell, optionalTextCell, type Row, type Statements, textCell } from "./statement.ts";
import { resultOf, StoreInvariantError } from "./store-error.ts";

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
  /** What it counts for in the budgets: decimal text of whole KRW. */
  readonly heldKrw: string;
  /** Whether it counts as a live order. */
  readonly isLive: boolean;
  /** When its request was numbered, Unix milliseconds; null while none was, or when it is proven not to have left. */
  readonly sentAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A record as it comes in: nothing was sent, so it counts for nothing. */
export type NewRecord<State extends string, Body> = Omit<
  JournalRecord<State, Body>,
  "updatedAtMs" | "heldKrw" | "isLive" | "sentAtMs"
>;

export interface JournalChange<State extends string, Body> {
  readonly from: readonly State[];
  readonly to: State;
  /** Move only while the intent still has this nonce. */
  readonly ifNonce?: string | null;
  readonly nonce?: string;
  readonly orderId?: string;
  readonly body?: Body;
  /** What it counts for from now on. `krw` is decimal text of whole KRW, at most 2^53 - 1. */
  readonly hold?: { readonly krw: string; readonly isLive: boolean };
  /** Its request never left: it is not counted among those sent. */
  readonly unsend?: boolean;
  readonly lazy?: boolean;
}

export interface JournalSend<State extends string, Body> {
  readonly from: readonly State[];
  readonly to: State;
  readonly nonce: string;
  /** Decimal text of whole KRW, at most 2^53 - 1. */
  readonly heldKrw: string;
  readonly body?: Body;
}

/** The account's records whose requests were numbered at this time or later, but for those proven not placed. */
export type SentSince<State extends string, Body> = (atMs: number) => readonly JournalRecord<State, Body>[];

export interface IntentJournal<State extends string, Body> {
  /** @returns undefined when the account already has an intent with this userref. */
  record(intent: NewRecord<State, Body>): Promise<Result<JournalRecord<State, Body> | undefined>>;
  /** @returns the changed record, or undefined when there is none in one of the `from` states with that nonce. */
  advance(
    intentId: string,
    change: JournalChange<State, Body>,
    atMs: number,
  ): Promise<Result<JournalRecord<State, Body> | undefined>>;
  /**
   * Moves an intent to being sent, numbered and held live in the budgets, if `admit` has nothing against it. That is asked
   * inside the transaction, with the standing of the account without this intent and what it has sent lately: no other
   * process can come in between. `now`, in milliseconds, is asked there too: one that began while this one waited was before it.
   * @returns undefined when it is in none of the `from` states; when refused, nothing was written.
   */
  begin<Refusal extends object>(
    intentId: string,
    send: JournalSend<State, Body>,
    admit: (accountUsage: AccountUsage, sentSince: SentSince<State, Body>) => Refusal | undefined,
    now: () => number,
  ): Promise<Result<{ readonly intent: JournalRecord<State, Body> } | { readonly refused: Refusal } | undefined>>;
  standing(account: string, atMs: number): Promise<Result<AccountUsage>>;
  byIntentId(intentId: string): Promise<Result<JournalRecord<State, Body> | undefined>>;
  byUserref(account: string, userref: string): Promise<Result<JournalRecord<State, Body> | undefined>>;
  byOrderId(account: string, orderId: string): Promise<Result<JournalRecord<State, Body> | undefined>>;
  /** In any of the states, or sent and known to be an order since of which nobody has heard; newest first. Without an account: of all. */
  unresolvedOrUnacknowledged(
    account: string | undefined,
    states: readonly State[],
    limit: number,
  ): Promise<Result<readonly JournalRecord<State, Body>[]>>;
  /** Somebody has heard what became of this intent. Does not wait for the disk. */
  acknowledge(intentId: string): Promise<Result<void>>;
  /** Oldest first. */
  inStates(
    account: string,
    states: readonly State[],
    limit: number,
  ): Promise<Result<readonly JournalRecord<State, Body>[]>>;
  /** As `inStates`, of all accounts but this one. */
  elsewhere(
    account: string,
    states: readonly State[],
    limit: number,
  ): Promise<Result<readonly JournalRecord<State, Body>[]>>;
}

const COLUMNS = `intent_id, account, userref, state, nonce, order_id, body, held_krw, held_live, sent_at_ms,
  created_at_ms, updated_at_ms`;
const BY_INTENT = `SELECT ${COLUMNS}, rowid FROM intents WHERE intent_id = ?`;
const BY_USERREF = `SELECT ${COLUMNS} FROM intents WHERE account = ? AND userref = ?`;
const BY_ORDER = `SELECT ${COLUMNS} FROM intents WHERE account = ? AND order_id = ?`;
const IN_STATES = `SELECT ${COLUMNS} FROM intents WHERE account = ? AND state IN (SELECT value FROM json_each(?))
  ORDER BY created_at_ms, rowid LIMIT ?`;
/** The accounts, one by one as the index has them: the table may be large. */
const NAMED = `named(account) AS (SELECT min(account) FROM intents UNION ALL
  SELECT (SELECT min(account) FROM intents WHERE account > named.account) FROM named WHERE named.account IS NOT NULL)`;
const UNSURE = `SELECT ${COLUMNS} FROM intents WHERE rowid IN (
    SELECT rowid FROM intents WHERE account = ? AND state IN (SELECT value FROM json_each(?))
    UNION SELECT rowid FROM intents WHERE account = ? AND unheard = 1 AND order_id IS NOT NULL)
  ORDER BY created_at_ms DESC, rowid DESC LIMIT ?`;
const UNSURE_ANYWHERE = `WITH RECURSIVE ${NAMED}
  SELECT ${COLUMNS} FROM intents WHERE rowid IN (
    SELECT intents.rowid FROM named JOIN intents USING (account) WHERE state IN (SELECT value FROM json_each(?))
    UNION SELECT rowid FROM intents WHERE unheard = 1 AND order_id IS NOT NULL)
  ORDER BY created_at_ms DESC, rowid DESC LIMIT ?`;
const SENT_BETWEEN = `SELECT ${COLUMNS} FROM intents
  WHERE account = ? AND sent_at_ms BETWEEN ? AND ? AND sent_at_ms IS NOT NULL`;
const HEARD = "UPDATE intents SET unheard = 0 WHERE intent_id = ? AND unheard = 1";
const ELSEWHERE = `WITH RECURSIVE ${NAMED}
  SELECT ${COLUMNS} FROM named JOIN intents USING (account) WHERE account <> ?
  AND state IN (SELECT value FROM json_each(?)) ORDER BY account, created_at_ms LIMIT ?`;
const INSERT = `INSERT INTO intents
  (intent_id, account, userref, state, nonce, order_id, body, created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface JournalParts {
  readonly audit: AuditLog;
  readonly brake: BrakeKeeper;
}

/**
 * @param durable commits to disk before it answers.
 * @param lazy the same database, without waiting for the disk.
 */
export function createJournal<State extends string, Body>(
  durable: Connection,
  lazy: Connection,
  parts: JournalParts,
): IntentJournal<State, Body> {
  const read = <T>(work: (statements: Statements) => T) => resultOf(durable.single(work));
  const write = <T>(work: (statements: Statements) => T, isLazy = false) =>
    resultOf((isLazy ? lazy : durable).transaction(work));
  const one = (sql: string, values: readonly string[]) =>
    read(({ get }) => {
      const row = get(sql, values);
      return row === undefined ? undefined : recordOf<State, Body>(row);
    });
  const list = (sql: string, values: readonly Bindable[]) =>
    read(({ all }) => all(sql, values).map(recordOf<State, Body>));
  return {
    record: (intent) => write((statements) => insert(statements, intent, parts)),
    advance: (intentId, change, atMs) =>
      write((statements) => {
        const found = findIn<State, Body>(statements, intentId, change);
        return found && move(statements, found, { ...change, atMs }, parts);
      }, change.lazy),
    begin: (intentId, send, admit, now) =>
      write((statements) => {
        const found = findIn<State, Body>(statements, intentId, send);
        if (found === undefined) return;
        const atMs = now();
        const { before, rowId } = found;
        const standing = standingOf(statements, before.account, atMs, parts, rowId);
        const refused = admit(standing, (sinceMs) =>
          statements.all(SENT_BETWEEN, [before.account, ...between(sinceMs, atMs)]).map(recordOf<State, Body>),
        );
        if (refused instanceof Promise) throw new StoreInvariantError("whether an intent may begin is said at once");
        if (refused !== undefined) return { refused };
        const hold = { krw: send.heldKrw, isLive: true };
        return { intent: move(statements, found, { ...send, hold, atMs, isSent: true }, parts) };
      }),
    standing: (account, atMs) => read((statements) => standingOf(statements, account, atMs, parts)),
    byIntentId: (intentId) => one(BY_INTENT, [intentId]),
    byUserref: (account, userref) => one(BY_USERREF, [account, userref]),
    byOrderId: (account, orderId) => one(BY_ORDER, [account, orderId]),
    unresolvedOrUnacknowledged: (account, states, limit) =>
      account === undefined
        ? list(UNSURE_ANYWHERE, [JSON.stringify(states), limit])
        : list(UNSURE, [account, JSON.stringify(states), account, limit]),
    acknowledge: (intentId) =>
      write(({ run }) => {
        run(HEARD, [intentId]);
      }, true),
    inStates: (account, states, limit) => list(IN_STATES, [account, JSON.stringify(states), limit]),
    elsewhere: (account, states, limit) => list(ELSEWHERE, [account, JSON.stringify(states), limit]),
  };
}

function standingOf(
  statements: Statements,
  account: string,
  atMs: number,
  { brake }: JournalParts,
  exceptRow?: number,
): AccountUsage {
  return { usage: readUsage(statements, account, atMs, exceptRow), brake: brake.look(statements, atMs) };
}

function insert<State extends string, Body>(
  statements: Statements,
  intent: NewRecord<State, Body>,
  { audit }: JournalParts,
): JournalRecord<State, Body> | undefined {
  const { intentId, account, userref, state, nonce, orderId, body, createdAtMs } = intent;
  if (statements.get(BY_USERREF, [account, userref]) !== undefined) return;
  const text = JSON.stringify(body);
  statements.run(INSERT, [intentId, account, userref, state, nonce, orderId, text, createdAtMs, createdAtMs]);
  const detail = { to: state, userref, nonce, body };
  audit.write(statements, auditEntry("intent_recorded", intent, detail), createdAtMs);
  const counted = { heldKrw: "0", isLive: false, sentAtMs: null };
  return { ...intent, body: JSON.parse(text) as Body, ...counted, updatedAtMs: createdAtMs };
}

interface FoundIntent<State extends string, Body> {
  readonly before: JournalRecord<State, Body>;
  readonly bodyText: string;
  readonly rowId: number;
}

/** @returns undefined when there is none in one of the `from` states with that nonce. */
function findIn<State extends string, Body>(
  { get }: Statements,
  intentId: string,
  { from, ifNonce }: { readonly from: readonly State[]; readonly ifNonce?: string | null },
): FoundIntent<State, Body> | undefined {
  const row = get(BY_INTENT, [intentId]);
  if (row === undefined) return;
  const before = recordOf<State, Body>(row);
  if (!from.includes(before.state)) return;
  if (ifNonce !== undefined && ifNonce !== before.nonce) return;
  return { before, bodyText: textCell(row, "body"), rowId: numberCell(row, "rowid") };
}

interface Move<State extends string, Body> extends Omit<JournalChange<State, Body>, "from" | "ifNonce" | "lazy"> {
  readonly atMs: number;
  /** Its request leaves now. */
  readonly isSent?: boolean;
}

function move<State extends string, Body>(
  statements: Statements,
  { before, bodyText, rowId }: FoundIntent<State, Body>,
  change: Move<State, Body>,
  { audit }: JournalParts,
): JournalRecord<State, Body> {
  const { to, atMs, nonce = before.nonce, orderId = before.orderId, hold, isSent = false, unsend = false } = change;
  const text = change.body === undefined ? bodyText : JSON.stringify(change.body);
  const heldKrw = hold?.krw ?? before.heldKrw;
  const isLive = hold?.isLive ?? before.isLive;
  const sentAtMs = isSent ? atMs : unsend ? null : before.sentAtMs;
  // Only columns that may move, as each is in an index that would be written again.
  const columns: [string, Bindable][] = [
    ["state", to],
    ["nonce", nonce],
    ["order_id", orderId],
    ["body", text],
    ["updated_at_ms", atMs],
  ];
  if (hold !== undefined)
    columns.push(["held_krw", wholeKrw(hold.krw)], ["held_live", isLive ? 1 : 0], ["held_at_ms", atMs]);
  if (isSent || unsend) columns.push(["sent_at_ms", sentAtMs]);
  if (isSent) columns.push(["unheard", 1]);
  const sql = `UPDATE intents SET ${columns.map(([name]) => `${name} = ?`).join(", ")} WHERE rowid = ? AND state = ?`;
  const { changes } = statements.run(sql, [...columns.map(([, value]) => value), rowId, before.state]);
  if (changes !== 1) throw new StoreInvariantError(`intent ${before.intentId} changed inside a transaction`);
  const body = JSON.parse(text) as Body;
  const after = { ...before, state: to, nonce, orderId, body, heldKrw, isLive, sentAtMs, updatedAtMs: atMs };
  const detail = {
    from: before.state,
    to,
    nonce: change.nonce,
    held_krw: isSent || heldKrw !== before.heldKrw ? heldKrw : undefined,
    body: text === bodyText ? undefined : body,
  };
  audit.write(statements, auditEntry("intent_moved", after, detail), atMs);
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
    heldKrw: String(numberCell(row, "held_krw")),
    isLive: numberCell(row, "held_live") === 1,
    sentAtMs: row["sent_at_ms"] === null ? null : numberCell(row, "sent_at_ms"),
    createdAtMs: numberCell(row, "created_at_ms"),
    updatedAtMs: numberCell(row, "updated_at_ms"),
  };
}
