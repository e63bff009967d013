/**
 * Names what the desk reports: every entry point (MCP tool, command line, library) passes these on unchanged. Field names of these shapes
 * are public (they appear in tool results), hence snake_case. The words are kept apart on purpose: `denied` is ours and nothing was sent,
 * `rejected` is the venue's, `unknown` was sent and has no answer yet, `not_placed` was sent or about to be sent and is proven to have had
 * no effect.
 */

import type {
  Balance,
  Fault,
  FillPage,
  FillsRequest,
  Order,
  Orderbook,
  OrderPage,
  Proposal,
} from "../../contract/index.ts";
import type { ApprovalRequest, PendingOrder } from "./approval-request.ts";
import type { Estimate } from "./estimate.ts";
import type { EvidenceView, UnresolvedIntent } from "./evidence.ts";
import type { HistoryReading } from "./history-reading.ts";
import type { OrderRequest } from "./intent.ts";
import type { PlansStanding } from "./plan-state.ts";
import type { Environment } from "./submission.ts";

/** Names one moment as a program does, as a person does ("2026-07-20T18:00:05+09:00"), and the zone of that by its IANA name. */
export type LocalTime = Readonly<Record<"utc" | "local" | "timezone", string>>;

/** Tells what became of a write, in one word. */
export type WriteOutcome = "accepted" | "rejected" | "not_sent" | "unknown";

/** State of an order or intent as reported. */
export type ReportedState =
  | "denied"
  | "awaiting_approval"
  /** Let through and recorded; its one request has not left. */
  | "not_sent_yet"
  | "not_placed"
  | "rejected"
  | "unknown"
  /** The venue has the order; its state there could not be queried yet. */
  | "accepted"
  | "open"
  | "partially_filled"
  | "filled"
  | "cancel_requested"
  | "canceled"
  | "expired";

export interface ReportedError {
  readonly code: string;
  readonly class: string;
  readonly message: string;
  readonly field?: string;
  /** Values that would fit, for a person to choose from. */
  readonly proposals?: readonly Proposal[];
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  readonly user_action_url?: string;
  /** The venue's own words, as data. */
  readonly venue_text?: string;
  /** The rule of the policy that denied, the figure it looked at and the limit it set. */
  readonly rule?: string;
  readonly figure?: string;
  readonly limit?: string;
}

/** On every result, so that nobody has to guess whether it is paper money. */
export interface Stamp {
  readonly environment: Environment;
  readonly account: string;
  /** What sums are counted in: the desk's unit of account. */
  readonly unit: string;
}

export interface WriteReport extends Stamp {
  readonly outcome: WriteOutcome;
  readonly state: ReportedState;
  readonly order?: Order;
  readonly intent_id?: string;
  readonly userref?: string;
  /** `intent_id` of the order that is the answer: it was placed before for the same request, and no second one was. */
  readonly duplicate_of?: string;
  /** Tells what the size came to, where it was asked for as a share or as an amount at a price. */
  readonly sizing?: string;
  readonly approval?: ApprovalRequest;
  /** The order that was to go for this one, as it was last seen. */
  readonly replaced?: ReplacedView;
  readonly warnings: readonly string[];
  readonly next_action?: string;
  readonly error?: ReportedError;
}

export interface ReplacedView {
  readonly order_id: string;
  readonly state: ReportedState;
  readonly executed_volume: string;
}

/** Tells what a halt did. */
export interface HaltReport extends CancelAllReport {
  /** Says where: "directory", by its file, not for who shares the store; "here", in this process alone; "nowhere", the same, and it ends. */
  readonly brake: "everywhere" | "directory" | "here" | "nowhere";
  /** Orders that may yet show up at the venue, as their requests have no answer. */
  readonly unresolved: readonly UnresolvedIntent[];
  /** Orders of other accounts, as far as this data directory knows: not canceled by this. */
  readonly elsewhere: readonly ElsewhereOrder[];
}

/** An order that is open, or may be, on another account than the one that was halted. */
export interface ElsewhereOrder {
  readonly environment: Environment;
  /** Exchange and account, as the journal names them. */
  readonly account: string;
  readonly userref: string;
  readonly orderId: string | null;
  readonly symbol: string;
  readonly state: ReportedState;
}

export interface CancelTimerReport extends Stamp {
  /** Null when disarmed. */
  readonly fires_at: string | null;
  /** Who cancels when it runs out: the exchange, or whichever desk of this data directory runs then. */
  readonly kept_by: "exchange" | "desk";
  readonly note: string;
  readonly warnings: readonly string[];
}

