import { describe, expect, it } from "vitest";
import type { PlanKind, PlanTerms } from "../../src/desk/model/plan.ts";
import type { NoticeType } from "../../src/desk/ports/notices.ts";
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

const SOLD = { symbol: "BTC/KRW", volume: "0.1" } as const;
const STOP: PlanTerms = { kind: "stop", ...SOLD, stopPrice: "95000000" };
const AFTER = { intentId: "i-1", order: "buy-1", take: "10", price: "100000000", priceMin: "80000000" } as const;
const BUY = { symbol: "BTC/KRW", side: "buy", size: { quoteAmount: "5000" } } as const;
const PLANS: { readonly [Kind in PlanKind]: readonly (PlanTerms & { readonly kind: Kind })[] } = {
  stop: [
    { kind: "stop", ...SOLD, stopPrice: "95000000" },
    { kind: "stop", ...SOLD, stopPrice: "95000000", limitPrice: "94000000" },
  ],
  take_profit: [{ kind: "take_profit", ...SOLD, takePrice: "110000000" }],
  trailing_stop: [{ kind: "trailing_stop", ...SOLD, trail: { amount: "5000000" } }],
  oco: [
    { kind: "oco", ...SOLD, stop: { stopPrice: "95000000" }, takePrice: "110000000", after: { ...AFTER, stop: "5" } },
    { kind: "oco", ...SOLD, stop: { trail: { percent: "5" } }, takePrice: "110000000", after: AFTER },
  ],
  recurring: [{ kind: "recurring", ...BUY, schedule: "daily 09:00", timezone: "Asia/Seoul" }],
  slices: [{ kind: "slices", ...BUY, count: 3, durationMs: 60_000, limitPrice: "100000000" }],
  rebalance: [
    { kind: "rebalance", weights: { BTC: "50" }, quote: "KRW", orders: [], fromCash: "0", toCash: "0", left: [] },
  ],
  alert: [{ kind: "alert", event: "price", symbol: "BTC/KRW", above: "110000000" }],
};
const EVERY_PLAN = Object.values(PLANS)
  .flat()
  .map((plan): [string, PlanTerms] => [JSON.stringify(plan), plan]);
const GAP = { symbol: "BTC/KRW", why: "no stream", from: AT } as const;
/** With as little as there may be in each. */
const EVERY_TYPE: Readonly<Record<NoticeType, readonly ShownNotice["body"][]>> = {
  "plan.active": [{ state: "active", by: "person" }],
  "plan.triggered": [
    { leg: "stop", below: "95000000", step: 1 },
    { leg: "stop", below: "95000000", why: "W.", sent: false },
    { leg: "take", above: "110000000", high: "100000000", step: 1 },
  ],
  "plan.step_done": [{ step: 1, volume: "0.1", average_price: "1", left: "0" }],
  "plan.step_missed": [
    { state: "missed", step: 1 },
    { state: "missed", count: 2, steps: [1, 2], why: "W." },
  ],
  "plan.below_floor": [{ leg: "stop", bid: "80000000", floor: "85500000" }],
  "plan.attention": [{ state: "attention", why: "W." }],
  "plan.paused": [{ state: "paused", why: "W." }],
  "plan.removal_requested": [{ state: "active", action: "cancel", expires_at: AT }],
  "plan.expiring": [{ symbol: "BTC/KRW", until: AT }],
  "plan.ended": [
    { state: "expired", until: AT, why: "W." },
    { state: "done", volume: "0.1", left: "0", why: "W." },
  ],
  "plan.gap": [GAP, { ...GAP, to: AT, low: "90000000", high: "110000000" }, { why: "W." }, { over: true }],
  "alert.fired": [{ event: "price", symbol: "BTC/KRW", at: AT }],
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

  it("says of a protection by which of its prices it sold, and what is left", () => {
    const sold = {
      step: 1,
      symbol: "BTC/KRW",
      side: "sell",
      volume: "0.06",
      value: "5400000",
      average_price: "90000000",
    };
    const trails: PlanTerms = { kind: "oco", ...SOLD, stop: { trail: { percent: "5" } }, takePrice: "110000000" };
    const endOf = (plan: PlanTerms, leg: "stop" | "take") =>
      [EN, KO].map((words) => {
        const body = { ...sold, leg, left: "0.04" };
        return noticeWords({ type: "plan.step_done", body }, plan, PLACE, words).replace(/^.*(?=(?:Step|회차) )/, "");
      });
    expect([endOf(STOP, "stop"), endOf(trails, "stop"), endOf(trails, "take")]).toEqual([
      [
        "Step 1: sell 0.06 BTC on BTC/KRW for ₩5,400,000, ₩90,000,000 on average. By the stop; 0.04 BTC is left.",
        "회차 1: BTC/KRW 0.06 BTC 매도, 체결 금액 ₩5,400,000 (540만원), 평균 체결가 ₩90,000,000 (9,000만원). 손절로 팔았고, 남은 수량은 0.04 BTC입니다.",
      ],
      [
        expect.stringMatching(/ By the trailing stop; 0\.04 BTC is left\.$/),
        expect.stringMatching(/ 트레일링 스탑으로 팔았고, /),
      ],
      [expect.stringMatching(/ By the take-profit; /), expect.stringMatching(/ 익절로 팔았고, /)],
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
      /^\[sandbox · 모의\] 시세가 지정가를 벗어나 체결되지 않은 회차가 있습니다\. 다음 회차는 더 크게 주문합니다: .+ 회차: 1\.$/,
    ),
  ]);
});

describe("what a plan does, as a notice says it", () => {
  const trails: PlanTerms = { kind: "trailing_stop", ...SOLD, trail: { percent: "4" } };
  const said = (plan: PlanTerms, type: ShownNotice["type"], body: ShownNotice["body"]) =>
    noticeWords({ type, body }, plan, PLACE, EN);

  it("has the figures of that time, which the notice has", () => {
    const floor = { floor: "85500000" };
    expect(said(STOP, "plan.below_floor", floor)).toContain("not below ₩85,500,000");
    const triggered = { leg: "stop", below: "96000000", high: "100000000" };
    expect(said(trails, "plan.below_floor", { ...triggered, ...floor })).toContain(
      "(now ₩100,000,000: at ₩96,000,000), not below ₩85,500,000.",
    );
  });

  it("has no figure of something else: of a gap, or of the take-profit", () => {
    const gap = { symbol: "BTC/KRW", why: "no stream", from: AT, to: AT, low: "90000000", high: "110000000" };
    const plain = "Sell up to 0.1 BTC on BTC/KRW when the price falls 4 % below its highest.";
    expect(said(trails, "plan.gap", gap)).toContain(`: ${plain} Meanwhile the price was between`);
    const oco: PlanTerms = { kind: "oco", ...SOLD, stop: { stopPrice: "95000000" }, takePrice: "110000000" };
    const body = { leg: "take", above: "110000000", floor: "110000000" };
    expect(said(oco, "plan.below_floor", body)).not.toContain("not below");
  });

  it.each(EVERY_PLAN)("has no dash where a figure is not known, whatever is told: %s", (_, plan) => {
    const told = [EN, KO].flatMap((words) =>
      Object.entries(EVERY_TYPE).flatMap(([type, bodies]) =>
        bodies.map((body) => noticeWords({ type: type as ShownNotice["type"], body }, plan, PLACE, words)),
      ),
    );
    expect(told.filter((text) => /[–{}]|undefined/.test(text))).toEqual([]);
  });
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
