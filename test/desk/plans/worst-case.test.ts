import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inUnit, notional, price, quantity, rate } from "../../../src/decimal/index.ts";
import type { PlanTerms } from "../../../src/desk/model/plan.ts";
import type { PlanRequest } from "../../../src/desk/model/plan-report.ts";
import { checkCoverage } from "../../../src/desk/plans/terms/coverage.ts";
import { checkPlanLimits, needsPerson } from "../../../src/desk/plans/terms/plan-limits.ts";
import {
  type BoundsFacts,
  boundsOfTerms,
  busiestDay,
  hasGrown,
  type PlanQuestion,
  planDigest,
  type WorstCase,
  worstCase,
} from "../../../src/desk/plans/terms/worst-case.ts";
import { leftToSell, plansLeftShort } from "../../../src/desk/risk/protected-coins.ts";
import { koreanDenial } from "../../../src/words/denial-words.ts";
import { baseOf, DAY_MS, drafted, FACTS, MARKET, NOW_MS } from "./plan-facts.ts";

const AT: Omit<BoundsFacts, "untilMs"> = {
  ...{ market: MARKET, quotes: FACTS.quotes, unit: "KRW", rules: FACTS.policy.plans },
  ...{ fromMs: NOW_MS, account: "main", environment: "live" },
};

function draftOf(kind: string, changed: Partial<PlanRequest> = {}): { terms: PlanTerms; untilMs: number } {
  return drafted({ ...baseOf(kind), ...changed });
}

function worstOf(kind: string, changed: Partial<PlanRequest> = {}): WorstCase {
  const { terms, untilMs } = draftOf(kind, changed);
  const worst = worstCase(terms, { ...AT, untilMs });
  if (worst === undefined) throw new Error("no worst case");
  return worst;
}

function boundsOf(kind: string, changed: Partial<PlanRequest> = {}) {
  const { terms, untilMs } = draftOf(kind, changed);
  return boundsOfTerms(terms, worstOf(kind, changed), { ...AT, untilMs });
}

const SELLS = { side: "sell", quote_amount: undefined, base_volume: "0.1" };

describe("the worst case of what repeats", () => {
  it("is each turn's amount and the larger fee, its steps without the fee, the busiest day with both its ends", () => {
    const worst = worstOf("recurring", { schedule: "daily 10:00", until: "2026-12-04" });
    expect(worst.steps.map(({ step, label, size, worstValue }) => [step, label, size, `${worstValue}`])).toEqual([
      [1, "2026-11-30", "50000", "50000"],
      [2, "2026-12-01", "50000", "50000"],
      [3, "2026-12-02", "50000", "50000"],
      [4, "2026-12-03", "50000", "50000"],
      [5, "2026-12-04", "50000", "50000"],
    ]);
    expect(`${worst.value}`).toBe("250125");
    expect(`${worst.busiestDay}`).toBe("100000");
    expect(`${worstOf("recurring", { until: "2026-12-31" }).busiestDay}`).toBe("50000");
  });

  it("is of a sell what its coins are worth at the book, or at its limit where that is more", () => {
    expect(`${worstOf("recurring", { ...SELLS, until: "2026-12-07" }).value}`).toBe("20010000");
    const limited = { ...SELLS, limit_price: "110000000", until: "2026-12-07" };
    expect(`${worstOf("recurring", limited).value}`).toBe("22000000");
  });
});

describe("the worst case of slices", () => {
  it("is the total with the fee, and within a day all of it", () => {
    const worst = worstOf("slices", { quote_amount: "1000003" });
    expect(worst.steps.map(({ size }) => size)).toEqual([...new Array(9).fill("100000"), "100003"]);
    expect(worst.steps.map(({ dueAtMs }) => (dueAtMs - NOW_MS) / 60_000)).toEqual([
      0, 12, 24, 36, 48, 60, 72, 84, 96, 108,
    ]);
    expect([`${worst.value}`, `${worst.busiestDay}`]).toEqual(["1000504", "1000003"]);
  });
});

