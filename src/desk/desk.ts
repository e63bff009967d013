/**
 * Puts the desk together: one object through which every entry point queries and trades.
 */

import { type FirstUse, ok, onFirstUse, type Result } from "../contract/index.ts";
import { ApprovalInstruction, untilPlaced } from "./approval/instruction.ts";
import { CANCEL_DEADLINE, DeskContext, type DeskParts, readingParts } from "./core/context.ts";
import { localTime } from "./core/local-time.ts";
import { withOwnIds } from "./core/own-ids.ts";
import type { Desk } from "./desk-interface.ts";
import { CancelAll } from "./execution/cancel-all.ts";
import { CancelOrder } from "./execution/cancel-order.ts";
import { DuplicateGuard } from "./execution/duplicate-guard.ts";
import { type OrderApprovals, pendingView } from "./execution/order-approvals.ts";
import { submittedOrders } from "./execution/order-kind.ts";
import { OrderTickets } from "./execution/order-ticket.ts";
import { type ChildOrders, type ClaimedOrders, PlaceChild, type PlaceChildParts } from "./execution/place-child.ts";
import { PlaceOrder } from "./execution/place-order.ts";
import { PreviewOrder } from "./execution/preview-order.ts";
import { ReplaceOrder } from "./execution/replace-order.ts";
import { SubmitOrder } from "./execution/submit-order.ts";
import { VerifiedCancel } from "./execution/verified-cancel.ts";
import type { Listener } from "./model/listener.ts";
import type { OrderView, WriteReport } from "./model/reports.ts";
import type { CancelChild } from "./plans/change-plan.ts";
import type { PlanDesk } from "./plans/plan-desk.ts";
import type { AccountFigures } from "./plans/running/account-alerts.ts";
import { pruneTold, toldNotices } from "./plans/told-notices.ts";
import { DayLoss } from "./portfolio/day-loss.ts";
import { HistoryReader } from "./portfolio/history-reader.ts";
import { portfolioOf } from "./portfolio/portfolio.ts";
import type { PlanBook } from "./ports/plan-book.ts";
import type { TransferParts } from "./ports/transfer.ts";
import type { OrderWrites } from "./ports/venue.ts";
import { queryAuditLog } from "./queries/audit-log.ts";
import { AwaitOrder } from "./queries/await-order.ts";
import { deskStanding, deskStatus } from "./queries/desk-status.ts";
import { FindOrder } from "./queries/find-order.ts";
import { MarketAndAccount } from "./queries/market-and-account.ts";
import { Readiness } from "./queries/readiness.ts";
import { agreedTo, ordersSinceCopy } from "./queries/unknown-orders.ts";
import { openOrders } from "./queries/waiting.ts";
import { OrderAcknowledgements } from "./reconciliation/acknowledgements.ts";
import { type OrderReconciler, orderReconciler } from "./reconciliation/order-lookup.ts";
import { OrderTracker } from "./reconciliation/order-tracker.ts";
import { settleOrder } from "./reconciliation/order-word.ts";
import { VenueHints } from "./reconciliation/venue-hint.ts";
import { PreTradeCheck } from "./risk/pre-trade-check.ts";
import { DeadManSwitch } from "./safety/dead-man-switch.ts";
import { KillSwitch } from "./safety/kill-switch.ts";
import { LossStop } from "./safety/loss-stop.ts";
import { Maintenance, type MaintenanceParts } from "./safety/maintenance.ts";
import { Approvals } from "./submission/approve.ts";
import { noteLate } from "./submission/withdrawn.ts";
import { combinedReconciler, withTransferStatus, withUnsettledTransfers } from "./transfer/desk-reports.ts";
import { withdrawEverything } from "./transfer/pending-approvals.ts";
import { type OpenedTransfers, openTransfers } from "./transfer/transfer-desk.ts";

/** A desk for whoever has to close it. */
export interface OwnedDesk extends Desk {
  /** Looks after plans no more, and resolves when all acknowledgements are stored; to be awaited before the store is closed. */
  flush(): Promise<void>;
}

