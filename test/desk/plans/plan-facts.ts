/** A market, its quotes and a policy by which plans are made in tests. */
import type { Market, Result } from "../../../src/contract/index.ts";
import { price, quantity } from "../../../src/decimal/index.ts";
import type { PlanTerms } from "../../../src/desk/model/plan.ts";
import type { PlanRequest } from "../../../src/desk/model/plan-report.ts";
import type { PlanFacts } from "../../../src/desk/plans/terms/plan-request.ts";
import { type PlanDraft, planDraft } from "../../../src/desk/plans/terms/terms.ts";
import { defaultPolicy } from "../../../src/desk/risk/policy-decision.ts";
import { BTC } from "../risk/policy-question.ts";

/** A Monday, 09:00 in Korea. */
export const NOW_MS = Date.parse("2026-11-30T00:00:00Z");
export const DAY_MS = 86_400_000;

export const MARKET: Market = {
  ...BTC,
  tick_bands: [
    { from_price: "0", tick_size: "1" },
    { from_price: "1000000", tick_size: "1000" },
  ],
};

export const FACTS: PlanFacts = {
  market: MARKET,
  quotes: { bid: price("100000000"), ask: price("100100000") },
  available: quantity("0.3"),
  policy: defaultPolicy("live"),
  timeZone: "Asia/Seoul",
  nowMs: NOW_MS,
  candles: [],
};

export const BASE: Readonly<Record<string, PlanRequest>> = {
  stop: { kind: "stop", symbol: "BTC/KRW", base_volume: "0.1", stop_price: "95000000" },
  take_profit: { kind: "take_profit", symbol: "BTC/KRW", base_volume: "0.1", take_price: "110000000" },
  trailing_stop: { kind: "trailing_stop", symbol: "BTC/KRW", base_volume: "0.1", trail: "5%" },
  oco: {
    ...{ kind: "oco", symbol: "BTC/KRW", base_volume: "0.1" },
    ...{ stop_price: "95000000", take_price: "110000000" },
  },
  recurring: { kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule: "weekly mon 10:00" },
  slices: {
    ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", quote_amount: "1000000" },
    ...{ slices: 10, duration: "2h" },
  },
  alert: { kind: "alert", symbol: "BTC/KRW", above: "120000000" },
};

export function baseOf(kind: string): PlanRequest {
  const request = BASE[kind];
  if (request === undefined) throw new Error(`no request of kind ${kind}`);
  return request;
}

export function asked(request: PlanRequest, facts: Partial<PlanFacts> = {}): Result<PlanDraft> {
  return planDraft(request, { ...FACTS, ...facts });
}

export function drafted(request: PlanRequest, facts: Partial<PlanFacts> = {}): PlanDraft {
  const draft = asked(request, facts);
  if (!draft.ok) throw new Error(draft.fault.message);
  return draft.value;
}

export function termsOf(kind: string, changed: Partial<PlanRequest> = {}, facts: Partial<PlanFacts> = {}): PlanTerms {
  return drafted({ ...baseOf(kind), ...changed }, facts).terms;
}

/** What is refused, as `field: message`. */
export function refused(kind: string, changed: Partial<PlanRequest>, facts: Partial<PlanFacts> = {}): string {
  const draft = asked({ ...baseOf(kind), ...changed }, facts);
  if (draft.ok) throw new Error(`nothing was refused: ${JSON.stringify(draft.value)}`);
  const { code, field, message } = draft.fault;
  if (code !== "ELocal:Invalid input" && code !== "ELocal:Denied by policy") throw new Error(code);
  return `${code === "ELocal:Denied by policy" ? "DENIED " : ""}${field}: ${message}`;
}
