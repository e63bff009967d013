/**
 * The ports of the desk: what it needs from the outside, declared by the side that uses it.
 * The client satisfies `Venue`; the store satisfies `Journal`, `AuditLog`, `BrakeSwitch`, `CancelTimers` and `Seal`; the
 * configuration satisfies `PolicySource`; `cli/compose.ts` joins them.
 *
 * Invariants the implementations keep:
 * - `Venue.submit` and `Venue.cancel` send at most one request, ever; no retry of any kind.
 * - `Venue.submit` calls `beforeSend(nonce)` with the nonce of that request before its first byte leaves, and sends nothing
 *   when it answers false.
 * - `Journal.record` and `Journal.advance` return only when the fact is on disk, unless `lazy` was asked for.
 * - `Journal.advance` changes a record only from one of the states named (compare and swap), so two processes
 *   can never both move the same intent.
 * - `Journal.begin` decides on the budgets and the brake in the same transaction that takes its share of them, so any number
 *   of processes together stay inside.
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
import type { Policy } from "./policy-terms.ts";
import type { BrakeRecord, Standing } from "./standing.ts";

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

/** How much a question matters to a cancel. */
export interface Urgency {
  /** It belongs to a cancel: it goes first, and finds rate budget where other reads wait. */
  readonly urgent?: boolean;
  /** How long its turn and its answer are waited for, instead of the venue's own patience. */
  readonly deadlineMs?: number;
}

export interface OrdersOptions extends Urgency {
  /** Ask with a larger nonce than this, or fail: then "not found" is final where the fence holds. */
  readonly afterNonce?: string;
}

/** An exchange reached over its API. Reads may be retried inside; writes never are. */
export interface Venue {
  readonly environment: Environment;
  /** Public id of the API key in use; undefined without a key. The nonce fence holds within one key only. */
  readonly keyId: string | undefined;
  /** Whether the nonce fence of decisions §2 holds at this venue. */
  readonly nonceFence: boolean;
  /** Whole time a write may take, connect to last byte, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Whether it takes no order without travel-rule metadata. */
  readonly needsCompliance?: boolean;
  time(): Promise<Result<ServerTime>>;
  /** Server clock minus ours in milliseconds, as last measured; undefined before the first answer. */
  clockOffsetMs(): number | undefined;
  markets(urgency?: Urgency): Promise<Result<readonly Market[]>>;
  tickers(symbols?: readonly string[]): Promise<Result<readonly Ticker[]>>;
  orderbook(symbol: string, depth?: number): Promise<Result<Orderbook>>;
  trades(symbol: string, limit?: number): Promise<Result<readonly PublicTrade[]>>;
  candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number },
  ): Promise<Result<readonly Candle[]>>;
  accounts(urgency?: Urgency): Promise<Result<Accounts>>;
  orders(request: OrdersRequest, options?: OrdersOptions): Promise<Result<OrderPage>>;
  order(symbol: string, orderId: string, urgency?: Urgency): Promise<Result<Order>>;
  fills(request: FillsRequest): Promise<Result<FillPage>>;
  /** Answered with the order, or, on the Trading API, with its id alone. */
  submit(order: JournaledOrder, beforeSend: (nonce: string) => Promise<boolean>): Promise<Result<Order | TakenOrder>>;
  /** Answered with the order as it is then, or, on the Trading API, with no more than that the cancel was taken. */
  cancel(symbol: string, orderId: string): Promise<Result<Order | TakenCancel>>;
  /** `deadlineMs`: how long its turn is waited for; once it has left, its answer has the whole time of a write. */
  cancelAll(symbol?: string, urgency?: Urgency): Promise<Result<BatchCancel>>;
  /** The venue's own dead-man's switch, where it has one: cancels everything after that many seconds; 0 disarms. */
  setCancelTimer?(seconds: number): Promise<Result<{ readonly fires_at: string | null }>>;
}

/** An order that the venue has taken and not shown. */
export interface TakenOrder {
  readonly orderId: string;
}

/** A cancel that the venue has taken, without a word about the order. */
export interface TakenCancel {
  readonly count: number;
}

/** What a person is asked to approve, and who approved it. */
export interface ApprovalTerms {
  /** SHA-256 over the intent, its order's digest, the price seen, and from when to when it is asked, hex: what is approved is exactly this. */
  readonly digest: string;
  /** As `Seen` has it, when it was asked; null without a book. */
  readonly priceSeen: string | null;
  /** What the order was valued at, whole KRW. */
  readonly valueKrw: string;
  /** Why a person has to be asked. */
  readonly why: string;
  /** Absent in terms of versions before this was kept. */
  readonly askedAtMs?: number;
  readonly expiresAtMs: number;
  readonly approvedBy?: ApprovalWay;
  readonly approvedAtMs?: number;
}

/** `client`: an elicitation that a person answered in the client. `pin`: the PIN, on a terminal or the console. */
export type ApprovalWay = "client" | "pin";

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
  /** It was settled by the word of a person who has looked at the exchange, not by the exchange's own. */
  readonly settledBy?: "person";
  /** Drafts end at this time, Unix milliseconds. */
  readonly expiresAtMs?: number;
  readonly approval?: ApprovalTerms;
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
  /** What it counts for in the budgets: whole KRW as decimal text. */
  readonly heldKrw: string;
  /** Whether it counts as an open order. */
  readonly isLive: boolean;
  /** When its request was numbered; null while nothing was sent, and once it is proven not placed. */
  readonly sentAtMs: number | null;
}

