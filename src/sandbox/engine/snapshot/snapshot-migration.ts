/**
 * Converts snapshots of earlier versions into the current format. Entry point: `currentSnapshot`.
 *
 * Invariant: there is one step per version, which depends on the snapshot's data alone.
 */
import { InvariantError } from "../core/invariant.ts";
import { aggregateRows, DAY_MS } from "../market/candle-series.ts";
import { nextMidnightInKorea, type SettlementRow } from "../orders/settlement.ts";
import { HOUSE } from "../state/exchange-state.ts";
import {
  type EngineSnapshot,
  type FirstSnapshot,
  type MarketRow,
  type OrderRow,
  type SeventhSnapshot,
  type SixthSnapshot,
  SNAPSHOT_VERSION,
  type StoredEngineSnapshot,
} from "./snapshot-format.ts";

/** @throws InvariantError for an unknown version. */
export function currentSnapshot(stored: StoredEngineSnapshot): EngineSnapshot {
  switch (stored.version) {
    case SNAPSHOT_VERSION:
      return stored;
    case 7:
      return { ...stored, version: SNAPSHOT_VERSION, markets: marketsWithPast(stored) };
    case 6:
      return currentSnapshot({ ...stored, version: 7, orders: placedOrders(stored) });
    case 5:
      return currentSnapshot({ ...stored, version: 6 });
    case 4: {
      const nothing = { payments: [], remittanceQuotes: [], remittances: [], answers: [] };
      const opened = [HOUSE.treasury, HOUSE.transit].map((accountId) => [accountId, true, true, null] as const);
      const accounts = [...stored.accounts, ...opened];
      return currentSnapshot({ ...stored, version: 5, accounts, ...nothing });
    }
    case 3:
      return currentSnapshot({ ...stored, version: 4, clockOffset: 0, revokedKeys: [], webhooks: [] });
    case 2: {
      const accounts = stored.accounts.map(([accountId, linked, house]) => [accountId, linked, house, null] as const);
      return currentSnapshot({ ...stored, version: 3, accounts });
    }
    case 1:
      return currentSnapshot({ ...stored, version: 2, settlements: dueSettlements(stored) });
    default: {
      const { version }: { readonly version: unknown } = stored;
      throw new InvariantError(`snapshot version ${String(version)}, not ${SNAPSHOT_VERSION}`);
    }
  }
}

/** What the market flow has left of a market begins with its first hour; before that comes its past. */
function marketsWithPast({ marketMaker, markets }: SeventhSnapshot): MarketRow[] {
  return markets.map(({ tape, ...market }) => {
    const [first] = tape.hours;
    const past = marketMaker && first !== undefined ? ([first[0], first[1]] as const) : null;
    return { ...market, past, tape: { ...tape, days: aggregateRows(tape.hours, DAY_MS) } };
  });
}

/** Rows are in order of placing. */
function placedOrders({ orders }: SixthSnapshot): OrderRow[] {
  const placed = new Map<string, number>();
  return orders.map((order) => {
    const position = placed.get(order.accountId) ?? 0;
    placed.set(order.accountId, position + 1);
    return { ...order, position };
  });
}

/** Fills in `STANDARD_KRW` settle on their day; all others have settled at once. */
function dueSettlements({ orders, fills }: FirstSnapshot): SettlementRow[] {
  const later = new Set(orders.flatMap((order) => (order.settlementMode === "STANDARD_KRW" ? [order.orderId] : [])));
  return fills
    .filter(({ orderId }) => later.has(orderId))
    .map(({ accountId, tradeSeq, time }) => [accountId, tradeSeq, nextMidnightInKorea(time), "pending", null, true]);
}
