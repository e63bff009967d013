import { describe, expect, it } from "vitest";
import type { PlanTerms } from "../../src/desk/model/plan.ts";
import { noticeWords, type ShownNotice } from "../../src/words/plans/notice-words.ts";
import { wordsFor } from "../../src/words/words.ts";

const EN = wordsFor();
const KO = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });
const PLACE = { environment: "sandbox", unit: "KRW" } as const;
const AT = "2026-11-28T00:12:05.000Z";
const FILL: ShownNotice["body"] = {
  ...{ event: "fill", symbol: "BTC/KRW", side: "sell", volume: "0.1", price: "104000000", value: "10400000" },
  ...{ order_id: "7", at: AT },
};

describe("an alert that has come true", () => {
  it.each<[string, PlanTerms, ShownNotice["body"], string, string]>([
    [
      "a fill",
      { kind: "alert", event: "fill" },
      FILL,
      "[sandbox] Alert. An order executed at 2026-11-28 00:12:05 UTC: sell 0.1 BTC on BTC/KRW, at ₩104,000,000.",
      "[sandbox · 모의] 알림: 주문이 체결되었습니다. BTC/KRW 0.1 BTC 매도, 체결가 ₩104,000,000 (1억 400만원), 체결 시각 2026-11-28 09:12:05 UTC+9.",
    ],
    [
      "what everything is worth",
      { kind: "alert", event: "portfolio", above: "5000000", note: "celebrate" },
      { event: "portfolio", above: "5000000", worth: "5100000.5", unit: "KRW", at: AT },
      '[sandbox] Alert. At 2026-11-28 00:12:05 UTC everything was worth ₩5,100,000.5, which is ₩5,000,000 or more. Your note: "celebrate"',
      '[sandbox · 모의] 알림: 2026-11-28 09:12:05 UTC+9 기준 총 평가 금액은 ₩5,100,000.5 (510만 0.5원)으로, ₩5,000,000 (500만원) 이상입니다. 메모: "celebrate"',
    ],
    [
      "what everything is worth, below",
      { kind: "alert", event: "portfolio", below: "5000" },
      { event: "portfolio", below: "5000", worth: "4999", unit: "KRW", at: AT },
      "[sandbox] Alert. At 2026-11-28 00:12:05 UTC everything was worth ₩4,999, which is ₩5,000 or less.",
      "[sandbox · 모의] 알림: 2026-11-28 09:12:05 UTC+9 기준 총 평가 금액은 ₩4,999으로, ₩5,000 이하입니다.",
    ],
    [
      "the day's loss",
      { kind: "alert", event: "day_loss", above: "100" },
      { event: "day_loss", above: "100", loss: "120", unit: "USDT", at: AT },
      "[sandbox] Alert. At 2026-11-28 00:12:05 UTC today's loss was 120 USDT, which is 100 USDT or more.",
      "[sandbox · 모의] 알림: 2026-11-28 09:12:05 UTC+9 기준 오늘 손실은 120 USDT로, 100 USDT 이상입니다.",
    ],
  ])("says the figure and when: %s", (_, terms, body, en, ko) => {
    const said = [EN, KO].map((words) => noticeWords({ type: "alert.fired", body }, terms, PLACE, words));
    expect(said).toEqual([en, ko]);
  });

  it("shows a dash for what is not known", () => {
    const said = noticeWords({ type: "alert.fired", body: {} }, { kind: "alert", event: "fill" }, PLACE, EN);
    expect(said).toBe("[sandbox] Alert. An order executed at –: – – on –, at –.");
  });
});

