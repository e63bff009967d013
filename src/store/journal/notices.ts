/**
 * What plans have to tell, from the transaction that it tells of until it was delivered.
 *
 * Invariants: of all processes that look one is given a notice, and another only when the claim has run out, as that process may have died; so a
 * receiver may hear it twice, under the same id. Looking where nothing is due writes nothing.
 */
import type { Notice, NoticeClaim, Notices, NoticeType } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connection } from "../sql/connection.ts";
import { type Bindable, numberCell, type Row, textCell } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";

/** How long after each failure it is due again; behind the last it is given up. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;

const NEWEST_FIRST = "ORDER BY at_ms DESC, notice_id LIMIT ?";
const SELECT =
  "SELECT notice_id, account, plan_id, type, key, body, at_ms, due_at_ms, tries, delivered_at_ms FROM notices WHERE";
/** A claim that ends further ahead than any was made for is void: the clock was set back since. */
const DUE = `${SELECT} account = ? AND delivered_at_ms IS NULL AND due_at_ms <= ? AND at_ms >= ?
  AND (claimed_until_ms <= ? OR claimed_until_ms > ?) AND type IN (SELECT value FROM json_each(?))
  ORDER BY due_at_ms, notice_id LIMIT ?`;
const CLAIM = "UPDATE notices SET claimed_until_ms = ? WHERE notice_id = ?";
const UNDELIVERED = `${SELECT} notice_id = ? AND delivered_at_ms IS NULL`;
const DELIVERED = "UPDATE notices SET delivered_at_ms = ? WHERE notice_id = ?";
const FAILED = "UPDATE notices SET tries = ?, due_at_ms = ?, claimed_until_ms = 0 WHERE notice_id = ?";
const PARKED = `${SELECT} account = ? AND delivered_at_ms IS NULL AND due_at_ms IS NULL ${NEWEST_FIRST}`;
const RECENT = `${SELECT} account = ? AND at_ms >= ? ${NEWEST_FIRST}`;
const RECENT_OF_PLAN = `${SELECT} account = ? AND at_ms >= ? AND plan_id = ? ${NEWEST_FIRST}`;
const OLD = `SELECT notice_id FROM notices WHERE account = ? AND at_ms < ? AND NOT EXISTS
  (SELECT 1 FROM plans WHERE plans.plan_id = notices.plan_id AND plans.ended_at_ms IS NULL) ORDER BY at_ms LIMIT ?`;
const PRUNE = `DELETE FROM notices WHERE notice_id IN (${OLD}) RETURNING notice_id`;

export function createNotices(connection: Connection, audit: AuditWriter): Notices {
  const list = (sql: string, values: readonly Bindable[]) =>
    resultOf(connection.single(({ all }) => all(sql, values)).then((rows) => rows.map(noticeOf)));
  return {
    claimDue: async (claim) => {
      const due = await list(DUE, dueValues(claim));
      if (!due.ok || due.value.length === 0) return due;
      return resultOf(
        connection.transaction(function* ({ all, put }) {
          const notices = (yield* all(DUE, dueValues(claim))).map(noticeOf);
          for (const { noticeId } of notices) yield* put(CLAIM, [claim.nowMs + claim.claimMs, noticeId], 1);
          return notices;
        }),
      );
    },
    delivered: (noticeId, nowMs) =>
      resultOf(
        connection.transaction(function* (statements) {
          const row = yield* statements.get(UNDELIVERED, [noticeId]);
          if (row === undefined) return false;
          const { account, planId, type, key } = noticeOf(row);
          yield* statements.put(DELIVERED, [nowMs, noticeId], 1);
          const detail = { notice_id: noticeId, plan_id: planId, type, key };
          yield* audit.write(statements, { event: "notice_delivered", account, detail }, nowMs);
          return true;
        }),
      ),
    failed: (noticeId, nowMs) =>
      resultOf(
        connection.transaction(function* (statements) {
          const row = yield* statements.get(UNDELIVERED, [noticeId]);
          if (row === undefined) return undefined;
          const notice = noticeOf(row);
          const waitMs = RETRY_MS[notice.tries];
          const [tries, dueAtMs] = [notice.tries + 1, waitMs === undefined ? null : nowMs + waitMs];
          yield* statements.put(FAILED, [tries, dueAtMs, noticeId], 1);
          return { ...notice, tries, dueAtMs };
        }),
      ),
    prune: (account, beforeMs, limit) =>
      resultOf(pruned(connection, { look: OLD, remove: PRUNE }, [account, beforeMs], limit)),
    parked: (account, limit) => list(PARKED, [account, limit]),
    recent: ({ account, planId, sinceMs, limit }) =>
      planId === undefined
        ? list(RECENT, [account, sinceMs, limit])
        : list(RECENT_OF_PLAN, [account, sinceMs, planId, limit]),
  };
}

/** A look first: where nothing is old, nothing is written. */
export async function pruned(
  connection: Connection,
  { look, remove }: { readonly look: string; readonly remove: string },
  values: readonly Bindable[],
  limit: number,
): Promise<number> {
  const found = await connection.single(({ get }) => get(look, [...values, 1]));
  if (found === undefined) return 0;
  const removed = await connection.transaction(({ all }) => all(remove, [...values, limit]));
  return removed.length;
}

/** Twice `claimMs`: `nowMs` was read before waiting for the lock, so a newer claim may end later. */
function dueValues({ account, nowMs, claimMs, sinceMs, types, limit }: NoticeClaim): readonly Bindable[] {
  return [account, nowMs, sinceMs, nowMs, nowMs + 2 * claimMs, JSON.stringify(types), limit];
}

function noticeOf(row: Row): Notice {
  const optional = (column: string) => (row[column] === null ? null : numberCell(row, column));
  return {
    noticeId: textCell(row, "notice_id"),
    account: textCell(row, "account"),
    planId: textCell(row, "plan_id"),
    type: textCell(row, "type") as NoticeType,
    key: textCell(row, "key"),
    body: JSON.parse(textCell(row, "body")) as Notice["body"],
    atMs: numberCell(row, "at_ms"),
    dueAtMs: optional("due_at_ms"),
    tries: numberCell(row, "tries"),
    deliveredAtMs: optional("delivered_at_ms"),
  };
}
