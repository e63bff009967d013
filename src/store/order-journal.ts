/**
 * The journal of intents: what was meant to be traded, how far it has come, and what it counts for in the budgets.
 *
 * Invariants, besides those of every submission: a userref is used once per account, an order belongs to one intent.
 */
import type { AccountUsage, IntentChange, IntentRecord, Journal, SentSince } from "../desk/index.ts";
import { readUsage, sentWithin } from "./account-usage.ts";
import type { AuditWriter } from "./audit.ts";
import type { KillSwitchKeeper } from "./kill-switch.ts";
import type { Statements } from "./statement.ts";
import { type Connections, createSubmissionJournal } from "./submission-journal.ts";

const BY_USERREF = "account = ? AND userref = ?";
const SENT_BETWEEN = "account = ? AND sent_at_ms BETWEEN ? AND ? AND sent_at_ms IS NOT NULL";

export function createOrderJournal<State extends string, Body>(
  connections: Connections,
  { audit, killSwitch }: { readonly audit: AuditWriter; readonly killSwitch: KillSwitchKeeper },
): Journal<State, Body> {
  const usageOf = (statements: Statements, account: string, atMs: number, exceptRow?: number): AccountUsage => ({
    usage: readUsage(statements, account, atMs, exceptRow),
    killSwitch: killSwitch.stateIn(statements, atMs),
  });
  const { journal, access } = createSubmissionJournal<
    IntentRecord<State, Body>,
    IntentChange<State, Body>,
    AccountUsage,
    SentSince<State, Body>
  >(connections, audit, {
    name: "intents",
    idColumn: "intent_id",
    columns: { intentId: "intent_id", userref: "userref", orderId: "order_id" },
    unacknowledged: "unheard = 1 AND order_id IS NOT NULL",
    event: "intent",
    auditsBody: true,
    usageAndSent: ({ statements, list }, { before: { account }, rowId }, atMs) => [
      usageOf(statements, account, atMs, rowId),
      (sinceMs) => list(SENT_BETWEEN, [account, ...sentWithin(sinceMs, atMs)]),
    ],
  });
  return {
    ...journal,
    record: (intent) => {
      const { account, userref, nonce, body } = intent;
      return access.record(intent, [BY_USERREF, [account, userref]], { userref, nonce, body });
    },
    usage: (account, atMs) => access.read((statements) => usageOf(statements, account, atMs)),
    byUserref: (account, userref) => access.one(BY_USERREF, [account, userref]),
    byOrderId: (account, orderId) => access.one("account = ? AND order_id = ?", [account, orderId]),
  };
}
