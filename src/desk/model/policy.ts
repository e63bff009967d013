/**
 * The types of the policy: what a person allows, what the policy is asked, what it decides.
 *
 * Invariant: `RULES` is the order of precedence; the first rule that denies decides, and approval is requested only where none does.
 *
 * Source: policy.md#precedence; architecture.md#rule-2, architecture.md#rule-3.
 */
import type { BookLevel, CreateOrderBody, Market, OrderType, TimeInForce } from "../../contract/index.ts";
import type { Notional, Rate } from "../../decimal/index.ts";

import type { AccountUsage } from "./account-usage.ts";
import type { Environment } from "./intent.ts";

/** `policy.toml` as exact numbers. Rates are fractions: 0.05 is a setting of "5" percent. */
export interface Policy {
  /** `read-only` places nothing; `confirm` requires approval of every order, `bounded` of orders above `approvalOverKrw`. */
  readonly mode: "read-only" | "confirm" | "bounded";
  /** Symbols, or "*" for all. */
  readonly markets: readonly string[];
  readonly orderTypes: readonly OrderType[];
  readonly timesInForce: readonly TimeInForce[];
  readonly maxOrderKrw: Notional;
  /** Rolling 24 hours, both sides. */
  readonly maxDayKrw: Notional;
  readonly maxOpenOrders: number;
  readonly maxOpenKrw: Notional;
  readonly maxOrdersPerMinute: number;
  /** "off": a limit order may have any price, also where there is no book to compare it with. */
  readonly priceCollar: Rate | "off";
  /** "off": a market order may take whatever the book holds. */
  readonly maxSlippage: Rate | "off";
  readonly approvalOverKrw: Notional;
  readonly approvalTtlMs: number;
  /** How far the price may move until an approval lapses. */
  readonly approvalDrift: Rate;
  /** Who may approve: a question answered in the assistant's client, the PIN on a terminal or in the console. */
  readonly approveBy: readonly ("client" | "pin")[];
  readonly bookMaxAgeMs: number;
  /** Absent: nothing is paid. */
  readonly payments?: TransferRules | undefined;
  /** Absent: nothing is remitted. */
  readonly remittances?: RemittanceRules | undefined;
}

/** Every rule that can deny, in order of precedence. */
export const RULES = [
  "environment",
  "brake",
  "mode",
  "market",
  "market_status",
  "order_type",
  "time_in_force",
  "order_size",
  "book_age",
  "price_collar",
  "slippage",
  "orders_per_minute",
  "open_orders",
  "open_exposure",
  "day_budget",
] as const;
export type Rule = (typeof RULES)[number];

/** Why an order is denied. `figure` is what broke the rule and `limit` what the rule allows, both without a unit. */
export interface Denial {
  readonly rule: Rule;
  readonly figure: string;
  readonly limit: string;
  /** For a person: what is wrong and what to do; begins small and ends without a full stop. */
  readonly message: string;
  /** Field of the order at fault, as a caller writes it. */
  readonly field?: "symbol" | "type" | "time_in_force" | "price" | "base_volume" | "quote_amount";
}

export type Verdict =
  | { readonly kind: "allow" }
  | { readonly kind: "ask"; readonly why: string }
  | { readonly kind: "deny"; readonly denial: Denial };

/** The book an order is assessed by: the venue's levels, best first, and their time (Unix milliseconds). */
export interface JudgedBook {
  readonly tick: { readonly buys: readonly BookLevel[]; readonly asks: readonly BookLevel[] };
  readonly atMs: number;
}

/** An order about to be sent, and everything that its verdict depends on. */
export interface PolicyQuestion {
  /** The environment that the order was made for, and that of the venue it would go to. */
  readonly environment: { readonly ofOrder: Environment; readonly ofVenue: Environment };
  readonly market: Market;
  /** Fit for its market, as `order-validation.ts` checks. */
  readonly order: CreateOrderBody;
  /** Undefined where none could be had. */
  readonly book: JudgedBook | undefined;
  readonly nowMs: number;
  /** Without the order itself. */
  readonly accountUsage: AccountUsage;
  /** Whether a person has approved this very order. */
  readonly approved: boolean;
}

/** What a person allows of one family. */
export interface TransferRules {
  readonly maxKrw: Notional;
  /** Rolling 24 hours. */
  readonly maxDayKrw: Notional;
  /** In mode `bounded`, approval is required above this. */
  readonly approvalOverKrw: Notional;
}

export interface RemittanceRules extends TransferRules {
  readonly countries: readonly string[];
  /** `BANKCODE/ACCOUNT`. Undefined: any beneficiary, with a person's approval every time. */
  readonly beneficiaries: readonly string[] | undefined;
}

/** What is in force, given or by default. */
export interface PolicyInForce {
  readonly mode: string;
  readonly markets: readonly string[];
  readonly order_types: readonly string[];
  readonly times_in_force: readonly string[];
  readonly max_order_krw: string;
  readonly max_day_krw: string;
  readonly max_open_orders: number;
  readonly max_open_krw: string;
  readonly max_orders_per_minute: number;
  readonly price_collar_pct: string;
  readonly max_slippage_pct: string;
  readonly approval_over_krw: string;
  readonly approval_ttl_s: number;
  readonly approval_drift_pct: string;
  readonly approve_by: readonly string[];
  readonly book_max_age_ms: number;
  /** Absent where nothing may be paid. */
  readonly payments?: TransferRulesInForce;
  /** Absent where nothing may be remitted. */
  readonly remittances?: TransferRulesInForce & {
    readonly countries: readonly string[];
    /** The last of each account; absent where anybody may get money, with a person's yes. */
    readonly beneficiaries?: readonly string[];
  };
}

export interface TransferRulesInForce {
  readonly max_krw: string;
  readonly max_day_krw: string;
  readonly approval_over_krw: string;
}
