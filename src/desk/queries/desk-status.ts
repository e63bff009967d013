/**
 * The desk's status: environment, account, policy and what is left of its budgets, kill switch, orders that wait for a person or for
 * an answer.
 */

import { ok } from "../../contract/index.ts";
import { isExpired } from "../approval/pending-approvals.ts";
import { missingPin } from "../approval/pin-needed.ts";
import type { DeskContext } from "../core/context.ts";
import { attempt } from "../core/store-result.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { IntentRecord } from "../model/intent.ts";
import { UNRESOLVED_STATES } from "../model/intent-state.ts";
import { reportError } from "../model/order-report.ts";
import type { Policy } from "../model/policy.ts";
import type { BudgetView, DeskStatus, UnresolvedIntent } from "../model/reports.ts";

/** Unresolved intents listed. */
const LIST_MAX = 50;
const PENDING_MAX = 1_000;

export async function deskStatus(
  context: DeskContext,
  timer: { dueAtMs(): Promise<number | undefined> },
): Promise<DeskStatus> {
  const { venue, profile, policy: source } = context.parts;
  const time = await venue.time();
  // Queried each time: a key that worked this morning may be refused now, while public calls go on answering.
  const account = time.ok && venue.keyId !== undefined ? await venue.accounts() : undefined;
  if (account?.ok === true) context.setAccount(account.value.account_id);
  const policy = source.read();
  const fault = time.ok ? (account?.ok === false ? account.fault : policy.ok ? undefined : policy.fault) : time.fault;
  const isUnknown = venue.keyId !== undefined && account?.ok !== true && context.stamp().account === "unknown";
  const journal = isUnknown ? NO_ACCOUNT : await journalView(context);
  const { usage, ...listed } = journal;
  const { value: engaged, fault: unread } = await attempt(() => context.parts.killSwitch.state());
  const halt = engaged ?? context.localKillSwitch;
  const dueAtMs = await timer.dueAtMs();
  const noPin = await missingPin(venue.environment, context.terminal);
  // In this mode every order needs a person.
  const isBarred = noPin !== undefined && policy.ok && policy.value.mode === "confirm";
  const isFree = policy.ok && policy.value.mode !== "read-only" && halt === undefined && !isBarred;
  return {
    profile,
    ...context.stamp(),
    venue: time.ok ? "up" : "down",
    ...(fault && { error: reportError(fault) }),
    clock_offset_ms: venue.clockOffsetMs() ?? null,
    can_trade: account?.ok === true && listed.warnings.length === 0 && unread === undefined && isFree,
    mode: policy.ok ? policy.value.mode : null,
    budgets: policy.ok && usage !== undefined ? budgetsOf(policy.value, usage) : {},
    ...(halt && { brake: { reason: halt.reason, by: halt.by, since: new Date(halt.atMs).toISOString() } }),
    cancel_timer_fires_at: dueAtMs === undefined ? null : new Date(dueAtMs).toISOString(),
    ...listed,
    warnings: [
      ...listed.warnings,
      ...(unread === undefined ? [] : [`Whether trading is halted cannot be read. ${unread.message}`]),
      ...(noPin === undefined ? [] : [`${noPin.message} ${noPin.nextAction}`]),
    ],
  };
}

/** An order without an answer, as it is listed. */
export function unresolvedView(intent: IntentRecord): UnresolvedIntent {
  return {
    intent_id: intent.intentId,
    userref: intent.userref,
    symbol: intent.body.order.symbol,
    state: intent.state === "unknown" ? "unknown" : "submitting",
    since: new Date(intent.updatedAtMs).toISOString(),
  };
}

interface JournalView extends Pick<DeskStatus, "unresolved" | "pending_approvals" | "warnings"> {
  readonly usage?: AccountUsage;
}

const NO_ACCOUNT: JournalView = {
  unresolved: [],
  pending_approvals: 0,
  warnings: [
    "Until the exchange has named the account, nothing is known of its orders without an answer or waiting for a person, its budgets and its " +
      "cancel timer, though none are shown.",
  ],
};

async function journalView(context: DeskContext): Promise<JournalView> {
  const { clock } = context.parts;
  const account = context.journalAccount();
  const found = await readJournal(context, account);
  if (!found.ok) {
    const unread =
      "Orders without an answer or waiting for a person, and budgets, cannot be read, though none are shown.";
    return { unresolved: [], pending_approvals: 0, warnings: [`${unread} ${found.fault.message}`] };
  }
  const { unresolved, pending, usage } = found.value;
  const waiting = pending.filter((intent) => !isExpired(intent, clock.now()));
  return { unresolved: unresolved.map(unresolvedView), pending_approvals: waiting.length, warnings: [], usage };
}

async function readJournal({ parts: { journal, clock } }: DeskContext, account: string) {
  const unresolved = await journal.inStates(account, UNRESOLVED_STATES, LIST_MAX);
  if (!unresolved.ok) return unresolved;
  const pending = await journal.inStates(account, ["awaiting_approval"], PENDING_MAX);
  if (!pending.ok) return pending;
  const usage = await journal.usage(account, clock.now());
  if (!usage.ok) return usage;
  return ok({ unresolved: unresolved.value, pending: pending.value, usage: usage.value });
}

function budgetsOf(policy: Policy, { usage }: AccountUsage): Readonly<Record<string, BudgetView>> {
  return {
    day_krw: { used: usage.dayKrw, limit: policy.maxDayKrw.toString() },
    open_krw: { used: usage.openKrw, limit: policy.maxOpenKrw.toString() },
    open_orders: { used: String(usage.openOrders), limit: String(policy.maxOpenOrders) },
    orders_per_minute: { used: String(usage.lastMinute), limit: String(policy.maxOrdersPerMinute) },
  };
}
