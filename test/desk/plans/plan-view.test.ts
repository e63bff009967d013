/** What is said of a plan in every state that it may be in, of each kind and in both languages. */
import { describe, expect, it } from "vitest";
import { inUnit } from "../../../src/decimal/index.ts";
import type { PlanAsked, PlanProgress, PlanRecord, PlanShown, PlanTerms } from "../../../src/desk/model/plan.ts";
import type { PlanView } from "../../../src/desk/model/plan-report.ts";
import { isPlanEnded, PLAN_MOVES, type PlanState } from "../../../src/desk/model/plan-state.ts";
import { mandateOf } from "../../../src/desk/plans/plan-question.ts";
import { planView } from "../../../src/desk/plans/plan-view.ts";
import { boundsOfTerms, worstCase } from "../../../src/desk/plans/terms/worst-case.ts";
import { planFiguresLine, planFiguresSheet, planFiguresWorst, wordsFor } from "../../../src/words/index.ts";
import { DAY_MS, FACTS, MARKET, NOW_MS, termsOf } from "./plan-facts.ts";

const RULES = FACTS.policy.plans;
const UNTIL_MS = NOW_MS + 30 * DAY_MS;
const AFTER = { intentId: "i", order: "buy-1", price: "99000000", priceMin: "84600000", take: "10" };
const BUY_OCO: PlanTerms = {
  ...{ kind: "oco", symbol: "BTC/KRW", volume: "0.004", stop: { stopPrice: "94000000" }, takePrice: "108900000" },
  after: { ...AFTER, stop: "5.05" },
};
const KINDS: Readonly<Record<string, PlanTerms>> = {
  stop: termsOf("stop"),
  "a stop that rests": termsOf("stop", { limit_price: "94000000" }),
  take_profit: termsOf("take_profit"),
  trailing_stop: termsOf("trailing_stop"),
  oco: termsOf("oco"),
  "an oco that trails": termsOf("oco", { stop_price: undefined, trail: "5%" }),
  "an oco after a buy": BUY_OCO,
  "one that trails after a buy": { ...BUY_OCO, stop: { trail: { percent: "5" } }, after: AFTER },
  recurring: termsOf("recurring"),
  "regular sells": termsOf("recurring", { side: "sell", quote_amount: undefined, base_volume: "0.1" }),
  slices: termsOf("slices"),
  "a sell in pieces": termsOf("slices", { side: "sell", quote_amount: undefined, base_volume: "0.1" }),
  rebalance: {
    ...{ kind: "rebalance", weights: { BTC: "50", KRW: "50" }, quote: "KRW", fromCash: "1", toCash: "0", left: [] },
    orders: [{ symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "50000" }, value: "50000" }],
  },
  alert: termsOf("alert"),
};
const STATES = Object.keys(PLAN_MOVES) as readonly PlanState[];
const READERS = (["en", "ko"] as const).map((locale) => wordsFor({ locale, timeZone: "Asia/Seoul" }));

function shownOf(terms: PlanTerms): PlanShown | undefined {
  const facts = {
    ...{ market: MARKET, quotes: FACTS.quotes, unit: "KRW", rules: RULES, fromMs: NOW_MS, untilMs: UNTIL_MS },
    ...{ account: "main", environment: "live", basket: { assets: [{ market: MARKET, quotes: FACTS.quotes }] } },
  } as unknown as Parameters<typeof boundsOfTerms>[2];
  const worst = worstCase(terms, facts);
  const bounds = worst && boundsOfTerms(terms, worst, facts);
  if (worst === undefined || bounds === undefined) return undefined;
  const { atLeast } = worst;
  return {
    ...{ bounds, worstValue: worst.value.toString(), unit: "KRW", priceSeen: { bid: "100000000", ask: "100100000" } },
    ...(atLeast && { atLeast: { price: atLeast.price.toString(), value: atLeast.value } }),
    warnings: ["how far the market ordinarily moves could not be read"],
  };
}

/** @param hasBegun whether somebody had said yes to it */
function recordOf(terms: PlanTerms, state: PlanState, hasBegun: boolean, progress: PlanProgress = {}): PlanRecord {
  const shown = shownOf(terms);
  const question: PlanAsked = {
    ...{ action: "start", digest: "d", askedAtMs: NOW_MS, expiresAtMs: NOW_MS + 300_000, why: "it is asked" },
    ...(shown && { shown }),
  };
  const mandate = shown && mandateOf(shown, { by: "person", digest: "d", approvedAtMs: NOW_MS });
  const high = "trail" in terms || ("stop" in terms && "trail" in terms.stop && terms.after === undefined);
  return {
    ...{ planId: "plan-1", account: "main", terms, state, version: 1, openStep: null, replaces: null },
    ...{ mandate: (hasBegun && mandate) || null, asked: state === "awaiting_approval" ? question : null },
    progress: { ...(hasBegun && high && { high: "100000000" }), ...progress },
    ...{ untilMs: UNTIL_MS, createdAtMs: NOW_MS, updatedAtMs: NOW_MS, endedAtMs: isPlanEnded(state) ? NOW_MS : null },
  };
}

