/**
 * The exchanges whose API the sandbox can speak, as the suite of what a desk does there needs them: where their calls are, what their refusals look
 * like, and what cannot happen there. Source: the SOURCES.md of each folder in src/sandbox/families.
 */

import type { FamilyEffectKind } from "../../../src/sandbox/http/family-effect.ts";
import type { VenueName } from "../../../src/sandbox/index.ts";

export interface Where {
  readonly method: "GET" | "POST" | "DELETE";
  /** `*` matches any characters. */
  readonly path: string;
}

export interface Exchange {
  readonly name: VenueName;
  /** As sentences call it. */
  readonly title: string;
  readonly place: Where;
  /** All queries of orders: one by its ids, and lists. */
  readonly looks: Where;
  readonly openList: Where;
  /** The refusal of a buy for which there is no money. */
  readonly noFunds: { readonly status: number; readonly body: object };
  /** What a buy of 10,000 won at the market's price costs besides. */
  readonly fee: string;
  /** An order is answered as it was taken, or with its id alone. */
  readonly answers: "order" | "id";
  /**
   * What a call over its rate meets. `shut_out`: nothing of the account is taken for a time. `refused`: that one call was not taken. `open`: its documents
   * do not say how it refuses, so a 429 says nothing of what became of an order.
   */
  readonly overTheRate: "shut_out" | "refused" | "open";
  /** What can go wrong elsewhere, and cannot here, each with the reason. */
  readonly cannot: Readonly<Partial<Record<FamilyEffectKind, string>>>;
  /** Its cancel of all takes orders that no query shows; else what is canceled is what is listed. */
  readonly cancelsUnseen: boolean;
  /**
   * Its lists of orders and trades of the past are behind by so much at most: those of Korbit by seconds; of Coinone's, a fill of the last second is not
   * asked for, as its time is known to the second and one that is not yet is refused.
   */
  readonly historyLagMs: number;
  /** It refuses a request whose time is further from its own; absent: it looks at none. */
  readonly windowMs?: number;
}

const NEVER_UNREADY = "An order that was taken is ready to be looked up: there is no answer that says otherwise.";

export const UPBIT: Exchange = {
  ...{ name: "upbit", title: "Upbit" },
  place: { method: "POST", path: "/v1/orders" },
  looks: { method: "GET", path: "/v1/order*" },
  openList: { method: "GET", path: "/v1/orders/open" },
  noFunds: { status: 400, body: { error: { name: "insufficient_funds_bid", message: "no" } } },
  fee: "5",
  answers: "order",
  overTheRate: "shut_out",
  cannot: { not_ready: NEVER_UNREADY },
  ...{ cancelsUnseen: false, historyLagMs: 0 },
};

export const BITHUMB: Exchange = {
  ...{ name: "bithumb", title: "Bithumb" },
  place: { method: "POST", path: "/v2/orders" },
  looks: { method: "GET", path: "*/order*" },
  openList: { method: "GET", path: "/v2/orders/pending" },
  noFunds: { status: 400, body: { error: { name: "insufficient_funds_bid", message: "no" } } },
  fee: "25",
  answers: "id",
  overTheRate: "open",
  cannot: {},
  ...{ cancelsUnseen: false, historyLagMs: 0 },
};

export const KORBIT: Exchange = {
  ...{ name: "korbit", title: "Korbit" },
  place: { method: "POST", path: "/v2/orders" },
  looks: { method: "GET", path: "/v2/*rders" },
  openList: { method: "GET", path: "/v2/openOrders" },
  noFunds: { status: 400, body: { success: false, error: { code: 400, message: "NO_BALANCE", description: "no" } } },
  fee: "15",
  answers: "id",
  overTheRate: "refused",
  cannot: { not_ready: NEVER_UNREADY },
  ...{ cancelsUnseen: false, historyLagMs: 10_000, windowMs: 5_000 },
};

export const COINONE: Exchange = {
  ...{ name: "coinone", title: "Coinone" },
  place: { method: "POST", path: "/v2.1/order" },
  looks: { method: "POST", path: "/v2.1/order/*" },
  openList: { method: "POST", path: "/v2.1/order/active_orders" },
  // Every refusal is an answer with status 200, one over the rate too.
  noFunds: { status: 200, body: { result: "error", error_code: "103", error_msg: "Lack of Balance" } },
  fee: "2",
  answers: "id",
  overTheRate: "refused",
  cannot: { not_ready: NEVER_UNREADY },
  ...{ cancelsUnseen: true, historyLagMs: 10_000 },
};
