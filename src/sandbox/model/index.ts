/**
 * The exchange's vocabulary: commands that change it, facts it remembers, and the refusals it gives.
 *
 * Everything is counted in integers. An amount of any asset, a price and a notional are BigInt
 * counts of 1e-8 (`SCALE`). Each market's `priceDecimals + volumeDecimals` is at most 8, so that
 * price × volume is a whole number of 1e-8 quote units: nothing is ever rounded but a fee.
 *
 * The engine is a deterministic machine: state' = apply(command, time). Ids, time and randomness
 * come in with the command or live in the state, so a journal of commands replays to the same state.
 */
import type {
  FaultCode,
  Market,
  OrderState,
  OrderType,
  Permission,
  Side,
  Tier,
  TimeInForce,
  WebhookType,
} from "../../contract/index.ts";

import type {
  PaymentState,
  RemittanceState,
  TransferApplied,
  TransferCommand,
  TransferFact,
  TransferReads,
} from "./transfer.ts";

export * from "./transfer.ts";

/** Count of 1e-8 of an asset, or of 1e-8 quote per base for a price. */
export type Units = bigint;
export const SCALE = 8;
export const ONE: Units = 100_000_000n;

/** Time in Unix milliseconds. */
export type Millis = number;

export interface TickBandUnits {
  readonly from: Units;
  readonly tick: Units;
}

/** The fixed rules of a market. Fee rates in units: 0.0005 is 50_000n. */
export interface MarketRule {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly koreanName: string;
  readonly englishName: string;
  readonly minVolume: Units;
  readonly minNotional: Units;
  readonly tickBands: readonly TickBandUnits[];
  readonly priceDecimals: number;
  readonly volumeDecimals: number;
  readonly makerFeeRate: Units;
  readonly takerFeeRate: Units;
  /** Price the seeded market flow starts from and drifts around. */
  readonly anchorPrice: Units;
}

export type MarketStatus = Market["status"];
export type SettlementModeName = "INSTANT_KRW" | "STANDARD_KRW";