/** Makes a desk over the parts given. It starts nothing by itself: call `reconcile` when the process begins, `upkeep` while it stays. */
export function createDesk(parts: DeskParts): OwnedDesk {
  const { context, writes } = contextOf(parts);
  const tracker = onFirstUse(() => new OrderTracker(context));
  const reconciler = orderReconciler(context);
  const acknowledgements = new OrderAcknowledgements(context);
  const history = onFirstUse(() => new HistoryReader(context));
  const dayLoss = onFirstUse(() => new DayLoss(context, history));
  const assessment = { context, check: new PreTradeCheck(context, dayLoss), tracker };
  const queries = onFirstUse(() => new MarketAndAccount(context, tracker(), history()));
  const finder = onFirstUse(() => new FindOrder(context, reconciler, tracker()));
  const waiter = onFirstUse(() => new AwaitOrder(context, finder()));
  const duplicates = new DuplicateGuard(context, reconciler, acknowledgements);
  const { verified, urgentFinder, cancelAll, killSwitch, deadManSwitch } = stopsOf(context, reconciler, writes);
  const kind = submittedOrders({ ...assessment, duplicates, writes });
  const submission = new SubmitOrder(context, kind, reconciler, verified);
  const placement = new PlaceOrder({ ...assessment, submission, duplicates, queries });
  const changing = { context, reconciler, placement, submission };
  const replacement = onFirstUse(() => new ReplaceOrder({ ...changing, finder: finder() }));
  const previewing = { context, assessment, duplicates };
  const previews = onFirstUse(() => new PreviewOrder({ ...previewing, reads: queries(), history: history() }));
  const approvals = onFirstUse((): OrderApprovals => new Approvals(context, kind, submission));
  const tickets = onFirstUse(() => new OrderTickets(context, placement, approvals()));
  const cancels = onFirstUse(() => new CancelOrder(context.urgent, urgentFinder(), verified(), approvals()));
  const hints = onFirstUse(() => new VenueHints(context, tracker(), reconciler));
  const lossStop = onFirstUse(() => new LossStop(context, dayLoss(), killSwitch()));
  const guarded = guardedBy(killSwitch);
  const stopped = stoppedBy(lossStop);
  const { told, shown } = instructed(new ApprovalInstruction(context));
  const sending = toldTo(context, acknowledgements, (send) => guarded(async () => stopped(await told(await send()))));
  const transfers = parts.transfers && lateTransfers(context, parts.transfers, guarded);
  const ofPlans = { ...assessment, submission, verified, figures: { history, dayLoss } };
  const plans = parts.plans && latePlans(parts.plans, ofPlans, guarded);
  const both = onFirstUse(() => (transfers === undefined ? reconciler : combinedReconciler(reconciler, transfers())));
  const stopping = { killSwitch, cancelAll, deadManSwitch, lossStop };
  const maintenance = onFirstUse(() => maintenanceOf({ context, both, tracker, history, plans }, stopping));
  const desk: OwnedDesk = {
    environment: parts.venue.environment,
    unit: context.unit,
    card: parts.venue.card,
    profile: parts.profile,
    isPractice: () => context.isPractice,
    ...looking(context, queries, history),
    order: async (name, listener) => shown(acknowledgements.view(await finder().view(name), listener)),
    preview: (...order) => previews().preview(...order),
    place: (order, session, by) => sending(by, () => placement.place(order, session, by?.withdrawn)),
    press: (ticket, by) => sending(by, () => tickets().press(ticket, by?.withdrawn)),
    replace: (change, session, by) => sending(by, () => replacement().replace(change, session, by?.withdrawn)),
    cancel: async (name, listener) => acknowledgements.report(await cancels().cancel(name), listener),
    cancelAll: (symbol, side) => cancelAll().cancelAll(symbol, side),
    pending: () => pendingView(context, approvals()),
    // Not acknowledged: a person reads this answer, not whoever requested the order.
    approve: (...yes) => guarded(async () => stopped(await approvals().approve(...yes))),
    settle: (name, word) => settleOrder(context, reconciler, name, word),
    deny: (intentId) => approvals().deny(intentId),
    sealApproval: (...question) => approvals().seal(...question),
    answerApproval: (answer, by) => sending(by, () => approvals().answer(answer, by?.withdrawn)),
    halt: (reason, by) => killSwitch().halt(reason, by),
    ...resuming(context, reconciler, killSwitch),
    setCancelTimer: (seconds) => deadManSwitch.set(seconds),
    notice: (order) => hints().notice(order),
    status: () => deskStatus(context, { timer: deadManSwitch, dayLoss: dayLoss(), reconciler, plans: plans?.desk }),
    awaitOrder: async (request, listener) => shown(acknowledgements.view(await waiter().wait(request), listener)),
    reconcile: () => both().reconcile(),
    fireDueTimer: () => deadManSwitch.fireIfAnyDue(),
    upkeep: () => maintenance().run(),
    ...(plans && { plans: plans.desk }),
    flush: () => Promise.all([plans?.close(), acknowledgements.flush()]).then(() => context.urgentStore.catchUpSoon()),
  };
  return transfers === undefined ? desk : withTransfers(desk, context, transfers);
}

