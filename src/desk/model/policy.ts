/**
 * The types of the policy: what a person allows, what the policy is asked, what it decides.
 *
 * Invariant: `RULES` is the order of precedence; the first rule that denies decides, and approval is requested only where none does.
 *
 * Source: policy.md#precedence; architecture.md#rule-2, architecture.md#rule-3.
 */
import type { BookLevel, CreateOrderBody, Market, OrderType, Side, TimeInForce } from "../../contract/index.ts";
import type { Notional, Price, Quantity, Rate } from "../../decimal/index.ts";

import type { AccountUsage, MoneyLimit } from "./account-usage.ts";
import type { ApprovalWay, Environment } from "./intent.ts";

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
  /** Realised and unrealised, of the local day, fees in. "off": any loss. */
  readonly maxDayLossKrw: Notional | "off";
  /** When it is reached: only sells of what is held pass, or trading is halted. */
  readonly dayLossAction: "reduce_only" | "halt";
  readonly maxOrdersPerMinute: number;
  /** "off": a limit order may have any price, also where there is no book to compare it with. */
  readonly priceCollar: Rate | "off";
  /** "off": a market order may take whatever the book holds. */
  readonly maxSlippage: Rate | "off";
  readonly approvalOverKrw: Notional;
  readonly approvalTtlMs: number;
  /** How far the price may move until an approval lapses. */
  readonly approvalDrift: Rate;
  /** Who may approve. */
  readonly approveBy: readonly ApprovalWay[];
  readonly bookMaxAgeMs: number;
  /** What a sell of what is held is that goes over one of `MONEY_LIMITS`: a question for a person, or denied. */
  readonly overLimitSells: "approve" | "deny";
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
  "day_loss",
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
  /** `over`: the limits that the order goes over, which a yes then covers. */
  | { readonly kind: "ask"; readonly why: string; readonly over: readonly MoneyLimit[] }
  | { readonly kind: "deny"; readonly denial: Denial };

/** The book an order is assessed by: the venue's levels, best first, and their time (Unix milliseconds). */
export interface JudgedBook {
  readonly tick: { readonly buys: readonly BookLevel[]; readonly asks: readonly BookLevel[] };
  readonly atMs: number;
}

/** An order of the account that is in the book, or may be: what of a level is not the market's. */
export interface OwnOrder {
  readonly side: Side;
  readonly price: string;
  /** What may still be in the book of it. */
  readonly volume: string;
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
  /** In this market; `too many` where they are not all known. */
  readonly ownOrders: readonly OwnOrder[] | "too many";
  /** What others have lately traded at; undefined where they have not. */
  readonly tradedPrice: Price | undefined;
  readonly nowMs: number;
  /** Without the order itself. */
  readonly accountUsage: AccountUsage;
  /** Whether a person has approved this very order. */
  readonly approved: boolean;
  /** The limits that the person was told it goes over. */
  readonly approvedOver?: readonly MoneyLimit[];
  /** Of a sell: what the account can sell of the coin. Absent where it was not asked for. */
  readonly held?: Quantity | undefined;
  /** What the account has lost today, in KRW. Absent where it was not asked for, or could not be counted. */
  readonly dayLoss?: Notional | undefined;
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
  readonly max_day_loss_krw: string;
  readonly day_loss_action: string;
  readonly max_orders_per_minute: number;
  readonly price_collar_pct: string;
  readonly max_slippage_pct: string;
  readonly approval_over_krw: string;
  readonly approval_ttl_s: number;
  readonly approval_drift_pct: string;
  readonly approve_by: readonly string[];
  readonly book_max_age_ms: number;
  readonly over_limit_sells: string;
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
