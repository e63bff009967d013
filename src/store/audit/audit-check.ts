/**
 * Owns looking at the audit chain from outside: checking it and writing it out. Reads only, in pages.
 *
 * Invariant: nothing that a changed row may hold stops the look: integers are read as text, text as bytes.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { canonicalJson, onFirstUse } from "../../contract/index.ts";
import { type Connection, WHOLE } from "../sql/connection.ts";
import { isTextCell, lenientTextCell, numberCell, type Row, textCell } from "../sql/statement.ts";
import { type ChainedEntry, entryHash, entryText, GENESIS_HASH } from "./audit-chain.ts";

/**
 * `changed`: the entry is not what was written. `missing`: there was an entry here. `cut off`: this one and all after it are
 * gone. `added`: behind the end. `head`: the entries fit together, but the head is gone or does not fit the last. `intent`: the
 * entries are whole, and an intent, transfer or plan is not what its last entry says. `another log`: the head that was exported is not in this one.
 */
export type AuditDamage =
  | "changed"
  | "missing"
  | "cut off"
  | "added"
  | "head"
  | "intent"
  | "another log"
  /** Rows that are known to have been there before this one are not: the log was put back from a copy. This row says so. */
  | "restored";

/** Holds what `export` wrote last, exported where nobody who can write the store can write. */
export interface ExportedHead {
  readonly count: number;
  readonly hash: string;
}

export type AuditVerdict =
  | { readonly ok: true; readonly count: number; readonly headHash: string }
  | {
      readonly ok: false;
      /** Numbers the first entry that is wrong; the last, when the head is. */
      readonly seq: number;
      readonly what: AuditDamage;
      /** Entries before it, all of them right. */
      readonly count: number;
    };

interface Found {
  readonly entry: ChainedEntry;
  readonly seq: bigint;
  readonly prevHash: string;
  readonly hash: string;
  /** Tells whether all its text is text. */
  readonly isText: boolean;
}

interface End {
  readonly head: { readonly count: string; readonly seq: bigint; readonly hash: string } | undefined;
  /** Largest seq; undefined when there is no entry. */
  readonly lastSeq: bigint | undefined;
}

/** The last entry found right, and how many there are so far. */
interface Reached {
  readonly seq: bigint;
  readonly hash: string;
  readonly count: number;
}

const PAGE = 500;
const BEFORE_ALL = -(2n ** 63n);

const HEAD = `SELECT CAST(count AS TEXT) AS count, CAST(seq AS TEXT) AS seq, CAST(hash AS BLOB) AS hash
  FROM audit_head WHERE id = 1`;
/** Asks in one statement, so that the two belong together. */
const END = `SELECT head.count, head.seq, head.hash, last.seq AS last_seq
  FROM (SELECT CAST(max(seq) AS TEXT) AS seq FROM audit) AS last LEFT JOIN (${HEAD}) AS head ON TRUE`;
const ROWS = `SELECT CAST(seq AS TEXT) AS seq, CAST(at_ms AS TEXT) AS at_ms, CAST(account AS BLOB) AS account,
  CAST(event AS BLOB) AS event, CAST(intent_id AS BLOB) AS intent_id, CAST(order_id AS BLOB) AS order_id,
  CAST(detail AS BLOB) AS detail, CAST(prev_hash AS BLOB) AS prev_hash, CAST(hash AS BLOB) AS hash
  FROM audit WHERE audit.seq > ? AND audit.seq <= ? ORDER BY audit.seq LIMIT ?`;

/** Leaves out one that was only moved: of that nothing is known to be missing. */
const RESTORED = `SELECT max(seq) AS seq FROM audit WHERE audit.seq > ? AND audit.seq <= ?
  AND event = 'restored' AND json_extract(detail, '$.why') <> 'moved'`;

interface LogComparison {
  /** Finds one that the log says was recorded and that is not there, among some rows. */
  readonly gone: string;
  /** A page of all, each with whether it is what the log says. */
  readonly page: string;
  /** What no statement can tell of a row. */
  readonly isChanged?: (row: Row) => boolean;
}

const said = (field: string, entry = "audit"): string => `json_extract(${entry}.detail, '$.${field}')`;
/** Of the last entry that says it. */
const lastSaid = (field: string, which: string): string => `(SELECT ${said(field)} FROM audit
  WHERE ${which} AND ${said(field)} IS NOT NULL ORDER BY audit.seq DESC LIMIT 1)`;

