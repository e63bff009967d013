/** Orders and their fills, as an account sees them, and how a fill settles. */
import type { OrderState, OrderType, Side, TimeInForce } from "../../contract/index.ts";
import type { Millis, Units } from "./units.ts";

export type SettlementModeName = "INSTANT_KRW" | "STANDARD_KRW";

/** An order as the engine remembers it. Mutable inside the engine only. */
export interface OrderRecord {
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
  readonly createdAt: Millis;
  executedVolume: Units;
  executedValue: Units;
  fee: Units;
  state: OrderState;
  /** Why the exchange ended it, e.g. `self_trade_prevented`, `cancel_timer`; null otherwise. */
  reason: string | null;
  updatedAt: Millis;
}

/** One execution of an account's order. */
export interface FillRecord {
  /** Rises by one over all trades of the exchange; both sides of a trade share it. */
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
 * When what a fill brought in may be withdrawn; it may be traded at once. Every fill settles by itself, in its order's mode:
 * `INSTANT_KRW` (T+0) at the fill, `STANDARD_KRW` (T+1) at the next midnight in Korea. It fails when the account has no linked
 * KRW account at that moment; its proceeds then stay on the exchange until one is linked.
 */
export interface SettlementRecord {
  readonly accountId: string;
  readonly orderId: string;
  /** With `accountId` it names the fill, and so the settlement. */
  readonly tradeSeq: number;
  readonly symbol: string;
  readonly mode: SettlementModeName;
  /** Coins of a buy; of a sell the quote currency, less the fee. */
  readonly asset: string;
  readonly amount: Units;
  readonly state: SettlementState;
  readonly dueAt: Millis;
  /** When it was settled or failed; null while pending. */
  readonly endedAt: Millis | null;
}
