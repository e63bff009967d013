/**
 * An intent to trade, as the journal keeps it, and the words it is made of.
 *
 * Invariant: only what stands in the journal can be submitted (`JournaledOrder`).
 */
import type { Compliance, CreateOrderBody, Fault, Order, Side } from "../../contract/index.ts";
import type { IntentState } from "./intent-state.ts";
import type { NewSubmission, Submission, SubmissionChange } from "./submission.ts";

export type Environment = "sandbox" | "live";

declare const journaled: unique symbol;

/** An order that is recorded in the journal. Only `submit-order.ts` makes one, so nothing else can be submitted. */
export type JournaledOrder = CreateOrderBody & { readonly userref: string; readonly [journaled]: true };

/** What a person is asked to approve, and who approved it. */
export interface ApprovalTerms {
  /** SHA-256, hex, over the intent, every field of its order, the price shown, and the time of request and expiry: exactly this is approved. */
  readonly digest: string;
  /** The market price (`MarketSnapshot`) when approval was requested; null without a book. */
  readonly priceSeen: string | null;
  /** What the order was valued at, whole KRW. */
  readonly valueKrw: string;
  /** Why a person has to be asked. */
  readonly why: string;
  /** Absent in terms of versions before this was kept. */
  readonly askedAtMs?: number;
  readonly expiresAtMs: number;
  /** Session of the client that asked for it; absent where no client can be asked about it. */
  readonly askedIn?: string;
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
  /** Settled by a person who has looked at the exchange, not by the exchange's answer. */
  readonly settledBy?: "person";
  /** Drafts end at this time, Unix milliseconds. */
  readonly expiresAtMs?: number;
  readonly approval?: ApprovalTerms;
}

/** One intent to trade: at most one venue order ever comes of it. */
export interface IntentRecord<State extends string = IntentState, Body = IntentBody> extends Submission<State, Body> {
  readonly intentId: string;
  readonly userref: string;
  readonly orderId: string | null;
}

export type NewIntent<State extends string = IntentState, Body = IntentBody> = NewSubmission<IntentRecord<State, Body>>;

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

export interface IntentChange<State extends string = IntentState, Body = IntentBody>
  extends SubmissionChange<IntentRecord<State, Body>> {
  readonly nonce?: string;
  readonly orderId?: string;
}
