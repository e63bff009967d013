/**
 * Owns the audit log: an entry per step, only ever appended.
 *
 * Entry point: `createAudit`.
 * Invariant: an entry that cannot be written is a `StoreError`, so the transaction it belongs to fails with it.
 */
import { canonicalJson, defined, isFreeOfSecrets, ok, redacted } from "../../contract/index.ts";
import type { AuditEntry, AuditLog, AuditQuery, AuditRow } from "../../desk/index.ts";
import type { Connection } from "../sql/connection.ts";
import { type Bindable, lenientTextCell, numberCell, type Row, type Statements, type Work } from "../sql/statement.ts";
import { explainError, resultOf, StoreError, StoreInvariantError, storeError } from "../sql/store-error.ts";
import {
  type ChainedEntry,
  type ChainHead,
  chainEntry,
  type KeptHead,
  keptHead,
  readHead,
  readHeadBeyond,
  saveHead,
} from "./audit-chain.ts";
import {
  type AuditVerdict,
  type ExportedHead,
  exportChain,
  lastAccepted,
  verifyChain,
  verifyTail,
} from "./audit-check.ts";

export interface Audit extends AuditLog {
  /**
   * Computes every hash again, up to the last entry there was at the beginning, and holds the intents against it. Takes time
   * with their number.
   * @param exported a head that was exported before: the log has to go on from it.
   * @param since the row that is taken as it is, and all before it with it
   */
  verify(exported?: ExportedHead, since?: number): Promise<AuditVerdict>;
  /** The same of the newest rows alone. */
  verifyTail(rows: number): Promise<AuditVerdict>;
  /** The last row in which a person has resumed trading, and so accepted what was found before. */
  lastAccepted(): Promise<number | undefined>;
  /**
   * JSON Lines: every entry with its hashes, oldest first, and last `{"head":{"count":…,"hash":…}}`. What was changed is shown
   * as it now is.
   */
  export(write: (line: string) => void): Promise<void>;
}

export interface AuditWriter extends Audit {
  /** The head that an entry of this transaction has made; undefined where it has written none. */
  headOf(statements: Statements): ChainHead | undefined;
  /** Reads in a transaction what its first entry needs, so that it can be asked with other things; what it finds wrong is said by the entry. */
  prepare(statements: Statements): Work<void>;
  /**
   * Throws for what keeps every entry from being written, and with it every order from leaving. @throws StoreError "put_back", where what
   * this process wrote is not in it
   */
  refuseUnwritable(statements: Statements): Work<void>;
  /** Does as `append`, inside a transaction. */
  write(statements: Statements, entry: AuditEntry, atMs: number): Work<void>;
}

/** The log's head as a transaction found it, or why it could not. */
type ReadHead = { readonly head: ChainHead } | { readonly error: unknown };

const MAX_PAGE = 1_000;

/**
 * @param redact is applied to every string of account, event and detail, and so to an account that is asked for; unless it leaves all of
 *   them together, as JSON, as they are.
 * @param caller by whose call it is written: `caller` in the detail of what it writes
 * @param kept where the log's head is told when an entry of its own is on disk, and the newest that was told
 */
export function createAudit(
  connection: Connection,
  redact: (text: string) => string = (text) => text,
  kept: KeptHead = keptHead(() => {}),
  caller: () => string | undefined = () => undefined,
): AuditWriter {
  const heads = new Heads(connection, kept);
  const write = function* (statements: Statements, entry: AuditEntry, atMs: number): Work<void> {
    if (!Number.isSafeInteger(atMs)) throw new StoreInvariantError("an audit entry's time is a whole number");
    const detail = { ...entry.detail, ...defined({ caller: caller() }) };
    const said = { atMs, ...textsOf({ ...entry, detail }, redact) };
    const head = yield* heads.headFor(statements);
    const meaning = (error: unknown): unknown => heads.meaningOf(error);
    const after = yield* chainEntry(statements, head, { ...said, seq: head.seq + 1 }, meaning);
    yield* saveHead(statements, after, meaning);
    heads.wrote(statements, after);
  };
  return {
    headOf: (statements) => heads.writtenIn(statements),
    prepare: (statements) => heads.prepare(statements),
    *refuseUnwritable(statements) {
      yield* heads.headFor(statements);
    },
    write,
    append: async (entry, atMs) => {
      const appended = await resultOf(
        connection.transaction(function* (statements) {
          yield* write(statements, entry, atMs);
          return heads.writtenIn(statements);
        }),
      );
      if (appended.ok && appended.value !== undefined) kept.keep(appended.value);
      return appended.ok ? ok(undefined) : appended;
    },
    recent: async (query) => {
      const { sql, values } = recentSql(
        query.account === undefined ? query : { ...query, account: wellFormed(redact(query.account)) },
      );
      return resultOf(connection.single(({ all }) => all(sql, values)).then((rows) => rows.map(auditRecord)));
    },
    verify: (exported, since) => verifyChain(connection, { exported, since }),
    verifyTail: (rows) => verifyTail(connection, rows),
    lastAccepted: () => lastAccepted(connection),
    export: (line) => exportChain(connection, line),
  };
}