/** How trading goes on, and what a person is shown before. */
function resuming(context: DeskContext, reconciler: OrderReconciler, killSwitch: FirstUse<KillSwitch>) {
  return {
    sinceCopy: () => ordersSinceCopy(context, reconciler),
    resume: (by, go) => killSwitch().resume(by, () => agreedTo(context, reconciler, go)),
  } satisfies Pick<Desk, "sinceCopy" | "resume">;
}

/** Whoever sends or cancels is handed the writes by name: the others can only look. */
function contextOf(parts: DeskParts): { readonly context: DeskContext; readonly writes: OrderWrites } {
  const { venue, journal, clock } = parts;
  const isOwn = venue.card.client_id.is === "minted";
  const account = () => context.journalAccount();
  const identify = () => context.account(CANCEL_DEADLINE);
  const writes = isOwn ? withOwnIds(venue, { journal, clock, account, identify }) : venue;
  const context: DeskContext = new DeskContext(readingParts(parts, writes));
  return { context, writes };
}

/** Gathers what cancels and halts: it does not wait for a store that does not answer. */
function stopsOf(context: DeskContext, reconciler: OrderReconciler, writes: OrderWrites) {
  const { urgent } = context;
  const tracker = onFirstUse(() => new OrderTracker(urgent));
  const cancelAll = onFirstUse(() => new CancelAll(urgent, tracker(), writes));
  const withdrawing = (atMs: number) => withdrawEverything(urgent.parts, atMs);
  return {
    cancelAll,
    verified: onFirstUse(() => new VerifiedCancel(urgent, writes)),
    urgentFinder: onFirstUse(() => new FindOrder(urgent, reconciler, tracker())),
    killSwitch: onFirstUse(() => new KillSwitch(urgent, cancelAll(), reconciler, withdrawing)),
    deadManSwitch: new DeadManSwitch(context, cancelAll, writes),
  };
}

/** Gathers what a process that stays does every second. */
function maintenanceOf(
  { both, tracker, ...parts }: Pick<MaintenanceParts, "context" | "history" | "plans"> & Kept,
  { killSwitch, cancelAll, deadManSwitch, lossStop }: Stopping,
): Maintenance {
  const stopping = { killSwitch: killSwitch(), cancelAll: cancelAll(), lossStop: lossStop() };
  return new Maintenance({ ...parts, ...stopping, deadManSwitch, reconciler: both(), tracker: tracker() });
}

interface Kept {
  readonly both: () => MaintenanceParts["reconciler"];
  readonly tracker: () => OrderTracker;
}

type Stopping = Pick<ReturnType<typeof stopsOf>, "killSwitch" | "cancelAll" | "deadManSwitch"> & {
  readonly lossStop: FirstUse<LossStop>;
};

/** Gathers what changes nothing, and acknowledges nothing. */
function looking(context: DeskContext, queries: FirstUse<MarketAndAccount>, history: FirstUse<HistoryReader>) {
  const readiness = onFirstUse(() => new Readiness(context));
  return {
    standing: () => deskStanding(context),
    unready: () => readiness().unready(),
    market: (symbol) => context.market(symbol, "taken"),
    markets: (search) => queries().markets(search),
    tickers: (symbols) => queries().tickers(symbols),
    orderbook: (...book) => queries().orderbook(...book),
    trades: (...trades) => queries().trades(...trades),
    outlook: (request) => queries().outlook(request),
    candles: (symbol, interval, period) => queries().candles(symbol, interval, period),
    balances: () => queries().balances(),
    orders: (...request) => queries().orders(...request),
    openOrders: (request) => openOrders(context, queries(), request),
    fills: (request) => queries().fills(request),
    portfolio: (request) => portfolioOf(context, history(), request),
    audit: (query) => queryAuditLog(context, query),
    policy: () => queries().policy(),
    watch: (topic, onChange) => queries().watch(topic, onChange),
    stamp: () => context.stamp(),
    timeZone: localTime(0, context.parts.timeZone).timezone,
    policyPath: context.terminal.policyPath,
    command: (...words) => context.terminal.command(...words),
    approvalPage: (id) => context.terminal.approvalPage(id),
  } satisfies Partial<Desk>;
}

/** Sends for a listener, who has heard of it once the report was handed over. */
function toldTo(
  context: DeskContext,
  acknowledgements: OrderAcknowledgements,
  send: (sent: () => Promise<WriteReport>) => Promise<WriteReport>,
) {
  return (listener: Listener | undefined, write: () => Promise<WriteReport>): Promise<WriteReport> =>
    send(async () => {
      const report = await write();
      await noteLate(context, report.intent_id, report, listener);
      return acknowledgements.report(report, listener);
    });
}

