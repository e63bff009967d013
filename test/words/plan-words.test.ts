import { describe, expect, it } from "vitest";
import type { PlanTerms, RecurringTerms, SlicesTerms } from "../../src/desk/model/plan.ts";
import { planFiguresSheet, planInstead } from "../../src/words/plans/plan-figures.ts";
import { changeQuestion, changeSheet, planAnswer, planSheet } from "../../src/words/plans/plan-question-words.ts";
import {
  type PlanNow,
  planKind,
  planSummary,
  planTitle,
  scheduleWords,
  worstWords,
} from "../../src/words/plans/plan-words.ts";
import { wordsFor } from "../../src/words/words.ts";

const EN = wordsFor();
const KO = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });

const SOLD = { symbol: "BTC/KRW", volume: "0.1" };
const STOP: PlanTerms = { kind: "stop", ...SOLD, stopPrice: "95000000", floorPrice: "85500000" };
const RECURRING: RecurringTerms = {
  ...{ kind: "recurring", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "50000" } },
  ...{ schedule: "weekly mon,thu 09:00", timezone: "Asia/Seoul" },
};
const SLICES: SlicesTerms = {
  ...{ kind: "slices", symbol: "BTC/KRW", side: "sell", size: { volume: "1" } },
  ...{ count: 10, durationMs: 5_430_000 },
};
const NOW: PlanNow = {
  ...{ trigger: "95000000", high: "100000000", floor: "85500000", unit: "KRW" },
  ...{ turnsLeft: 12, next: "2026-12-03T00:00:00Z" },
};

