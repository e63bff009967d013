/**
 * Puts the desk together: one object through which every entry point queries and trades.
 */

import { ok, type Result } from "../contract/index.ts";
import { ApprovalInstruction, untilPlaced } from "./approval/instruction.ts";
import { DeskContext, type DeskParts } from "./core/context.ts";
import type { Desk } from "./desk-interface.ts";
import { ApproveOrder } from "./execution/approve-order.ts";
import { CancelAll } from "./execution/cancel-all.ts";
import { CancelOrder } from "./execution/cancel-order.ts";
import { DuplicateGuard } from "./execution/duplicate-guard.ts";
import { PlaceOrder, type PlaceRequest } from "./execution/place-order.ts";
import { PreviewOrder } from "./execution/preview-order.ts";
import { SubmitOrder } from "./execution/submit-order.ts";
import type { OrderView, WriteReport } from "./model/reports.ts";
import { queryAuditLog } from "./queries/audit-log.ts";
import { AwaitOrder } from "./queries/await-order.ts";
import { deskStatus } from "./queries/desk-status.ts";
import { FindOrder } from "./queries/find-order.ts";
import { MarketAndAccount } from "./queries/market-and-account.ts";
import { ManualSettlement } from "./reconciliation/manual-settlement.ts";
import { OrderAcknowledgements } from "./reconciliation/order-acknowledgements.ts";
import { OrderTracker } from "./reconciliation/order-tracker.ts";
import { Reconciler } from "./reconciliation/reconciler.ts";
import { VenueHints } from "./reconciliation/venue-hint.ts";
import { PreTradeCheck } from "./risk/pre-trade-check.ts";
import { DeadManSwitch } from "./safety/dead-man-switch.ts";
import { KillSwitch } from "./safety/kill-switch.ts";
import { Maintenance } from "./safety/maintenance.ts";
import { combinedReconciler, withTransferStatus, withUnsettledTransfers } from "./transfer/desk-reports.ts";
import { withdrawEverything } from "./transfer/pending-approvals.ts";
import { type OpenedTransfers, openTransfers } from "./transfer/transfer-desk.ts";

/** A desk for whoever has to close it. */
export interface OwnedDesk extends Desk {
  /** Resolves when all acknowledgements are stored; to be awaited before the store is closed. */
  flush(): Promise<void>;
}

