<<<<<<< HEAD
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
=======
/** What the terminal says of a basket, which has no market of its own. */
import { describe, expect, it } from "vitest";
import { planDetailText } from "../../src/cli/text/plan-text.ts";
import { type Locale, wordsFor } from "../../src/words/index.ts";
import { BASKET } from "../mcp/full-plans.ts";

const VIEW = {
  ...({ environment: "sandbox", account: "paper", unit: "KRW", plans: [BASKET], next_cursor: null } as const),
  watch: { watched_since: null, last_look_at: null, gaps: [] },
};

function detailOf(locale: Locale): readonly string[] {
  const words = wordsFor({ locale, timeZone: "Asia/Seoul" });
  return planDetailText(BASKET, VIEW, words, (_, text) => text).split("\n");
}

describe("the figures of a basket on a terminal", () => {
  it("have the coin or the money that they are of", () => {
    const lines = detailOf("en");
    expect(lines.find((line) => /spent/i.test(line) && line.includes("₩821,83"))).toMatch(/₩821,836\.74$/);
    expect(lines.filter((line) => /^\d +(buy|sell) /.test(line))).toEqual([
      expect.stringMatching(/^2 +buy ETH\/KRW +done .* 0\.15148693 ETH /),
      expect.stringMatching(/^1 +sell XRP\/KRW +done .* 431\.7 XRP /),
    ]);
  });

  it("and its steps are in Korean where a person reads Korean", () => {
    const text = detailOf("ko").join("\n");
    expect(text).toMatch(/^2 +ETH\/KRW 매수 /m);
    expect(text).toMatch(/^1 +XRP\/KRW 매도 /m);
    expect(text).toContain("₩821,836.74 (82만 1,836.74원)");
>>>>>>> 4302e056 (fix(plans): each figure of a basket has its coin or its money, rounded as others, and its steps are named in Korean)
  });
});
