/**
 * The port `Venue`: the exchange, live or the sandbox. The client satisfies it.
 *
 * Invariants the implementations keep:
 * - `submit` and `cancel` send at most one request, ever; no retry of any kind.
 * - `submit` calls `beforeSend(nonce)` with the nonce of that request before its first byte leaves, and sends nothing when it answers false.
 */

import type {
  Accounts,
  BatchCancel,
  Candle,
  CandleInterval,
  FillPage,
  FillsOptions,
  FillsRequest,
  Market,
  Order,
  Orderbook,
  OrderPage,
  OrdersRequest,
  PublicTrade,
  Result,
  ServerTime,
  Ticker,
  VenueCard,
} from "../../contract/index.ts";
import type { JournaledOrder } from "../model/intent.ts";
import type { Environment } from "../model/submission.ts";

/** Says how much a question matters to a cancel. */
export interface Urgency {
  /** It belongs to a cancel: it goes first, and finds rate budget where other reads wait. */
  readonly urgent?: boolean;
  /** Bounds how long its turn and its answer are waited for, instead of the client's own deadline. */
  readonly deadlineMs?: number;
}

export interface OrdersOptions extends Urgency {
  /** Ask with a larger nonce than this, or fail: then "not found" is final where the fence holds. */
  readonly afterNonce?: string;
  /** Nobody waits for it, and it goes behind every other call. */
  readonly background?: boolean;
}

/**
 * Tells what a look-up by our own name has shown: of an order, or of a movement of money. `none` only where the venue says that there is
 * none, with the states that were searched and its time then; `cannot_say` where what it shows decides nothing.
 */
export type Found<Item = Order> =
  | { readonly kind: "found"; readonly item: Item }
  | { readonly kind: "none"; readonly covers: ReadonlySet<"open" | "closed" | "canceled">; readonly atMs: number }
  | { readonly kind: "cannot_say"; readonly why: string };

/** An order as it is looked up: by the name that it was sent under. */
export interface SoughtOrder {
  readonly userref: string;
  readonly symbol?: string;
  /** When it was sent: a venue may not show for ever what ended without a fill. */
  readonly sentAtMs?: number;
  /** How many are wanted at most, where the venue lets a name have several. */
  readonly limit?: number;
}

interface VenueFacts {
  readonly environment: Environment;
  /** Says what the venue promises and what it has. */
  readonly card: VenueCard;
  /** Name of the API key in use, never the key itself; undefined without a key. The nonce fence holds within one key only. */
  readonly keyId: string | undefined;
  /** Whole time a write may take, connect to last byte, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Takes no order without travel-rule metadata. */
  readonly needsCompliance?: boolean;
}

export interface MarketReads {
  /** A public call. Throws the signal's reason when that fires first. */
  time(options?: { readonly signal?: AbortSignal }): Promise<Result<ServerTime>>;
  /** Server clock minus ours in milliseconds, as last measured; undefined before the first answer. */
  clockOffsetMs(): number | undefined;
  markets(urgency?: Urgency): Promise<Result<readonly Market[]>>;
  /** The rules of one market, where the venue tells them one by one: what `markets` says of ticks, minimum and fees is then assumed. */
  rules?(market: Market): Promise<Result<Market>>;
  tickers(symbols?: readonly string[]): Promise<Result<readonly Ticker[]>>;
  orderbook(symbol: string, depth?: number): Promise<Result<Orderbook>>;
  trades(symbol: string, limit?: number): Promise<Result<readonly PublicTrade[]>>;
  candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<Result<readonly Candle[]>>;
}

export interface AccountReads {
  accounts(urgency?: Urgency): Promise<Result<Accounts>>;
  /** A list of orders; by their name they are looked up. */
  orders(request: OrdersRequest, options?: OrdersOptions): Promise<Result<OrderPage>>;
  order(symbol: string, orderId: string, urgency?: Urgency): Promise<Result<Order>>;
  /**
   * What the venue has under a name: one order, or as many as it lets have it, newest first. `none` only where it says that there is none and
   * the search covers what it says to cover.
   */
  lookup(name: SoughtOrder, options?: OrdersOptions): Promise<Result<Found<readonly Order[]>>>;
  fills(request: FillsRequest, options?: FillsOptions): Promise<Result<FillPage>>;
}

/** What changes something at the venue. Handed to the parts that send and cancel alone. */
export interface OrderWrites {
  /**
   * Answered with the order, or with its id alone. `EOrder:Duplicate client id` says that the venue has seen the name, and nothing of this order.
   */
  submit(order: JournaledOrder, beforeSend: (nonce: string) => Promise<boolean>): Promise<Result<Order | TakenOrder>>;
  /**
   * Answered with the order as it is then, or with no more than that the cancel was taken.
   * @param beforeSend asked right before it leaves: nothing is sent when it answers false
   */
  cancel(symbol: string, orderId: string, beforeSend?: () => Promise<boolean>): Promise<Result<Order | TakenCancel>>;
  /** `deadlineMs`: how long its turn is waited for; once it has left, its answer has the whole time of a write. */
  cancelAll(symbol?: string, urgency?: Urgency): Promise<Result<BatchCancel>>;
  /** The venue's own dead-man's switch, where it has one: cancels everything after that many seconds; 0 disarms. */
  setCancelTimer?(seconds: number): Promise<Result<{ readonly fires_at: string | null }>>;
}

/** What can only be looked at. Reads may be retried inside. */
export type VenueReads = VenueFacts & MarketReads & AccountReads;

/** An exchange reached over its API. Reads may be retried inside; writes never are. */
export interface Venue extends VenueFacts, MarketReads, AccountReads, OrderWrites {}

/** An order that the venue has taken and not shown. */
export interface TakenOrder {
  readonly orderId: string;
}

/** A cancel that the venue has taken, without a word about the order. */
export interface TakenCancel {
  readonly count: number;
}
