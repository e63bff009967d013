import { describe, expect, it } from "vitest";
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { inUnit, price, quantity, rate } from "../../../src/decimal/index.ts";
import { MONEY_LIMITS } from "../../../src/desk/model/account-usage.ts";
import type { PlanInForce } from "../../../src/desk/model/plan.ts";
import type { OrderOfPlan } from "../../../src/desk/model/policy.ts";
import { decide, type Policy, type PolicyQuestion } from "../../../src/desk/risk/policy-decision.ts";
import { BTC, bookOf, NOW_MS, orderOfPlan, POLICY, QUESTION, UNUSED } from "./policy-question.ts";

/** 3 % below the best bid of 99 900 000. */
const SELL: CreateOrderBody = {
  ...{ symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.05", price: "96903000", time_in_force: "IOC" },
};
const PROTECTION: OrderOfPlan = {
  ...orderOfPlan({ side: "sell", stepsMax: 9_999, volumeMax: "0.05", priceMin: "90000000", over: MONEY_LIMITS }),
  terms: { kind: "stop", symbol: "BTC/KRW", volume: "0.05", stopPrice: "100000000" },
};
const used = (usage: Partial<typeof UNUSED>): Partial<PolicyQuestion> => ({
  accountUsage: { ...QUESTION.accountUsage, usage: { ...UNUSED, ...usage } },
});

type Changed = readonly [policy: Partial<Policy>, question: Partial<PolicyQuestion>];

function ruleOf(plan: OrderOfPlan | undefined, order: CreateOrderBody, [policy, question]: Changed): string {
  const asked = { ...QUESTION, order, plan, approved: plan !== undefined, held: quantity("0.05"), ...question };
  const verdict = decide({ ...POLICY, maxOrder: inUnit("9000000"), ...policy }, asked);
  return verdict.kind === "deny" ? verdict.denial.rule : verdict.kind;
}

describe("a protection's sell", () => {
  const judged = (...changed: Changed) => ruleOf(PROTECTION, SELL, changed);

  it.each<[string, Changed]>([
    ["price_collar", [{ priceCollar: rate("0.01") }, {}]],
    ["price_collar, by the last trades", [{}, { tradedPrice: price("120000000") }]],
    ["order_size", [{ maxOrder: inUnit("1") }, {}]],
    ["open_exposure", [{ maxOpen: inUnit("1") }, {}]],
    ["day_budget", [{ maxDay: inUnit("1") }, {}]],
    ["day_budget, used up", [{}, used({ day: "5000000" })]],
    ["orders_per_minute", [{}, used({ lastMinute: 20 })]],
    ["open_orders", [{}, used({ openOrders: 50 })]],
    ["day_loss", [{ maxDayLoss: inUnit("1"), dayLossAction: "halt" }, { dayLoss: inUnit("2") }]],
    ["a person's yes", [{ mode: "confirm" }, {}]],
    ["a person's yes to a wide spread", [{}, { book: bookOf([["99900000", "1"]], [["150000000", "1"]]) }]],
  ])("passes what its mandate or another rule answers: %s", (_, changed) => {
    expect(judged(...changed)).toBe("allow");
  });

  it.each<[string, Changed]>([
    ["environment", [{}, { environment: { ofOrder: "sandbox", ofVenue: "live" } }]],
    ["brake", [{}, { accountUsage: { ...QUESTION.accountUsage, killSwitch: { reason: "", by: "kim", atMs: 0 } } }]],
    ["mode", [{ mode: "read-only" }, {}]],
    ["mandate", [{}, { plan: { ...PROTECTION, exchangeMs: NOW_MS + 86_400_000 } }]],
    ["market", [{ markets: ["ETH/KRW"] }, {}]],
    ["market_status", [{}, { market: { ...BTC, status: "halted" } }]],
    ["order_type", [{ orderTypes: ["market"] }, {}]],
    ["time_in_force", [{ timesInForce: ["GTC"] }, {}]],
    ["book_age", [{}, { nowMs: NOW_MS + 60_000 }]],
  ])("is held against %s as any order", (rule, changed) => {
    expect(judged(...changed)).toBe(rule);
  });

  it.each<[string, Changed]>([
    ["below its floor", [{}, { plan: { ...PROTECTION, floor: price("96903001") } }]],
    ["further below the best bid than the file says now", [{ plans: stricter("0.02") }, {}]],
    [
      "further below it than was approved",
      [{}, { plan: { ...PROTECTION, mandate: { ...PROTECTION.mandate, slippagePct: "2" } } }],
    ],
    ["where nobody else buys", [{}, { book: bookOf([], [["100100000", "1"]]) }]],
  ])("is denied by protective %s", (_, changed) => {
    expect(judged(...changed)).toBe("protective");
  });

  it.each<[string, Partial<PolicyQuestion>]>([
    ["of what is held by nobody's word", { held: undefined }],
    [
      "by the policy where money is real",
      { plan: { ...PROTECTION, mandate: { ...PROTECTION.mandate, by: "policy" } } },
    ],
  ])("has no exception %s", (_, question) => {
    expect(["price_collar", "order_size", "mandate"]).toContain(
      judged({ maxOrder: inUnit("1"), priceCollar: rate("0.01") }, question),
    );
  });

  it("is denied by protective where it is of more than is free, and says how much that is", () => {
    const order = { ...QUESTION, order: SELL, plan: PROTECTION, approved: true };
    const policy = { ...POLICY, priceCollar: rate("0.01") };
    expect(decide(policy, { ...order, held: quantity("0.04") })).toMatchObject({
      kind: "deny",
      denial: {
        ...{ rule: "protective", figure: "0.05", limit: "0.04", field: "base_volume" },
        message: expect.stringContaining("it would sell 0.05 BTC, and 0.04 BTC is free"),
      },
    });
    expect(decide(policy, { ...order, held: quantity("0").minus(quantity("0.01")) })).toMatchObject({
      denial: { limit: "0" },
    });
    expect(decide({ ...policy, markets: ["ETH/KRW"] }, { ...order, held: quantity("0.04") })).toMatchObject({
      denial: { rule: "market" },
    });
  });

  it("goes over no limit that its mandate does not name", () => {
    const { mandate } = PROTECTION;
    const plan = {
      ...PROTECTION,
      mandate: { ...mandate, bounds: { ...mandate.bounds, over: ["day_budget"] as const } },
    };
    expect(judged({ maxOrder: inUnit("1") }, { plan })).toBe("order_size");
    expect(judged({ maxDay: inUnit("1") }, { plan })).toBe("allow");
  });
});

function stricter(share: string): Policy["plans"] {
  return { ...POLICY.plans, protectiveSlippage: rate(share) };
}

describe("any other order of a plan", () => {
  const buys = orderOfPlan({ valueMax: "1000000", stepValueMax: "500000" });
  const BUY: CreateOrderBody = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "500000" };
  const judged = (...changed: Changed) => ruleOf(buys, BUY, changed);

  it("is agreed to by its mandate, whatever the mode and the spread", () => {
    expect(judged({ mode: "confirm" }, {})).toBe("allow");
    expect(judged({ approvalOver: inUnit("1") }, {})).toBe("allow");
    const wide = { book: bookOf([["80000000", "1"]], [["100100000", "1"]]), ownOrders: [] };
    expect(judged({ priceCollar: rate("0.12") }, wide)).toBe("allow");
    expect(ruleOf(undefined, BUY, [{ priceCollar: rate("0.12") }, wide])).toBe("ask");
  });

  it.each<[string, Changed]>([
    ["order_size", [{ maxOrder: inUnit("499999") }, {}]],
    ["price_collar", [{}, { tradedPrice: price("50000000") }]],
    [
      "slippage",
      [
        { maxSlippage: rate("0") },
        {
          book: bookOf(
            [["99900000", "1"]],
            [
              ["100100000", "0.001"],
              ["100200000", "1"],
            ],
          ),
        },
      ],
    ],
    ["orders_per_minute", [{}, used({ lastMinute: 20 })]],
    ["open_orders", [{}, used({ openOrders: 50 })]],
    ["open_exposure", [{ maxOpen: inUnit("1") }, {}]],
    ["day_budget", [{}, used({ day: "4999999" })]],
    ["day_loss", [{ maxDayLoss: inUnit("1") }, { dayLoss: inUnit("2") }]],
  ])("is held against %s", (rule, changed) => {
    expect(judged(...changed)).toBe(rule);
  });

  it("goes over no limit, though it sells what is held and a person has approved its plan", () => {
    const sells = orderOfPlan({ side: "sell", volumeMax: "1" });
    const order = { ...SELL, price: "99900000" };
    expect(ruleOf(sells, order, [{ maxOrder: inUnit("1") }, {}])).toBe("order_size");
    expect(ruleOf(undefined, order, [{ maxOrder: inUnit("1") }, {}])).toBe("ask");
  });

  it("is denied when the plan's orders came to what was approved, and when its way is no longer taken", () => {
    const before = { volume: quantity("0"), value: inUnit("500001") };
    expect(judged({}, { plan: { ...buys, before } })).toBe("mandate");
    expect(judged({}, { plan: { ...buys, before: { ...before, value: inUnit("500000") } } })).toBe("allow");
    expect(judged({ approveBy: ["passkey"] }, {})).toBe("mandate");
  });

  it("is denied by the plan as it is when its request is numbered", () => {
    const { terms, mandate } = buys;
    const now: PlanInForce = {
      ...{ planId: "plan-1", step: 1, openStep: 1, state: "active", terms, mandate, untilMs: NOW_MS + 1 },
    };
    const asked = (plan: PlanInForce | null) => judged({}, { accountUsage: { ...QUESTION.accountUsage, plan } });
    expect(asked(now)).toBe("allow");
    for (const plan of [
      null,
      { ...now, state: "paused" },
      { ...now, openStep: 2 },
      { ...now, untilMs: NOW_MS },
    ] as const)
      expect(asked(plan)).toBe("mandate");
  });
});

describe("what plans have set aside", () => {
  const setAside = (value: string, ...planIds: readonly string[]): Partial<PolicyQuestion> => ({
    accountUsage: { ...QUESTION.accountUsage, reserved: { value, unit: "KRW", planIds } },
  });

  it("counts for the day, and is named where the order would pass without", () => {
    const asked = (question: Partial<PolicyQuestion>) => decide(POLICY, { ...QUESTION, ...question });
    expect(asked(setAside("4500000", "plan-1")).kind).toBe("allow");
    const verdict = asked(setAside("4500001", "plan-1", "plan-2"));
    if (verdict.kind !== "deny") throw new Error(verdict.kind);
    expect(verdict.denial).toMatchObject({ rule: "day_budget", figure: "5000001" });
    expect(verdict.denial.message).toContain("the ₩4,500,001 that plan-1, plan-2 have set aside for the next");
  });
});
