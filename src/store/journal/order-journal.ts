/**
 * The journal of intents: what was meant to be traded, how far it has come, and what it counts for in the budgets.
 *
 * Invariants, besides those of every submission: a userref is used once per account, an order belongs to one intent.
 */
import type { AccountUsage, IntentChange, IntentRecord, Journal, OwnIntent, SentSince } from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { KillSwitchKeeper } from "../safety/kill-switch.ts";
import type { Connection, Connections } from "../sql/connection.ts";
import { type Row, type Statements, textCell, together, type Work } from "../sql/statement.ts";
import { resultOf } from "../sql/store-error.ts";
import { readSettled, readUsage } from "./account-usage.ts";
import { createSubmissionJournal } from "./submission-journal.ts";
import { mayMove, standingOf } from "./submission-rows.ts";

const BY_USERREF = "account = ? AND userref = ?";
const BY_ORDER_ID = "account = ? AND order_id = ?";
const SENT_FROM = "account = ? AND sent_at_ms >= ? AND sent_at_ms IS NOT NULL";

/** Each part fits one partial index, and has no more rows than are wanted of both. */
const OPEN_OR_EXECUTED = `SELECT intent_id, userref, state, body, held_live, sent_at_ms, created_at_ms, updated_at_ms
  FROM intents WHERE rowid IN (
  SELECT rowid FROM (SELECT rowid FROM intents WHERE account = ? AND held_live = 1 LIMIT ?) AS live
  UNION SELECT rowid FROM (SELECT rowid FROM intents
    WHERE account = ? AND held_at_ms > ? AND held_live = 0 AND held > 0 LIMIT ?) AS executed) LIMIT ?`;

function ownIntentOf<State extends string, Body>(row: Row): OwnIntent<State, Body> {
  return { ...standingOf<State, Body>(row), intentId: textCell(row, "intent_id"), userref: textCell(row, "userref") };
}

/** A transaction that takes space on the disk and changes nothing. */
export function rewrite(connection: Connection): Promise<void> {
  return connection.transaction(
    function* ({ put }) {
      // There and back, as SQLite does not write what is as it was.
      const turn = (): Work<void> => put("UPDATE schema_version SET applied_at_ms = -applied_at_ms", []);
      yield* together(turn(), turn());
    },
    { isRepeatable: true },
  );
}

interface Asking {
  readonly account: string;
  readonly atMs: number;
  readonly exceptRow: number | undefined;
}

function* usageIn(
  statements: Statements,
  killSwitch: KillSwitchKeeper,
  { account, atMs, exceptRow }: Asking,
): Work<AccountUsage> {
  const [used, settled, halt] = yield* together(
    readUsage(statements, account, atMs, exceptRow),
    readSettled(statements, account, atMs),
    killSwitch.stateIn(statements, atMs),
  );
  return { ...used, settled, killSwitch: halt };
}

export function createOrderJournal<State extends string, Body>(
  connections: Connections,
  { audit, killSwitch }: { readonly audit: AuditWriter; readonly killSwitch: KillSwitchKeeper },
): Journal<State, Body> {
  const usageOf = (statements: Statements, account: string, atMs: number, exceptRow?: number) =>
    usageIn(statements, killSwitch, { account, atMs, exceptRow });
  const { journal, access } = createSubmissionJournal<
    IntentRecord<State, Body>,
    IntentChange<State, Body>,
    AccountUsage,
    SentSince<State, Body>
  >(connections, audit, {
    name: "intents",
    idColumn: "intent_id",
    columns: { intentId: "intent_id", userref: "userref", orderId: "order_id" },
    unique: "account, userref",
    unacknowledged: "unacknowledged = 1 AND order_id IS NOT NULL",
    event: "intent",
    auditsBody: true,
    *usageAndSent({ statements, list, listSince }, { before: { account }, rowId }, atMs) {
      return yield* together(
        usageOf(statements, account, atMs, rowId),
        listSince((fromMs) => list(SENT_FROM, [account, fromMs])),
      );
    },
  });
  return {
    ...journal,
    record: (intent) => {
      const { userref, nonce, body } = intent;
      return access.record(intent, { userref, nonce, body });
    },
    step: ({ account, orderId, event, detail, change, concludes = false, lazy = false, ...named }, atMs) =>
      access.write(function* (statements) {
        const [found] = yield* together(
          access.rows.first(statements, BY_ORDER_ID, [account, orderId]),
          audit.prepare(statements),
        );
        const before = found?.before;
        const entry = { event, account, orderId, detail, ...named, ...(before && { intentId: before.intentId }) };
        if (!concludes) yield* audit.write(statements, entry, atMs);
        const changed = before && change(before);
        const isMoved = found !== undefined && changed !== undefined && mayMove(found.before, changed);
        const after = isMoved ? yield* access.rows.move(statements, found, { ...changed, atMs }) : before;
        if (concludes) yield* audit.write(statements, entry, atMs);
        return after;
      }, lazy),
    usage: (account, atMs) => access.read((statements) => usageOf(statements, account, atMs)),
    openOrExecuted: (account, sinceMs, limit) =>
      access.read(function* ({ all }) {
        const rows = yield* all(OPEN_OR_EXECUTED, [account, limit, account, sinceMs, limit, limit]);
        return rows.map(ownIntentOf<State, Body>);
      }),
    byUserref: (account, userref) => access.one(BY_USERREF, [account, userref]),
    byOrderId: (account, orderId) => access.one(BY_ORDER_ID, [account, orderId]),
    writable: () =>
      resultOf(
        Promise.all([
          connections.durable.single((statements) => audit.refuseUnwritable(statements)),
          rewrite(connections.durable),
        ]).then(() => {}),
      ),
  };
}
