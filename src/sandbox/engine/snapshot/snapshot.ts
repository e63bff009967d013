/**
 * Writes the whole state as JSON-safe rows, at once or in parts, and restores it. Entry points: `takeSnapshot`, `beginSnapshot`,
 * `joinedSnapshot`, `restoreState`, `assertHolds`.
 *
 * Invariants: the parts show the state as it was when they were begun, whatever happens until they are made; equal states give equal text; a restored state behaves as the original, as every list keeps its order. Derived
 * data (books, holds, indexes) is rebuilt, and locked balances are compared with what open orders and remittances hold.
 */
import type { MarketRule } from "../../model/index.ts";
import { invariant } from "../core/invariant.ts";
import { Random } from "../core/random.ts";
import { Book } from "../market/order-book.ts";
import { Past } from "../market/past.ts";
import { holdFor } from "../market/pricing.ts";
import { Tape } from "../market/tape.ts";
import { setCancelTimer } from "../orders/cancel-timer.ts";
import { restoreSettlements, settlementRows } from "../orders/settlement.ts";
import {
  accountOf,
  addFill,
  addOrder,
  emptyState,
  HOUSE,
  marketOf,
  openAccount,
  type State,
} from "../state/exchange-state.ts";
import { Ledger } from "../state/ledger.ts";
import type { MarketState } from "../state/market-state.ts";
import type { OrderArchive } from "../state/order-archive.ts";
import { isHeld } from "../transfers/remittances.ts";
import { readFill, readOrder, written } from "./record-rows.ts";
import {
  type EngineSnapshot,
  LONG_LISTS,
  type LongList,
  type LongRow,
  type MarketRow,
  type OrderRow,
  type PartedSnapshot,
  SNAPSHOT_VERSION,
  type SnapshotHead,
  type SnapshotPart,
  type StoredEngineSnapshot,
} from "./snapshot-format.ts";
import { listOf, type SnapshotList } from "./snapshot-list.ts";
import { currentSnapshot } from "./snapshot-migration.ts";
import { quoteRows, restoreTransfers, transferLists } from "./transfer-rows.ts";

/** Of one part: few enough that an order hardly notices it, some milliseconds on a slow machine. */
const PART_ROWS = 200;

export function takeSnapshot(state: State): EngineSnapshot {
  const { head, parts } = beginSnapshot(state);
  return joinedSnapshot(head, parts);
}

/** @returns the snapshot of these parts */
export function joinedSnapshot(head: SnapshotHead, parts: Iterable<SnapshotPart>): EngineSnapshot {
  const transfers = { payments: [], remittances: [], answers: [] };
  const lists: Joined = { orders: [], fills: [], settlements: [], userrefs: [], ...transfers };
  for (const part of parts) join(lists, part);
  return { ...head, ...lists };
}

type Joined = { readonly [List in LongList]: LongRow<List>[] };

function join<List extends LongList>(lists: Joined, { list, rows }: SnapshotPart<List>): void {
  for (const row of rows) lists[list].push(row);
}

/**
 * The state as it is now, its long lists to be written later, while commands go on. What may still change is copied at once:
 * settlements, all that is short. The record of an order, an execution and a transfer's record never change.
 */
export function beginSnapshot(state: State): PartedSnapshot {
  const accounts = [...state.accounts.values()];
  const orders = state.orders.copy();
  const lists: LongLists = {
    orders: {
      length: orders.length,
      rows: (start, end) =>
        orders.between(start, end).map(({ record, position }) => ({ ...written(record), position })),
    },
    fills: listOf(
      accounts.flatMap(({ fills }) => fills.slice()),
      written,
    ),
    settlements: listOf(settlementRows(state), (row) => row),
    userrefs: listOf([...state.userrefs], (row) => row),
    ...transferLists(state),
  };
  const lengths = LONG_LISTS.map((list) => lists[list].length);
  const partCount = lengths.reduce((count, length) => count + Math.ceil(length / PART_ROWS), 0);
  const rowCount = lengths.reduce((count, length) => count + length, 0);
  return { head: headOf(state), partCount, rowCount, parts: partsOf(lists) };
}

type LongLists = { readonly [List in LongList]: SnapshotList<LongRow<List>> };

function* partsOf(lists: LongLists): Iterable<SnapshotPart> {
  for (const list of LONG_LISTS)
    for (let start = 0; start < lists[list].length; start += PART_ROWS)
      yield { list, rows: lists[list].rows(start, start + PART_ROWS) };
}

function headOf(state: State): SnapshotHead {
  const { seed, marketMaker, now, lastTickAt, tradeSeq, houseOrderSeq, changes } = state;
  return {
    version: SNAPSHOT_VERSION,
    ...{ seed, marketMaker, random: state.random.words, now, lastTickAt, tradeSeq, houseOrderSeq, changes },
    markets: [...state.markets.values()].map(({ rule, status, bookSeq, flow, tape }) => ({
      rule: { ...written(rule), tickBands: rule.tickBands.map(written) },
      status,
      bookSeq,
      fairPrice: flow.fairPrice.toString(),
      past: tape.past && [tape.past.end.at, tape.past.end.price.toString()],
      tape: tape.rows(),
    })),
    accounts: [...state.accounts.values()].map((account) => [
      account.accountId,
      account.krwAccountLinked,
      account.house,
      account.cancelAt,
    ]),
    clockOffset: state.clockOffset,
    keys: [...state.keys.values()],
    revokedKeys: [...state.revokedKeys],
    webhooks: [...state.webhooks.values()],
    nonces: [...state.nonces].map(([keyId, nonce]) => [keyId, nonce.toString()]),
    ledger: state.ledger.rows(),
    remittanceQuotes: quoteRows(state),
  };
}