/** Of what plans steps one more may come, or none any more. */
function viewOf(plan: PlanRecord, isLast = false): PlanView {
  const { terms, mandate, state } = plan;
  const isDated = terms.kind === "recurring" || terms.kind === "slices" || terms.kind === "rebalance";
  const next = { label: "1", dueAtMs: NOW_MS + 60_000, worstValue: inUnit("50000") };
  const due = isDated && mandate !== null && !isPlanEnded(state) ? { due: isLast ? [] : [next] } : {};
  return planView(plan, { market: MARKET, rules: RULES, children: [], nowMs: NOW_MS, ...due });
}

function saidOf(view: PlanView): readonly string[] {
  const asking = { planId: "plan-1", account: "main", isLive: true, unit: "KRW" };
  return READERS.flatMap((words) => [
    planFiguresLine(view, "KRW", words),
    planFiguresWorst(view, "KRW", words),
    ...planFiguresSheet(view, { ...asking, action: "start" }, words),
    ...planFiguresSheet(view, { ...asking, action: "resume" }, words),
  ]);
}

describe("every kind of plan in every state", () => {
  const cases = Object.keys(KINDS).flatMap((kind) => STATES.map((state) => [kind, state] as const));

  it.each(cases)("has no dash in place of a figure: %s, %s", (kind, state) => {
    const terms = KINDS[kind] ?? termsOf("stop");
    const views = [
      viewOf(recordOf(terms, state, state !== "awaiting_approval")),
      viewOf(recordOf(terms, state, state !== "awaiting_approval"), true),
      ...(isPlanEnded(state) ? [viewOf(recordOf(terms, state, false))] : []),
    ];
    expect(views.flatMap(saidOf).filter((line) => /[–—]|\bNaN\b|undefined|\{/.test(line))).toEqual([]);
  });

  it.each(
    (["denied", "lapsed", "canceled"] as const).flatMap((state) => [
      [state, "stop"] as const,
      [state, "recurring"] as const,
    ]),
  )("says of one that was %s before it began that nothing comes of it: %s", (state, kind) => {
    const view = viewOf(recordOf(termsOf(kind), state, false));
    expect(view.worst_case_value).toBe("0");
    expect(READERS.map((words) => planFiguresWorst(view, "KRW", words))).toEqual([
      "nothing, as it never began",
      "없음(시작하지 않음)",
    ]);
  });
});

describe("a trailing stop that waits for a yes", () => {
  const view = viewOf(recordOf(termsOf("trailing_stop"), "awaiting_approval", false));

  it("says what it would begin with, by the price that its question was made of", () => {
    expect(view).toMatchObject({ high: "100000000", trigger: "95000000", floor: "85500000" });
    expect(READERS.map((words) => planFiguresLine(view, "KRW", words))).toEqual([
      "Sell up to 0.1 BTC on BTC/KRW when the price falls 5 % below its highest from its start on, not below ₩85,500,000. " +
        "It starts at the best bid when it is approved: if it began at ₩100,000,000, which was bid when it was asked for, it would sell at ₩95,000,000.",
      "BTC/KRW 시세가 예약 시작 이후의 고점 대비 5% 내리면 최대 0.1개를 매도합니다. ₩85,500,000 (8,550만원) 아래로는 팔지 않습니다. " +
        "고점은 승인하는 순간의 최우선 매수호가에서 시작합니다. 요청 당시의 최우선 매수호가 ₩100,000,000 (1억원)에서 시작한다면 발동 가격은 ₩95,000,000 (9,500만원)입니다.",
    ]);
  });
});

describe("a plan whose buy has brought a part", () => {
  const begins = { volume: "0.0021", averagePrice: "99000000", stopPrice: "94000000", takePrice: "108900000" };
  const view = viewOf(recordOf(BUY_OCO, "active", true, { begins }));

  it("comes to what that part comes to", () => {
    expect(view).toMatchObject({
      worst_case_value: "207900",
      shown: { atLeast: { price: "84600000", value: "177660" }, volumeMax: "0.0021" },
    });
    const [english] = READERS.map((words) => planFiguresWorst(view, "KRW", words));
    expect(english).toMatch(/^sells up to 0\.0021 BTC at ₩84,600,000 or better: at least ₩177,660 before fees/);
  });
});
