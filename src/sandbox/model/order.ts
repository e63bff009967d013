/** Orders, their fills, and the settlement of a fill. */
import type { OrderState, OrderType, Side, TimeInForce } from "../../contract/index.ts";
import type { Millis, Units } from "./units.ts";

export type SettlementModeName = "INSTANT_KRW" | "STANDARD_KRW";

export interface OrderTerms {
  readonly orderId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly symbol: string;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly price: Units | null;
  readonly volume: Units | null;
  readonly amount: Units | null;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly userref: string | null;
  readonly settlementMode: SettlementModeName;
}

/** An order at one moment. */
export interface OrderRecord extends OrderTerms {
  readonly createdAt: Millis;
  readonly executedVolume: Units;
  readonly executedValue: Units;
  readonly fee: Units;
  readonly state: OrderState;
  /** Why the exchange ended the order, such as `self_trade_prevented` or `cancel_timer`; null otherwise. */
  readonly reason: string | null;
  readonly updatedAt: Millis;
}

/** Records one execution of an account's order. */
export interface FillRecord {
  /** Rises by one from trade to trade of the exchange; both sides of a trade have the same. */
  readonly tradeSeq: number;
  readonly orderId: string;
  readonly accountId: string;
  readonly userref: string | null;
  readonly symbol: string;
  readonly side: Side;
  readonly price: Units;
  readonly volume: Units;
  readonly value: Units;
  readonly liquidity: "maker" | "taker";
  readonly fee: Units;
  readonly time: Millis;
}

export type SettlementState = "pending" | "settled" | "failed";

/**
 * The settlement of a fill: from when its proceeds can be withdrawn; they can be traded at once. Every fill settles in its
 * order's mode: `INSTANT_KRW` (T+0) at the fill, `STANDARD_KRW` (T+1) at the next midnight in Korea. The settlement fails when the
 * account has no linked KRW account at that moment; the proceeds then stay on the exchange until one is linked.
 * Source: service.md#settlement-modes, service.md#settlement-failed.
 */
export interface SettlementRecord {
  readonly accountId: string;
  readonly orderId: string;
  /** Identifies the fill, and thus the settlement, together with `accountId`. */
  readonly tradeSeq: number;
  readonly symbol: string;
  readonly mode: SettlementModeName;
  /** The base asset of a buy; the quote currency of a sell, less the fee. */
  readonly asset: string;
  readonly amount: Units;
  readonly state: SettlementState;
  readonly dueAt: Millis;
  /** When it settled or failed; null while pending. */
  readonly endedAt: Millis | null;
}
