/**
 * Who looks after the plans of an account, and when nobody did.
 *
 * Invariant: whoever has the watch is told by it whether to look, and nothing else: what is written of a plan asks for its version. A power cut may
 * take the last second of it.
 */
import type { NewNotice, PlanBook, PlanGap, PlanWatch, WatchClaim } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { Connections } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";
import { pruned } from "./notices.ts";
import type { PlanRows } from "./plan-rows.ts";

const WATCH = "SELECT holder, lease_until_ms, since_ms, seen_ms FROM plan_watch WHERE account = ?";
const TAKE = `INSERT INTO plan_watch (account, holder, lease_until_ms, since_ms, seen_ms) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, lease_until_ms = excluded.lease_until_ms,
  since_ms = excluded.since_ms, seen_ms = excluded.seen_ms`;
const LEAVE = "UPDATE plan_watch SET lease_until_ms = 0 WHERE account = ? AND holder = ?";
const GAP_COLUMNS = "account, symbol, from_ms, to_ms, why";
const LASTING = `SELECT ${GAP_COLUMNS} FROM plan_gaps WHERE account = ? AND symbol = ? AND (to_ms IS NULL OR from_ms = ?)
  ORDER BY from_ms DESC LIMIT 1`;
const BEGIN_GAP = "INSERT INTO plan_gaps (account, symbol, from_ms, to_ms, why) VALUES (?, ?, ?, NULL, ?)";
const END_GAP =
  "UPDATE plan_gaps SET to_ms = ? WHERE account = ? AND symbol = ? AND from_ms = ? AND to_ms IS NULL RETURNING why";
const GAPS = `SELECT ${GAP_COLUMNS} FROM plan_gaps WHERE account = ? AND (to_ms IS NULL OR to_ms >= ?)
  ORDER BY from_ms DESC, symbol LIMIT ?`;
const OLD_GAPS = "SELECT account, symbol, from_ms FROM plan_gaps WHERE account = ? AND to_ms < ? LIMIT ?";
const PRUNE_GAPS = `DELETE FROM plan_gaps WHERE (account, symbol, from_ms) IN (${OLD_GAPS}) RETURNING from_ms`;

type Watching = Pick<PlanBook, "takeWatch" | "leaveWatch" | "watch" | "beginGap" | "endGap" | "gaps" | "pruneGaps">;

export function createPlanWatch({ durable, lazy }: Connections, audit: AuditWriter, rows: PlanRows): Watching {
  const told = function* (
    statements: Statements,
    account: string,
    notices: ReadonlyMap<string, readonly NewNotice[]>,
    atMs: number,
  ): Work<void> {
    for (const [planId, each] of notices) yield* rows.tell(statements, { planId, account }, each, atMs);
  };
  return {
    watch: (account) => resultOf(lazy.single((statements) => watchIn(statements, account))),
    takeWatch: async (account, claim) => {
      const { holder, nowMs, leaseMs } = claim;
      // Without a write lock first: of many processes all but one only look.
      const seen = await resultOf(lazy.single((statements) => watchIn(statements, account)));
      if (!seen.ok) return seen;
      if (seen.value !== undefined && !isFree(seen.value, claim))
        return { ok: true, value: { watch: seen.value, isMine: false } };
      return resultOf(
        lazy.transaction(function* (statements) {
          const before = yield* watchIn(statements, account);
          if (before !== undefined && !isFree(before, claim)) return { watch: before, isMine: false };
          const goesOn = claim.goesOn && before?.holder === holder;
          const sinceMs = goesOn ? before.sinceMs : nowMs;
          const watch = { holder, leaseUntilMs: nowMs + leaseMs, sinceMs, seenMs: nowMs };
          yield* statements.put(TAKE, [account, holder, watch.leaseUntilMs, sinceMs, nowMs], 1);
          return { watch, isMine: true, ...(before !== undefined && !goesOn && { seenBeforeMs: before.seenMs }) };
        }),
      );
    },
    leaveWatch: (account, holder) => resultOf(lazy.transaction(({ put }) => put(LEAVE, [account, holder]))),
    beginGap: ({ account, symbol, fromMs, why }, notices, atMs) =>
      resultOf(
        durable.transaction(function* (statements) {
          const lasting = yield* statements.get(LASTING, [account, symbol, fromMs]);
          if (lasting !== undefined) return gapOf(lasting);
          yield* statements.put(BEGIN_GAP, [account, symbol, fromMs, why], 1);
          yield* audit.write(
            statements,
            { event: "plan_gap", account, detail: { symbol, from_ms: fromMs, why } },
            atMs,
          );
          yield* told(statements, account, notices, atMs);
          return { account, symbol, fromMs, toMs: null, why };
        }),
      ),
    endGap: ({ account, symbol, fromMs, toMs }, notices, atMs) =>
      resultOf(
        durable.transaction(function* (statements) {
          const ended = yield* statements.get(END_GAP, [toMs, account, symbol, fromMs]);
          if (ended === undefined) return false;
          const detail = { symbol, from_ms: fromMs, to_ms: toMs, why: textCell(ended, "why") };
          yield* audit.write(statements, { event: "plan_gap", account, detail }, atMs);
          yield* told(statements, account, notices, atMs);
          return true;
        }),
      ),
    gaps: (account, sinceMs, limit) =>
      resultOf(durable.single(({ all }) => all(GAPS, [account, sinceMs, limit])).then((found) => found.map(gapOf))),
    pruneGaps: (account, beforeMs, limit) =>
      resultOf(pruned(durable, { look: OLD_GAPS, remove: PRUNE_GAPS }, [account, beforeMs], limit)),
  };
}

/** No time of it is held against the caller's: the clocks of two machines may be further apart than a lease lasts. */
function isFree(watch: PlanWatch, { holder, overdue }: WatchClaim): boolean {
  const isOverdue = overdue?.holder === watch.holder && overdue.seenMs === watch.seenMs;
  return watch.holder === holder || watch.leaseUntilMs === 0 || isOverdue;
}

function* watchIn({ get }: Statements, account: string): Work<PlanWatch | undefined> {
  const row = yield* get(WATCH, [account]);
  if (row === undefined) return undefined;
  return {
    holder: textCell(row, "holder"),
    leaseUntilMs: numberCell(row, "lease_until_ms"),
    sinceMs: numberCell(row, "since_ms"),
    seenMs: numberCell(row, "seen_ms"),
  };
}

function gapOf(row: Row): PlanGap {
  return {
    account: textCell(row, "account"),
    symbol: textCell(row, "symbol"),
    fromMs: numberCell(row, "from_ms"),
    toMs: row["to_ms"] === null ? null : numberCell(row, "to_ms"),
    why: textCell(row, "why") as PlanGap["why"],
  };
}
