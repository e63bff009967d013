/**
 * The port to what keeps ended orders that have left memory: their records, their fills, and how the fills settled. Entry point:
 * `OrderArchive`.
 *
 * Invariants: an order is in memory or in the archive, never in both; what is archived never changes. Source: decision 0027.
 */
import type { OrderState } from "../../../contract/index.ts";
import type { FillFilter, FillRecord, Millis, OrderFilter, OrderRecord, SettlementState } from "../../model/index.ts";

/** An order, and its place among those of its account: the first one has 0. */
export interface PlacedOrder {
  readonly position: number;
  readonly record: OrderRecord;
}

/** How a fill settled; one that settled at once has none. */
export interface SettlementEnd {
  readonly state: SettlementState;
  readonly dueAt: Millis;
  readonly endedAt: Millis | null;
}

export interface ArchivedFill {
  readonly fill: FillRecord;
  readonly settlement: SettlementEnd | null;
}

export interface EndedOrder extends PlacedOrder {
  readonly fills: readonly ArchivedFill[];
}

/** An `OrderFilter` whose cursors are resolved. */
export interface OrderScope extends Pick<OrderFilter, "symbol" | "userref" | "from" | "to" | "by" | "oldestFirst"> {
  readonly states?: readonly OrderState[] | undefined;
  /** Only older ones; only this one and older; only newer; only this one and newer. */
  readonly before: PlacedOrder | undefined;
  readonly until: PlacedOrder | undefined;
  readonly after: PlacedOrder | undefined;
  readonly since: PlacedOrder | undefined;
  /** Only ids before this one, and only this one and later ones, for cursors of unknown orders. */
  readonly beforeId: string | undefined;
  readonly sinceId: string | undefined;
}

export type FillScope = Omit<FillFilter, "skip" | "limit">;

/** Lists are newest first unless the scope says otherwise, and read as far as they are taken. */
export interface OrderArchive {
  has(orderId: string): boolean;
  order(orderId: string): PlacedOrder | undefined;
  orders(accountId: string, scope: OrderScope): Iterable<PlacedOrder>;
  countOrders(accountId: string, scope: OrderScope): number;
  fills(accountId: string, filter: FillScope): Iterable<FillRecord>;
  countFills(accountId: string, filter: FillScope): number;
  /** Oldest first. */
  fillsOf(orderId: string): readonly FillRecord[];
  /** undefined for a fill that settled at once, and for one that is not archived. */
  settlement(accountId: string, tradeSeq: number): SettlementEnd | undefined;
}
