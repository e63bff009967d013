/**
 * An intent to trade, as the journal keeps it, and the words it is made of.
 *
 * Invariant: only what stands in the journal can be submitted (`JournaledOrder`).
 */
import type { Compliance, CreateOrderBody, Order, OrderType, Side } from "../../contract/index.ts";
import type { MoneyLimit } from "./account-usage.ts";
import type { ExpectedCosts } from "./estimate.ts";
import type { IntentState } from "./intent-state.ts";
import type { StepOfPlan } from "./plan.ts";
import type { ReplacedOrder } from "./replaced-order.ts";
import type { NewSubmission, QuestionTerms, Submission, SubmissionBody, SubmissionChange } from "./submission.ts";

declare const journaled: unique symbol;

/** An order that is recorded in the journal. Only `submit-order.ts` makes one, so nothing else can be submitted. */
export type JournaledOrder = CreateOrderBody & { readonly userref: string; readonly [journaled]: true };

/** What a person is asked to approve of an order, and who approved it. */
export interface ApprovalTerms extends QuestionTerms {
  /** The market price (`MarketSnapshot`) when approval was requested; null without a book. */
  readonly priceSeen: string | null;
  /** Its fees, and what it costs or brings with them, by the book of that moment; absent in terms of versions before this was kept. */
  readonly costs?: ExpectedCosts;
  /** The limits that `why` says the order goes over; absent where there is none. */
  readonly over?: readonly MoneyLimit[];
  /**
   * Tells what was known against it when it was asked for; absent where there was nothing, and in terms of versions before this was kept.
   */
  readonly warnings?: readonly string[];
}

/** Says what an intent is about; everything but its progress. */
export interface IntentBody extends SubmissionBody {
  readonly order: CreateOrderBody;
  /** Tells how the order came by its size, where that was not given as it was sent. */
  readonly sizing?: Sizing;
  /** The order as the venue last showed it. */
  readonly seen?: Order;
  /** A person had said that it was not placed, and the exchange showed it then. */
  readonly contradicted?: true;
  /** Drafts end at this time, Unix milliseconds. */
  readonly expiresAtMs?: number;
  readonly approval?: ApprovalTerms;
  /** The order that is canceled before this one is sent. */
  readonly replaces?: ReplacedOrder;
}

/** Records one intent to trade: at most one venue order ever comes of it. */
export interface IntentRecord<State extends string = IntentState, Body = IntentBody> extends Submission<State, Body> {
  readonly intentId: string;
  readonly userref: string;
  readonly orderId: string | null;
  /** The step of a plan that it comes of; absent of an order by hand. Never changes. */
  readonly plan?: StepOfPlan;
}

/** Keeps of an intent what other orders are judged by. Up to a thousand are read for each order, so that the rest would take time. */
export type OwnIntent<State extends string = IntentState, Body = IntentBody> = Pick<
  IntentRecord<State, Body>,
  "intentId" | "userref" | "state" | "body" | "isLive" | "sentAtMs" | "createdAtMs" | "updatedAtMs"
>;

export type NewIntent<State extends string = IntentState, Body = IntentBody> = NewSubmission<IntentRecord<State, Body>>;

/** A size that was asked for as a share of what is available, or as an amount at a price, and what it came to. */
export interface Sizing {
  readonly asked: "base_volume" | "quote_amount";
  /** Stands as the caller wrote it: "50%", or the amount of a limit order. */
  readonly given: string;
  /** Names what is sent. */
  readonly field: "base_volume" | "quote_amount";
  readonly size: string;
  readonly why: string;
}

/** An order's side as a caller means it, with its size in one unit; of a sell `base_volume`, of a buy `quote_amount` may be a share, "50%". */
export interface OrderRequest {
  readonly symbol: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly base_volume?: string;
  readonly quote_amount?: string;
  readonly price?: string;
  readonly time_in_force?: "GTC" | "IOC" | "FOK";
  readonly post_only?: boolean;
  readonly userref?: string;
  readonly compliance?: Compliance;
}

export interface IntentChange<State extends string = IntentState, Body = IntentBody>
  extends SubmissionChange<IntentRecord<State, Body>> {
  readonly nonce?: string;
  readonly orderId?: string;
}