describe("a plan in one line", () => {
  it.each<[string, PlanTerms, string, string]>([
    [
      "a stop",
      STOP,
      "Sell up to 0.1 BTC on BTC/KRW when the price has stood at or below ₩95,000,000, not below ₩85,500,000.",
      "BTC/KRW 시세가 ₩95,000,000 (9,500만원) 이하를 2초간 유지하면 최대 0.1개를 매도합니다. ₩85,500,000 (8,550만원) 아래로는 팔지 않습니다.",
    ],
    [
      "a stop that rests",
      { kind: "stop", ...SOLD, stopPrice: "95000000", limitPrice: "94000000" },
      "When the price has stood at or below ₩95,000,000, place a sell of up to 0.1 BTC on BTC/KRW at ₩94,000,000, which rests there.",
      "BTC/KRW 시세가 ₩95,000,000 (9,500만원) 이하를 2초간 유지하면 최대 0.1개를 ₩94,000,000 (9,400만원)에 지정가 매도 주문합니다. 주문은 호가에 남아 체결을 기다립니다.",
    ],
    [
      "a take-profit",
      { kind: "take_profit", ...SOLD, takePrice: "110000000" },
      "Sell up to 0.1 BTC on BTC/KRW at ₩110,000,000 or better.",
      "BTC/KRW 시세가 ₩110,000,000 (1억 1,000만원) 이상이면 최대 0.1개를 그 가격 이상에 매도합니다.",
    ],
    [
      "a trailing stop",
      { kind: "trailing_stop", ...SOLD, trail: { percent: "5" } },
      "Sell up to 0.1 BTC on BTC/KRW when the price falls 5 % below its highest (now ₩100,000,000: at ₩95,000,000), not below ₩85,500,000.",
      "BTC/KRW 시세가 고점 대비 5% 내리면 최대 0.1개를 매도합니다. 현재 고점은 ₩100,000,000 (1억원), 발동 가격은 ₩95,000,000 (9,500만원)이며, ₩85,500,000 (8,550만원) 아래로는 팔지 않습니다.",
    ],
    [
      "pieces",
      SLICES,
      "Sell 1 BTC of BTC/KRW in 10 pieces over 1 h 30 min 30 s.",
      "BTC/KRW 1 BTC를 1시간 30분 30초 동안 10번에 나눠 매도합니다.",
    ],
    [
      "regular buys",
      { ...RECURRING, limitPrice: "99000000" },
      "Buy ₩50,000 of BTC/KRW weekly mon,thu 09:00 (Asia/Seoul), 12 times, next 2026-12-03 00:00:00 UTC. No higher than ₩99,000,000.",
      "매주 월·목 09:00(Asia/Seoul)에 BTC/KRW ₩50,000 (5만원)어치를 매수합니다. 앞으로 12회, 다음 2026-12-03 09:00:00 UTC+9. ₩99,000,000 (9,900만원)보다 비싸게 사지 않습니다.",
    ],
    [
      "an alert on a price",
      { kind: "alert", event: "price", symbol: "BTC/KRW", below: "90000000" },
      "Tell once when the price of BTC/KRW has stood at or below ₩90,000,000.",
      "BTC/KRW 시세가 ₩90,000,000 (9,000만원) 이하를 2초간 유지하면 한 번 알립니다.",
    ],
    [
      "an alert on fills",
      { kind: "alert", event: "fill" },
      "Tell once when any order executes.",
      "어떤 주문이든 체결되면 한 번 알립니다.",
    ],
    [
      "an alert on what all is worth",
      { kind: "alert", event: "portfolio", above: "5000000" },
      "Tell once when everything is worth ₩5,000,000 or more.",
      "총 평가 금액이 ₩5,000,000 (500만원) 이상이면 한 번 알립니다.",
    ],
    [
      "an alert on a loss",
      { kind: "alert", event: "day_loss", above: "10000" },
      "Tell once when today's loss is ₩10,000 or more.",
      "오늘 손실이 ₩10,000 (1만원) 이상이면 한 번 알립니다.",
    ],
  ])("says what %s does", (_, plan, en, ko) => {
    expect(planSummary(plan, NOW, EN)).toBe(en);
    expect(planSummary(plan, NOW, KO)).toBe(ko);
  });

  it("says of a basket every order, what is left, and that nothing else is touched", () => {
    const basket: PlanTerms = {
      ...{ kind: "rebalance", weights: { BTC: "60", ETH: "38", XRP: "0", KRW: "2" }, quote: "KRW" },
      orders: [
        { symbol: "BTC/KRW", side: "sell", size: { volume: "0.2" }, value: "20800000" },
        { symbol: "ETH/KRW", side: "buy", size: { quoteAmount: "31000000" }, value: "31000000" },
      ],
      ...{ fromCash: "10200000", toCash: "0", left: [{ asset: "XRP", why: "small" }] },
    };
    expect(planSummary(basket, NOW, EN)).toBe(
      "Bring the account to BTC 60 %, ETH 38 %, XRP 0 %, KRW 2 %, sells first: sell 0.2 BTC for about ₩20,800,000; buy ETH for up to ₩31,000,000. " +
        "Left as they are, or in part: XRP (less than its market takes). " +
        "Buys spend what the sells bring and what was planned of the cash, no more. Other coins are left and not counted.",
    );
    expect(planSummary(basket, NOW, KO)).toBe(
      "계좌 비중을 BTC 60%, ETH 38%, XRP 0%, KRW 2%로 맞춥니다. 주문은 매도, 매수 순으로 냅니다: 0.2 BTC 매도, 약 ₩20,800,000 (2,080만원); ETH 매수, 최대 ₩31,000,000 (3,100만원). " +
        "그대로 두거나 일부만 맞추는 자산: XRP (최소 주문 금액 미만). " +
        "매수에는 매도 대금과 미리 정한 현금만 씁니다. 비중을 정하지 않은 코인은 그대로 두고 계산에도 넣지 않습니다.",
    );
    expect(worstWords(basket, { value: "51815500" }, "KRW", KO)).toBe(
      "매도(요청 당시 호가)와 매수(수수료 포함) 합계 ₩51,815,500 (5,181만 5,500원)",
    );
    expect([planKind(basket, EN), planKind(basket, KO)]).toEqual(["rebalancing", "리밸런싱"]);
  });

  it("says of two prices that one amount is sold, and then each", () => {
    const plan: PlanTerms = { kind: "oco", ...SOLD, stop: { trail: { amount: "5000000" } }, takePrice: "110000000" };
    expect(planSummary(plan, NOW, EN)).toBe(
      "One amount of 0.1 BTC: whichever comes first, never both. Sell up to 0.1 BTC on BTC/KRW when the price falls ₩5,000,000 below its highest (now ₩100,000,000: at ₩95,000,000), not below ₩85,500,000. Sell up to 0.1 BTC on BTC/KRW at ₩110,000,000 or better.",
    );
    expect(planSummary(plan, NOW, KO)).toMatch(/^같은 0\.1개에 두 조건을 겁니다\. 먼저 닿는 쪽만/);
  });

  it("says of one that begins with a buy what it waits for, and its prices as they would be", () => {
    const after = { intentId: "i", order: "buy-1", stop: "5", take: "10", price: "100000000", priceMin: "85500000" };
    const plan: PlanTerms = {
      ...{ kind: "oco", ...SOLD, stop: { stopPrice: "95000000" }, takePrice: "110000000", after },
    };
    expect(planSummary(plan, NOW, EN)).toMatch(
      /^Begins when buy buy-1 has ended, with what it bought, 0\.1 BTC at most; nothing is protected before\. Its prices are of the average price of the buy: stop 5 % below, take-profit 10 % above\. At ₩100,000,000: One amount of 0\.1 BTC/,
    );
    expect(planSummary(plan, NOW, KO)).toMatch(/^매수 주문 buy-1이 끝나면 .+ 손절 -5%, 익절 \+10%입니다\./);
    const trails: PlanTerms = { ...plan, stop: { trail: { percent: "5" } } };
    expect(planSummary(trails, NOW, EN)).toContain(
      "the stop 5 % below the highest from there, take-profit 10 % above.",
    );
    expect(planSummary(trails, NOW, KO)).toContain("손절은 매수 이후 고점 대비 5% 내릴 때");
  });

  it("shows what is not known as a dash", () => {
    expect(planSummary({ kind: "trailing_stop", ...SOLD, trail: { percent: "5" } }, { unit: "KRW" }, EN)).toContain(
      "(now –: at –), not below –.",
    );
    expect(planSummary(RECURRING, { unit: "KRW" }, EN)).toContain("– times, next –.");
  });
});

