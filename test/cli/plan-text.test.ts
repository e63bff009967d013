/** What a person at the terminal reads of one plan. */
import { describe, expect, it } from "vitest";
import { planDetailText } from "../../src/cli/text/plan-text.ts";
import type { PlansView, PlanView } from "../../src/desk/index.ts";
import { wordsFor } from "../../src/words/index.ts";

const PLAN: PlanView = {
  ...{ plan_id: "plan-1", kind: "stop", state: "active", symbol: "BTC/KRW", worst_case_value: "0", reserved: "0" },
  ...{ until: "2026-10-18T09:00:00.000Z", created_at: null, updated_at: null, left_volume: "0.1" },
  terms: { kind: "stop", symbol: "BTC/KRW", volume: "0.1", stopPrice: "97000000" },
};
const VIEW: PlansView = {
  ...{ environment: "sandbox", account: "paper", unit: "KRW", plans: [], next_cursor: null },
  watch: { watched_since: null, last_look_at: null, gaps: [] },
};
const said = (more: Partial<PlanView>): readonly string[] =>
  (["en", "ko"] as const).map((locale) =>
    planDetailText({ ...PLAN, ...more }, VIEW, wordsFor({ locale, timeZone: "UTC" }), (_, text) => text),
  );

describe("one plan", () => {
  it("says whose money it is about", () => {
    expect(said({}).map((text) => text.split("\n")[0])).toEqual([
      '[sandbox] A plan of account "paper".',
      '[sandbox · 모의] 계좌 "paper"의 예약.',
    ]);
  });

  it("is watched by nobody only while it is to be watched", () => {
    const after = { intentId: "i", order: "buy-1", stop: "5", take: "10", price: "100000000", priceMin: "85500000" };
    const oco = { kind: "oco", symbol: "BTC/KRW", volume: "0.1", stop: { stopPrice: "95000000" } } as const;
    const [active] = said({});
    const [paused, korean] = said({ state: "paused" });
    const [waits] = said({ terms: { ...oco, takePrice: "110000000", after }, kind: "oco" });
    expect(active).toContain("not watched now");
    expect(active).toContain("Nobody watches");
    expect(paused).toMatch(/No active plan is listed, so nothing is to be watched\.$/);
    expect(korean).toMatch(/목록에 진행 중인 예약이 없어 감시할 것이 없습니다\.$/);
    expect(waits).not.toContain("not watched now");
  });
});

describe("a protection whose price has come", () => {
  it.each([
    [{ leg: "stop", filled_volume: "0" }, "The stop has triggered.", "손절이 발동되었습니다."],
    [{ leg: "stop", filled_volume: "0.1" }, "The stop has triggered.", "손절이 발동되었습니다."],
    [{ kind: "oco", leg: "take", filled_volume: "0" }, "The take-profit has triggered.", "익절이 발동되었습니다."],
    [
      { kind: "oco", leg: "take", filled_volume: "0.1" },
      "The take-profit has sold first.",
      "익절이 먼저 체결되었습니다.",
    ],
  ] as const)("is said to have sold first only where it has, and another could have: %j", (more, en, ko) => {
    const [english = "", korean = ""] = said(more);
    expect([
      english.match(/The .+ has (triggered|sold first)\./)?.[0],
      korean.match(/(손절|익절)이 .+\./)?.[0],
    ]).toEqual([en, ko]);
  });

  it("says why it sells nothing", () => {
    const why = "The market is below its floor, so nothing is sold.";
    const [english, korean] = said({ why });
    expect(english).toContain(`why: ${why}`);
    expect(korean).toContain("이유: 시세가 매도 하한보다 낮아 팔지 않고 있습니다.");
  });
});
