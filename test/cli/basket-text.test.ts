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
  });
});