/** Reports of orders, with how a person approves what waits. */
function instructed(instruction: ApprovalInstruction) {
  const told = <Report extends WriteReport | OrderView>(report: Report): Promise<Report> =>
    instruction.complete(report, report.intent_id, untilPlaced(report.userref));
  const shown = async <View extends OrderView>(view: Result<View>): Promise<Result<View>> =>
    view.ok ? ok(await told(view.value)) : view;
  return { told, shown };
}

/** An order that was denied for the loss of the day may be the reason to halt. */
function stoppedBy(lossStop: FirstUse<LossStop>): (report: WriteReport) => Promise<WriteReport> {
  return async (report) => {
    if (report.error?.rule !== "day_loss") return report;
    const halted = await lossStop().check();
    return halted === undefined ? report : { ...report, warnings: [...report.warnings, halted] };
  };
}

type Guarded = <Report>(send: () => Promise<Report>) => Promise<Report>;

/** A broken invariant while an order or money is on its way: what else is broken is unknown, so nothing more is sent. */
function guardedBy(killSwitch: FirstUse<KillSwitch>): Guarded {
  return async (send) => {
    try {
      return await send();
    } catch (error) {
      await killSwitch().haltOnDefect();
      throw error;
    }
  };
}

/** Makes nothing of payments and remittances before somebody asks for one, or for what became of it. */
function lateTransfers(context: DeskContext, parts: TransferParts, guarded: Guarded): FirstUse<OpenedTransfers> {
  return onFirstUse(() => openTransfers(context, parts, guarded));
}

interface LatePlanParts {
  readonly verified: FirstUse<VerifiedCancel>;
  readonly figures: AccountFigures;
}

interface LatePlans {
  readonly desk: PlanDesk;
  tend(): Promise<void>;
  prune(): Promise<void>;
  close(): Promise<void>;
}

/** Loads nothing of plans before somebody asks for one, or one is open. */
function latePlans(book: PlanBook, parts: Omit<PlaceChildParts, "book"> & LatePlanParts, guarded: Guarded): LatePlans {
  const { context } = parts;
  const opened = onFirstUse(async () => {
    const { openPlans } = await import("./plans/plan-desk.ts");
    const placing = new PlaceChild({ ...parts, book });
    const children: ChildOrders & ClaimedOrders = {
      place: (request) => guarded(() => placing.place(request)),
      mayLeave: (plan, denied) => guarded(() => placing.mayLeave(plan, denied)),
      resume: (intent, isDue) => guarded(() => placing.resume(intent, isDue)),
      drop: (intent, why) => guarded(() => placing.drop(intent, why)),
    };
    const cancelChild: CancelChild = (intent, orderId) =>
      parts.verified().send({ orderId, symbol: intent.body.order.symbol, intent });
    return openPlans(context, book, { children, cancelChild, figures: parts.figures });
  });
  return {
    desk: {
      create: async (...asked) => (await opened()).desk.create(...asked),
      list: async (query) => (await opened()).desk.list(query),
      change: async (...asked) => (await opened()).desk.change(...asked),
      pending: async () => (await opened()).desk.pending(),
      approve: async (...yes) => (await opened()).desk.approve(...yes),
      deny: async (planId) => (await opened()).desk.deny(planId),
      sealApproval: async (...question) => (await opened()).desk.sealApproval(...question),
      answerApproval: async (answer) => (await opened()).desk.answerApproval(answer),
      standing: async () => (await opened()).desk.standing(),
      told: (sinceMs) => toldNotices(context, book, sinceMs),
    },
    prune: () => pruneTold(context, book),
    tend: async () => {
      const account = context.journalAccount();
      const open = await book.open(account);
      const isNeeded = open.ok && (open.value.length > 0 || opened.made() !== undefined);
      if (isNeeded) await (await opened()).tend(account, open.value);
    },
    close: async () => (await opened.made())?.close(),
  };
}

/** The desk with payments and remittances added. */
function withTransfers(desk: OwnedDesk, context: DeskContext, transfers: FirstUse<OpenedTransfers>): OwnedDesk {
  const unsettled = () => context.urgentStore.soon(() => transfers().unsettled());
  return {
    ...desk,
    get transfers() {
      return transfers().desk;
    },
    halt: async (reason, by) => withUnsettledTransfers(await desk.halt(reason, by), unsettled),
    status: async () => withTransferStatus(context, await desk.status(), transfers()),
    flush: async () => {
      await desk.flush();
      await transfers.made()?.flush();
    },
  };
}
