/**
 * Owns what a caller may do: the scopes, and which of them each tool, resource and prompt belongs to.
 *
 * Invariants: each belongs to exactly one; what sends nothing to the exchange and shows the account is `account:read`. A preview is
 * `trade:write`: it makes a draft, which is good for nothing but to place an order.
 *
 * Source: decision 0035.
 */
import type { Module } from "./module.ts";

export const SCOPES = ["market:read", "account:read", "trade:write", "safety:write", "transfer:write"] as const;
export type Scope = (typeof SCOPES)[number];

/** Those that are named, in our order; other words are no scopes and give nothing. */
export function scopesAmong(words: readonly string[]): readonly Scope[] {
  return SCOPES.filter((scope) => words.includes(scope));
}

/** Follows what a module's tools do. */
export const MODULE_SCOPES: Readonly<Record<Module, Scope>> = {
  market: "market:read",
  account: "account:read",
  trade: "trade:write",
  plans: "trade:write",
  safety: "safety:write",
  payment: "transfer:write",
  remittance: "transfer:write",
};

/** A resource only shows: the market, or what is the account's. */
export function shownScope(module: Module | undefined): Scope {
  return module === undefined || module === "market" ? "market:read" : "account:read";
}

/** Follows what a prompt leads to. */
export const PROMPT_SCOPES = {
  market_brief: "market:read",
  place_an_order: "trade:write",
  review_my_day: "account:read",
  daily_review: "account:read",
  my_position: "account:read",
  why_denied: "account:read",
  rebalance: "trade:write",
  flatten_everything: "trade:write",
} as const satisfies Readonly<Record<string, Scope>>;

/** Something that a server offers to some callers only. */
export interface Guarded {
  readonly scope: Scope;
  /** From now on it is listed and can be used, or not. */
  readonly permit: (isPermitted: boolean) => void;
  readonly isPermitted: () => boolean;
}

/** @param registered as the SDK returns it */
export function guarded(scope: Scope, registered: { enabled: boolean }): Guarded {
  return {
    scope,
    permit: (isPermitted) => {
      registered.enabled = isPermitted;
    },
    isPermitted: () => registered.enabled,
  };
}