/** A new intent: nothing is sent yet, so nothing is held. */
export type NewIntent = Omit<IntentRecord, "updatedAtMs" | "heldKrw" | "isLive" | "sentAtMs">;

export interface IntentChange {
  readonly from: readonly IntentState[];
  readonly to: IntentState;
  /** Only while the intent still has this nonce: what was found out about one request must not settle a later one. */
  readonly ifNonce?: string | null;
  readonly nonce?: string;
  readonly orderId?: string;
  readonly body?: IntentBody;
  /** What it counts for from now on. */
  readonly hold?: { readonly krw: string; readonly isLive: boolean };
  /** It is proven that what was sent has no effect: it does not count as sent. */
  readonly unsend?: boolean;
  /** Do not wait for the disk: for facts that the venue can be asked for again. */
  readonly lazy?: boolean;
}

/** The move that precedes the one request of an intent. */
export interface IntentSend {
  readonly from: readonly IntentState[];
  readonly to: IntentState;
  readonly nonce: string;
  readonly heldKrw: string;
  readonly body?: IntentBody;
}

export type Begun = { readonly intent: IntentRecord } | { readonly refused: Fault };

/** The account's records whose requests were numbered at this time or later, but for those proven not placed. */
export type SentSince = (atMs: number) => readonly IntentRecord[];

/** Where intents live. Every call also appends the step to the audit log, in the same transaction. */
export interface Journal {
  /** @returns undefined when the account already has an intent with this userref. */
  record(intent: NewIntent): Promise<IntentRecord | undefined>;
  /** @returns the changed record, or undefined when it was in none of the `from` states or has another nonce. */
  advance(intentId: string, change: IntentChange, atMs: number): Promise<IntentRecord | undefined>;
  /**
   * Moves an intent to where its request may leave, if `admit` has no objection to how the account stands without it, and to
   * what it has sent lately. The time is asked inside the transaction too.
   * @returns undefined when it was in none of the `from` states.
   */
  begin(
    intentId: string,
    send: IntentSend,
    admit: (standing: Standing, sentSince: SentSince) => Fault | undefined,
    now: () => number,
  ): Promise<Begun | undefined>;
  /** How the account stands: budgets used, and the brake. */
  standing(account: string, atMs: number): Promise<Standing>;
  byIntentId(intentId: string): Promise<IntentRecord | undefined>;
  byUserref(account: string, userref: string): Promise<IntentRecord | undefined>;
  byOrderId(account: string, orderId: string): Promise<IntentRecord | undefined>;
  /** Records in any of the states, or sent and known to be an order since of which nobody has heard; newest first. Without an account: of all. */
  unsure(account: string | undefined, states: readonly IntentState[], limit: number): Promise<readonly IntentRecord[]>;
  /** Somebody has heard what became of this intent. Does not wait for the disk. */
  heard(intentId: string): Promise<void>;
  /** Records in any of the states, oldest first. */
  inStates(account: string, states: readonly IntentState[], limit: number): Promise<readonly IntentRecord[]>;
  /** As `inStates`, of all accounts but this one. */
  elsewhere(account: string, states: readonly IntentState[], limit: number): Promise<readonly IntentRecord[]>;
}

export interface AuditEntry {
  readonly event: string;
  readonly account: string;
  readonly intentId?: string;
  readonly orderId?: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** One row of the audit log. */
export interface AuditRow extends Omit<AuditEntry, "intentId" | "orderId"> {
  readonly seq: number;
  readonly atMs: number;
  readonly intentId: string | null;
  readonly orderId: string | null;
}

export interface AuditQuery {
  readonly account?: string;
  readonly intentId?: string;
  readonly orderId?: string;
  /** 1 to 1000. */
  readonly limit: number;
  /** Only rows before this one. */
  readonly beforeSeq?: number;
}

/** Every step, chained; moves of an intent are written with the move, the others through `append`. */
export interface AuditLog {
  append(entry: AuditEntry, atMs: number): Promise<void>;
  /** Newest first. Looking adds nothing. */
  recent(query: AuditQuery): Promise<readonly AuditRow[]>;
}

/** The brake, one for all processes on the store. */
export interface BrakeSwitch {
  state(): Promise<BrakeRecord | undefined>;
  /** Returns when no intent can begin any more, in any process. */
  engage(brake: BrakeRecord): Promise<void>;
  release(): Promise<void>;
}

export interface CancelTimer {
  readonly dueAtMs: number;
}

/** One dead-man's timer per account, kept for all processes. */
export interface CancelTimers {
  arm(account: string, dueAtMs: number, nowMs: number): Promise<void>;
  disarm(account: string): Promise<void>;
  read(account: string): Promise<CancelTimer | undefined>;
  /** Whether the timer of any account is due. */
  anyDue(nowMs: number): Promise<boolean>;
  /** Hands a timer that is due to one process; it is due again when that process has not called `done` in `claimMs`. */
  claimDue(account: string, nowMs: number, claimMs: number): Promise<CancelTimer | undefined>;
  done(account: string, dueAtMs: number): Promise<void>;
}

/** Signs what travels through a client and has to come back unchanged. */
export interface Seal {
  sign(text: string): Promise<string>;
  /** @returns undefined for what was not signed here. */
  open(token: string): Promise<string | undefined>;
}

/** What is allowed; lives in a file that no tool can change. */
export interface PolicySource {
  /** As the file is now. A fault means: no new orders. */
  read(): Result<Policy>;
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
