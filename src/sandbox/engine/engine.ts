/**
 * The exchange as a deterministic state machine: state' = apply(command, time). Entry points: `createEngine`, `restoreEngine`,
 * `Engine`.
 *
 * Invariants: a refused command changes nothing; the same commands at the same times lead to the same state, to the byte;
 * reads return copies or immutable records. Source: decision 0002.
 */
import type { Exchange, ExchangeEvent, MarketRule, Millis, TransferReads } from "../model/index.ts";
import { applyCommand, clockAt } from "./apply-command.ts";
import { KRW_MARKETS } from "./market/market-rules.ts";
import { openMarkets } from "./market-flow/opening-hour.ts";
import { type ArchivableOrder, archivableOrders, endedOrder, leaveToArchive } from "./orders/archiving.ts";
import { checkOrder } from "./orders/order-checks.ts";
import { countFills, countOrders, findFills, findOrders, type History } from "./orders/order-history.ts";
import { fillStateOf, fillsOf, settlementStateOf, settlementsOf } from "./orders/settlement.ts";
import { isDue } from "./scheduled-work.ts";
import { beginSnapshot, restoreState, takeSnapshot } from "./snapshot/snapshot.ts";
import type { EngineSnapshot, PartedSnapshot, StoredEngineSnapshot } from "./snapshot/snapshot-format.ts";
import { EventRecorder } from "./state/event-recorder.ts";
import { emptyState, marketOf, placedOrder, type State } from "./state/exchange-state.ts";
import type { MarketState } from "./state/market-state.ts";
import type { EndedOrder, OrderArchive } from "./state/order-archive.ts";
import { transferReads } from "./transfers/transfer-commands.ts";

/** The exchange, with what its storage needs. */
export interface Engine extends Exchange {
  /** The state as JSON-safe values; equal states give equal text. */
  snapshot(): EngineSnapshot;
  /** The same in parts, to be made one by one while commands go on; they show the state as it is now. */
  beginSnapshot(): PartedSnapshot;
  /** The ended orders of each account but its newest `kept`, as far as nothing of them can change any more. */
  archivable(kept: number): readonly ArchivableOrder[];
  ended(order: ArchivableOrder): EndedOrder;
  /** Drops such orders, which the archive has from now on. */
  leaveTo(archive: OrderArchive, orders: readonly ArchivableOrder[]): void;
  /** The number of commands that changed something; the journal keeps a command if it has risen. */
  changes(): number;
  /** Whether a `passTime` command at that time would change something. */
  isDue(at: Millis): boolean;
  /** Switches the recording of events on or off; it is off at first. */
  recordEvents(on: boolean): void;
  /** The events recorded since the last call, and the exchange's clock. */
  takeEvents(): { readonly events: readonly ExchangeEvent[]; readonly at: Millis };
  /** The sum over all accounts, and what was deposited and not withdrawn: always equal. */
  conservation(asset: string): { readonly total: bigint; readonly deposited: bigint };
  readonly marketMaker: boolean;
  readonly seed: number;
}

export interface EngineOptions {
  /** `KRW_MARKETS` unless given. */
  readonly markets?: readonly MarketRule[] | undefined;
  readonly seed: number;
  /** Whether the seeded market flow quotes and trades on every tick. */
  readonly marketMaker: boolean;
  /** With a market flow, the time up to which the markets have a past and trades; without it they start with neither. */
  readonly openedAt?: Millis;
}

/** @throws InvariantError for invalid markets or an invalid seed. */
export function createEngine({ markets = KRW_MARKETS, seed, marketMaker, openedAt }: EngineOptions): Engine {
  const state = emptyState({ markets, seed, marketMaker });
  if (marketMaker) openMarkets(state, openedAt);
  return engineOver(state);
}

/**
 * @param archive the orders that the snapshot left out.
 * @throws InvariantError for a snapshot of an unknown version or one that is inconsistent.
 */
export function restoreEngine(snapshot: StoredEngineSnapshot, archive: OrderArchive | null = null): Engine {
  return engineOver(restoreState(snapshot, archive));
}

function describeMarket({ rule, status, tape }: MarketState) {
  return { ...rule, status, last: tape.last };
}

