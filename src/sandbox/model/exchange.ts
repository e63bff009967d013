/** The exchange as its users see it: reads, and `apply` for commands. */
import type { OrderState } from "../../contract/index.ts";
import type { BalanceRecord, KeyRecord, WebhookRecord } from "./account.ts";
import type { Applied, Command, PlaceCommand, Refusal } from "./command.ts";
import type {
  BookRecord,
  CandleEnd,
  CandleRecord,
  MarketRule,
  MarketStatus,
  TickerRecord,
  TradeRecord,
} from "./market.ts";
import type { FillRecord, OrderRecord, SettlementRecord, SettlementState } from "./order.ts";
import type { TransferReads } from "./transfer.ts";
import type { Millis, Units } from "./units.ts";

export interface OrderFilter {
  readonly symbol?: string | undefined;
  readonly states?: readonly OrderState[] | undefined;
  readonly userref?: string | undefined;
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  /** Which of an order's times has to be in the period. Default: `created`. */
  readonly by?: "created" | "updated" | "either" | undefined;
  /** Only orders older than this one (cursor). */
  readonly beforeId?: string | undefined;
  /** Only this order of the account and older ones. */
  readonly untilId?: string | undefined;
  /** Only orders newer than this one of the account. */
  readonly afterId?: string | undefined;
  /** Only this order and newer ones (cursor). */
  readonly sinceId?: string | undefined;
  /** Skips so many. */
  readonly skip?: number | undefined;
  readonly oldestFirst?: boolean | undefined;
  readonly limit: number;
}

export interface FillFilter {
  readonly symbol?: string | undefined;
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  /** Both bounds are exclusive. */
  readonly beforeSeq?: number | undefined;
  readonly afterSeq?: number | undefined;
  readonly skip?: number | undefined;
  readonly oldestFirst?: boolean | undefined;
  readonly limit: number;
}

/** The exchange. `Engine` implements it; `apply` is the only way to change it. */
export interface Exchange extends TransferReads {
  apply(command: Command, at: Millis): Applied | Refusal;
  /** The checks of `apply` for a place command, without effect. */
  check(command: PlaceCommand, at: Millis): { readonly ok: true } | Refusal;
  markets(): readonly (MarketRule & { readonly status: MarketStatus; readonly last: Units | null })[];
  market(symbol: string): (MarketRule & { readonly status: MarketStatus; readonly last: Units | null }) | undefined;
  book(symbol: string, depth: number): BookRecord;
  ticker(symbol: string, at: Millis): TickerRecord;
  /** Newest first. */
  trades(symbol: string, limit: number): readonly TradeRecord[];
  /** The newest `limit` candles of the period unless `end` says otherwise, oldest first. */
  candles(
    symbol: string,
    intervalMs: Millis,
    from: Millis,
    to: Millis,
    limit: number,
    end?: CandleEnd,
  ): readonly CandleRecord[];
  /** Tells how far the clock was put ahead of the machine's. All times given to the exchange are of its own clock. */
  clockOffset(): Millis;
  /** Tells, by the exchange's clock, the time of the last command that changed something. */
  lastChangeAt(): Millis;
  /** undefined for a revoked key too. */
  key(keyId: string): KeyRecord | undefined;
  isRevoked(keyId: string): boolean;
  /** The largest nonce accepted for the key; 0n at first. */
  lastNonce(keyId: string): bigint;
  account(accountId: string): { readonly accountId: string; readonly krwAccountLinked: boolean } | undefined;
  /** Lists those of all accounts, or of one, in order of registration. */
  webhooks(accountId?: string): readonly WebhookRecord[];
  webhook(webhookId: string): WebhookRecord | undefined;
  /** When the account's orders will be canceled; null without an armed timer. */
  cancelTimer(accountId: string): Millis | null;
  /** Assets ever held, the won first. */
  balances(accountId: string): readonly BalanceRecord[];
  order(accountId: string, orderId: string): OrderRecord | undefined;
  /** Newest first unless the filter says otherwise; `more` says whether others follow. */
  orders(accountId: string, filter: OrderFilter): { readonly orders: readonly OrderRecord[]; readonly more: boolean };
  fills(accountId: string, filter: FillFilter): { readonly fills: readonly FillRecord[]; readonly more: boolean };
  /** The number of all matches, whatever the filter's limit. */
  countOrders(accountId: string, filter: OrderFilter): number;
  countFills(accountId: string, filter: FillFilter): number;
  fillsOf(accountId: string, orderId: string): readonly FillRecord[];
  /** Tells of what is executed of an order so far: pending while any of it is; null while nothing is. */
  settlementState(accountId: string, orderId: string): SettlementState | null;
  fillSettlement(fill: FillRecord): SettlementState;
  /** Lists one per fill, oldest first; of one order where `orderId` is given. */
  settlements(accountId: string, orderId?: string): readonly SettlementRecord[];
}