describe("a calendar in Korean", () => {
  it.each([
    ["daily 09:00", "매일 09:00"],
    ["weekly sun,sat 23:30", "매주 일·토 23:30"],
    ["monthly 1,15,last 09:00", "매월 1일·15일·말일 09:00"],
  ])("says %s as %s, and in English as it is written", (schedule, korean) => {
    expect(scheduleWords(schedule, KO)).toBe(korean);
    expect(scheduleWords(schedule, EN)).toBe(schedule);
  });
});

describe("the worst case in words", () => {
  const worst = { value: "10005000", atLeast: { price: "85500000", value: "8550000" }, volume: "1" };

  it.each<[PlanTerms, string, string]>([
    [
      STOP,
      "sells up to 0.1 BTC at ₩85,500,000 or better: at least ₩8,550,000 before fees where all of it sells; below that price it may sell nothing",
      "₩85,500,000 (8,550만원) 이상에 최대 0.1 BTC 매도. 모두 팔리면 수수료 차감 전 ₩8,550,000 (855만원) 이상이며, 시세가 그 가격보다 낮으면 하나도 팔리지 않을 수 있음",
    ],
    [RECURRING, "₩10,005,000 spent, fees in", "매수에 ₩10,005,000 (1,000만 5,000원) 사용, 수수료 포함"],
    [
      SLICES,
      "1 BTC sold, worth ₩10,005,000 by the book when it was asked for",
      "모두 1 BTC 매도, 요청 당시 호가로 ₩10,005,000 (1,000만 5,000원)",
    ],
    [{ kind: "alert", event: "fill" }, "nothing, as it trades never", "없음(주문하지 않음)"],
  ])("is of %j what it may come to", (plan, en, ko) => {
    expect(worstWords(plan, worst, "KRW", EN)).toBe(en);
    expect(worstWords(plan, worst, "KRW", KO)).toBe(ko);
  });
});

