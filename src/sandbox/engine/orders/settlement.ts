/**
 * Settles fills: decides from when their proceeds can be withdrawn (`SettlementRecord` states the rules). Entry points:
 * `settleFill`, `runSettlements`, `releaseFailedSettlements`, `settlementsOf`, `settlementStateOf`, `fillStateOf`, `fillsOf`; for snapshots `settlementRows`,
 * `restoreSettlements`.
 *
 * Invariants: what the ledger has as unsettled is the sum of the proceeds of all held entries; a pending entry is held and in
 * `pendingSettlements`, which is in the order of `dueAt` because the clock never runs back; an ended settlement never changes.
 * A fill that settles at once has no entry, which is the case for most. Source: service.md#settlement.
 */
import type {
  FillRecord,
  Millis,
  SettlementModeName,
  SettlementRecord,
  SettlementState,
  Units,
} from "../../model/index.ts";
import { invariant } from "../core/invariant.ts";
import type { Account, SettlementEntry } from "../state/account-state.ts";
import { accountOf, marketOf, placedOrder, type State } from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";
import type { SettlementEnd } from "../state/order-archive.ts";
import { allFills } from "./order-history.ts";

const DAY_MS = 86_400_000;
/** Korea has no daylight saving time. */
const KOREA_AHEAD_MS = 9 * 3_600_000;
const DUE = { kind: "settlements", id: "" } as const;

/** The first midnight in Korea after a given time. */
export function nextMidnightInKorea(time: Millis): Millis {
  return (Math.floor((time + KOREA_AHEAD_MS) / DAY_MS) + 1) * DAY_MS - KOREA_AHEAD_MS;
}

/** Begins the settlement of a customer's new fill, and ends it where it is instant. */
export function settleFill(
  state: State,
  market: MarketState,
  account: Account,
  mode: SettlementModeName,
  fill: FillRecord,
): void {
  if (mode === "INSTANT_KRW" && account.krwAccountLinked) {
    state.recorder?.settlement(settlementRecord(market, mode, fill, undefined));
    return;
  }
  const { time } = fill;
  const begun = { accountId: account.accountId, mode, fill, held: true } as const;
  if (mode === "STANDARD_KRW")
    addSettlement(state, account, { ...begun, dueAt: nextMidnightInKorea(time), state: "pending", endedAt: null });
  else addSettlement(state, account, { ...begun, dueAt: time, state: "failed", endedAt: time });
  state.recorder?.settlement(settlementRecord(market, mode, fill, account.settlements.get(fill.tradeSeq)));
}

function addSettlement(state: State, account: Account, entry: SettlementEntry): void {
  const { fill, dueAt } = entry;
  account.settlements.set(fill.tradeSeq, entry);
  if (entry.held) {
    const { asset, amount } = proceedsOf(marketOf(state, fill.symbol), fill);
    state.ledger.holdUnsettled(account.accountId, asset, amount);
  }
  if (entry.state !== "pending") return;
  if (state.pendingSettlements.length === 0) state.schedule.set(DUE, dueAt);
  state.pendingSettlements.push(entry);
}

export function runSettlements(state: State): void {
  const { pendingSettlements: pending, now } = state;
  const later = pending.findIndex(({ dueAt }) => dueAt > now);
  for (const entry of pending.splice(0, later < 0 ? pending.length : later)) {
    const account = accountOf(state, entry.accountId);
    entry.state = account.krwAccountLinked ? "settled" : "failed";
    entry.endedAt = now;
    if (account.krwAccountLinked) release(state, entry);
    recordSettlement(state, entry.mode, entry.fill);
  }
  const [next] = pending;
  if (next !== undefined) state.schedule.set(DUE, next.dueAt);
}

/** Called when a KRW account was linked: the proceeds of failed settlements can be withdrawn from now on. */
export function releaseFailedSettlements(state: State, account: Account): void {
  for (const entry of account.settlements.values()) if (entry.held && entry.state === "failed") release(state, entry);
}

function release(state: State, entry: SettlementEntry): void {
  const { asset, amount } = proceedsOf(marketOf(state, entry.fill.symbol), entry.fill);
  entry.held = false;
  state.ledger.settle(entry.accountId, asset, amount);
}

/** The settlements of an account, or of one of its orders, oldest first. */
export function settlementsOf(state: State, accountId: string, orderId: string | undefined): SettlementRecord[] {
  const account = state.accounts.get(accountId);
  if (account === undefined) return [];
  const { archive } = state;
  const fills =
    orderId === undefined
      ? [...allFills({ account, archive }, { oldestFirst: true })]
      : fillsOf(state, accountId, orderId);
  return fills.flatMap((fill) => {
    const order = placedOrder(state, fill.orderId);
    return order === undefined ? [] : [recordOf(state, order.record.settlementMode, fill)];
  });
}