/** Makes a desk over the parts given. It starts nothing by itself: call `reconcile` when the process begins, `upkeep` while it stays. */
export function createDesk(parts: DeskParts): OwnedDesk {
  const context = new DeskContext(parts);
  const tracker = new OrderTracker(context);
  const reconciler = new Reconciler(context);
  const acknowledgements = new OrderAcknowledgements(context);
  const check = new PreTradeCheck(context);
  const assessment = { check, tracker };
  const queries = new MarketAndAccount(context, tracker);
  const finder = new FindOrder(context, reconciler, tracker);
  const waiter = new AwaitOrder(context, finder);
  const duplicates = new DuplicateGuard(context, reconciler, acknowledgements);
  const submission = new SubmitOrder(context, { check, reconciler, tracker, duplicates });
  const placement = new PlaceOrder({ context, ...assessment, submission, duplicates, acknowledgements });
  const previews = new PreviewOrder(context, queries, assessment, duplicates);
  const approvals = new ApproveOrder(context, assessment, submission);
  const cancels = new CancelOrder(context, finder, tracker, approvals);
  const cancelAll = new CancelAll(context, tracker);
  const settlement = new ManualSettlement(context, reconciler);
  const hints = new VenueHints(context, tracker, reconciler);
  const killSwitch = new KillSwitch(context, cancelAll, reconciler, (atMs) => withdrawEverything(parts, atMs));
  const deadManSwitch = new DeadManSwitch(context, cancelAll);
  const guarded = guardedBy(killSwitch);
  const { told, shown } = instructed(new ApprovalInstruction(context));
  const transfers = parts.transfers && openTransfers(context, parts.transfers, guarded);
  const both = transfers === undefined ? reconciler : combinedReconciler(reconciler, transfers);
  const maintenance = new Maintenance({ context, reconciler: both, tracker, killSwitch, cancelAll, deadManSwitch });
  const desk: OwnedDesk = {
    environment: parts.venue.environment,
    profile: parts.profile,
    market: (symbol) => context.market(symbol),
    markets: (search) => queries.markets(search),
    tickers: (symbols) => queries.tickers(symbols),
    orderbook: (...book) => queries.orderbook(...book),
    trades: (symbol, limit) => queries.trades(symbol, limit),
    candles: (symbol, interval, period) => queries.candles(symbol, interval, period),
    balances: () => queries.balances(),
    orders: (request) => queries.orders(request),
    order: async (name) => shown(acknowledgements.view(await finder.view(name))),
    fills: (request) => queries.fills(request),
    preview: (request) => previews.preview(request),
    place: (request: PlaceRequest, session) =>
      guarded(async () => told(acknowledgements.report(await placement.place(request, session)))),
    cancel: async (name) => acknowledgements.report(await cancels.cancel(name)),
    cancelAll: (symbol) => cancelAll.cancelAll(symbol),
    pending: () => approvals.pending(),
    // Not acknowledged: a person reads this answer, not whoever requested the order.
    approve: (...yes) => guarded(() => approvals.approve(...yes)),
    settle: (name, word) => settlement.settle(name, word),
    deny: (intentId) => approvals.deny(intentId),
    sealApproval: (...question) => approvals.seal(...question),
    answerApproval: (answer) => guarded(async () => told(acknowledgements.report(await approvals.answer(answer)))),
    halt: (reason, by) => killSwitch.halt(reason, by),
    resume: (by) => killSwitch.resume(by),
    setCancelTimer: (seconds) => deadManSwitch.set(seconds),
    audit: (query) => queryAuditLog(context, query),
    policy: async () => queries.policy(),
    watch: (topic, onChange) => queries.watch(topic, onChange),
    notice: (order) => hints.notice(order),
    awaitOrder: async (request) => shown(acknowledgements.view(await waiter.wait(request))),
    status: () => deskStatus(context, deadManSwitch),
    reconcile: () => both.reconcile(),
    fireDueTimer: () => deadManSwitch.fireIfAnyDue(),
    upkeep: () => maintenance.run(),
    flush: () => acknowledgements.flush(),
  };
  return transfers === undefined ? desk : withTransfers(desk, context, transfers);
}

/** Reports of orders, with how a person approves what waits. */
function instructed(instruction: ApprovalInstruction) {
  const told = <Report extends WriteReport | OrderView>(report: Report): Promise<Report> =>
    instruction.complete(report, report.intent_id, untilPlaced(report.userref));
  const shown = async <View extends OrderView>(view: Result<View>): Promise<Result<View>> =>
    view.ok ? ok(await told(view.value)) : view;
  return { told, shown };
}

type Guarded = <Report>(send: () => Promise<Report>) => Promise<Report>;

/** A broken invariant while an order or money is on its way: what else is broken is unknown, so nothing more is sent. */
function guardedBy(killSwitch: KillSwitch): Guarded {
  return async (send) => {
    try {
      return await send();
    } catch (error) {
      await killSwitch.haltOnDefect();
      throw error;
    }
  };
}

/** The desk with payments and remittances added. */
function withTransfers(desk: OwnedDesk, context: DeskContext, transfers: OpenedTransfers): OwnedDesk {
  return {
    ...desk,
    transfers: transfers.desk,
    halt: async (reason, by) => withUnsettledTransfers(await desk.halt(reason, by), () => transfers.unsettled()),
    status: async () => withTransferStatus(context, await desk.status(), transfers),
    flush: async () => {
      await desk.flush();
      await transfers.flush();
    },
  };
}