describe("what a person is asked of a plan", () => {
  const question = {
    ...{ plan: STOP, now: NOW, account: "main", isLive: true, until: "2026-12-24T14:59:59Z", slippage: "3" },
    worst: { value: "10005000", atLeast: { price: "85500000", value: "8550000" } },
  };

  it("says what it does, its worst, what it goes over, and that it runs only while hoga does", () => {
    const [asked, what, worst, limits, runs, does] = planSheet(question, EN);
    expect(asked).toBe("[LIVE] Approve this plan of account main? One yes covers all its orders.");
    expect(what).toBe(planSummary(STOP, NOW, EN));
    expect(worst).toMatch(/^At most: sells up to 0\.1 BTC .*\. Ends 2026-12-24 14:59:59 UTC\.$/);
    expect(limits).toContain("3 % below the best bid in place of the price collar");
    expect(runs).toContain("only while hoga runs. While trading is halted it does not sell");
    expect(does).toBe("Yes starts exactly this plan.");
  });

  it("is the same in Korean, and of a calendar without what only protections do", () => {
    expect(planSheet(question, KO)).toEqual([
      "[LIVE · 실거래] 계좌 main: 이 예약을 승인하시겠습니까? 한 번 승인하면 이 예약의 주문을 건마다 다시 묻지 않습니다.",
      planSummary(STOP, NOW, KO),
      expect.stringMatching(/^최악의 경우: .*\. 종료 2026-12-24 23:59:59 UTC\+9\.$/),
      "이 예약의 매도는 주문, 미체결, 하루 한도를 넘을 수 있습니다. 가격은 평소의 가격 제한 대신 최우선 매수호가보다 3% 낮은 가격까지 허용합니다.",
      "hoga가 켜져 있는 동안에만 작동합니다. 거래가 정지된 동안에는 팔지 않습니다. 시세가 급변해 하한 아래로 건너뛰면 팔지 못합니다.",
      "예를 고르면 정확히 이 예약만 시작합니다.",
    ]);
    const { slippage: _, ...dated } = { ...question, plan: RECURRING, isLive: false };
    const sheet = planSheet(dated, KO);
    expect(sheet).toHaveLength(5);
    expect(sheet[3]).toContain("놓친 주문을 나중에 대신 내지 않습니다");
  });

  it("names a change that takes a protection away, and one that starts a plan again", () => {
    const change = { planId: "plan-7", volume: "0.10", asset: "BTC", isLive: true };
    expect(changeQuestion({ ...change, action: "pause" }, EN)).toBe(
      "[LIVE] The assistant wants to pause plan plan-7, which protects 0.1 BTC. Take this protection away?",
    );
    expect(changeQuestion({ ...change, action: "cancel" }, KO)).toBe(
      "[LIVE · 실거래] 어시스턴트가 BTC 0.1개를 보호하는 예약 plan-7을 취소하려 합니다. 이 보호를 해제하시겠습니까?",
    );
    expect(changeQuestion({ ...change, action: "resume", isLive: false }, KO)).toBe(
      "[sandbox · 모의] 예약 plan-7을 승인하신 그대로 다시 시작하시겠습니까?",
    );
  });

  it("says what was known against it, why and until when, and what it takes the place of", () => {
    const known = {
      ...{ why: "a person approves every plan that may trade", ends: "2026-12-01T00:05:00Z" },
      replaces: { id: "plan-6", kind: "stop", does: "Sell up to 0.1 BTC." },
      warnings: ["how far the market ordinarily moves could not be read"],
    };
    expect(planSheet({ ...question, ...known }, EN).slice(2)).toEqual([
      "It takes the place of plan plan-6, which stays as it is until you have said yes, and then ends. What ends (stop): Sell up to 0.1 BTC.",
      expect.stringMatching(/^At most/),
      expect.stringMatching(/price collar/),
      expect.stringMatching(/only while hoga runs/),
      "Warning when it was asked for: how far the market ordinarily moves could not be read",
      "Why you are asked: a person approves every plan that may trade.",
      "Yes starts exactly this plan. It can be answered until 2026-12-01 00:05:00 UTC.",
    ]);
    expect(planSheet({ ...question, ...known }, KO).slice(-3)).toEqual([
      "요청 당시 주의 사항: 평소 시세가 얼마나 움직이는지 확인하지 못했습니다.",
      "승인이 필요한 이유: 주문을 낼 수 있는 예약은 모두 사람이 승인합니다.",
      "예를 고르면 정확히 이 예약만 시작합니다. 승인 기한 2026-12-01 09:05:00 UTC+9.",
    ]);
  });

  it("says on the page too what ends as it begins, with what that has left to sell", () => {
    const until = "2026-12-01T00:00:00Z";
    const old = {
      plan_id: "plan-6",
      terms: STOP,
      left_volume: "0.04",
      floor: "85500000",
      worst_case_value: "0",
      until,
    };
    const small: PlanTerms = { ...STOP, volume: "0.001" };
    const plan = { terms: small, worst_case_value: "0", until, replaces: old };
    const asking = { action: "start", planId: "plan-8", account: "main", isLive: false, unit: "KRW" } as const;
    expect(planFiguresSheet(plan, asking, KO)[2]).toBe(
      "승인하시면 기존 예약 plan-6을 종료하고 이 예약으로 대신합니다. 그때까지는 기존 예약을 그대로 둡니다. 종료되는 예약(손절): " +
        "BTC/KRW 시세가 ₩95,000,000 (9,500만원) 이하를 2초간 유지하면 최대 0.04개를 매도합니다. ₩85,500,000 (8,550만원) 아래로는 팔지 않습니다.",
    );
    expect(planInstead(plan, "KRW", EN)).toBe(
      "In the place of plan plan-6 (stop): Sell up to 0.04 BTC on BTC/KRW when the price has stood at or below ₩95,000,000, not below ₩85,500,000.",
    );
    expect(planInstead({}, "KRW", EN)).toBeUndefined();
  });

  it("shows of a change what the plan does, and of one that starts again what it may cost", () => {
    const change = { planId: "plan-7", volume: "0.1", asset: "BTC", isLive: true };
    const removal = changeSheet({ ...change, action: "pause" }, question, KO);
    expect(removal).toEqual([
      changeQuestion({ ...change, action: "pause" }, KO),
      planSummary(STOP, NOW, KO),
      "예를 고르면 정확히 위 내용만 이 예약에 적용합니다.",
    ]);
    const again = changeSheet({ ...change, action: "resume" }, question, EN);
    expect(again).toHaveLength(6);
    expect(again[2]).toMatch(/^At most/);
    expect(planAnswer(EN, "pause").yes).toBe("Take this protection away");
    expect(planAnswer(KO, "resume").yes).toBe("다시 시작합니다");
  });

  it("has a name and an answer in both languages", () => {
    expect([planTitle(STOP, EN), planTitle(STOP, KO)]).toEqual(["plan: stop", "예약: 손절"]);
    expect(planTitle(RECURRING, KO)).toBe("예약: 적립식 매수");
    expect(planTitle({ ...RECURRING, side: "sell" }, KO)).toBe("예약: 정기 매도");
    expect(planAnswer(KO)).toEqual({ yes: "이 예약을 시작합니다", does: "예를 고르면 정확히 이 예약만 시작합니다." });
    expect(planAnswer(EN).yes).toBe("Start this plan");
  });
});