/** The log's head as each transaction finds it, and as it leaves it. */
class Heads {
  readonly #connection: Connection;
  readonly #kept: KeptHead;
  readonly #found = new WeakMap<Statements, ReadHead>();
  readonly #left = new WeakMap<Statements, ChainHead>();
  /** As this process last wrote it; in a transaction that was rolled back, too. */
  #written: ChainHead | undefined;

  constructor(connection: Connection, kept: KeptHead) {
    this.#connection = connection;
    this.#kept = kept;
  }

  writtenIn(statements: Statements): ChainHead | undefined {
    return this.#left.get(statements);
  }

  wrote(statements: Statements, head: ChainHead): void {
    this.#left.set(statements, head);
    this.#written = head;
  }

  *prepare(statements: Statements): Work<void> {
    try {
      this.#found.set(statements, { head: yield* this.#checked(statements) });
    } catch (error) {
      this.#found.set(statements, { error: this.meaningOf(error) });
    }
  }

  *headFor(statements: Statements): Work<ChainHead> {
    const left = this.#left.get(statements);
    if (left !== undefined) return left;
    if (!this.#found.has(statements)) yield* this.prepare(statements);
    const found = this.#found.get(statements);
    if (found === undefined) throw new StoreInvariantError("the audit log's head was not read");
    if ("error" in found) throw found.error;
    return found.head;
  }

  /** A full or failing disk is said as such; whatever else the database has against the entry is about the log. */
  meaningOf(error: unknown): unknown {
    const { path } = this.#connection;
    return isAboutLog(explainError(error, path)) ? storeError("audit_unwritable", path, error) : error;
  }

  *#checked(statements: Statements): Work<ChainHead> {
    const { newest } = this.#kept;
    if (newest === undefined) return yield* readHead(statements);
    const { head, isBeyond } = yield* readHeadBeyond(statements, newest);
    if (!isBeyond && head.hash !== this.#written?.hash) throw storeError("put_back", this.#connection.path);
    return head;
  }
}

/** Tells whether the tables of the log do not take what they took before. */
function isAboutLog(meaning: unknown): boolean {
  if (meaning instanceof StoreError) return meaning.code === "refused" || meaning.code === "no_tables";
  return meaning instanceof StoreInvariantError;
}

/** An entry as it is kept. One search over all of it, which nearly always finds nothing, saves one for every string. */
function textsOf(
  { account, event, intentId, orderId, detail }: AuditEntry,
  redact: (text: string) => string,
): Omit<ChainedEntry, "seq" | "atMs"> {
  const text = canonicalJson(detail);
  const image = JSON.stringify([account, event]) + text;
  const isClean = isFreeOfSecrets(image, redact);
  const clean = (text: string) => wellFormed(isClean ? text : redact(text));
  return {
    account: clean(account),
    event: clean(event),
    intentId: intentId === undefined ? null : wellFormed(intentId),
    orderId: orderId === undefined ? null : wellFormed(orderId),
    detail: isClean ? text : canonicalJson(redacted(detail, redact)),
  };
}

/** Writes it as SQLite will keep it: a lone surrogate has no UTF-8. */
function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? Buffer.from(text, "utf8").toString("utf8") : text;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function recentSql(query: AuditQuery): { sql: string; values: Bindable[] } {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > MAX_PAGE) {
    throw new StoreInvariantError(`an audit page has 1 to ${MAX_PAGE} entries`);
  }
  const conditions: [string, Bindable][] = [];
  if (query.account !== undefined) conditions.push(["account = ?", query.account]);
  if (query.intentId !== undefined) conditions.push(["intent_id = ?", query.intentId]);
  if (query.orderId !== undefined) conditions.push(["order_id = ?", query.orderId]);
  if (query.event !== undefined) conditions.push(["event = ?", query.event]);
  if (query.sinceMs !== undefined) conditions.push(["at_ms >= ?", query.sinceMs]);
  if (query.beforeSeq !== undefined) conditions.push(["seq < ?", query.beforeSeq]);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([text]) => text).join(" AND ")}`;
  return {
    sql: `SELECT seq, at_ms, CAST(account AS BLOB) AS account, CAST(event AS BLOB) AS event,
      CAST(intent_id AS BLOB) AS intent_id, CAST(order_id AS BLOB) AS order_id, CAST(detail AS BLOB) AS detail
      FROM audit ${where} ORDER BY seq DESC LIMIT ?`,
    values: [...conditions.map(([, value]) => value), query.limit],
  };
}

/** Shows what it can of an entry that was changed: that it was is for `verify` to say. */
function auditRecord(row: Row): AuditRow {
  const optional = (column: string) => (row[column] === null ? null : lenientTextCell(row, column));
  return {
    seq: numberCell(row, "seq"),
    atMs: numberCell(row, "at_ms"),
    account: lenientTextCell(row, "account"),
    event: lenientTextCell(row, "event"),
    intentId: optional("intent_id"),
    orderId: optional("order_id"),
    detail: detailOf(lenientTextCell(row, "detail")),
  };
}

function detailOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { unreadable: text };
  }
}
