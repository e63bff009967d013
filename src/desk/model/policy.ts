/**
 * The types of the policy: what a person allows, what the policy is asked, what it decides.
 *
 * Invariant: `RULES` is the order of precedence; the first rule that denies decides, and approval is requested only where none does.
 *
 * Source: policy.md#precedence; architecture.md#rule-2, architecture.md#rule-3.
 */
import type { BookLevel, CreateOrderBody, Market, Side } from "../../contract/index.ts";
import type { Price, Quantity, Value } from "../../decimal/index.ts";

import type { ShownSection, ShownSettings } from "../../policy/index.ts";
import type { AccountUsage, MoneyLimit } from "./account-usage.ts";
import type { Mandate, PlanTerms } from "./plan.ts";
import type { Environment } from "./submission.ts";

export type { GivenSettings, PlanRules, Policy, TransferRules } from "../../policy/index.ts";

/** Every rule that can deny, in order of precedence. `mandate` and `protective` are asked of orders of plans alone. */
export const RULES = [
  "environment",
  "brake",
  "mode",
  "mandate",
  "market",
  "market_status",
  "order_type",
  "time_in_force",
  "order_size",
  "book_age",
  "price_collar",
  "slippage",
  "protective",
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

/** Why a plan, or an order of one, is denied: by the limits of plans, by what was approved, or by the price rule of protections. */
export interface PlanDenial {
  readonly rule: "plans" | "mandate" | "protective";
  readonly figure: string;
  readonly limit: string;
  readonly message: string;
  readonly field?: string;
}

/** Of an order of a plan: fits both. */
export interface ChildDenial extends Denial {
  readonly rule: "mandate" | "protective";
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
  /** Counts what of it may still be in the book. */
  readonly volume: string;
}

/** An order that comes of a plan, with what was approved of it. */
export interface OrderOfPlan {
  readonly account: string;
  readonly step: number;
  readonly terms: PlanTerms;
  readonly mandate: Mandate;
  /** Sums of the plan's other orders, what may still execute counted as if it had. */
  readonly before: { readonly volume: Quantity; readonly value: Value };
  /** Of a protection: what it does not sell below now. */
  readonly floor?: Price | undefined;
  /** The exchange's time, Unix milliseconds. */
  readonly exchangeMs: number;
  readonly isPractice: boolean;
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
  /** Tells what others have lately traded at; undefined where they have not. */
  readonly tradedPrice: Price | undefined;
  readonly nowMs: number;
  /** Leaves out the order itself. */
  readonly accountUsage: AccountUsage;
  /** Tells that a person has approved this very order. */
  readonly approved: boolean;
  /** Absent of an order by hand. */
  readonly plan?: OrderOfPlan | undefined;
  /** The limits that the person was told it goes over. */
  readonly approvedOver?: readonly MoneyLimit[];
  /** Tells, of a sell, what the account can sell of the coin. Absent where it was not asked for. */
  readonly held?: Quantity | undefined;
  /** Counts what the account has lost today, in the unit of account. Absent where it was not asked for, or could not be counted. */
  readonly dayLoss?: Value | undefined;
}

/** In place of the path, which not every caller is told: who may know it reads it instead. */
export const POLICY_FILE = "policy.toml of this desk";

/** Shows what is in force, given or by default. */
export type PolicyInForce = ShownSettings & {
  /** Says where it lies. */
  readonly file: string;
  readonly plans: ShownSection;
  /** Absent where nothing may be paid. */
  readonly payments?: TransferRulesInForce;
  /** Absent where nothing may be remitted. */
  readonly remittances?: {
    readonly [sumOrList: string]: string | readonly string[] | undefined;
    readonly countries: readonly string[];
    /** The last of each account; absent where anybody may get money, with a person's yes. */
    readonly beneficiaries?: readonly string[];
  };
};

/** The sums by their names in the file, as `max_day_krw`. */
export type TransferRulesInForce = Readonly<Record<string, string>>;