/** Of what is executed of an order so far: pending while any of it is, and failed where any of it did; null while nothing is. */
export function settlementStateOf(state: State, accountId: string, orderId: string): SettlementState | null {
  const fills = fillsOf(state, accountId, orderId);
  if (fills.length === 0) return null;
  const reached = new Set(fills.map((fill) => fillStateOf(state, fill)));
  return (["pending", "failed"] as const).find((each) => reached.has(each)) ?? "settled";
}

export function fillStateOf(state: State, fill: FillRecord): SettlementState {
  return settlementOf(state, fill)?.state ?? "settled";
}

/** undefined for a fill that settled at once. For an order in memory the archive is not read: it may fail, in the midst of a command. */
function settlementOf(state: State, { accountId, orderId, tradeSeq }: FillRecord): SettlementEnd | undefined {
  if (state.orders.has(orderId)) return accountOf(state, accountId).settlements.get(tradeSeq);
  return state.archive?.settlement(accountId, tradeSeq);
}

/** The fills of an account's order, oldest first. */
export function fillsOf(state: State, accountId: string, orderId: string): readonly FillRecord[] {
  const fills = state.orders.get(orderId)?.fills ?? state.archive?.fillsOf(orderId) ?? [];
  return fills.filter((fill) => fill.accountId === accountId);
}

function recordSettlement(state: State, mode: SettlementModeName, fill: FillRecord): void {
  if (state.recorder !== null) state.recorder.settlement(recordOf(state, mode, fill));
}

function recordOf(state: State, mode: SettlementModeName, fill: FillRecord): SettlementRecord {
  return settlementRecord(marketOf(state, fill.symbol), mode, fill, settlementOf(state, fill));
}

/** Written field by field, as a settled fill has one. @param end undefined where it settled at once */
function settlementRecord(
  { rule }: MarketState,
  mode: SettlementModeName,
  { accountId, orderId, tradeSeq, symbol, side, volume, value, fee, time }: FillRecord,
  end: SettlementEnd | undefined,
): SettlementRecord {
  const buys = side === "buy";
  return {
    accountId,
    orderId,
    tradeSeq,
    symbol,
    mode,
    asset: buys ? rule.base : rule.quote,
    amount: buys ? volume : value - fee,
    state: end === undefined ? "settled" : end.state,
    dueAt: end === undefined ? time : end.dueAt,
    endedAt: end === undefined ? time : end.endedAt,
  };
}

function proceedsOf({ rule }: MarketState, { side, volume, value, fee }: FillRecord): { asset: string; amount: Units } {
  return side === "buy" ? { asset: rule.base, amount: volume } : { asset: rule.quote, amount: value - fee };
}

export type SettlementRow = readonly [
  accountId: string,
  tradeSeq: number,
  dueAt: Millis,
  state: SettlementState,
  endedAt: Millis | null,
  held: boolean,
];

export function settlementRows(state: State): SettlementRow[] {
  return [...state.accounts.values()].flatMap(({ accountId, settlements }) =>
    [...settlements].map(
      ([tradeSeq, entry]): SettlementRow => [accountId, tradeSeq, entry.dueAt, entry.state, entry.endedAt, entry.held],
    ),
  );
}

/** Restores the settlements; orders and fills have to be restored before. */
export function restoreSettlements(state: State, rows: readonly SettlementRow[]): void {
  const fills = new Map<string, FillRecord>();
  for (const { accountId, fills: own } of state.accounts.values())
    for (const fill of own) fills.set(`${accountId} ${fill.tradeSeq}`, fill);
  for (const [accountId, tradeSeq, dueAt, reached, endedAt, held] of rows) {
    const fill = fills.get(`${accountId} ${tradeSeq}`);
    const order = fill && state.orders.get(fill.orderId);
    invariant(fill !== undefined && order !== undefined, `settlement of a trade ${tradeSeq} that ${accountId} has not`);
    const begun = { accountId, mode: order.settlementMode, fill };
    addSettlement(state, accountOf(state, accountId), { ...begun, dueAt, state: reached, endedAt, held });
  }
  const maker = ({ fill }: SettlementEntry): number => (fill.liquidity === "maker" ? 0 : 1);
  state.pendingSettlements.sort((a, b) => a.fill.tradeSeq - b.fill.tradeSeq || maker(a) - maker(b));
  const [first] = state.pendingSettlements;
  if (first !== undefined) state.schedule.set(DUE, first.dueAt);
}
