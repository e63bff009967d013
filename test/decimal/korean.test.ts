import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeDecimalProblem, spokenNumber } from "../../src/decimal/index.ts";
import { inKoreanUnits } from "../../src/words/amount.ts";

/** By the sum of its digits, each with its own unit, as it is said out loud. */
function outLoud(value: number, names: string): string {
  const group = (four: number): string =>
    ["천", "백", "십", ""]
      .map((unit, at) => {
        const digit = Math.floor(four / 10 ** (3 - at)) % 10;
        const name = names[digit] ?? "";
        return digit === 0 ? "" : digit === 1 && unit !== "" ? unit : `${name}${unit}`;
      })
      .join("");
  const [large, rest] = [Math.floor(value / 10_000), value % 10_000];
  return `${large === 0 ? "" : `${group(large)}만`}${group(rest)}원`;
}

describe("a number in Korean", () => {
  it.each([
    ["5만원", "50000"],
    ["만원", "10000"],
    ["천원", "1000"],
    ["5천원", "5000"],
    ["오만 원", "50000"],
    ["1억 2천만원", "120000000"],
    ["9천5백만원", "95000000"],
    ["9,500만원", "95000000"],
    ["1.5억", "150000000"],
    ["2.5천만원", "25000000"],
    ["3만5천원", "35000"],
    ["백만원어치", "1000000"],
    ["₩50,000", "50000"],
    ["50,000원", "50000"],
    ["1조 2억", "1000200000000"],
    ["0.015개", "0.015"],
    ["12개", "12"],
    ["0.3만", "3000"],
  ])("%s is %s", (text, plain) => {
    expect(spokenNumber(text)?.plain).toBe(plain);
  });

  it.each([
    "",
    "원",
    "개",
    "5만원쯤",
    "10천원",
    "1.5억 3천만",
    "1만 3억",
    "5 0만",
    "5,0만원",
    "오5만",
    "오오만",
    "1억만",
    "1억 6천",
    "1조 2천원",
    "1억 20000만",
    "₩5개",
    "비트",
    "0원",
    "1.2.3만",
    "이더",
    "전량",
    "-5만원",
  ])("%j is not certainly one", (text) => {
    expect(spokenNumber(text)).toBeUndefined();
  });

  it("is what was said by units, for every amount", () => {
    const fraction = fc.stringMatching(/^\d{0,7}[1-9]$/);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }), fc.option(fraction), (integer, decimals) => {
        const plain = decimals === null ? `${integer}` : `${integer}.${decimals}`;
        const said = inKoreanUnits(plain) ?? "";
        // A fraction behind a group of its own is how it is shown; it is certain there.
        expect(spokenNumber(said)).toEqual({ plain, unit: "won" });
      }),
    );
  });

  it("is the sum of its digits, in figures and in names", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), (value) => {
        for (const names of [" 123456789", " 일이삼사오육칠팔구"])
          expect(spokenNumber(outLoud(value, names))?.plain).toBe(String(value));
      }),
    );
  });

  it("is looked for in no time, however long the text", () => {
    const startedAt = performance.now();
    for (const text of ["만".repeat(60), "만".repeat(40_000), " ".repeat(40_000), `${"1,".repeat(20_000)}원`])
      expect(spokenNumber(text)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(200);
  });

  it("is proposed in place of what was written, and never where the meaning is not certain", () => {
    expect(describeDecimalProblem("5만원")?.message).toMatch(/write "50000" instead of "5만원"$/);
    expect(describeDecimalProblem("5만원쯤")?.message).not.toMatch(/write "/);
  });
});
