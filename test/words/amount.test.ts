import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inKoreanUnits } from "../../src/words/amount.ts";
import { wordsFor } from "../../src/words/index.ts";

const ko = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });
const en = wordsFor({ locale: "en", timeZone: "Asia/Seoul" });

/** By repeated division, from the smallest unit up. */
function naive(integer: bigint): string {
  let [rest, said] = [integer, ""];
  for (const unit of ["", "만", "억", "조"]) {
    const group = rest % 10_000n;
    if (group > 0n) said = `${group.toLocaleString("en-US")}${unit} ${said}`;
    rest /= 10_000n;
  }
  if (rest > 0n) said = `${rest.toLocaleString("en-US")}경 ${said}`;
  return `${said === "" ? "0" : said.trim()}원`;
}

describe("won in Korean", () => {
  it.each([
    ["145000000", "₩145,000,000 (1억 4,500만원)"],
    ["10000", "₩10,000 (1만원)"],
    ["9999", "₩9,999"],
    ["9999.5", "₩9,999.5"],
    ["12345.50", "₩12,345.5 (1만 2,345.5원)"],
    ["100000000.25", "₩100,000,000.25 (1억 0.25원)"],
    ["-50000", "-₩50,000 (-5만원)"],
    ["0", "₩0"],
    ["12345678901234567890123", "₩12,345,678,901,234,567,890,123 (1,234,567경 8,901조 2,345억 6,789만 123원)"],
    ["more", "₩more"],
  ])("%s", (text, shown) => {
    expect(ko.amount(text, "KRW")).toBe(shown);
  });

  it("are said as by counting them out, for every whole number", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 26n }), (integer) => {
        expect(inKoreanUnits(String(integer))).toBe(naive(integer));
      }),
    );
  });

  it("keep every decimal, and the sign", () => {
    const digits = fc.stringMatching(/^\d{0,11}[1-9]$/);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 18n }), digits, fc.boolean(), (integer, decimals, isNegative) => {
        const said = inKoreanUnits(`${isNegative ? "-" : ""}${integer}.${decimals}`) ?? "";
        expect(said.endsWith(`.${decimals}원`)).toBe(true);
        expect(said.startsWith("-")).toBe(isNegative);
      }),
    );
  });

  it("stay as the others are in English, and coins in both", () => {
    expect(en.amount("145000000", "KRW")).toBe("₩145,000,000");
    expect(en.won("145000000")).toBe("₩145,000,000");
    for (const words of [en, ko]) expect(words.amount("12345678.5", "XRP")).toBe("12,345,678.5 XRP");
  });
});