/** Intents to trade and transfers alike: what the log says of a table's records, by the name of one. */
function heldAgainstLog(table: "intents" | "transfers", one: "intent" | "transfer"): LogComparison {
  const moves = `event IN ('${one}_recorded', '${one}_moved') AND audit.intent_id = ${table}.${one}_id`;
  return {
    gone: `SELECT min(seq) AS seq FROM audit WHERE audit.seq > ? AND audit.seq <= ? AND event = '${one}_recorded'
      AND intent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.${one}_id = audit.intent_id)`,
    // Without its point, a sum is the number of steps that the journal keeps.
    page: `SELECT ${table}.rowid AS row_id,
      coalesce((SELECT max(seq) FROM audit WHERE ${moves}), 0) AS seq,
      CASE WHEN (${lastSaid("to", moves)} = state
        AND CAST(replace(coalesce(${lastSaid("held", moves)}, '0'), '.', '') AS BIGINT) = held) IS FALSE THEN 0 ELSE 1 END AS is_same
      FROM ${table} WHERE ${table}.rowid > ? ORDER BY ${table}.rowid LIMIT ?`,
  };
}

/** Every entry of a plan says its state and version behind it, and as what it was approved, by a digest; one that the log does not know nobody approved. */
function plansAgainstLog(): LogComparison {
  const ofPlan = `audit.intent_id = plans.plan_id AND audit.event LIKE 'plan#_%' ESCAPE '#'`;
  return {
    gone: `SELECT min(seq) AS seq FROM audit WHERE audit.seq > ? AND audit.seq <= ? AND (event = 'plan_recorded'
      AND intent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plans WHERE plans.plan_id = audit.intent_id) OR ${stepIsNotAsSaid()})`,
    page: `SELECT plans.rowid AS row_id, coalesce((SELECT max(seq) FROM audit WHERE ${ofPlan}), 0) AS seq,
      CASE WHEN (${lastSaid("state", ofPlan)} = state AND CAST(${lastSaid("version", ofPlan)} AS BIGINT) = version) IS TRUE THEN 1 ELSE 0 END AS is_same,
      CAST(terms AS BLOB) AS terms, CAST(mandate AS BLOB) AS mandate, ${lastSaid("sum", ofPlan)} AS sum
      FROM plans WHERE plans.rowid > ? ORDER BY plans.rowid LIMIT ?`,
    isChanged: (row) => {
      const mandate = row["mandate"] === null ? null : lenientTextCell(row, "mandate");
      return row["sum"] !== planSum(lenientTextCell(row, "terms"), mandate);
    },
  };
}

/** An order of a step is the one with which it was claimed; what became of the step is what was said of it last. */
function stepIsNotAsSaid(): string {
  const isStep = (entry: string) => `${entry}.event IN ('plan_step_claimed', 'plan_step_ended')
    AND CAST(${said("step", entry)} AS BIGINT) = plan_steps.step`;
  const saidLater = `EXISTS (SELECT 1 FROM audit AS later WHERE later.intent_id = audit.intent_id AND later.seq > audit.seq AND ${isStep("later")})`;
  return `event IN ('plan_step_claimed', 'plan_step_ended') AND ${said("intent_id")} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plan_steps
    WHERE plan_id = audit.intent_id AND ${isStep("audit")} AND plan_steps.intent_id = ${said("intent_id")}
    AND (state = coalesce(${said("step_state")}, 'claimed') OR ${saidLater}))`;
}

/** SHA-256, hex: what a plan's terms and mandate are held against. */
export function planSum(terms: string, mandate: string | null): string {
  const both = `${terms}\n${mandate ?? ""}`;
  return createHash("sha256").update(both).digest("hex");
}

/** The same each time: what is found is kept by them. */
const tablesOfLog = onFirstUse(() => [
  heldAgainstLog("intents", "intent"),
  heldAgainstLog("transfers", "transfer"),
  plansAgainstLog(),
]);

export interface Extent {
  /** Has to be in the chain, too. */
  readonly exported?: ExportedHead | undefined;
  /** The row that is taken as it is: what stands before it is not looked at, and not counted against the log. */
  readonly since?: number | undefined;
  /** Says that the journal is not held against it. */
  readonly isAlone?: boolean;
}

export async function verifyChain(
  connection: Connection,
  { exported, since, isAlone = false }: Extent = {},
): Promise<AuditVerdict> {
  const end = await readEnd(connection);
  if (end === undefined) return { ok: false, seq: 1, what: "missing", count: 0 };
  const from = since === undefined ? START : await rowAt(connection, since, end.head, isAlone);
  if (from === undefined) return { ok: false, seq: since ?? 1, what: "missing", count: 0 };
  let reached = from;
  const claims = new Claims(connection);
  let claimedTo = since === undefined ? BEFORE_ALL : reached.seq;
  for await (const page of pages(connection, end, claimedTo)) {
    for (const found of page) {
      const damage = damageOf(found, reached);
      if (damage !== undefined) return { ok: false, ...damage, count: reached.count };
      reached = { seq: found.seq, hash: found.hash, count: reached.count + 1 };
      if (reached.count === exported?.count && reached.hash !== exported.hash) return astray(reached, "another log");
    }
    await claims.read(claimedTo, reached.seq);
    claimedTo = reached.seq;
  }
  if (exported !== undefined && exported.count > reached.count) return astray(reached, "cut off");
  const verdict = verdictAtEnd(end, reached);
  if (!verdict.ok) return verdict;
  for (const table of isAlone ? [] : tablesOfLog()) {
    const seq = claims.gone.get(table) ?? (await changedIntent(connection, table, since));
    if (seq !== undefined) return { ok: false, seq, what: "intent", count: verdict.count };
  }
  const { restored } = claims;
  return restored === undefined ? verdict : { ok: false, seq: restored, what: "restored", count: verdict.count };
}

