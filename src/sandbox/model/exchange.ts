/** The exchange as the API families see it: reads, and `apply`. */
import type { OrderState } from "../../contract/index.ts";
import type { BalanceRecord, KeyRecord, WebhookRecord } from "./account.ts";
import type { Applied, Command, PlaceCommand, Refusal } from "./command.ts";
import type { BookRecord, CandleRecord, MarketRule, MarketStatus, TickerRecord, TradeRecord } from "./market.ts";
import type { FillRecord, OrderRecord, SettlementRecord } from "./order.ts";
import type { TransferReads } from "./transfer.ts";
import type { Millis, Units } from "./units.ts";

export interface OrderFilter {
  readonly symbol?: string;
  readonly states?: readonly OrderState[];
  readonly userref?: string;
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  /** Which of its times has to lie in the period: when it was placed, unless said otherwise. */
  readonly by?: "created" | "updated" | "either";
  /** Only orders older than this id (cursor). */
  readonly beforeId?: string | undefined;
  /** Only this order of the account and older ones. */
  readonly untilId?: string | undefined;
  /** Only orders newer than this one of the account. */
  readonly afterId?: string | undefined;
  /** So many of the newest are left out. */
  readonly skip?: number | undefined;
  readonly limit: number;
}

export interface FillFilter {
  readonly symbol?: string;
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  /** Neither is included. */
  readonly beforeSeq?: number | undefined;
  readonly afterSeq?: number | undefined;
  readonly skip?: number | undefined;
  readonly limit: number;
}

/** What the REST layer may ask and tell the exchange. `Engine` implements it; `apply` is the only way to change it. */
export interface Exchange extends TransferReads {
  apply(command: Command, at: Millis): Applied | Refusal;
  /** Same checks as `apply` of a place command, without effect. */
  check(command: PlaceCommand, at: Millis): { readonly ok: true } | Refusal;
  markets(): readonly (MarketRule & { readonly status: MarketStatus; readonly last: Units | null })[];
  market(symbol: string): (MarketRule & { readonly status: MarketStatus; readonly last: Units | null }) | undefined;
  book(symbol: string, depth: number): BookRecord;
  ticker(symbol: string, at: Millis): TickerRecord;
  /** Newest first. */
  trades(symbol: string, limit: number): readonly TradeRecord[];
  /** Oldest first, the newest `limit` of the period. */
  candles(symbol: string, intervalMs: Millis, from: Millis, to: Millis, limit: number): readonly CandleRecord[];
  /** How far the exchange's clock is ahead of the machine's. Times given to the exchange are by its own clock. */
  clockOffset(): Millis;
  /** A revoked key is no key. */
  key(keyId: string): KeyRecord | undefined;
  isRevoked(keyId: string): boolean;
  /** Largest nonce accepted for the key; 0n at first. */
  lastNonce(keyId: string): bigint;
  account(accountId: string): { readonly accountId: string; readonly krwAccountLinked: boolean } | undefined;
  /** In the order they were registered; of all accounts, or of one. */
  webhooks(accountId?: string): readonly WebhookRecord[];
  webhook(webhookId: string): WebhookRecord | undefined;
  /** When the account's orders are going to be canceled; null without an armed timer. */
  cancelTimer(accountId: string): Millis | null;
  /** Assets ever held, KRW first. */
  balances(accountId: string): readonly BalanceRecord[];
  order(accountId: string, orderId: string): OrderRecord | undefined;
  /** Newest first, with whether more follow. */
  orders(accountId: string, filter: OrderFilter): { readonly orders: readonly OrderRecord[]; readonly more: boolean };
  fills(accountId: string, filter: FillFilter): { readonly fills: readonly FillRecord[]; readonly more: boolean };
  /** All the filter matches, whatever its limit. */
  countOrders(accountId: string, filter: OrderFilter): number;
  countFills(accountId: string, filter: FillFilter): number;
  fillsOf(accountId: string, orderId: string): readonly FillRecord[];
  /** One for each fill, oldest first; of one order where `orderId` is given. */
  settlements(accountId: string, orderId?: string): readonly SettlementRecord[];
}
