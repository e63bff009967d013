/** A plan as the store's tests record it: of the account "main", buys BTC for 10 000 won in each of two turns, the first due at once. */
import type {
  Mandate,
  NewPlan,
  NewStep,
  PlanApproval,
  PlanClaim,
  PlanTerms,
  RecurringTerms,
  StepSettlement,
  StopTerms,
  WatchClaim,
} from "../../src/desk/index.ts";
import { userrefOfStep } from "../../src/desk/model/plan.ts";
import type { TestBody } from "./store-suite.ts";

export const DAY_MS = 86_400_000;
/** Now, by the exchange. Ours is an hour behind, so that a mix-up shows. */
export const EXCHANGE_MS = 100 * DAY_MS;
export const NOW_MS = EXCHANGE_MS - 3_600_000;
export const UNTIL_MS = EXCHANGE_MS + 30 * DAY_MS;

export const planIdOf = (n: number): string => `plan-01900000-0000-7000-8000-${String(n).padStart(12, "0")}`;

export const RECURRING: RecurringTerms = {
  kind: "recurring",
  symbol: "BTC/KRW",
  side: "buy",
  size: { quoteAmount: "10000" },
  schedule: "daily 09:00",
  timezone: "Asia/Seoul",
};

export const STOP: StopTerms = { kind: "stop", symbol: "BTC/KRW", volume: "0.5", stopPrice: "100" };

export const ALERT: PlanTerms = { kind: "alert", event: "price", symbol: "BTC/KRW", above: "5" };

export const mandate = (more: Partial<Mandate["bounds"]> = {}): Mandate => ({
  by: "person",
  way: "pin",
  digest: "d",
  approvedAtMs: NOW_MS,
  bounds: {
    ...{ account: "main", environment: "sandbox", symbol: "BTC/KRW", side: "buy" },
    ...{ stepsMax: 2, valueMax: "20000", untilMs: UNTIL_MS, over: [] },
    ...more,
  },
});

export const turn = (step: number, dueAtMs: number, more: Partial<NewStep> = {}): NewStep => ({
  step,
  label: `2026-01-${String(step).padStart(2, "0")}`,
  ...{ symbol: "BTC/KRW", side: "buy", worstValue: "10000", unit: "KRW", dueAtMs },
  ...more,
});

export const TURNS = [turn(1, EXCHANGE_MS), turn(2, EXCHANGE_MS + DAY_MS)];

export const newPlan = (n: number, more: Partial<NewPlan> = {}): NewPlan => ({
  planId: planIdOf(n),
  account: "main",
  terms: RECURRING,
  state: "awaiting_approval",
  asked: null,
  mandate: null,
  progress: {},
  replaces: null,
  untilMs: UNTIL_MS,
  createdAtMs: NOW_MS,
  steps: [],
  notices: [],
  ...more,
});

export const approvalOf = (planId: string, more: Partial<PlanApproval> = {}): PlanApproval => ({
  ...{ planId, version: 1, mandate: mandate(), steps: TURNS, exchangeMs: EXCHANGE_MS, atMs: NOW_MS },
  ...more,
});

export const claimOf = (
  planId: string,
  version: number,
  more: Partial<PlanClaim<string, TestBody>> = {},
): PlanClaim<string, TestBody> => {
  const { step = 1 } = more;
  const intent = { intentId: `intent-${planId}-${step}`, state: "ready", body: { n: 1 }, unit: "KRW" } as const;
  return {
    ...{ planId, version, step, exchangeMs: EXCHANGE_MS, atMs: NOW_MS },
    intent: { ...intent, userref: userrefOfStep(planId, step) },
    ...more,
  };
};

/** For five seconds, by somebody who has not had it. */
export const watchClaim = (holder: string, nowMs: number, more: Partial<WatchClaim> = {}): WatchClaim => ({
  ...{ holder, nowMs, leaseMs: 5_000, goesOn: false, overdue: undefined },
  ...more,
});

export const settled = (planId: string, version: number, more: Partial<StepSettlement> = {}): StepSettlement => ({
  ...{ planId, version, step: 1, to: "done", atMs: NOW_MS },
  ...more,
});
