/** Every sentence of the policy shows sums as sums are shown. */
import { describe, expect, it } from "vitest";
import { inUnit, quantity } from "../../../src/decimal/index.ts";
import { decide, type Policy, type PolicyQuestion } from "../../../src/desk/risk/policy-decision.ts";
import { DENIALS } from "./broken-rules.ts";
import { bookOf, LIMIT_BUY, NOW_MS, POLICY, QUESTION } from "./policy-question.ts";

/** What is no sum: moments, and how old a book is. */
const OTHERS = /\d{4}-\d\d-\d\dT[\d:.]+Z|\d+ ms\b|book_max_age_ms \d+/g;

function expectShown(sentence: string): void {
  const sums = sentence.replaceAll(OTHERS, "");
  expect(sums).not.toMatch(/(?<![\d.,])\d{4,}/);
  expect(sums).not.toMatch(/\d KRW\b/);
  expect(sums).not.toMatch(/_krw (is )?\d/);
}

describe("a denial", () => {
  it.each(DENIALS)("has its sums grouped and with their sign, by the rule %s: %o", (rule, denial) => {
    expect(denial.rule).toBe(rule);
    expectShown(denial.message);
  });
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