const START: Reached = { seq: 0n, hash: GENESIS_HASH, count: 0 };
const AT = "SELECT CAST(hash AS BLOB) AS hash FROM audit WHERE audit.seq = ?";
const COUNT_TO = "SELECT count(*) AS count FROM audit WHERE audit.seq <= ?";
const COUNT_AFTER = "SELECT count(*) AS count FROM audit WHERE audit.seq > ?";

/** @param isAlone whether the rows before it are as many as the head says: to count them all takes as long as to read them */
async function rowAt(
  connection: Connection,
  seq: number,
  head: End["head"],
  isAlone: boolean,
): Promise<Reached | undefined> {
  return connection.single(function* ({ get }) {
    const row = yield* get(AT, [seq]);
    if (row === undefined) return undefined;
    const counted = yield* get(isAlone ? COUNT_AFTER : COUNT_TO, [seq]);
    const rows = counted === undefined ? 0 : numberCell(counted, "count");
    const count = isAlone ? Number(head?.count ?? 0) - rows : rows; // not money: a number of rows
    return { seq: BigInt(seq), hash: lenientTextCell(row, "hash"), count };
  }, WHOLE);
}

const UP_TO = "SELECT coalesce(max(seq), 0) AS seq FROM audit WHERE audit.seq <= ?";
/** Finds where a person has gone on although damage was found. */
const ACCEPTED = `SELECT max(seq) AS seq FROM audit WHERE audit.seq > ? AND event = 'resumed'
  AND audit.seq > (SELECT min(seq) FROM audit AS found WHERE found.seq > ? AND found.event = 'damaged')`;

/** The newest rows alone, and what they hang on: as many as a start has time for. Those that a person accepted as damaged are passed over. */
export async function verifyTail(connection: Connection, rows: number): Promise<AuditVerdict> {
  const upTo = async (seq: number): Promise<number> => {
    const row = await connection.single(({ get }) => get(UP_TO, [seq]));
    return row === undefined ? 0 : numberCell(row, "seq");
  };
  const last = await upTo(Number.MAX_SAFE_INTEGER);
  // A log that was numbered anew once has gaps.
  const first = await upTo(last - rows);
  const accepted = await connection.single(({ get }) => get(ACCEPTED, [first, first]));
  const since = accepted === undefined || accepted["seq"] === null ? first : numberCell(accepted, "seq");
  const verdict = await verifyChain(connection, { since: since === 0 ? undefined : since, isAlone: true });
  // A log that was put back was told when it was opened.
  return !verdict.ok && verdict.what === "restored" ? { ok: true, count: verdict.count, headHash: "" } : verdict;
}

const RESUMED = `SELECT max(seq) AS seq FROM audit WHERE event = 'resumed'`;

/** The last row in which a person has said that trading goes on, whatever was found before; undefined where there is none. */
export async function lastAccepted(connection: Connection): Promise<number | undefined> {
  const row = await connection.single(({ get }) => get(RESUMED, []), WHOLE);
  return row === undefined || row["seq"] === null ? undefined : numberCell(row, "seq");
}