export interface AuditRequest {
  readonly orderId?: string;
  readonly userref?: string;
  readonly limit: number;
  /** `next_cursor` of the page before. */
  readonly cursor?: string;
}

export interface AuditView extends Stamp {
  readonly entries: readonly AuditEntryView[];
  readonly next_cursor: string | null;
}

export interface AuditEntryView {
  readonly seq: number;
  readonly time: string;
  readonly event: string;
  readonly intent_id: string | null;
  /** Names the order that the step is about. */
  readonly userref: string | null;
  readonly orderId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Tells what the policy decides about an order now. */
export interface PolicyView {
  readonly verdict: "allowed" | "needs_approval" | "denied";
  readonly value: string;
  readonly why?: string;
  /** Quotes the line of `policy.toml` by which it is denied; absent where no setting would allow it. */
  readonly line?: string;
}

/** Shows one limit of the policy, in the unit of account or in orders. */
export interface LimitView {
  /** Stands as denials name it. */
  readonly rule: string;
  readonly limit: string;
  /** Quotes `policy.toml` as it stands. */
  readonly line: string;
  /** Null where it cannot be counted; then nothing that it limits passes. */
  readonly used: string | null;
  readonly left: string | null;
  /** When the first part of what is used is free again; null where nothing is used, or no time frees it. */
  readonly frees_at: string | null;
}

/** Shows what waits for a person. */
export interface WaitingItem {
  /** Names the submission. */
  readonly intent_id: string;
  /** Null of what is no order. */
  readonly userref: string | null;
  readonly summary: string;
  readonly expires_at: string;
}

/** Lists what is open at the venue and, apart, what waits for a person, is not sent yet, or has no answer; null where unreadable. */
export interface OpenOrdersView extends OrderPage, Stamp {
  readonly waiting: readonly WaitingItem[] | null;
  readonly unresolved: readonly UnresolvedIntent[] | null;
}

/** Tells of one order of a cancel-all. */
export interface CancelItem {
  readonly orderId: string;
  readonly symbol: string;
  readonly state: ReportedState;
  readonly error?: ReportedError;
}

/** Tells of what waited for a person, and was withdrawn: nobody can approve it any more. */
export interface WithdrawnItem {
  readonly id: string;
  /** Null of what is no order. */
  readonly userref: string | null;
  readonly summary: string;
}

export interface CancelAllReport extends Stamp {
  readonly outcome: WriteOutcome;
  readonly results: readonly CancelItem[];
  readonly canceled: number;
  readonly withdrawn: readonly WithdrawnItem[];
  /** Orders still open after the request, verified by a query; null where it could not be verified. */
  readonly remaining: number | null;
  readonly warnings: readonly string[];
  readonly next_action?: string;
  readonly error?: ReportedError;
}

/** Tells what the order would do against the current book. All amounts in the quote currency unless named volume. */
export interface Preview extends Stamp {
  readonly valid: boolean;
  /** Present when valid: execute exactly this order with place_order. Used once, ends at `expires_at`. */
  readonly draft_id?: string;
  readonly expires_at?: string;
  readonly order: OrderRequest;
  readonly estimate?: Estimate;
  readonly policy?: PolicyView;
  readonly problems: readonly ReportedError[];
  readonly proposals: readonly Proposal[];
  readonly warnings: readonly string[];
}

/** For a client with a view of it. */
export interface TicketedPreview extends Preview {
  /** For the view alone, never for a model: what its button sends along with the draft. */
  readonly ticket?: string;
}

export interface BookView extends Orderbook {
  readonly best_bid: string | null;
  readonly best_ask: string | null;
  readonly mid: string | null;
  readonly spread: string | null;
}

export interface ValuedBalance extends Omit<Balance, "unsettled"> {
  /** Counts what may be traded and not be withdrawn yet; null where the venue does not say. */
  readonly unsettled: string | null;
  /** Value at the last price; null where the asset has no market in the unit. */
  readonly value: string | null;
}

export interface BalancesView extends Stamp {
  readonly balances: readonly ValuedBalance[];
  readonly value: string;
}

export interface FeeTotal {
  readonly currency: string;
  readonly amount: string;
}

export interface FillTotals {
  readonly buy_value: string;
  readonly sell_value: string;
  readonly fees: readonly FeeTotal[];
}

/** Sums one market; values are in its quote currency. */
export interface MarketTotals extends FillTotals {
  readonly symbol: string;
  readonly buy_volume: string;
  readonly sell_volume: string;
}

export interface FillsQuery extends FillsRequest {
  /** Adds those of the whole period, which may have to be read for it. */
  readonly withTotals?: boolean;
  /** Called while it is read. */
  readonly onProgress?: (reading: HistoryReading, elapsedMs: number) => void;
  /** Nobody waits for this page: it goes behind every other call. */
  readonly background?: boolean;
}

export interface FillView extends FillPage, Stamp {
  /** Sums all trades of the period and market asked for, whatever page this is; absent where not asked for, or not known yet. */
  readonly totals?: FillTotals;
  /** Why there are no totals, and what they or the list leave out. */
  readonly warnings: readonly string[];
  /** There while the trades that the totals need are being read, in the background: ask again. */
  readonly reading?: HistoryReading;
  /** Times of the period whose trades are in no total, as nobody read them while the exchange listed them, as in a portfolio. */
  readonly unread?: string;
}

export interface OrderView extends Stamp {
  readonly order?: Order;
  readonly state: ReportedState;
  readonly intent_id?: string;
  readonly userref?: string;
  /** While it has no answer: what was found out about it. */
  readonly evidence?: EvidenceView;
  /** Shows what stands in its place now, where it was moved by `replace_order`, however often; absent while that has no answer. */
  readonly moved_to?: Order;
  readonly next_action?: string;
}

export interface DeskStatus extends Stamp {
  /** Says where the limits are set. */
  readonly policy_file: string;
  readonly now: LocalTime;
  readonly profile: string;
  readonly venue: "up" | "down";
  readonly error?: ReportedError;
  readonly clock_offset_ms: number | null;
  readonly can_trade: boolean;
  /** Says how orders are let through: read-only, confirm or bounded; null when the policy file cannot be read. */
  readonly mode: string | null;
  readonly limits: readonly LimitView[];
  /** The most that one buy may be for now; "0" where none passes. */
  readonly largest_buy: string;
  /** Present while trading is halted. */
  readonly brake?: { readonly reason: string; readonly by: string; readonly since: string };
  /** Whatever waits for a person, oldest first. */
  readonly waiting: readonly WaitingItem[];
  readonly pin_set: boolean | null; // Null: the store cannot be read.
  /** When everything is canceled unless the timer is set again. */
  readonly cancel_timer_fires_at: string | null;
  readonly unresolved: readonly UnresolvedIntent[];
  /** Absent where none is open. */
  readonly plans?: PlansStanding;
  readonly warnings: readonly string[];
}

/** Tells what the store knows of the desk now. */
export interface Standing extends Pick<DeskStatus, "brake"> {
  readonly halted: boolean;
  /** The venue's clock minus ours, milliseconds; undefined until it has answered. */
  readonly clockOffsetMs: number | undefined;
  /** Undefined until the venue has named the account. */
  readonly ofAccount: AccountStanding | undefined;
}

export interface AccountStanding {
  /** Orders without an answer, at most 500. */
  readonly unresolved: number;
  /** Orders that wait for a person, at most 200. */
  readonly waiting: number;
  /** Leaves out the loss of the day, which is counted from the venue's prices. */
  readonly limits: readonly LimitView[];
}

/** Names what a desk cannot work without: the store, the venue, and a clock that goes as the venue's does. */
export type UnreadyPart = "store" | "venue" | "clock";

/** Names an order for a caller. At least one of the two ids. */
export interface OrderName {
  readonly orderId?: string;
  readonly userref?: string;
  readonly symbol?: string;
}

/** `placed`: wait until the venue has it; `any_fill`: until something filled; `filled`; `closed`: until it ended in any way. */
export type AwaitedState = "placed" | "any_fill" | "filled" | "closed";

export interface AwaitRequest extends OrderName {
  readonly until: AwaitedState;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called on every query and change; `fraction` is the executed share from 0 to 1. */
  readonly onProgress?: (order: Order, elapsedMs: number) => void;
}

export interface AwaitReport extends OrderView {
  /** Tells whether the awaited state was reached; false when the time ran out or the order ended otherwise. */
  readonly reached: boolean;
  readonly waited_ms: number;
  readonly warnings: readonly string[];
}

/** Tells what a person found at the exchange. `orderId` names the order there, where more than one matches. */
export interface PersonsWord {
  readonly placed: boolean;
  readonly orderId?: string;
  readonly by: string;
}

export interface ReconcileReport {
  readonly checked: number;
  readonly accepted: number;
  readonly not_placed: number;
  readonly still_unknown: number;
  readonly fault?: Fault;
}

export interface PendingView extends Stamp {
  readonly pending: readonly PendingOrder[];
}
