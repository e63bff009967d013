/** What is known of a schedule once it has come to rest: the facts that the invariants judge. */
import type { Balance, Fill, Order } from "../../src/contract/index.ts";
import type { IntentBody, IntentState, OrderView, ReconcileReport, TransferState } from "../../src/desk/index.ts";
import type { Departure } from "./network.ts";
import type { Plan } from "./plan.ts";
import type { PlanHistory } from "./plan-history.ts";
import type { Told } from "./script.ts";
import type { TransferTold } from "./transfer-script.ts";
import type { SimVenue } from "./venue.ts";

/** One intent as it is stored in the end. */
export interface StoredIntent {
  readonly intentId: string;
  readonly userref: string;
  readonly state: IntentState;
  readonly nonce: string | null;
  readonly orderId: string | null;
  /** What it counts for in the budgets. */
  readonly held: bigint;
  readonly isLive: boolean;
  /** The order that it takes the place of. */
  readonly replaces: IntentBody["replaces"];
}

/** One move of an intent, as the audit log has it; `from` is undefined for its beginning. */
export interface Move {
  readonly intentId: string;
  readonly from: IntentState | undefined;
  readonly to: IntentState;
  /** The nonce the intent had after it. */
  readonly nonce: string | null;
  /** By the word of one who has looked at the exchange. */
  readonly isByPerson: boolean;
  /** By an answer of the exchange that refuses it: a look meanwhile may have found nothing to say. */
  readonly isRefused: boolean;
}

/** One transfer as it is stored in the end. */
export interface StoredTransfer {
  readonly transferId: string;
  readonly state: TransferState;
  readonly idempotencyKey: string;
}

export interface TransferHistory {
  readonly stored: readonly StoredTransfer[];
  readonly moves: readonly {
    readonly transferId: string;
    readonly from: TransferState | undefined;
    readonly to: TransferState;
  }[];
  readonly told: readonly TransferTold[];
  /** How often each was asked for, by deal and verb. */
  readonly asked: ReadonlyMap<string, number>;
}

export interface Books {
  readonly orders: readonly Order[];
  readonly fills: readonly Fill[];
  readonly balances: readonly Omit<Balance, "unsettled">[];
}

/** What a desk says when nothing has been asked of it for a while. */
export interface AtRest {
  /** Absent where they were not asked for, undefined where they cannot be had. */
  readonly books?: Books | undefined;
  /** By userref of the intent; a fault's code where it cannot say. */
  readonly views: ReadonlyMap<string, OrderView | string>;
  /** Whether the kill switch is on. */
  readonly isHalted: boolean;
  /** Where days passed: what counts as used of the day's budget, and as open, when nothing was asked for another day. */
  readonly dayLater?: { readonly day: string | undefined; readonly open: string | undefined } | undefined;
  /** Whether a cancel timer still stands. */
  readonly isArmed: boolean;
  /** What one more reconciliation found, and whether it changed anything in the store. */
  readonly again: { readonly report: ReconcileReport; readonly changed: boolean };
}

export interface History {
  readonly plan: Plan;
  readonly venue: SimVenue;
  readonly departures: readonly Departure[];
  readonly told: readonly Told[];
  /** How often each wish was asked for. */
  readonly asked: ReadonlyMap<number, number>;
  readonly intents: readonly StoredIntent[];
  readonly moves: readonly Move[];
  /** Userrefs of what was sent and forgotten, as an earlier copy of the data directory was put back. */
  readonly forgotten: ReadonlySet<string>;
  readonly transfers: TransferHistory;
  /** Absent where the desk keeps no plans. */
  readonly plans: PlanHistory | undefined;
  readonly rest: AtRest;
  /** What was seen to be wrong at the moment it happened. */
  readonly noticed: readonly Violation[];
  /** Orders of the account before the last late request had arrived. */
  readonly ordersBeforeLate: number;
}

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** Something that must hold of every history. */
export interface Invariant {
  readonly name: string;
  /** @returns what is wrong, a line each */
  readonly broken: (history: History) => readonly string[];
}