export interface PlaceCommand {
  readonly type: "place";
  readonly accountId: string;
  readonly keyId: string | null;
  readonly orderId: string;
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

export type Command =
  | PlaceCommand
  | TransferCommand
  | { readonly type: "cancel"; readonly accountId: string; readonly symbol: string; readonly orderId: string }
  | { readonly type: "cancelAll"; readonly accountId: string; readonly symbol: string | null }
  | { readonly type: "nonce"; readonly keyId: string; readonly nonce: bigint }
  | { readonly type: "createAccount"; readonly accountId: string; readonly krwAccountLinked: boolean }
  | { readonly type: "deposit"; readonly accountId: string; readonly asset: string; readonly amount: Units }
  /** No more than is withdrawable; KRW only to a linked KRW account. */
  | { readonly type: "withdraw"; readonly accountId: string; readonly asset: string; readonly amount: Units }
  /** An `enterprise` key needs an allow-list. A revoked id is not given again. */
  | { readonly type: "createKey"; readonly key: KeyRecord }
  | { readonly type: "setKey"; readonly keyId: string; readonly change: KeyChange }
  | { readonly type: "revokeKey"; readonly keyId: string }
  | { readonly type: "registerWebhook"; readonly webhook: Omit<WebhookRecord, "createdAt"> }
  | { readonly type: "unregisterWebhook"; readonly webhookId: string }
  /** Puts the exchange's clock ahead of the machine's by so much more; what is due by then happens. */
  | { readonly type: "advanceClock"; readonly byMs: Millis }
  | { readonly type: "setMarketStatus"; readonly symbol: string; readonly status: MarketStatus }
  | { readonly type: "linkKrwAccount"; readonly accountId: string; readonly linked: boolean }
  /**
   * The dead-man's switch: cancels all of the account's orders after that time unless armed again before, by any of its keys;
   * 0 disarms. At most a day.
   */
  | { readonly type: "armCancelTimer"; readonly accountId: string; readonly timeoutMs: Millis }
  /** Makes happen what is due by now. An exchange that was opened does so before every command too. */
  | { readonly type: "passTime" }
  /** One step of the seeded market maker and taker flow, over all markets. */
  | { readonly type: "tick" };

export interface KeyRecord {
  readonly keyId: string;
  /** Base64 text, as handed to the owner. */
  readonly secret: string;
  readonly accountId: string;
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  /** Empty means any address. Addresses such as `127.0.0.1`, as they were written. */
  readonly ipAllowList: readonly string[];
  readonly rejectDuplicateUserref: boolean;
}

/** What may change about a key; what is absent stays. */
export type KeyChange = Partial<Pick<KeyRecord, "permissions" | "ipAllowList" | "rejectDuplicateUserref">>;

/** Where a partner wants to be told of what happens on an account. */
export interface WebhookRecord {
  readonly webhookId: string;
  readonly accountId: string;
  readonly url: string;
  /** `whsec_` and base64, as handed to the partner. */
  readonly secret: string;
  readonly types: readonly WebhookType[];
  readonly createdAt: Millis;
}

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

export interface TradeRecord {
  readonly tradeSeq: number;
  readonly symbol: string;
  readonly takerSide: Side;
  readonly price: Units;
  readonly volume: Units;
  readonly time: Millis;
}

export interface CandleRecord {
  readonly start: Millis;
  open: Units;
  high: Units;
  low: Units;
  close: Units;
  volume: Units;
  quoteVolume: Units;
  trades: number;
  /** Number of the first trade in it; means nothing while `trades` is 0. */
  firstTradeSeq: number;
  /** What takers bought, and for how much. */
  takerBuyVolume: Units;
  takerBuyQuoteVolume: Units;
}

export interface TickerRecord {
  readonly symbol: string;
  readonly last: Units | null;
  readonly open: Units | null;
  readonly high: Units | null;
  readonly low: Units | null;
  readonly volume: Units;
  readonly quoteVolume: Units;
  readonly trades: number;
  /** Number of the first trade of the 24 hours. */
  readonly firstTradeSeq: number | null;
  readonly bestBid: Units | null;
  readonly bestAsk: Units | null;
}

export interface BookRecord {
  /** Rises by one with every command that changes the market's book, restarts included. */
  readonly seq: number;
  /** Best first: `[price, volume]`. */
  readonly buys: readonly (readonly [Units, Units])[];
  readonly asks: readonly (readonly [Units, Units])[];
}

export interface BalanceRecord {
  readonly asset: string;
  readonly available: Units;
  readonly locked: Units;
  /** Of what is available, the part that may leave the exchange: proceeds count once they are settled. */
  readonly withdrawable: Units;
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

/** Why an order is told of: it was placed, executed in part, or it ended. */
export type OrderCause = "created" | "executed" | "filled" | "canceled" | "expired";

/**
 * What a command changed, for whoever follows the exchange. Facts of one command come in the order things happened, then one
 * `book` per market and one `balance` per account and asset, each as it is after the command. What time brings about is told
 * with a command too (`passTime`).
 *
 * `book` holds the levels that differ, best first, `0n` where a level is gone. `seq` is what `Exchange.book` shows after the
 * command and rises by one from fact to fact of a market, so none is missing between two whose numbers follow each other; a
 * reader who starts with `Exchange.book` goes on with the fact of the next number. Levels are empty in the rare command that
 * ends where it began.
 *
 * An order has `created` when it was taken, `executed` after matches that left it open (an incoming order one for all its
 * matches, a resting one each time), and one for its end. Orders, fills and balances are those of customers, not of the house.
 */
export type Fact =
  | {
      readonly kind: "book";
      readonly symbol: string;
      readonly seq: number;
      readonly buys: readonly (readonly [price: Units, volume: Units])[];
      readonly asks: readonly (readonly [price: Units, volume: Units])[];
    }
  | { readonly kind: "trade"; readonly trade: TradeRecord }
  | { readonly kind: "order"; readonly order: Readonly<OrderRecord>; readonly cause: OrderCause }
  | { readonly kind: "fill"; readonly fill: FillRecord }
  | ({ readonly kind: "balance"; readonly accountId: string } & BalanceRecord)
  | { readonly kind: "settlement"; readonly settlement: SettlementRecord }
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly accountId: string;
      readonly change: "created" | "changed" | "revoked";
    }
  | TransferFact
  | { readonly kind: "market"; readonly symbol: string; readonly status: MarketStatus };

/**
 * @param at the exchange's clock at the command.
 * @param change the command's number: rises with every command that changed something, restarts included.
 */
export type FactListener = (facts: readonly Fact[], at: Millis, change: number) => void;

/** The engine said no; nothing changed. */
export interface Refusal {
  readonly ok: false;
  readonly code: FaultCode;
  readonly message: string;
  readonly field?: string;
  /** Final state, with `EOrder:Order already closed`. */
  readonly state?: OrderState;
  /** State of the payment or remittance, where that is what is against it. */
  readonly transferState?: PaymentState | RemittanceState;
}

export type Applied =
  | TransferApplied
  | { readonly ok: true; readonly kind: "order"; readonly order: OrderRecord; readonly fills: readonly FillRecord[] }
  | { readonly ok: true; readonly kind: "canceled"; readonly orderIds: readonly string[] }
  | { readonly ok: true; readonly kind: "done" };

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
