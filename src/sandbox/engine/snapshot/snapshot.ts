/**
 * Writes the whole state as JSON-safe rows, and restores it. Entry points: `takeSnapshot`, `restoreState`, `assertHolds`.
 *
 * Invariants: equal states give equal text; a restored state behaves as the original, as every list keeps its order. Derived
 * data (books, holds, indexes) is rebuilt, and locked balances are compared with what open orders and remittances hold.
 */
import type { FillRecord, MarketRule, OrderRecord } from "../../model/index.ts";
import { invariant } from "../core/invariant.ts";
import { Random } from "../core/random.ts";
import { createBook } from "../market/order-book.ts";
import { holdFor } from "../market/pricing.ts";
import { Tape } from "../market/tape.ts";
import { setCancelTimer } from "../orders/cancel-timer.ts";
import { restoreSettlements, settlementRows } from "../orders/settlement.ts";
import { accountOf, addOrder, emptyState, HOUSE, marketOf, openAccount, type State } from "../state/exchange-state.ts";
import { Ledger } from "../state/ledger.ts";
import type { LiveOrder, MarketState } from "../state/market-state.ts";
import { isHeld } from "../transfers/remittances.ts";
import type { EngineSnapshot, MarketRow, Written } from "./snapshot-format.ts";
import { SNAPSHOT_VERSION, type StoredEngineSnapshot } from "./snapshot-format.ts";
import { currentSnapshot } from "./snapshot-migration.ts";
import { restoreTransfers, transferRows } from "./transfer-rows.ts";

export function takeSnapshot(state: State): EngineSnapshot {
  const { seed, marketMaker, now, lastTickAt, tradeSeq, houseOrderSeq, changes } = state;
  return {
    version: SNAPSHOT_VERSION,
    ...{ seed, marketMaker, random: state.random.words, now, lastTickAt, tradeSeq, houseOrderSeq, changes },
    markets: [...state.markets.values()].map(({ rule, status, bookSeq, flow, tape }) => ({
      rule: { ...written(rule), tickBands: rule.tickBands.map(written) },
      status,
      bookSeq,
      fairPrice: flow.fairPrice.toString(),
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
    userrefs: [...state.userrefs],
    ledger: state.ledger.rows(),
    orders: [...state.orders.values()].map(({ record }) => written(record)),
    fills: [...state.accounts.values()].flatMap(({ fills }) => fills.map(written)),
    settlements: settlementRows(state),
    ...transferRows(state),
  };
}

/** @throws InvariantError for a snapshot of an unknown version or one that is inconsistent. */
export function restoreState(stored: StoredEngineSnapshot): State {
  const snapshot = currentSnapshot(stored);
  const { seed, marketMaker, random, now, lastTickAt, tradeSeq, houseOrderSeq, changes } = snapshot;
  const state: State = {
    ...emptyState({ markets: snapshot.markets.map(({ rule }) => readRule(rule)), seed, marketMaker }),
    random: new Random(random),
    accounts: new Map(),
    clockOffset: snapshot.clockOffset,
    keys: new Map(snapshot.keys.map((key) => [key.keyId, key])),
    revokedKeys: new Set(snapshot.revokedKeys),
    webhooks: new Map(snapshot.webhooks.map((webhook) => [webhook.webhookId, webhook])),
    nonces: new Map(snapshot.nonces.map(([keyId, nonce]) => [keyId, BigInt(nonce)])),
    userrefs: new Map(snapshot.userrefs),
    ledger: Ledger.fromRows(snapshot.ledger),
    ...{ now, lastTickAt, tradeSeq, houseOrderSeq, changes },
  };
  for (const [accountId, linked, house, cancelAt] of snapshot.accounts)
    setCancelTimer(state, openAccount(state, accountId, linked, house), cancelAt);
  for (const row of snapshot.orders) restoreOrder(state, row);
  for (const row of snapshot.fills) restoreFill(state, row);
  for (const row of snapshot.markets) restoreMarket(state, marketOf(state, row.rule.symbol), row);
  restoreSettlements(state, snapshot.settlements);
  restoreTransfers(state, snapshot);
  assertHolds(state);
  return state;
}

function restoreMarket(state: State, market: MarketState, row: MarketRow): void {
  const open = [...state.orders.values()].filter(
    ({ record }) => record.state === "open" && record.symbol === market.rule.symbol,
  );
  market.status = row.status;
  market.book = createBook(open);
  market.bookSeq = row.bookSeq;
  market.tape = Tape.fromRows(market.rule.symbol, row.tape);
  market.flow.fairPrice = BigInt(row.fairPrice);
  for (const order of open) if (order.accountId === HOUSE.maker) market.flow.quotes.set(order.price, order);
}

function restoreOrder(state: State, row: Written<OrderRecord>): void {
  const order: LiveOrder = addOrder(state, {
    ...row,
    price: unitsOrNull(row.price),
    volume: unitsOrNull(row.volume),
    amount: unitsOrNull(row.amount),
    executedVolume: BigInt(row.executedVolume),
    executedValue: BigInt(row.executedValue),
    fee: BigInt(row.fee),
  });
  const { rule } = marketOf(state, row.symbol);
  if (row.state === "open") order.hold = holdFor(rule, order.side, order.price, order.remaining);
}

function restoreFill(state: State, row: Written<FillRecord>): void {
  const [price, volume, value, fee] = [BigInt(row.price), BigInt(row.volume), BigInt(row.value), BigInt(row.fee)];
  const fill = { ...row, price, volume, value, fee };
  accountOf(state, row.accountId).fills.push(fill);
  state.orders.get(row.orderId)?.fills.push(fill);
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
    for (const { record, side, hold } of open.values()) {
      const { rule } = marketOf(state, record.symbol);
      const asset = side === "buy" ? rule.quote : rule.base;
      held.set(asset, (held.get(asset) ?? 0n) + hold);
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

function unitsOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function written<T extends object>(record: T): Written<T> {
  const entries = Object.entries(record).map(([name, value]) => [name, typeof value === "bigint" ? `${value}` : value]);
  return Object.fromEntries(entries) as Written<T>;
}
