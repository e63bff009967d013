/**
 * The journal of intents: what was meant to be traded, how far it has come, and what it counts for in the budgets.
 *
 * Invariants, besides those of every submission: a userref is used once per account, an order belongs to one intent.
 */
import { defined } from "../../contract/index.ts";
import type {
  AccountUsage,
  Ahead,
  IntentChange,
  IntentRecord,
  Journal,
  Mandate,
  OwnIntent,
  PlanInForce,
  PlanState,
  PlanTerms,
  SentSince,
  StepOfPlan,
} from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { KillSwitchKeeper } from "../safety/kill-switch.ts";
import type { Connection, Connections } from "../sql/connection.ts";
import {
  numberCell,
  optionalTextCell,
  type Row,
  type Statements,
  textCell,
  together,
  type Work,
} from "../sql/statement.ts";
import { resultOf, StoreInvariantError } from "../sql/store-error.ts";
import { readReserves, readSettled, readUsage } from "./account-usage.ts";
import { createSubmissionJournal } from "./submission-journal.ts";
import { mayMove, standingOf, type TableShape } from "./submission-rows.ts";

/** Where intents are, for whoever else keeps some. */
export const INTENTS = {
  name: "intents",
  idColumn: "intent_id",
  columns: { intentId: "intent_id", userref: "userref", orderId: "order_id" },
  unique: "account, userref",
  unacknowledged: "unacknowledged = 1 AND order_id IS NOT NULL",
  event: "intent",
  auditsBody: true,
  hasPlans: true,
} as const satisfies TableShape<IntentRecord<string, unknown>>;

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
  /** Absent where nothing is asked of what plans have set aside. */
  readonly ahead?: Ahead;
}

const PLAN_IN_FORCE = "SELECT state, open_step, terms, mandate, until_ms FROM plans WHERE plan_id = ?";

/** The plan as it is in the transaction that numbers a request of it. */
function* planInForce({ get }: Statements, { planId, step }: StepOfPlan): Work<PlanInForce | null> {
  const row = yield* get(PLAN_IN_FORCE, [planId]);
  if (row === undefined) return null;
  const mandate = optionalTextCell(row, "mandate");
  return {
    planId,
    step,
    state: textCell(row, "state") as PlanState,
    openStep: row["open_step"] === null ? null : numberCell(row, "open_step"),
    terms: JSON.parse(textCell(row, "terms")) as PlanTerms,
    mandate: mandate === null ? null : (JSON.parse(mandate) as Mandate),
    untilMs: numberCell(row, "until_ms"),
  };
}

/** Whoever admits says why an order of a plan may not leave. That it must not is held here too, should nobody have asked. */
function refuseOutsidePlan({ plan }: AccountUsage): void {
  if (plan === undefined) return;
  if (plan === null || plan.state !== "active" || plan.openStep !== plan.step || plan.mandate === null)
    throw new StoreInvariantError("an order was admitted of a plan that may not send it");
}

export function* usageIn(
  statements: Statements,
  killSwitch: Pick<KillSwitchKeeper, "stateIn">,
  { account, atMs, exceptRow, ahead }: Asking,
): Work<AccountUsage> {
  const [used, settled, halt, ...aside] = yield* together(
    readUsage(statements, account, atMs, exceptRow),
    readSettled(statements, account, atMs),
    killSwitch.stateIn(statements, atMs),
    ...(ahead === undefined ? [] : [readReserves(statements, account, atMs + ahead.offsetMs, ahead.except)]),
  );
  const reserved = aside.find(({ planIds }) => planIds.length > 0);
  return { ...used, settled, killSwitch: halt, ...defined({ reserved }) };
}

export function createOrderJournal<State extends string, Body>(
  connections: Connections,
  { audit, killSwitch }: { readonly audit: AuditWriter; readonly killSwitch: KillSwitchKeeper },
): Journal<State, Body> {
  const usageOf = (statements: Statements, account: string, atMs: number, ahead: Ahead, exceptRow?: number) =>
    usageIn(statements, killSwitch, { account, atMs, exceptRow, ahead });
  const { journal, access } = createSubmissionJournal<
    IntentRecord<State, Body>,
    IntentChange<State, Body>,
    AccountUsage,
    SentSince<State, Body>
  >(connections, audit, {
    ...INTENTS,
    *usageAndSent({ statements, list, listSince, offsetMs }, { before: { account, plan }, rowId }, atMs) {
      const usage = usageOf(statements, account, atMs, { offsetMs }, rowId);
      const sent = listSince((fromMs) => list(SENT_FROM, [account, fromMs]));
      if (plan === undefined) return yield* together(usage, sent);
      const [used, listed, inForce] = yield* together(usage, sent, planInForce(statements, plan));
      return [{ ...used, plan: inForce }, listed];
    },
  });
  return {
    ...journal,
    begin: (id, send, admit, now) => {
      const admitted: typeof admit = (usage, sent) => {
        const refused = admit(usage, sent);
        if (refused === undefined) refuseOutsidePlan(usage);
        return refused;
      };
      return journal.begin(id, send, admitted, now);
    },
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
    usage: (account, atMs, ahead = { offsetMs: 0 }) =>
      access.read((statements) => usageOf(statements, account, atMs, ahead)),
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
