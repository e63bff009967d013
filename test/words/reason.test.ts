import { describe, expect, it } from "vitest";
import { notional } from "../../src/decimal/index.ts";
import { decide, type Policy, type PolicyQuestion } from "../../src/desk/risk/policy-decision.ts";
import { wordsFor } from "../../src/words/index.ts";
import { bookOf, NOW_MS, POLICY, QUESTION } from "../desk/risk/policy-question.ts";

const { reason } = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });

describe("a reason to ask", () => {
  it.each([
    ["mode is confirm: a person approves every order", "설정(mode = confirm)에 따라 모두 사람이 승인합니다"],
    [
      "the order counts for 150000 KRW, more than approval_over_krw 100000",
      "주문 금액 ₩150,000 (15만원)이 승인 기준(approval_over_krw) ₩100,000 (10만원)보다 큽니다",
    ],
    [
      "nobody else sells in the book, so that the price of the market is not known; it sells what is held and goes over max_order_krw (5 of 4 KRW) and max_day_krw (9 of 8 KRW)",
      "호가에 다른 사람의 매도 주문이 없어 시세를 알 수 없습니다; 가지고 있는 코인을 팔면서 다음 한도를 넘습니다: max_order_krw (5 of 4 KRW), max_day_krw (9 of 8 KRW)",
    ],
    ["a reason of tomorrow", "a reason of tomorrow"],
  ])("%s", (why, said) => {
    expect(reason(why)).toBe(said);
    expect(wordsFor().reason(why)).toBe(why);
  });
});

describe("the desk's own reasons", () => {
  const apart = bookOf([["80000000", "1"]], [["120000000", "1"]], NOW_MS);
  it.each<[string, Partial<Policy>, Partial<PolicyQuestion>]>([
    ["the mode", { mode: "confirm" }, {}],
    ["the value", { approvalOverKrw: notional("1") }, {}],
    ["the spread", { maxSlippage: "off" }, { book: apart }],
  ])("are all known: %s", (_, policy, question) => {
    const verdict = decide({ ...POLICY, ...policy }, { ...QUESTION, ...question });
    if (verdict.kind !== "ask") throw new Error(JSON.stringify(verdict));
    expect(reason(verdict.why)).toMatch(/[가-힣]/);
    expect(reason(verdict.why)).not.toMatch(/\b(the|is|more|than|order)\b/);
  });
});
