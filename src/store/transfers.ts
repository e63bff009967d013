/**
 * Owns the transfers: money that was meant to be moved (paid, refunded, remitted, or a remittance taken back), how far each has
 * come, and what it counts for in the budgets of its family.
 *
 * Invariants: a call returns when the fact is on disk; a record moves only from one of the states named, so of two processes one
 * wins; of one wish there is one record that can have an effect; every move stands in the audit log, written in the same
 * transaction, in the words it was given for that and never with the body. What a transfer is held against when it begins stays
 * true until its move is on disk, in all processes.
 */
import type { Result } from "../contract/index.ts";
import type { AuditLog } from "./audit.ts";
import type { BrakeKeeper } from "./brake.ts";
import type { Connection } from "./driver.ts";
import { between, type KillSwitchRecord, wholeKrw } from "./standing.ts";
import { type Bindable, numberCell, optionalTextCell, type Row, type Statements, textCell } from "./statement.ts";
import { resultOf, StoreInvariantError } from "./store-error.ts";

export interface TransferRecord<State extends string, Body> {
  readonly transferId: string;
  readonly account: string;
  /** Budgets are counted for each family by itself. */
  readonly family: string;
  /** What is wanted, so that the same is not done twice. */
  readonly wish: string;
  /** Goes with its one request, and with no other. */
  readonly idempotencyKey: string;
  readonly state: State;
  /** Decimal text of the nonce its request carried. */
  readonly nonce: string | null;
  /** Kept as JSON. May hold what is personal. */
  readonly body: Body;
  /** What it counts for: decimal text of whole KRW. */
  readonly heldKrw: string;
  /** Whether it counts however old it is, as it may be on its way. */
  readonly isLive: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export type NewTransfer<State extends string, Body> = Omit<
  TransferRecord<State, Body>,
  "nonce" | "updatedAtMs" | "heldKrw" | "isLive"
>;

interface Told {
  /** What the audit log says of it besides. */
  readonly told?: Readonly<Record<string, unknown>>;
}

export interface TransferChange<State extends string, Body> extends Told {
  readonly from: readonly State[];
  readonly to: State;
  /** Move only while it still has this nonce. */
  readonly ifNonce?: string | null;
  /** Move only while this holds of it. */
  readonly ifStill?: (before: TransferRecord<State, Body>) => boolean;
  readonly body?: Body;
  /** What it counts for from now on; 0 for what is proven to have had no effect. */
  readonly hold?: { readonly krw: string; readonly isLive: boolean };
}

export interface TransferSend<State extends string, Body> {
  readonly from: readonly State[];
  readonly to: State;
  readonly nonce: string;
  readonly heldKrw: string;
  readonly body?: Body;
}

/** What a transfer is held against: its family's use of the last 24 hours without itself, and the brake. */
export interface TransferStanding {
  /** Decimal text of whole KRW. */
  readonly dayKrw: string;
  /** Undefined while money may leave. */
  readonly brake: KillSwitchRecord | undefined;
}

/** The account's other transfers that were sent. */
export interface SentTransfers<State extends string, Body> {
  /** Nobody has heard since what became of them. */
  readonly unacknowledged: readonly TransferRecord<State, Body>[];
  /** Sent since that moment, and not later than now: where the clock was set back, what lies ahead was sent before. */
  readonly since: (atMs: number) => readonly TransferRecord<State, Body>[];
}

export interface TransferJournal<State extends string, Body> {
  /**
   * @param ended states in which another of the same wish does not count
   * @returns undefined when the account has one of this wish in another state
   */
  record(
    transfer: NewTransfer<State, Body>,
    ended: readonly State[],
    told?: Told["told"],
  ): Promise<Result<TransferRecord<State, Body> | undefined>>;
  /** @returns the changed record, or undefined when there is none in one of the `from` states with that nonce. */
  advance(
    transferId: string,
    change: TransferChange<State, Body>,
    atMs: number,
  ): Promise<Result<TransferRecord<State, Body> | undefined>>;
  /**
   * Moves a transfer to being sent, numbered and held in the budget, if `admit` has nothing against it; it is asked inside the
   * transaction, with the others of the account that were sent and that nobody has heard of since, or that were sent since a
   * moment, heard of or not.
   * @returns undefined when it is in none of the `from` states; when refused, nothing was written.
   */
  begin<Refusal extends object>(
    transferId: string,
    send: TransferSend<State, Body>,
    admit: (accountUsage: TransferStanding, others: SentTransfers<State, Body>) => Refusal | undefined,
    now: () => number,
  ): Promise<Result<{ readonly transfer: TransferRecord<State, Body> } | { readonly refused: Refusal } | undefined>>;
  standing(account: string, family: string, atMs: number): Promise<Result<TransferStanding>>;
  byId(transferId: string): Promise<Result<TransferRecord<State, Body> | undefined>>;
  /** The latest of this wish. */
  byWish(account: string, wish: string): Promise<Result<TransferRecord<State, Body> | undefined>>;
  /** In any of the states, or done since and nobody has heard of it; newest first. Without an account: of all. */
  unresolvedOrUnacknowledged(
    account: string | undefined,
    states: readonly State[],
    limit: number,
  ): Promise<Result<readonly TransferRecord<State, Body>[]>>;
  /** Somebody has heard what became of it. */
  acknowledge(transferId: string): Promise<Result<void>>;
  /** Oldest first. */
  inStates(
    account: string,
    states: readonly State[],
    limit: number,
  ): Promise<Result<readonly TransferRecord<State, Body>[]>>;
  /** As `inStates`, of all accounts but this one. */
  elsewhere(
    account: string,
    states: readonly State[],
    limit: number,
  ): Promise<Result<readonly TransferRecord<State, Body>[]>>;
}

const DAY_MS = 86_400_000;
/** No row has it. */
const NOBODY = 0;

const COLUMNS = `transfer_id, account, family, wish, idempotency_key, state, nonce, body, held_krw, held_live, created_at_ms,
  updated_at_ms`;
const BY_ID = `SELECT ${COLUMNS}, rowid FROM transfers WHERE transfer_id = ?`;
const BY_WISH = `SELECT ${COLUMNS} FROM transfers WHERE account = ? AND wish = ? ORDER BY rowid DESC LIMIT 1`;
const RIVAL = `SELECT 1 AS found FROM transfers WHERE account = ? AND wish = ?
  AND state NOT IN (SELECT value FROM json_each(?)) LIMIT 1`;
const IN_STATES = `SELECT ${COLUMNS} FROM transfers WHERE account = ? AND state IN (SELECT value FROM json_each(?))
  ORDER BY created_at_ms, rowid LIMIT ?`;
const ELSEWHERE = `SELECT ${COLUMNS} FROM transfers WHERE account <> ? AND state IN (SELECT value FROM json_each(?))
  ORDER BY account, created_at_ms LIMIT ?`;
const IS_UNSURE = "(unheard = 1 OR state IN (SELECT value FROM json_each(?)))";
const UNSURE = `SELECT ${COLUMNS} FROM transfers WHERE account = ? AND ${IS_UNSURE}
  ORDER BY created_at_ms DESC, rowid DESC LIMIT ?`;
const UNSURE_ANYWHERE = `SELECT ${COLUMNS} FROM transfers WHERE ${IS_UNSURE}
  ORDER BY created_at_ms DESC, rowid DESC LIMIT ?`;
const UNHEARD = `SELECT ${COLUMNS} FROM transfers WHERE account = ? AND unheard = 1 AND transfer_id <> ?
  ORDER BY created_at_ms DESC LIMIT ?`;
const UNHEARD_MAX = 100;
const SENT_SINCE = `SELECT ${COLUMNS} FROM transfers WHERE account = ? AND transfer_id <> ? AND sent_at_ms BETWEEN ? AND ?`;
const HEARD = "UPDATE transfers SET unheard = 0 WHERE transfer_id = ? AND unheard = 1";
const INSERT = `INSERT INTO transfers
  (transfer_id, account, family, wish, idempotency_key, state, body, created_at_ms, updated_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const USAGE = `SELECT CAST(coalesce(sum(held_krw), 0) AS TEXT) AS day_krw FROM transfers
  WHERE account = ? AND family = ? AND rowid <> ? AND held_krw > 0 AND (held_live = 1 OR held_at_ms > ?)`;

interface TransferParts {
  readonly audit: AuditLog;
  readonly brake: BrakeKeeper;
}

export function createTransfers<State extends string, Body>(
  connection: Connection,
  parts: TransferParts,
): TransferJournal<State, Body> {
  const read = <T>(work: (statements: Statements) => T) => resultOf(connection.single(work));
  const write = <T>(work: (statements: Statements) => T) => resultOf(connection.transaction(work));
  const one = (sql: string, values: readonly string[]) =>
    read(({ get }) => {
      const row = get(sql, values);
      return row === undefined ? undefined : recordOf<State, Body>(row);
    });
  const list = (sql: string, values: readonly Bindable[]) =>
    read(({ all }) => all(sql, values).map(recordOf<State, Body>));
  const standingOf = (statements: Statements, of: Owner, atMs: number, exceptRow = NOBODY): TransferStanding => {
    const row = statements.get(USAGE, [of.account, of.family, exceptRow, atMs - DAY_MS]);
    if (row === undefined) throw new StoreInvariantError("a sum has no row");
    return { dayKrw: textCell(row, "day_krw"), brake: parts.brake.look(statements, atMs) };
  };
  return {
    record: (transfer, ended, told = {}) =>
      write((statements) => insert(statements, transfer, { ended, told, audit: parts.audit })),
    advance: (transferId, change, atMs) =>
      write((statements) => {
        const found = findIn<State, Body>(statements, transferId, change);
        return found && move(statements, found, { ...change, atMs }, parts.audit);
      }),
    begin: (transferId, send, admit, now) =>
      write((statements) => {
        const found = findIn<State, Body>(statements, transferId, send);
        if (found === undefined) return;
        const atMs = now();
        const { account } = found.before;
        const unheard = statements.all(UNHEARD, [account, transferId, UNHEARD_MAX]).map(recordOf<State, Body>);
        const since = (sinceMs: number) =>
          statements.all(SENT_SINCE, [account, transferId, ...between(sinceMs, atMs)]).map(recordOf<State, Body>);
        const refused = admit(standingOf(statements, found.before, atMs, found.rowId), {
          unacknowledged: unheard,
          since,
        });
        if (refused instanceof Promise) throw new StoreInvariantError("whether a transfer may begin is said at once");
        if (refused !== undefined) return { refused };
        const hold = { krw: send.heldKrw, isLive: true };
        return { transfer: move(statements, found, { ...send, hold, atMs, isSent: true }, parts.audit) };
      }),
    standing: (account, family, atMs) => read((statements) => standingOf(statements, { account, family }, atMs)),
    byId: (transferId) => one(BY_ID, [transferId]),
    byWish: (account, wish) => one(BY_WISH, [account, wish]),
    unresolvedOrUnacknowledged: (account, states, limit) =>
      account === undefined
        ? list(UNSURE_ANYWHERE, [JSON.stringify(states), limit])
        : list(UNSURE, [account, JSON.stringify(states), limit]),
    acknowledge: (transferId) =>
      write(({ run }) => {
        run(HEARD, [transferId]);
      }),
    inStates: (account, states, limit) => list(IN_STATES, [account, JSON.stringify(states), limit]),
    elsewhere: (account, states, limit) => list(ELSEWHERE, [account, JSON.stringify(states), limit]),
  };
}

interface Owner {
  readonly account: string;
  readonly family: string;
}

interface Recording<State> extends Required<Told> {
  readonly ended: readonly State[];
  readonly audit: AuditLog;
}

function insert<State extends string, Body>(
  statements: Statements,
  transfer: NewTransfer<State, Body>,
  { ended, told, audit }: Recording<State>,
): TransferRecord<State, Body> | undefined {
  const { transferId, account, family, wish, idempotencyKey, state, body, createdAtMs } = transfer;
  if (statements.get(RIVAL, [account, wish, JSON.stringify(ended)]) !== undefined) return;
  const text = JSON.stringify(body);
  const values = [transferId, account, family, wish, idempotencyKey, state, text, createdAtMs, createdAtMs];
  statements.run(INSERT, values);
  const detail = { to: state, wish, ...told };
  audit.write(statements, { event: "transfer_recorded", account, intentId: transferId, detail }, createdAtMs);
  const counted = { nonce: null, heldKrw: "0", isLive: false };
  return { ...transfer, ...counted, body: JSON.parse(text) as Body, updatedAtMs: createdAtMs };
}

interface Found<State extends string, Body> {
  readonly before: TransferRecord<State, Body>;
  readonly rowId: number;
}

function findIn<State extends string, Body>(
  { get }: Statements,
  transferId: string,
  { from, ifNonce, ifStill }: Pick<TransferChange<State, Body>, "from" | "ifNonce" | "ifStill">,
): Found<State, Body> | undefined {
  const row = get(BY_ID, [transferId]);
  if (row === undefined) return;
  const before = recordOf<State, Body>(row);
  if (!from.includes(before.state)) return;
  if (ifNonce !== undefined && ifNonce !== before.nonce) return;
  if (ifStill?.(before) === false) return;
  return { before, rowId: numberCell(row, "rowid") };
}

interface Move<State extends string, Body> extends Omit<TransferChange<State, Body>, "from" | "ifNonce" | "ifStill"> {
  readonly atMs: number;
  readonly nonce?: string;
  /** Its request leaves now. */
  readonly isSent?: boolean;
}

function move<State extends string, Body>(
  statements: Statements,
  { before, rowId }: Found<State, Body>,
  change: Move<State, Body>,
  audit: AuditLog,
): TransferRecord<State, Body> {
  const { to, atMs, body, hold, told = {}, isSent = false } = change;
  const nonce = change.nonce ?? before.nonce;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const columns: [string, Bindable][] = [
    ["state", to],
    ["nonce", nonce],
    ["updated_at_ms", atMs],
  ];
  if (text !== undefined) columns.push(["body", text]);
  if (hold !== undefined)
    columns.push(["held_krw", wholeKrw(hold.krw)], ["held_live", hold.isLive ? 1 : 0], ["held_at_ms", atMs]);
  if (isSent) columns.push(["unheard", 1], ["sent_at_ms", atMs]);
  const sql = `UPDATE transfers SET ${columns.map(([name]) => `${name} = ?`).join(", ")} WHERE rowid = ? AND state = ?`;
  const { changes } = statements.run(sql, [...columns.map(([, value]) => value), rowId, before.state]);
  if (changes !== 1) throw new StoreInvariantError(`transfer ${before.transferId} changed inside a transaction`);
  const { account, transferId } = before;
  const heldKrw = hold?.krw ?? before.heldKrw;
  const shown = isSent || heldKrw !== before.heldKrw ? heldKrw : undefined;
  const detail = { from: before.state, to, ...(isSent ? { nonce } : {}), held_krw: shown, ...told };
  audit.write(statements, { event: "transfer_moved", account, intentId: transferId, detail }, atMs);
  const after = { ...before, state: to, nonce, heldKrw, isLive: hold?.isLive ?? before.isLive };
  return { ...after, updatedAtMs: atMs, ...(text === undefined ? {} : { body: JSON.parse(text) as Body }) };
}

/** The state and body are what this program wrote, in the types it was instantiated with. */
function recordOf<State extends string, Body>(row: Row): TransferRecord<State, Body> {
  return {
    transferId: textCell(row, "transfer_id"),
    account: textCell(row, "account"),
    family: textCell(row, "family"),
    wish: textCell(row, "wish"),
    idempotencyKey: textCell(row, "idempotency_key"),
    state: textCell(row, "state") as State,
    nonce: optionalTextCell(row, "nonce"),
    body: JSON.parse(textCell(row, "body")) as Body,
    heldKrw: String(numberCell(row, "held_krw")),
    isLive: numberCell(row, "held_live") === 1,
    createdAtMs: numberCell(row, "created_at_ms"),
    updatedAtMs: numberCell(row, "updated_at_ms"),
  };
}