describe("a step of a plan", () => {
  const terms: PlanTerms = { kind: "alert", event: "price", symbol: "BTC/KRW", above: "110000000" };
  const said = (type: "plan.step_done" | "plan.step_missed", body: ShownNotice["body"]) =>
    [EN, KO].map((words) => noticeWords({ type, body }, terms, PLACE, words));

  it("is named, with what has executed of it", () => {
    const executed = { volume: "0.0005", value: "52000", average_price: "104000000" };
    const step = { step: 2, label: "2026-11-28", symbol: "BTC/KRW", side: "buy" };
    expect(said("plan.step_done", { state: "done", ...step, ...executed })).toEqual([
      expect.stringMatching(/ Step 2026-11-28: buy 0\.0005 BTC on BTC\/KRW for ₩52,000, ₩104,000,000 on average\.$/),
      expect.stringMatching(
        / 회차 2026-11-28: BTC\/KRW 0\.0005 BTC 매수, 체결 금액 ₩52,000 \(5만 2,000원\), 평균 체결가 ₩104,000,000 \(1억 400만원\)\.$/,
      ),
    ]);
  });

  it("is named where nothing of it has executed, by its number where it has no date", () => {
    expect(said("plan.step_missed", { state: "missed", step: 3, symbol: "BTC/KRW", side: "buy" })).toEqual([
      expect.stringMatching(/ Step 3\.$/),
      expect.stringMatching(/ 회차: 3\.$/),
    ]);
  });
});

it("says of a piece that its limit kept from executing that the next is larger for it", () => {
  const terms: PlanTerms = {
    ...{ kind: "slices", symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "300000" } },
    ...{ count: 3, durationMs: 60_000, limitPrice: "105000000" },
  };
  const body = { state: "nothing", step: 1, symbol: "BTC/KRW", side: "buy", carried: true };
  expect([EN, KO].map((words) => noticeWords({ type: "plan.step_missed", body }, terms, PLACE, words))).toEqual([
    expect.stringMatching(
      /^\[sandbox\] Its limit kept a piece from executing, so the next one is to be larger: .+ Step 1\.$/,
    ),
    expect.stringMatching(
      /^\[sandbox · 모의\] 지정가 조건에 맞지 않아 체결되지 않은 회차가 있습니다\. 체결되지 않은 만큼 다음 회차에 더해 주문합니다: .+ 회차: 1\.$/,
    ),
  ]);
});

it("says of a plan what was so when it was told", () => {
  const terms: PlanTerms = { kind: "stop", symbol: "BTC/KRW", volume: "0.1", stopPrice: "95000000" };
  const said = noticeWords({ type: "plan.below_floor", body: { floor: "85500000" } }, terms, PLACE, EN);
  expect(said).toContain("not below ₩85,500,000");
});

describe("a plan of which nothing can come", () => {
  const terms: PlanTerms = { kind: "alert", event: "price", symbol: "BTC/KRW", above: "110000000" };
  const said = (body: ShownNotice["body"]) =>
    [EN, KO].map((words) => noticeWords({ type: "plan.gap", body }, terms, PLACE, words));

  it("says why as long as that lasts", () => {
    const why = "Nobody else buys on BTC/KRW, so nothing comes of it until somebody does.";
    expect(said({ symbol: "BTC/KRW", why, since: AT })).toEqual([
      `[sandbox] Nothing can come of it now: Tell once when the price of BTC/KRW has stood at or above ₩110,000,000. Why: ${why}`,
      expect.stringMatching(
        /^\[sandbox · 모의\] 지금은 작동할 수 없는 예약입니다: .+ 이유: BTC\/KRW 호가창에 다른 사람의 매수 호가가 없습니다\. 호가가 나올 때까지 이 예약은 작동하지 않습니다\.$/,
      ),
    ]);
  });

  it("says that it is over, and of a gap still when nobody watched", () => {
    expect(said({ symbol: "BTC/KRW", over: true })).toEqual([
      expect.stringMatching(/^\[sandbox\] It works again as before: /),
      expect.stringMatching(/^\[sandbox · 모의\] 예약이 다시 정상적으로 작동합니다: /),
    ]);
    expect(said({ symbol: "BTC/KRW", why: "no stream", from: AT })[0]).toContain("Nobody watches BTC/KRW since");
  });
});