describe("the worst case of a protection", () => {
  it("is its coins at the book, and what they bring at the lowest price that it sells at", () => {
    const told = (worst: WorstCase) => [`${worst.value}`, `${worst.atLeast?.price}`, worst.atLeast?.value];
    expect(told(worstOf("stop"))).toEqual(["10005000", "85500000", "8550000"]);
    expect(told(worstOf("stop", { limit_price: "94000000" }))).toEqual(["10005000", "94000000", "9400000"]);
    expect(told(worstOf("take_profit"))).toEqual(["10005000", "110000000", "11000000"]);
    expect(told(worstOf("trailing_stop"))).toEqual(["10005000", "85500000", "8550000"]);
    expect(told(worstOf("trailing_stop", { floor_price: "90000000" }))[1]).toBe("90000000");
    expect(told(worstOf("oco"))[1]).toBe("85500000");
    expect(told(worstOf("stop", { base_volume: "0.00012345" }))[2]).toBe("10554");
    expect(worstOf("stop").steps).toEqual([]);
  });

  it("is not known without a price, and is nothing of an alert", () => {
    const { terms, untilMs } = draftOf("trailing_stop");
    expect(worstCase(terms, { ...AT, untilMs, quotes: { bid: undefined, ask: price("1") } })).toBeUndefined();
    expect(`${worstOf("alert").value}`).toBe("0");
    expect(boundsOf("alert")).toBeUndefined();
  });
});

