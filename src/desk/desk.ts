/**
 * The desk put together: one object through which every entry point looks and trades.
 */
import type { Desk } from "./answers.ts";
import { Approving } from "./approving.ts";
import { auditView } from "./audit-view.ts";
import { Awaiting } from "./awaiting.ts";
import { Braking } from "./braking.ts";
import { CancelingAll } from "./cancel-all.ts";
import { CancelTimerKeeping } from "./cancel-timer.ts";
import { Canceling } from "./canceling.ts";
import { DeskContext, type DeskParts } from "./context.ts";
import { Deciding } from "./deciding.ts";
import { Following } from "./following.ts";
import { Gate } from "./gate.ts";
import { Lookup } from "./lookup.ts";
import { Noticing } from "./noticing.ts";
import { type PlaceRequest, Placing } from "./placing.ts";
import { Previewing } from "./preview.ts";
import { Reads } from "./reads.ts";
import { Reconciler } from "./reconciler.ts";
import { Sending } from "./sending.ts";
import { statusOf } from "./status.ts";
import { Telling } from "./telling.ts";
import { bothReconciled, haltBesides, statusBesides } from "./transfer/besides.ts";
import { type OpenedTransfers, openTransfers } from "./transfer/transfer-desk.ts";
import { Twins } from "./twins.ts";
import { Upkeep } from "./upkeep.ts";

/** A desk in the hands of whoever ends it. */
export interface OwnedDesk extends Desk {
  /** Before the store is closed: resolves when everything that was told is noted. */
  rest(): Promise<void>;
}

/** Makes a desk over the parts given. It starts nothing by itself: call `reconcile` when the process begins, `upkeep` while it stays. */
export function createDesk(parts: DeskParts): OwnedDesk {
  const context = new DeskContext(parts);
  const following = new Following(context);
  const reads = new Reads(context, following);
  const reconciler = new Reconciler(context);
  const lookup = new Lookup(context, reconciler, following);
  const gate = new Gate(context);
  const telling = new Telling(context);
  const twins = new Twins(context, reconciler, telling);
  const sending = new Sending(context, { gate, reconciler, following, twins });
  const placing = new Placing({ context, gate, sending, twins, telling, following });
  const previewing = new Previewing(context, reads, placing, twins);
  const approving = new Approving(context, placing, sending);
  const deciding = new Deciding(context, reconciler);
  const canceling = new Canceling(context, lookup, following, approving);
  const cancelingAll = new CancelingAll(context, following);
  const braking = new Braking(context, cancelingAll, reconciler);
  const timer = new CancelTimerKeeping(context, cancelingAll);
  const awaiting = new Awaiting(context, lookup);
  const noticing = new Noticing(context, following, reconciler);
  const guarded = guardedBy(braking);
  const transfers = parts.transfers && openTransfers(context, parts.transfers, guarded);
  const settling = transfers === undefined ? reconciler : bothReconciled(reconciler, transfers);
  const upkeep = new Upkeep({ context, reconciler: settling, following, braking, cancelingAll, timer });
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
    audit: (query) => auditView(context, query),
    policy: async () => reads.policy(),
    watch: (topic, onChange) => reads.watch(topic, onChange),
    notice: (order) => noticing.notice(order),
    awaitOrder: async (request) => telling.view(await awaiting.wait(request)),
    status: () => statusOf(context, timer),
    reconcile: () => settling.reconcile(),
    fireDueTimer: () => timer.fireIfAnyDue(),
    upkeep: () => upkeep.pass(),
    rest: () => telling.rest(),
  };
  return transfers === undefined ? desk : withTransfers(desk, context, transfers);
}

type Guarded = <Report>(send: () => Promise<Report>) => Promise<Report>;

/** A broken invariant while an order or money is on its way: nobody knows what else is broken, so nothing more goes out. */
function guardedBy(braking: Braking): Guarded {
  return async (send) => {
    try {
      return await send();
    } catch (error) {
      await braking.haltAsBroken();
      throw error;
    }
  };
}

/** The desk with payments and remittances beside its orders. */
function withTransfers(desk: OwnedDesk, context: DeskContext, transfers: OpenedTransfers): OwnedDesk {
  return {
    ...desk,
    transfers: transfers.desk,
    halt: async (reason, by) => haltBesides(await desk.halt(reason, by), () => transfers.unsettled()),
    status: async () => statusBesides(context, await desk.status(), transfers),
    rest: async () => {
      await desk.rest();
      await transfers.rest();
    },
  };
}