function engineOver(state: State): Engine {
  return {
    ...marketReads(state),
    ...settingReads(state),
    ...transferReads(state),
    ...accountReads(state),
    apply: (command, at) => applyCommand(state, command, at),
    check: (command, at) => {
      const checked = checkOrder(state, command, clockAt(state, at));
      return checked.ok ? { ok: true } : checked;
    },
    snapshot: () => takeSnapshot(state),
    beginSnapshot: () => beginSnapshot(state),
    archivable: (kept) => archivableOrders(state, kept),
    ended: (order) => endedOrder(state, order),
    leaveTo: (archive, orders) => leaveToArchive(state, archive, orders),
    changes: () => state.changes,
    isDue: (at) => isDue(state, clockAt(state, at)),
    recordEvents: (on) => {
      // What was not taken is not recorded as such any more.
      state.recorder?.take();
      state.recorder = on ? new EventRecorder(state) : null;
      state.ledger.onChange = state.recorder?.balance ?? null;
    },
    takeEvents: () => ({ events: state.recorder?.take() ?? [], at: state.now }),
    conservation: (asset) => ({ total: state.ledger.total(asset), deposited: state.ledger.deposited(asset) }),
    marketMaker: state.marketMaker,
    seed: state.seed,
  };
}

type MarketReads = Pick<Exchange, "markets" | "market" | "book" | "ticker" | "trades" | "candles">;

function marketReads(state: State): MarketReads {
  return {
    markets: () => [...state.markets.values()].map(describeMarket),
    market: (symbol) => {
      const market = state.markets.get(symbol);
      return market === undefined ? undefined : describeMarket(market);
    },
    book: (symbol, depth) => {
      const { book, bookSeq } = marketOf(state, symbol);
      return { seq: bookSeq, buys: book.depth("buy", depth), asks: book.depth("sell", depth) };
    },
    ticker: (symbol, at) => {
      const { book, tape } = marketOf(state, symbol);
      const best = { bestBid: book.best("buy") ?? null, bestAsk: book.best("sell") ?? null };
      return { symbol, ...tape.day(at), ...best };
    },
    trades: (symbol, limit) => marketOf(state, symbol).tape.trades(limit),
    candles: (symbol, ...period) => marketOf(state, symbol).tape.candles(...period),
  };
}

type SettingReads = Pick<
  Exchange,
  "clockOffset" | "lastChangeAt" | "key" | "isRevoked" | "lastNonce" | "webhooks" | "webhook"
>;

function settingReads(state: State): SettingReads {
  return {
    clockOffset: () => state.clockOffset,
    lastChangeAt: () => state.now,
    key: (keyId) => state.keys.get(keyId),
    isRevoked: (keyId) => state.revokedKeys.has(keyId),
    lastNonce: (keyId) => state.nonces.get(keyId) ?? 0n,
    webhooks: (accountId) => {
      const all = [...state.webhooks.values()];
      return accountId === undefined ? all : all.filter((webhook) => webhook.accountId === accountId);
    },
    webhook: (webhookId) => state.webhooks.get(webhookId),
  };
}

type AccountReads = Omit<Exchange, keyof MarketReads | keyof SettingReads | keyof TransferReads | "apply" | "check">;

function accountReads(state: State): AccountReads {
  const own = (accountId: string, orderId: string) => {
    const order = placedOrder(state, orderId);
    return order?.record.accountId === accountId ? order : undefined;
  };
  const historyOf = (accountId: string): History | undefined => {
    const account = state.accounts.get(accountId);
    return account && { account, orders: state.orders, archive: account.house ? null : state.archive };
  };
  return {
    account: (accountId) => {
      const account = state.accounts.get(accountId);
      return account && { accountId, krwAccountLinked: account.krwAccountLinked };
    },
    cancelTimer: (accountId) => state.accounts.get(accountId)?.cancelAt ?? null,
    balances: (accountId) => state.ledger.balances(accountId),
    order: (accountId, orderId) => own(accountId, orderId)?.record,
    orders: (accountId, filter) => {
      const history = historyOf(accountId);
      if (history === undefined) return { orders: [], more: false };
      return findOrders(history, filter, (orderId) => own(accountId, orderId));
    },
    countOrders: (accountId, filter) => {
      const history = historyOf(accountId);
      return history === undefined ? 0 : countOrders(history, filter, (orderId) => own(accountId, orderId));
    },
    fills: (accountId, filter) => {
      const history = historyOf(accountId);
      return history === undefined ? { fills: [], more: false } : findFills(history, filter);
    },
    countFills: (accountId, filter) => {
      const history = historyOf(accountId);
      return history === undefined ? 0 : countFills(history, filter);
    },
    fillsOf: (accountId, orderId) => [...fillsOf(state, accountId, orderId)],
    settlementState: (accountId, orderId) => settlementStateOf(state, accountId, orderId),
    fillSettlement: (fill) => fillStateOf(state, fill),
    settlements: (accountId, orderId) => settlementsOf(state, accountId, orderId),
  };
}