describe("the busiest 24 hours", () => {
  it("are the most of any, as by looking at each", () => {
    const step = fc.record({ hours: fc.integer({ min: 0, max: 240 }), value: fc.integer({ min: 0, max: 1_000 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (drawn) => {
        const sorted = [...drawn].sort((a, b) => a.hours - b.hours);
        const from = sorted.map(({ hours }) =>
          sorted.reduce((sum, at) => (at.hours >= hours && at.hours <= hours + 24 ? sum + at.value : sum), 0),
        );
        const steps = sorted.map(({ hours, value }) => ({
          dueAtMs: hours * 3_600_000,
          worstValue: inUnit(`${value}`),
        }));
        expect(`${busiestDay(steps)}`).toBe(`${Math.max(0, ...from)}`);
      }),
    );
  });
});

describe("the bounds of a mandate", () => {
  it("are of a buy its value, of each order and in all, and its highest price", () => {
    const { untilMs } = draftOf("recurring", { until: "2026-12-07" });
    expect(boundsOf("recurring", { until: "2026-12-07", limit_price: "99000000" })).toEqual({
      ...{ account: "main", environment: "live", symbol: "BTC/KRW", side: "buy", stepsMax: 2, over: [] },
      ...{ valueMax: "100000", stepValueMax: "50000", priceMax: "99000000", untilMs },
    });
  });

  it("let a piece with a limit be twice itself, and the total no more", () => {
    expect(boundsOf("slices")).toMatchObject({ stepValueMax: "100000", valueMax: "1000000" });
    expect(boundsOf("slices", { limit_price: "99000000" })).toMatchObject({
      stepValueMax: "200000",
      valueMax: "1000000",
    });
  });

  it("are of a sell its coins and lowest price, and no value, as a higher price is no harm", () => {
    const bounds = boundsOf("slices", { ...SELLS, limit_price: "90000000" });
    expect(bounds).toMatchObject({ side: "sell", volumeMax: "0.1", priceMin: "90000000", stepsMax: 10, over: [] });
    expect(bounds).not.toHaveProperty("valueMax");
  });

  it("name of a protection the limits that its sells may go over", () => {
    expect(boundsOf("oco")).toMatchObject({
      ...{ side: "sell", volumeMax: "0.1", priceMin: "85500000", stepsMax: 9_999 },
      over: ["order_size", "open_exposure", "day_budget"],
    });
  });
});

describe("what a person approves", () => {
  const bounds = boundsOf("stop");
  if (bounds === undefined) throw new Error("no bounds");
  const question: PlanQuestion = {
    ...{ planId: "plan-1", terms: draftOf("stop").terms, bounds, replaces: null, worstValue: "10005000", unit: "KRW" },
    ...{ priceSeen: { bid: "100000000", ask: "100100000" }, warnings: ["near"], askedAtMs: 1, expiresAtMs: 2 },
  };

  it("has another digest whatever of it is another, and the same where nothing is", () => {
    const others: readonly Partial<PlanQuestion>[] = [
      { planId: "plan-2" },
      { terms: draftOf("stop", { stop_price: "94999000" }).terms },
      { bounds: { ...bounds, untilMs: bounds.untilMs + 1 } },
      { bounds: { ...bounds, over: [] } },
      { replaces: "plan-0" },
      { priceSeen: { bid: "100000000", ask: null } },
      { worstValue: "10005001" },
      { unit: "USDT" },
      { slippagePct: "4" },
      { warnings: [] },
      { askedAtMs: 0 },
      { expiresAtMs: 3 },
    ];
    const digests = [question, ...others.map((other) => ({ ...question, ...other }))].map(planDigest);
    expect(new Set(digests).size).toBe(others.length + 1);
    expect(planDigest(structuredClone(question))).toBe(digests[0]);
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("the limits of plans", () => {
  const policy = { ...FACTS.policy, maxOrder: inUnit("100000"), maxDay: inUnit("150000") };
  const plans = { ...policy.plans, maxPlans: 2, maxAlerts: 1, maxPlan: inUnit("250125") };

  interface Beside {
    readonly plans?: number;
    readonly alerts?: number;
    readonly used?: string;
  }

  function findingOf(kind: string, changed: Partial<PlanRequest>, at: Beside) {
    const { terms } = draftOf(kind, changed);
    const open = { plans: at.plans ?? 0, alerts: at.alerts ?? 0 };
    const worst = worstOf(kind, changed);
    const usedOfDay = inUnit(at.used ?? "0");
    return checkPlanLimits({ terms, worst, policy: { ...policy, plans }, open, usedOfDay });
  }

  function found(kind: string, changed: Partial<PlanRequest>, at: Beside = {}) {
    const finding = findingOf(kind, changed, at);
    return finding && `${finding.denial.rule} ${finding.denial.figure} > ${finding.denial.limit}: ${finding.line}`;
  }
  const week = { schedule: "daily 10:00", until: "2026-12-04" };

  it("allow what is equal to them", () => {
    expect(found("recurring", week, { plans: 1, used: "50000" })).toBeUndefined();
    expect(found("alert", {}, { plans: 9 })).toBeUndefined();
    expect(found("slices", { quote_amount: "100000", slices: 2 })).toBeUndefined();
  });

  it("deny what is more, with the line of the file", () => {
    expect(found("recurring", week, { plans: 2 })).toBe("plans 3 > 2: max_plans = 2");
    expect(found("alert", {}, { alerts: 1 })).toBe("plans 2 > 1: max_alerts = 1");
    expect(found("recurring", week, { used: "50001" })).toBe('plans 150001 > 150000: max_day_krw = "150000"');
    expect(found("recurring", { ...week, quote_amount: "50001" })).toBe(
      'plans 250135 > 250125: max_plan_krw = "250125"',
    );
    expect(found("slices", { quote_amount: "200004", slices: 2 })).toBe(
      'plans 100002 > 100000: max_order_krw = "100000"',
    );
  });

  it.each<[kind: string, changed: Partial<PlanRequest>, at: Beside]>([
    ["recurring", week, { plans: 2 }],
    ["alert", {}, { alerts: 1 }],
    ["recurring", week, { used: "50001" }],
    ["recurring", { ...week, quote_amount: "50001" }, {}],
    ["slices", { quote_amount: "200004", slices: 2 }, {}],
  ])("say in Korean, too, why they deny: of %s, %o beside %o", (...of) => {
    const message = findingOf(...of)?.denial.message ?? "";
    expect(koreanDenial(message)).toMatch(/[가-힣]/);
  });

  it("hold no protection against a limit of money", () => {
    expect(found("stop", {}, { used: "150000" })).toBeUndefined();
    expect(found("stop", {}, { plans: 2 })).toBe("plans 3 > 2: max_plans = 2");
  });
});

describe("a person", () => {
  const asked = (kind: string, approve: "always" | "bounded", isPractice: boolean, over = "1000500") => {
    const policy = { plans: { ...FACTS.policy.plans, approve }, approvalOver: inUnit(over) };
    return needsPerson(draftOf(kind).terms, worstOf(kind), policy, isPractice);
  };

  it("is asked of every plan that trades where money may be real, whatever the file says", () => {
    expect(asked("slices", "bounded", false)).toBe(true);
    expect(asked("stop", "bounded", false, "999999999")).toBe(true);
    expect(asked("alert", "always", false)).toBe(false);
  });

  it("is asked on practice above the limit, or always", () => {
    expect(asked("slices", "bounded", true)).toBe(false);
    expect(asked("slices", "bounded", true, "1000499")).toBe(true);
    expect(asked("slices", "always", true)).toBe(true);
  });

  it("is asked anew where the worst case has grown by more than the drift and a step", () => {
    const policy = { approvalDrift: rate("0.005"), unit: "KRW" } as const;
    const grown = (now: string) => hasGrown(inUnit("100000"), inUnit(now), policy);
    expect([grown("1"), grown("100501"), grown("100502")]).toEqual([false, false, true]);
  });
});

describe("coverage", () => {
  const open = [
    { planId: "a", symbol: "BTC/KRW", left: "0.1" },
    { planId: "b", symbol: "BTC/USDT", left: "0.05" },
    { planId: "c", symbol: "BTCX/KRW", left: "9" },
  ];
  const of = (volume: string, replaces?: string) =>
    checkCoverage({ base: "BTC", held: quantity("0.3"), open, volume: quantity(volume), replaces });

  it("is all that open protections of the coin have left, and no more than is held", () => {
    expect(`${leftToSell("BTC", open)}`).toBe("0.15");
    expect(of("0.15")).toBeUndefined();
    expect(of("0.15000001")).toMatchObject({
      ...{ rule: "plans", figure: "0.30000001", limit: "0.3", field: "base_volume" },
      message: expect.stringContaining(
        "0.3 BTC is held, of which open plans protect 0.15 BTC: make it at most 0.15 BTC",
      ),
    });
  });

  it("does not count the plan that is replaced", () => {
    expect(of("0.25", "a")).toBeUndefined();
    expect(of("0.25", "b")).toMatchObject({ figure: "0.35" });
  });

  it("says what to do where all is promised, and where nothing is held", () => {
    const all = checkCoverage({ base: "BTC", held: quantity("0.1"), open, volume: quantity("0.1") });
    expect(all?.message).toMatch(
      /protect 0\.15 BTC: cancel one of these first, or name in replaces the one that it takes the place of$/,
    );
    for (const beside of [[], open]) {
      const nothing = checkCoverage({ base: "BTC", held: quantity("0"), open: beside, volume: quantity("0.1") });
      expect(nothing?.message).toMatch(/0 BTC is held: a plan that protects is made of coins that are there$/);
    }
    const more = checkCoverage({ base: "BTC", held: quantity("0.1"), open, volume: quantity("0.2") });
    expect(more?.message).toMatch(/protect 0\.15 BTC: cancel one of these first and make it at most 0\.1 BTC$/);
  });

  it.each([
    ["0.3", open, "0.2"],
    ["0.1", open, "0.1"],
    ["0.1", open, "0.2"],
    ["0.2", open, "0.3"],
    ["0", open, "0.1"],
    ["0.1", [], "0.2"],
    ["0", [], "0.1"],
  ])("says it in Korean, too: of %s held, with %o beside, for %s", (held, beside, volume) => {
    const denial = checkCoverage({ base: "BTC", held: quantity(held), open: beside, volume: quantity(volume) });
    expect(koreanDenial(denial?.message ?? "")).toMatch(/[가-힣]/);
  });

  it("names the plans that a sell by hand leaves without coins, and how many it leaves", () => {
    const short = (volume: string) =>
      plansLeftShort({ base: "BTC", available: quantity("0.2"), open, volume: quantity(volume) });
    expect(short("0.05")).toBeUndefined();
    const rest = (free: string) => ({ base: "BTC", free: quantity(free), needed: quantity("0.15") });
    expect(short("0.05000001")).toEqual({ plans: ["a", "b"], rest: rest("0.14999999") });
    expect(short("0.3")).toEqual({ plans: ["a", "b"], rest: rest("0") });
    expect(plansLeftShort({ base: "ETH", available: quantity("1"), open, volume: quantity("1") })).toBeUndefined();
  });
});

describe("whatever plan may be made", () => {
  it("a buy's steps are no more than its bounds, and its worst case is no less than they come to", () => {
    const amounts = fc.integer({ min: 20_000, max: 50_000_000 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 2, max: 200 }), fc.integer({ min: 0, max: 500 }), (amount, count, fee) => {
        const terms: PlanTerms = {
          ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: `${amount}` } },
          ...{ count, durationMs: DAY_MS },
        };
        const market = {
          ...MARKET,
          maker_fee_rate: "0",
          taker_fee_rate: rate("0.00001")
            .scale(rate(`${fee}`))
            .toString(),
        };
        const at = { ...AT, market, untilMs: NOW_MS + DAY_MS };
        const worst = worstCase(terms, at);
        const bounds = worst && boundsOfTerms(terms, worst, at);
        if (worst === undefined || bounds?.stepValueMax === undefined) throw new Error("no bounds");
        const most = inUnit(bounds.stepValueMax);
        expect(bounds.valueMax).toBe(`${amount}`);
        expect(worst.steps.every(({ worstValue }) => worstValue.lte(most))).toBe(true);
        const withFee = notional(`${amount}`).scale(rate("1").plus(rate(market.taker_fee_rate)));
        expect(notional(worst.value.toString()).gte(withFee)).toBe(true);
        // Each is rounded up by less than one.
        expect(notional(worst.value.toString()).lt(withFee.plus(notional(`${count + 1}`)))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
