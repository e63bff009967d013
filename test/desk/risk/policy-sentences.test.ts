/** Every sentence of the policy shows sums as sums are shown. */
import { describe, expect, it } from "vitest";
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { inUnit, price, quantity, rate } from "../../../src/decimal/index.ts";
import type { OrderOfPlan } from "../../../src/desk/model/policy.ts";
import { decide, type Policy, type PolicyQuestion, RULES, type Rule } from "../../../src/desk/risk/policy-decision.ts";
import {
  BTC,
  bookOf,
  LIMIT_BUY,
  MARKET_BUY,
  NOW_MS,
  orderOfPlan,
  POLICY,
  QUESTION,
  UNUSED,
} from "./policy-question.ts";

type Broken = readonly [Partial<Policy>, Partial<PolicyQuestion>];

const usage = (used: Partial<typeof UNUSED>): Partial<PolicyQuestion> => ({
  accountUsage: { ...QUESTION.accountUsage, usage: { ...UNUSED, ...used } },
});
const killSwitch = { atMs: NOW_MS, by: "kim", reason: "lunch" };
const SELL: CreateOrderBody = { ...LIMIT_BUY, side: "sell" };
const PROTECTION: OrderOfPlan = {
  ...orderOfPlan({ side: "sell", volumeMax: "1" }),
  ...{ terms: { kind: "stop", symbol: "BTC/KRW", volume: "1", stopPrice: "99950000" }, floor: price("123456789") },
};
const BREAKING: Readonly<Record<Rule, readonly Broken[]>> = {
  environment: [[{}, { environment: { ofOrder: "live", ofVenue: "sandbox" } }]],
  brake: [[{}, { accountUsage: { ...QUESTION.accountUsage, killSwitch } }]],
  mode: [[{ mode: "read-only" }, {}]],
  mandate: [
    [{}, { plan: orderOfPlan({ stepValueMax: "123456" }) }],
    [{}, { plan: orderOfPlan({ valueMax: "234567" }) }],
    [{}, { plan: orderOfPlan({ side: "buy", priceMax: "99999999" }) }],
  ],
  market: [
    [{ markets: ["ETH/KRW"] }, {}],
    [{}, { market: { ...BTC, quote: "USDT" } }],
  ],
  market_status: [[{}, { market: { ...BTC, status: "halted" } }]],
  order_type: [[{ orderTypes: ["market"] }, {}]],
  time_in_force: [[{ timesInForce: ["IOC"] }, {}]],
  order_size: [
    [{ maxOrder: inUnit("123456") }, {}],
    [{ maxOrder: inUnit("123456") }, { order: { symbol: "BTC/KRW", side: "buy", type: "market", amount: "500000" } }],
    [{ maxOrder: inUnit("1234") }, {}],
  ],
  book_age: [[{}, { nowMs: NOW_MS + 60_000 }]],
  price_collar: [
    [{}, { order: { ...LIMIT_BUY, volume: "0.001", price: "123456789" } }],
    [{ priceCollar: rate("0.0011"), maxOrder: inUnit("9000000") }, { order: { ...MARKET_BUY, volume: "0.05" } }],
    [{}, { book: bookOf([], [], NOW_MS) }],
  ],
  slippage: [
    [{ maxSlippage: rate("0.0001"), maxOrder: inUnit("9000000") }, { order: { ...MARKET_BUY, volume: "0.02" } }],
    [
      { maxSlippage: rate("1"), priceCollar: "off", maxOrder: inUnit("900000000") },
      { order: { ...MARKET_BUY, volume: "2" } },
    ],
  ],
  protective: [
    [{}, { order: SELL, plan: PROTECTION, held: quantity("1") }],
    [{}, { order: { ...SELL, price: "90000000" }, plan: { ...PROTECTION, floor: price("1") }, held: quantity("1") }],
  ],
  orders_per_minute: [[{}, usage({ lastMinute: 20 })]],
  open_orders: [[{}, usage({ openOrders: 50 })]],
  open_exposure: [[{}, usage({ open: "9999999" })]],
  day_budget: [
    [{}, usage({ day: "4999999" })],
    [
      {},
      { accountUsage: { ...QUESTION.accountUsage, reserved: { value: "4999999", unit: "KRW", planIds: ["plan-1"] } } },
    ],
  ],
  day_loss: [[{ maxDayLoss: inUnit("1234567") }, { dayLoss: inUnit("2345678") }]],
};

/** What is no sum: moments, and how old a book is. */
const OTHERS = /\d{4}-\d\d-\d\dT[\d:.]+Z|\d+ ms\b|book_max_age_ms \d+/g;

function expectShown(sentence: string): void {
  const sums = sentence.replaceAll(OTHERS, "");
  expect(sums).not.toMatch(/(?<![\d.,])\d{4,}/);
  expect(sums).not.toMatch(/\d KRW\b/);
  expect(sums).not.toMatch(/_krw (is )?\d/);
}

describe("a denial", () => {
  it.each(RULES.flatMap((rule) => BREAKING[rule].map((broken) => [rule, broken] as const)))(
    "has its sums grouped and with their sign, by the rule %s: %o",
    (rule, [policy, question]) => {
      const verdict = decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
      if (verdict.kind !== "deny") throw new Error(JSON.stringify(verdict));
      expect(verdict.denial.rule).toBe(rule);
      expectShown(verdict.denial.message);
    },
  );
});

describe("a reason to ask", () => {
  it.each<[string, Partial<Policy>, Partial<PolicyQuestion>]>([
    ["the value", { approvalOver: inUnit("1234") }, {}],
    ["the spread", { maxSlippage: "off" }, { book: bookOf([["80000000", "1"]], [["120000000", "1"]], NOW_MS) }],
    [
      "the limits it goes over",
      { maxOrder: inUnit("123456"), maxDay: inUnit("123457") },
      { order: { ...LIMIT_BUY, side: "sell" }, held: quantity("1") },
    ],
  ])("has them so: %s", (_, policy, question) => {
    const verdict = decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
    if (verdict.kind !== "ask") throw new Error(JSON.stringify(verdict));
    expect(verdict.why).toContain("₩");
    expectShown(verdict.why);
  });
});
