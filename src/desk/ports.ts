/**
 * The ports of the desk: what it needs from the outside, declared by the side that uses it.
 * The client satisfies `Venue`, the store satisfies `Journal` and `AuditLog`; `cli/compose.ts` joins them.
 *
 * Invariants the implementations keep:
 * - `Venue.submit` and `Venue.cancel` send at most one request, ever; no retry of any kind.
 * - `Venue.submit` calls `beforeSend(nonce)` with the nonce of that request before its first byte leaves, and sends nothing
 *   when it answers false.
 * - `Journal.record` and `Journal.advance` return only when the fact is on disk, unless `lazy` was asked for.
 * - `Journal.advance` changes a record only from one of the states named (compare and swap), so two processes
 *   can never both move the same intent.
 */
import type {
  Accounts,
  BatchCancel,
  Candle,
  CandleInterval,
  Compliance,
  CreateOrderBody,
  Fault,
  Fill,
  Market,
  Order,
  Orderbook,
  OrderStateFilter,
  PublicTrade,
  Result,
  ServerTime,
  Side,
  Ticker,
} from "../contract/index.ts";
import type { IntentState } from "./intent.ts";

export type Environment = "sandbox" | "live";

/** Time, injected so that the desk also runs in a simulation. Unix milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Fresh identifiers; unique across processes and restarts. */
export interface Ids {
  intentId(): string;
  /** 1–64 of `[A-Za-z0-9._-]`. */
  userref(): string;
}

export interface Page {
  readonly cursor?: string;
  readonly limit?: number;
}

export interface OrdersRequest extends Page {
  readonly symbol?: string;
  readonly state?: OrderStateFilter;
  readonly userref?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface FillsRequest extends Page {
  readonly symbol?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface OrderPage {
  readonly orders: readonly Order[];
  readonly next_cursor: string | null;
}

export interface FillPage {
  readonly trades: readonly Fill[];
  readonly next_cursor: string | null;
}

declare const journaled: unique symbol;

/** An order that stands in the journal. Only `placing.ts` makes one, so nothing else can be submitted. */
export type JournaledOrder = CreateOrderBody & { readonly userref: string; readonly [journaled]: true };

/** An exchange reached over its API. Reads may be retried inside; writes never are. */
export interface Venue {
  readonly environment: Environment;
  /** Public id of the API key in use; undefined without a key. The nonce fence holds within one key only. */
  readonly keyId: string | undefined;
  /** Whether the nonce fence of decisions §2 holds at this venue. */
  readonly nonceFence: boolean;
  /** Whole time a write may take, connect to last byte, in milliseconds. */
  readonly writeTimeoutMs: number;
  time(): Promise<Result<ServerTime>>;
  /** Server clock minus ours in milliseconds, as last measured; undefined before the first answer. */
  clockOffsetMs(): number | undefined;
  markets(): Promise<Result<readonly Market[]>>;
  tickers(symbols?: readonly string[]): Promise<Result<readonly Ticker[]>>;
  orderbook(symbol: string, depth?: number): Promise<Result<Orderbook>>;
  trades(symbol: string, limit?: number): Promise<Result<readonly PublicTrade[]>>;
  candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<Result<readonly Candle[]>>;
  accounts(): Promise<Result<Accounts>>;
  /** @param fence ask with a larger nonce than `afterNonce`, or fail: then "not found" is final where the fence holds. */
  orders(request: OrdersRequest, fence?: { readonly afterNonce: string }): Promise<Result<OrderPage>>;
  order(symbol: string, orderId: string): Promise<Result<Order>>;
  fills(request: FillsRequest): Promise<Result<FillPage>>;
  submit(order: JournaledOrder, beforeSend: (nonce: string) => Promise<boolean>): Promise<Result<Order>>;
  cancel(symbol: string, orderId: string): Promise<Result<Order>>;
  cancelAll(symbol?: string): Promise<Result<BatchCancel>>;
}

/** What an intent is about; everything but its progress. */
export interface IntentBody {
  readonly order: CreateOrderBody;
  readonly environment: Environment;
  /** Key that the request was, or will be, signed with. */
  readonly keyId: string;
  /** SHA-256 over every field of the order, the account and the environment, hex. */
  readonly digest: string;
  /** The order as the venue last showed it. */
  readonly seen?: Order;
  /** Why it was rejected, or what made it unknown. */
  readonly fault?: Fault;
  /** Drafts end at this time, Unix milliseconds. */
  readonly expiresAtMs?: number;
}

/** One intent to trade: at most one venue order ever comes of it. */
export interface IntentRecord {
  readonly intentId: string;
  readonly account: string;
  readonly userref: string;
  readonly state: IntentState;
  /** Decimal text of the nonce its request carried; null while nothing was sent. */
  readonly nonce: string | null;
  readonly orderId: string | null;
  readonly body: IntentBody;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface IntentChange {
  readonly from: readonly IntentState[];
  readonly to: IntentState;
  /** Only while the intent still has this nonce: what was found out about one request must not settle a later one. */
  readonly ifNonce?: string | null;
  readonly nonce?: string;
  readonly orderId?: string;
  readonly body?: IntentBody;
  /** Do not wait for the disk: for facts that the venue can be asked for again. */
  readonly lazy?: boolean;
}

/** Where intents live. Every call also appends the step to the audit log, in the same transaction. */
export interface Journal {
  /** @returns undefined when the account already has an intent with this userref. */
  record(intent: Omit<IntentRecord, "updatedAtMs">): Promise<IntentRecord | undefined>;
  /** @returns the changed record, or undefined when it was in none of the `from` states or has another nonce. */
  advance(intentId: string, change: IntentChange, atMs: number): Promise<IntentRecord | undefined>;
  byIntentId(intentId: string): Promise<IntentRecord | undefined>;
  byUserref(account: string, userref: string): Promise<IntentRecord | undefined>;
  byOrderId(account: string, orderId: string): Promise<IntentRecord | undefined>;
  /** Records in any of the states, oldest first. */
  inStates(account: string, states: readonly IntentState[], limit: number): Promise<readonly IntentRecord[]>;
}

export interface AuditEntry {
  readonly event: string;
  readonly account: string;
  readonly intentId?: string;
  readonly orderId?: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Steps that are not moves of an intent: cancels, reconciliations, start and stop. */
export interface AuditLog {
  append(entry: AuditEntry, atMs: number): Promise<void>;
}

/** An order's side as a caller means it, with its size in one unit. */
export interface OrderRequest {
  readonly symbol: string;
  readonly side: Side;
  readonly type: "limit" | "market";
  readonly base_volume?: string;
  readonly quote_amount?: string;
  readonly price?: string;
  readonly time_in_force?: "GTC" | "IOC" | "FOK";
  readonly post_only?: boolean;
  readonly userref?: string;
  readonly compliance?: Compliance;
}
