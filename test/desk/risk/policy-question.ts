/** A question whose answer is yes, to be broken in one way at a time. */
import type { BookLevel, CreateOrderBody, Market } from "../../../src/contract/index.ts";
import { inUnit, quantity } from "../../../src/decimal/index.ts";
import type { BudgetUsage } from "../../../src/desk/model/account-usage.ts";
import type { PlanBounds } from "../../../src/desk/model/plan.ts";
import type { OrderOfPlan } from "../../../src/desk/model/policy.ts";
import {
  defaultPolicy,
  type JudgedBook,
  type Policy,
  type PolicyQuestion,
} from "../../../src/desk/risk/policy-decision.ts";

export const NOW_MS = 1_784_538_000_000;

export const BTC: Market = {
  symbol: "BTC/KRW",
  base: "BTC",
  quote: "KRW",
  korean_name: "비트코인",
  english_name: "Bitcoin",
  status: "trading",
  min_volume: "0.0001",
  min_notional: "5000",
  tick_size: "1000",
  tick_bands: [{ from_price: "0", tick_size: "1" }],
  price_decimals: 0,
  volume_decimals: 8,
  maker_fee_rate: "0.0005",
  taker_fee_rate: "0.0005",
};

export function bookOf(buys: readonly BookLevel[], asks: readonly BookLevel[], atMs: number = NOW_MS): JudgedBook {
  return { tick: { buys, asks }, atMs };
}

/** Mid is 100 000 000. */
export const BOOK: JudgedBook = bookOf(
  [
    ["99900000", "0.01"],
    ["99800000", "1"],
  ],
  [
    ["100100000", "0.01"],
    ["100200000", "1"],
  ],
);

export const LIMIT_BUY: CreateOrderBody = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  volume: "0.005",
  price: "100000000",
};
export const MARKET_BUY: CreateOrderBody = { symbol: "BTC/KRW", side: "buy", type: "market", volume: "0.005" };

export const UNUSED: BudgetUsage = { day: "0", open: "0", openOrders: 0, lastMinute: 0 };

/** The cautious limits, and nobody to be asked. */
export const POLICY: Policy = { ...defaultPolicy("live"), mode: "bounded", approvalOver: inUnit("1000000") };

/** An order of a plan that a person has approved, its first. */
export function orderOfPlan(bounds: Partial<PlanBounds>): OrderOfPlan {
  const within = {
    account: "main",
    environment: "live",
    symbol: "BTC/KRW",
    side: "buy",
    stepsMax: 1,
    over: [],
  } as const;
  return {
    ...{ account: "main", step: 1, exchangeMs: NOW_MS, isPractice: false },
    terms: {
      ...{ kind: "recurring", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "500000" } },
      ...{ schedule: "daily 09:00", timezone: "Asia/Seoul" },
    },
    mandate: {
      ...{ by: "person", way: "pin", digest: "d", approvedAtMs: NOW_MS - 1_000 },
      bounds: { ...within, untilMs: NOW_MS + 86_400_000, ...bounds },
    },
    before: { volume: quantity("0"), value: inUnit("0") },
  };
}

export const QUESTION: PolicyQuestion = {
  environment: { ofOrder: "live", ofVenue: "live" },
  market: BTC,
  order: LIMIT_BUY,
  book: BOOK,
  ownOrders: [],
  tradedPrice: undefined,
  nowMs: NOW_MS,
  accountUsage: { usage: UNUSED, settled: [], killSwitch: undefined },
  approved: false,
};
