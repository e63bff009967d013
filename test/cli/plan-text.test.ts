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
