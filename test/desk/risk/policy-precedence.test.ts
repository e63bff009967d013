/** Which rule speaks where several deny. */
import { describe, expect, it } from "vitest";
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { inUnit, price, quantity, rate } from "../../../src/decimal/index.ts";
import type { OrderOfPlan } from "../../../src/desk/model/policy.ts";
import { decide, type Policy, type PolicyQuestion, RULES, type Rule } from "../../../src/desk/risk/policy-decision.ts";
import { BTC, bookOf, LIMIT_BUY, MARKET_BUY, orderOfPlan, POLICY, QUESTION, UNUSED } from "./policy-question.ts";

const ALLOWED = { kind: "allow" };

function judged(policy: Partial<Policy>, question: Partial<PolicyQuestion> = {}) {
  return decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
}

/** Buys within a mandate, and sells of a protection below its floor. */
const PLAN: OrderOfPlan = orderOfPlan({ side: "buy", stepsMax: 1 });
const PROTECTION: OrderOfPlan = {
  ...orderOfPlan({ side: "sell", stepsMax: 9_999, volumeMax: "1" }),
  ...{ terms: { kind: "stop", symbol: "BTC/KRW", volume: "1", stopPrice: "99950000" }, floor: price("99950000") },
};
const LOW_SELL: CreateOrderBody = {
  ...{ symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.005", price: "99900000", time_in_force: "IOC" },
};

/** How to break each rule, so that any two can be broken at once. */
const BREAKERS: Readonly<Record<Rule, { policy?: Partial<Policy>; question?: Partial<PolicyQuestion> }>> = {
  environment: { question: { environment: { ofOrder: "sandbox", ofVenue: "live" } } },
  brake: {
    question: { accountUsage: { usage: UNUSED, settled: [], killSwitch: { reason: "", by: "person", atMs: 0 } } },
  },
  mode: { policy: { mode: "read-only" } },
  mandate: { question: { plan: { ...PLAN, step: 2 } } },
  market: { policy: { markets: ["ETH/KRW"] } },
  market_status: { question: { market: { ...BTC, status: "halted" } } },
  order_type: { policy: { orderTypes: [] } },
  time_in_force: { policy: { timesInForce: [] } },
  order_size: { policy: { maxOrder: inUnit("1") } },
  book_age: { policy: { bookMaxAgeMs: -1 } },
  price_collar: { question: { book: bookOf([["100", "1"]], []) } },
  slippage: { policy: { maxSlippage: rate("0") } },
  protective: { question: { plan: PROTECTION, held: quantity("1"), order: LOW_SELL } },
  orders_per_minute: { policy: { maxOrdersPerMinute: 0 } },
  open_orders: { policy: { maxOpenOrders: 0 } },
  open_exposure: { policy: { maxOpen: inUnit("1") } },
  day_budget: { policy: { maxDay: inUnit("1") } },
  day_loss: { policy: { maxDayLoss: inUnit("1") }, question: { dayLoss: inUnit("1") } },
};

/** A market order names its time in force here, and takes more than the best ask, so that each rule can speak. */
const BREAKABLE: CreateOrderBody = { ...MARKET_BUY, volume: "0.009", time_in_force: "IOC" };
const THIN = bookOf(
  [["99900000", "1"]],
  [
    ["100100000", "0.001"],
    ["100200000", "1"],
  ],
);

function broken(...rules: readonly Rule[]) {
  const parts = rules.map((rule) => BREAKERS[rule]);
  return judged(
    Object.assign({}, ...parts.map(({ policy }) => policy)),
    Object.assign({ order: BREAKABLE, book: THIN, approved: true }, ...parts.map(({ question }) => question)),
  );
}

describe("the order of precedence", () => {
  it("is the documented one", () => {
    expect(RULES).toEqual(Object.keys(BREAKERS));
    expect(broken()).toEqual(ALLOWED);
  });

  const pairs = RULES.flatMap((earlier, at) => RULES.slice(at + 1).map((later) => [earlier, later] as const));
  // Without a price there is no size to be too large.
  const judgeable = pairs.filter(
    ([earlier, later]) =>
      !(earlier === "order_size" && later === "price_collar") &&
      // It stands in the place of others: plan-rules.test.ts.
      ![earlier, later].includes("protective"),
  );

  it.each(RULES)("lets %s speak where it alone denies", (rule) => {
    expect(broken(rule)).toMatchObject({ kind: "deny", denial: { rule } });
  });

  it.each(judgeable)("lets %s speak before %s", (earlier, later) => {
    for (const both of [broken(earlier, later), broken(later, earlier)])
      expect(both).toMatchObject({ kind: "deny", denial: { rule: earlier } });
  });

  it("lets order_size speak before price_collar", () => {
    const order = { ...LIMIT_BUY, price: "1000000000" };
    expect(judged({ maxOrder: inUnit("1") }, { order })).toMatchObject({
      kind: "deny",
      denial: { rule: "order_size" },
    });
  });
});
