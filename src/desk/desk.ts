/**
 * The desk put together: one object through which every entry point looks and trades.
 */

import { DeskContext, type DeskParts } from "./core/context.ts";
import type { Desk } from "./desk-interface.ts";
import { ApproveOrder } from "./execution/approve-order.ts";
import { CancelAll } from "./execution/cancel-all.ts";
import { CancelOrder } from "./execution/cancel-order.ts";
import { DuplicateGuard } from "./execution/duplicate-guard.ts";
import { PlaceOrder, type PlaceRequest } from "./execution/place-order.ts";
import { PreviewOrder } from "./execution/preview-order.ts";
import { SubmitOrder } from "./execution/submit-order.ts";
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
import { combinedReconciler, withTransferStatus, withUnsettledTransfers } from "./transfer/desk-extension.ts";
import { type OpenedTransfers, openTransfers } from "./transfer/transfer-desk.ts";

/** A desk in the hands of whoever ends it. */
export interface OwnedDesk extends Desk {
  /** Before the store is closed: resolves when everything that was told is noted. */
  rest(): Promise<void>;
}

/** Makes a desk over the parts given. It starts nothing by itself: call `reconcile` when the process begins, `upkeep` while it stays. */
export function createDesk(parts: DeskParts): OwnedDesk {
  const context = new DeskContext(parts);
  const following = new OrderTracker(context);
  const reads = new MarketAndAccount(context, following);
  const reconciler = new Reconciler(context);
  const lookup = new FindOrder(context, reconciler, following);
  const gate = new PreTradeCheck(context);
  const telling = new OrderAcknowledgements(context);
  const twins = new DuplicateGuard(context, reconciler, telling);
  const sending = new SubmitOrder(context, { gate, reconciler, following, twins });
  const placing = new PlaceOrder({ context, gate, sending, twins, telling, following });
  const previewing = new PreviewOrder(context, reads, placing, twins);
  const approving = new ApproveOrder(context, placing, sending);
  const deciding = new ManualSettlement(context, reconciler);
  const canceling = new CancelOrder(context, lookup, following, approving);
  const cancelingAll = new CancelAll(context, following);
  const braking = new KillSwitch(context, cancelingAll, reconciler);
  const timer = new DeadManSwitch(context, cancelingAll);
  const awaiting = new AwaitOrder(context, lookup);
  const noticing = new VenueHints(context, following, reconciler);
  const guarded = guardedBy(braking);
  const transfers = parts.transfers && openTransfers(context, parts.transfers, guarded);
  const settling = transfers === undefined ? reconciler : combinedReconciler(reconciler, transfers);
  const upkeep = new Maintenance({ context, reconciler: settling, following, braking, cancelingAll, timer });
  const desk: OwnedDesk = {
    environment: parts.venue.environment,
    profile: parts.profile,
    market: (symbol) => context.market(symbol),
    markets: (search) => reads.markets(search),
    tickers: (symbols) => reads.tickers(symbols),
    orderbook: (...asked) => reads.orderbook(...asked),
    trades: (symbol, limit) => reads.trades(symbol, limit),
    candles: (symbol, interval, period) => reads.candles(symbol, interval, period),
    balances: () => reads.balances(),
    orders: (request) => reads.orders(request),
    order: async (name) => telling.view(await lookup.view(name)),
    fills: (request) => reads.fills(request),
    preview: (request) => previewing.preview(request),
    place: (request: PlaceRequest) => guarded(async () => telling.report(await placing.place(request))),
    cancel: async (name) => telling.report(await canceling.cancel(name)),
    cancelAll: (symbol) => cancelingAll.cancelAll(symbol),
    pending: () => approving.pending(),
    // Heard by a person, and not by whoever asked for the order.
    approve: (...yes) => guarded(() => approving.approve(...yes)),
    settle: (name, word) => deciding.settle(name, word),
    deny: (intentId) => approving.deny(intentId),
    sealApproval: (intentId, request) => approving.seal(intentId, request),
    answerApproval: (answer) => guarded(async () => telling.report(await approving.answer(answer))),
    halt: (reason, by) => braking.halt(reason, by),
    resume: (by) => braking.resume(by),
    setCancelTimer: (seconds) => timer.set(seconds),
    audit: (query) => queryAuditLog(context, query),
    policy: async () => reads.policy(),
    watch: (topic, onChange) => reads.watch(topic, onChange),
    notice: (order) => noticing.notice(order),
    awaitOrder: async (request) => telling.view(await awaiting.wait(request)),
    status: () => deskStatus(context, timer),
    reconcile: () => settling.reconcile(),
    fireDueTimer: () => timer.fireIfAnyDue(),
    upkeep: () => upkeep.pass(),
    rest: () => telling.flush(),
  };
  return transfers === undefined ? desk : withTransfers(desk, context, transfers);
}

type Guarded = <Report>(send: () => Promise<Report>) => Promise<Report>;

/** A broken invariant while an order or money is on its way: nobody knows what else is broken, so nothing more goes out. */
function guardedBy(braking: KillSwitch): Guarded {
  return async (send) => {
    try {
      return await send();
    } catch (error) {
      await braking.haltOnDefect();
      throw error;
    }
  };
}

/** The desk with payments and remittances beside its orders. */
function withTransfers(desk: OwnedDesk, context: DeskContext, transfers: OpenedTransfers): OwnedDesk {
  return {
    ...desk,
    transfers: transfers.desk,
    halt: async (reason, by) => withUnsettledTransfers(await desk.halt(reason, by), () => transfers.unsettled()),
    status: async () => withTransferStatus(context, await desk.status(), transfers),
    rest: async () => {
      await desk.rest();
      await transfers.rest();
    },
  };
}