/** Hold what the rows say besides, page by page: one statement for all of them would keep the process from all else. */
class Claims {
  /** The first row of one that is not there, by its table. */
  readonly gone = new Map<LogComparison, number>();
  /** The last row of a log that was put back. */
  restored: number | undefined;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @param after of rows that were found right */
  async read(after: bigint, to: bigint): Promise<void> {
    for (const table of tablesOfLog()) {
      const gone = this.gone.get(table) ?? (await this.#seq(table.gone, after, to));
      if (gone !== undefined) this.gone.set(table, gone);
    }
    this.restored = (await this.#seq(RESTORED, after, to)) ?? this.restored;
  }

  async #seq(sql: string, after: bigint, to: bigint): Promise<number | undefined> {
    const row = await this.#connection.single(({ get }) => get(sql, [after, to]));
    return row === undefined || row["seq"] === null ? undefined : numberCell(row, "seq");
  }
}

function astray({ seq, count }: Reached, what: AuditDamage): AuditVerdict {
  return { ok: false, seq: shown(what === "cut off" ? seq + 1n : seq), what, count };
}

/**
 * Checks whether what the journal holds of each intent is what the log says of its last move: state, and money held.
 * @returns the row of the first that is not
 */
async function changedIntent(
  connection: Connection,
  { page: pageSql, isChanged }: LogComparison,
  since = -1,
): Promise<number | undefined> {
  for (let after = -1; ; ) {
    const from = after;
    const page = await connection.single(({ all }) => all(pageSql, [from, PAGE]), WHOLE);
    const changed = page.find(
      (row) => (row["is_same"] !== 1 || isChanged?.(row) === true) && numberCell(row, "seq") > since,
    );
    if (changed !== undefined) return numberCell(changed, "seq");
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = numberCell(last, "row_id");
    await setImmediate();
  }
}

export async function exportChain(connection: Connection, write: (line: string) => void): Promise<void> {
  const end = await readEnd(connection);
  for await (const page of pages(connection, end))
    for (const { entry, prevHash, hash } of page) {
      const detail = isCanonical(entry.detail) ? entry.detail : JSON.stringify(entry.detail);
      write(entryText({ ...entry, detail }, { prevHash, hash }));
    }
  const { head } = end ?? {};
  write(head === undefined ? '{"head":null}' : `{"head":{"count":${head.count},"hash":${JSON.stringify(head.hash)}}}`);
}

/** @returns undefined when the log itself is gone. */
async function readEnd(connection: Connection): Promise<End | undefined> {
  const tables = (await connection.single(({ all }) => all(connection.catalog.tables, []))).map((row) =>
    textCell(row, "name"),
  );
  if (!tables.includes("audit")) return;
  const sql = tables.includes("audit_head")
    ? END
    : "SELECT CAST(max(seq) AS TEXT) AS last_seq, NULL AS hash FROM audit";
  const row = await connection.single(({ get }) => get(sql, []));
  if (row === undefined) return;
  const lastSeq = row["last_seq"] === null ? undefined : BigInt(textCell(row, "last_seq"));
  if (row["hash"] === null) return { head: undefined, lastSeq };
  const [count, seq] = [textCell(row, "count"), BigInt(textCell(row, "seq"))];
  return { head: { count, seq, hash: lenientTextCell(row, "hash") }, lastSeq };
}

async function* pages(
  connection: Connection,
  end: End | undefined,
  begin = BEFORE_ALL,
): AsyncGenerator<readonly Found[]> {
  if (end?.lastSeq === undefined) return;
  const { lastSeq } = end;
  for (let after = begin; ; ) {
    const from = after;
    const page = (await connection.single(({ all }) => all(ROWS, [from, lastSeq, PAGE]))).map(foundIn);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.seq;
    // The process has more to do than this.
    await setImmediate();
  }
}

function foundIn(row: Row): Found {
  let isText = true;
  const text = (column: string): string => {
    isText &&= isTextCell(row, column);
    return lenientTextCell(row, column);
  };
  const optional = (column: string) => (row[column] === null ? null : text(column));
  const entry = {
    seq: textCell(row, "seq"),
    atMs: textCell(row, "at_ms"),
    account: text("account"),
    event: text("event"),
    intentId: optional("intent_id"),
    orderId: optional("order_id"),
    detail: text("detail"),
  };
  const [prevHash, hash] = [text("prev_hash"), text("hash")];
  return { entry, seq: BigInt(entry.seq), prevHash, hash, isText };
}

function damageOf(found: Found, before: Reached): { seq: number; what: AuditDamage } | undefined {
  const isLinked = found.prevHash === before.hash;
  const isIntact = found.isText && entryHash(found.prevHash, found.entry) === found.hash;
  if (isLinked && isIntact) return;
  const changed = { seq: shown(found.seq), what: "changed" } as const;
  // All is right but the column that names the one before.
  if (isLinked || (!isIntact && entryHash(before.hash, found.entry) === found.hash)) return changed;
  if (found.seq > before.seq + 1n) return { seq: shown(before.seq + 1n), what: "missing" };
  // It hangs on another entry than the one before it, which was then replaced together with its hash.
  return isIntact && before.count > 0 ? { seq: shown(before.seq), what: "changed" } : changed;
}

function verdictAtEnd({ head }: End, { seq, hash, count }: Reached): AuditVerdict {
  if (head?.hash === hash && head.seq === seq && head.count === String(count))
    return { ok: true, count, headHash: hash };
  if (head === undefined || head.hash === hash || head.seq === seq) {
    return { ok: false, seq: shown(seq), what: "head", count };
  }
  if (head.seq > seq) return { ok: false, seq: shown(seq + 1n), what: "cut off", count };
  return { ok: false, seq: shown(head.seq + 1n), what: "added", count };
}

function shown(seq: bigint): number {
  return Number(seq); // not money: a row number
}

function isCanonical(text: string): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === text;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
