/** Shows what a person is asked about an order, and how the answer comes back. The field names are public, as in `reports.ts`. */
import type { CreateOrderBody } from "../../contract/index.ts";
import type { ExpectedCosts } from "./estimate.ts";
import type { OrderRequest } from "./intent.ts";
import type { ReplaceRequest } from "./replaced-order.ts";

/** An order that waits for a person. */
export interface ApprovalRequest {
  readonly intent_id: string;
  readonly userref: string;
  /** Shows the order as it would be sent. */
  readonly order: CreateOrderBody;
  /** The order that is canceled before; `open_volume` of it was open when the change was asked for. */
  readonly replaces?: { readonly order_id: string; readonly price: string; readonly open_volume: string };
  readonly value: string;
  /** Its fees, and what it costs or brings with them, as far as could be told then; null of what has waited since before this was kept. */
  readonly costs: ExpectedCosts | null;
  /** The market price when approval was requested. */
  readonly price_seen: string | null;
  readonly why: string;
  readonly asked_at: string;
  readonly expires_at: string;
}

export interface PendingOrder extends ApprovalRequest {
  /** Names exactly this question: the order, the price seen, the time it holds. */
  readonly digest: string;
  /** Tells what was known against it when it was asked for. */
  readonly warnings: readonly string[];
}

/** Tells what an order that waits would do now. Amounts are decimal text. */
export interface ApprovalOutlook {
  /** Shows the market's price, measured as the one seen when it was asked for. */
  readonly price: string | null;
  readonly mid: string | null;
  readonly best_bid: string | null;
  readonly best_ask: string | null;
  /** Average price at which the part that executes at once would. */
  readonly expected_avg_price: string | null;
  /** Falls on that part, at the taker rate. */
  readonly expected_fee: string;
  readonly fee_currency: string;
  readonly slippage_pct: string | null;
  /** Bounds what it takes from the balance. */
  readonly worst_case: string;
  readonly worst_case_asset: string;
  /** Tells how far the price has moved since the question, in percent, with its sign; null where there was none, or is none. */
  readonly drift_pct: string | null;
}

/**
 * Tells what came back from a question in the client. `no`: said in so many words. `dismissed`: the form was closed without an answer.
 * `unreadable`: the form could not be shown, or what came back is neither. `sent`: the person was sent to the console's page, where they
 * answer. `withdrawn`: the call that asks was withdrawn while the question stood.
 */
export type ClientAnswer = "yes" | "no" | "dismissed" | "unreadable" | "sent" | "withdrawn";

/** Tells how a person is asked through the client: by its form, or by being sent to the console's page. */
export type AskedBy = "form" | "page";

export interface ApprovalAnswer {
  readonly seal: string;
  readonly said: ClientAnswer;
  /** Names the session of the client that answers; where every call is a session of its own, of the same caller as the one that asked. */
  readonly session?: string;
  readonly request: OrderRequest | { readonly draft_id: string } | { readonly replace: ReplaceRequest };
}

/** Who may press the button of a ticket. */
export interface TicketHolder {
  /** The client's session; where every call is a session of its own, one of the same caller. */
  readonly session?: string;
}

export interface Press {
  readonly ticket: string;
  readonly request: { readonly draft_id: string };
  readonly holder: TicketHolder;
  /** Names the session of the call. */
  readonly session: string | undefined;
  /** Holds where the press may be a person's yes. */
  readonly mayApprove: boolean;
}
