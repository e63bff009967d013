/**
 * Owns the audit log: an entry per step, only ever appended.
 *
 * Entry points: `createAudit` for steps that stand alone, `appendAudit` for those written in another transaction.
 */
import type { Connection } from "./driver.ts";
import { type Bindable, numberCell, optionalTextCell, type Row, type Statements, textCell } from "./statement.ts";
import { StoreInvariantError } from "./store-error.ts";

export interface AuditEntry {
  readonly event: string;
  readonly account: string;
  readonly intentId?: string;
  readonly orderId?: string;
  /** JSON; never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRecord {
  /** Rises with every entry; later entries have larger ones. */
  readonly seq: number;
  readonly atMs: number;
  readonly event: string;
  readonly account: string;
  readonly intentId: string | null;
  readonly orderId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditQuery {
  readonly intentId?: string;
  readonly orderId?: string;
  /** 1 to 1000. */
  readonly limit: number;
  /** Only entries before this one. */
  readonly beforeSeq?: number;
}

export interface Audit {
  append(entry: AuditEntry, atMs: number): Promise<void>;
  /** Newest first. */
  recent(query: AuditQuery): Promise<readonly AuditRecord[]>;
}

const MAX_PAGE = 1_000;

const INSERT = "INSERT INTO audit (at_ms, account, event, intent_id, order_id, detail) VALUES (?, ?, ?, ?, ?, ?)";

export function appendAudit({ run }: Statements, entry: AuditEntry, atMs: number): void {
  const { account, event, intentId = null, orderId = null } = entry;
  run(INSERT, [atMs, account, event, intentId, orderId, JSON.stringify(entry.detail)]);
}

export function createAudit(connection: Connection): Audit {
  return {
    append: (entry, atMs) => connection.transaction((statements) => appendAudit(statements, entry, atMs)),
    recent: async (query) => {
      const { sql, values } = recentSql(query);
      return connection.single(({ all }) => all(sql, values).map(auditRecord));
    },
  };
}

function recentSql(query: AuditQuery): { sql: string; values: Bindable[] } {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > MAX_PAGE) {
    throw new StoreInvariantError(`an audit page has 1 to ${MAX_PAGE} entries`);
  }
  const conditions: [string, Bindable][] = [];
  if (query.intentId !== undefined) conditions.push(["intent_id = ?", query.intentId]);
  if (query.orderId !== undefined) conditions.push(["order_id = ?", query.orderId]);
  if (query.beforeSeq !== undefined) conditions.push(["seq < ?", query.beforeSeq]);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([text]) => text).join(" AND ")}`;
  return {
    sql: `SELECT seq, at_ms, account, event, intent_id, order_id, detail FROM audit ${where} ORDER BY seq DESC LIMIT ?`,
    values: [...conditions.map(([, value]) => value), query.limit],
  };
}

function auditRecord(row: Row): AuditRecord {
  return {
    seq: numberCell(row, "seq"),
    atMs: numberCell(row, "at_ms"),
    account: textCell(row, "account"),
    event: textCell(row, "event"),
    intentId: optionalTextCell(row, "intent_id"),
    orderId: optionalTextCell(row, "order_id"),
    detail: JSON.parse(textCell(row, "detail")) as Readonly<Record<string, unknown>>,
  };
}
