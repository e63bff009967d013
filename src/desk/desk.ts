/**
 * The desk put together: one object through which every entry point looks and trades.
 */
import type { Desk, DeskStatus, UnresolvedIntent } from "./answers.ts";
import { Awaiting } from "./awaiting.ts";
import { CancelingAll } from "./cancel-all.ts";
import { Canceling } from "./canceling.ts";
import { DeskContext, type DeskParts, stored } from "./context.ts";
import { Lookup } from "./lookup.ts";
import { Placing } from "./placing.ts";
import { Previewing } from "./preview.ts";
import { Reads } from "./reads.ts";
import { Reconciler } from "./reconciler.ts";
import { reportError } from "./report.ts";

/** Makes a desk over the parts given. It starts nothing by itself: call `reconcile` when the process begins. */
export function createDesk(parts: DeskParts): Desk {
  const context = new DeskContext(parts);
  const reads = new Reads(context);
  const reconciler = new Reconciler(context);
  const lookup = new Lookup(context, reconciler);
  const placing = new Placing(context, reconciler);
  const previewing = new Previewing(context, reads, placing);
  const canceling = new Canceling(context, lookup);
  const cancelingAll = new CancelingAll(context);
  const awaiting = new Awaiting(context, lookup);
  return {
    environment: parts.venue.environment,
    profile: parts.profile,
    market: (symbol) => context.market(symbol),
    markets: (search) => reads.markets(search),
    tickers: (symbols) => reads.tickers(symbols),
    orderbook: (symbol, depth) => reads.orderbook(symbol, depth),
    trades: (symbol, limit) => reads.trades(symbol, limit),
    candles: (symbol, interval, period) => reads.candles(symbol, interval, period),
    balances: () => reads.balances(),
    orders: (request) => reads.orders(request),
    order: (name) => lookup.view(name),
    fills: (request) => reads.fills(request),
    preview: (request) => previewing.preview(request),
    place: (request) => placing.place(request),
    cancel: (name) => canceling.cancel(name),
    cancelAll: (symbol) => cancelingAll.cancelAll(symbol),
    awaitOrder: (request) => awaiting.wait(request),
    status: () => statusOf(context),
    reconcile: () => reconciler.reconcile(),
  };
}

/** Unresolved intents listed in a status. */
const STATUS_LIMIT = 50;

async function statusOf(context: DeskContext): Promise<DeskStatus> {
  const { venue, profile } = context.parts;
  const time = await venue.time();
  // Asked anew: a key that worked this morning may be refused now, and public calls go on answering.
  const account = time.ok && venue.keyId !== undefined ? await venue.accounts() : undefined;
  if (account?.ok === true) context.noteAccount(account.value.account_id);
  const fault = time.ok ? (account?.ok === false ? account.fault : undefined) : time.fault;
  const unresolved = await unresolvedOf(context, venue.keyId !== undefined && account?.ok !== true);
  return {
    profile,
    ...context.stamp(),
    venue: time.ok ? "up" : "down",
    ...(fault === undefined ? {} : { error: reportError(fault) }),
    clock_offset_ms: venue.clockOffsetMs() ?? null,
    can_trade: account?.ok === true && unresolved.warnings.length === 0,
    ...unresolved,
  };
}

async function unresolvedOf(
  context: DeskContext,
  isUnreachable: boolean,
): Promise<{ readonly unresolved: readonly UnresolvedIntent[]; readonly warnings: readonly string[] }> {
  const { journal } = context.parts;
  if (isUnreachable && context.stamp().account === "unknown")
    return {
      unresolved: [],
      warnings: ["Orders without an answer cannot be listed until the venue has told the account."],
    };
  const found = await stored(() => journal.inStates(context.journalAccount(), ["submitting", "unknown"], STATUS_LIMIT));
  if (!found.ok) return { unresolved: [], warnings: [found.fault.message] };
  const unresolved = found.value.map((intent) => ({
    intent_id: intent.intentId,
    userref: intent.userref,
    symbol: intent.body.order.symbol,
    state: intent.state === "unknown" ? ("unknown" as const) : ("submitting" as const),
    since: new Date(intent.updatedAtMs).toISOString(),
  }));
  return { unresolved, warnings: [] };
}