/**
 * @param archive the orders that are not in the snapshot.
 * @throws InvariantError for a snapshot of an unknown version or one that is inconsistent.
 */
export function restoreState(stored: StoredEngineSnapshot, archive: OrderArchive | null): State {
  const snapshot = currentSnapshot(stored);
  const { seed, marketMaker, random, now, lastTickAt, tradeSeq, houseOrderSeq, changes } = snapshot;
  const empty = emptyState({ markets: snapshot.markets.map(({ rule }) => readRule(rule)), seed, marketMaker });
  const ledger = Ledger.fromRows(snapshot.ledger, empty.assets);
  const state: State = {
    ...empty,
    archive,
    random: new Random(random),
    accounts: new Map(),
    accountsByNumber: [],
    clockOffset: snapshot.clockOffset,
    keys: new Map(snapshot.keys.map((key) => [key.keyId, key])),
    revokedKeys: new Set(snapshot.revokedKeys),
    webhooks: new Map(snapshot.webhooks.map((webhook) => [webhook.webhookId, webhook])),
    nonces: new Map(snapshot.nonces.map(([keyId, nonce]) => [keyId, BigInt(nonce)])),
    userrefs: new Map(snapshot.userrefs),
    ledger,
    feeHolder: ledger.holder(HOUSE.fees),
    ...{ now, lastTickAt, tradeSeq, houseOrderSeq, changes },
  };
  for (const [accountId, linked, house, cancelAt] of snapshot.accounts)
    setCancelTimer(state, openAccount(state, accountId, linked, house), cancelAt);
  for (const row of snapshot.orders) restoreOrder(state, row);
  for (const row of snapshot.fills) {
    const fill = readFill(row);
    const order = state.orders.get(fill.orderId);
    const account = accountOf(state, fill.accountId);
    if (order === undefined) account.fills.push(fill);
    else addFill(account, order, fill);
  }
  for (const row of snapshot.markets) restoreMarket(state, marketOf(state, row.rule.symbol), row);
  restoreSettlements(state, snapshot.settlements);
  restoreTransfers(state, snapshot);
  assertHolds(state);
  return state;
}

function restoreMarket(state: State, market: MarketState, row: MarketRow): void {
  const open = [...state.orders].filter((order) => order.state === "open" && order.symbol === market.rule.symbol);
  market.status = row.status;
  market.book = new Book(state.orders, open);
  market.bookSeq = row.bookSeq;
  const { rule, pace } = market;
  const past = row.past && new Past(rule, pace, { at: row.past[0], price: BigInt(row.past[1]) });
  market.tape = Tape.fromRows(rule.symbol, row.tape, past);
  market.flow.fairPrice = BigInt(row.fairPrice);
  for (const order of open) if (order.accountId === HOUSE.maker) market.flow.quotes.set(order.price, order.orderId);
}

function restoreOrder(state: State, { position, ...row }: OrderRow): void {
  addOrder(state, readOrder(row), accountOf(state, row.accountId), position);
}

function readRule(row: MarketRow["rule"]): MarketRule {
  return {
    ...row,
    minVolume: BigInt(row.minVolume),
    minNotional: BigInt(row.minNotional),
    tickBands: row.tickBands.map(({ from, tick }) => ({ from: BigInt(from), tick: BigInt(tick) })),
    makerFeeRate: BigInt(row.makerFeeRate),
    takerFeeRate: BigInt(row.takerFeeRate),
    anchorPrice: BigInt(row.anchorPrice),
  };
}

/** Checks that the locked balance of every account and asset is what its open orders and remittances hold. */
export function assertHolds(state: State): void {
  for (const { accountId, open, remittances } of state.accounts.values()) {
    const held = new Map<string, bigint>();
    for (const { symbol, side, price, remaining } of open.list()) {
      const { rule } = marketOf(state, symbol);
      const asset = side === "buy" ? rule.quote : rule.base;
      held.set(asset, (held.get(asset) ?? 0n) + holdFor(rule, side, price, remaining));
    }
    for (const { record } of remittances) {
      const { sourceAsset, sourceAmount } = record.quote;
      if (isHeld(record)) held.set(sourceAsset, (held.get(sourceAsset) ?? 0n) + sourceAmount);
    }
    for (const { asset, locked } of state.ledger.balances(accountId)) {
      const needed = held.get(asset) ?? 0n;
      invariant(locked === needed, `${accountId} has ${locked} ${asset} locked, orders and remittances hold ${needed}`);
    }
  }
}
