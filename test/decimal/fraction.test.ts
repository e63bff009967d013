import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fraction, type RoundingMode } from "../../src/decimal/index.ts";

const MODES: readonly RoundingMode[] = ["down", "up", "half_even"];
const decimal = fc
  .tuple(fc.nat(999_999), fc.nat(99_999_999))
  .map(([whole, rest]) => `${whole}.${String(rest).padStart(8, "0")}`);
const of = (text: string): Fraction =>
  text.startsWith("-") ? Fraction.ZERO.minus(Fraction.of(text.slice(1))) : Fraction.of(text);
const plain = (text: string): string => text.replace(/\.?0+$/, "");
const units = (text: string): bigint => BigInt(text.replace(".", ""));

describe("a fraction", () => {
  it("adds, takes away and multiplies like whole numbers", () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const scaled = (figure: Fraction): string => figure.rounded(16, "down");
        const written = (value: bigint, decimals: number): string => {
          const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
          const text = plain(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
          return value < 0n ? `-${text}` : text;
        };
        expect(scaled(of(a).plus(of(b)))).toBe(written(units(a) + units(b), 8));
        expect(scaled(of(a).minus(of(b)))).toBe(written(units(a) - units(b), 8));
        expect(scaled(of(a).times(of(b)))).toBe(written(units(a) * units(b), 16));
        expect(of(a).cmp(of(b))).toBe(units(a) === units(b) ? 0 : units(a) < units(b) ? -1 : 1);
      }),
    );
  });

  it("loses nothing when it is shared and put together again", () => {
    const positive = decimal.filter((text) => units(text) > 0n);
    fc.assert(
      fc.property(decimal, positive, positive, (amount, one, other) => {
        const [a, b, whole] = [of(one), of(other), of(one).plus(of(other))];
        const sum = of(amount).share(a, whole).plus(of(amount).share(b, whole));
        expect(sum.cmp(of(amount))).toBe(0);
      }),
    );
  });

  it.each([
    ["2.5", ["2", "3", "2"]],
    ["3.5", ["3", "4", "4"]],
    ["-2.5", ["-3", "-2", "-2"]],
    ["-3.5", ["-4", "-3", "-4"]],
    ["-0.4", ["-1", "0", "0"]],
    ["0.50000001", ["0", "1", "1"]],
    ["7", ["7", "7", "7"]],
  ])("rounds %s once, down, up and half to even", (text, expected) => {
    expect(MODES.map((mode) => of(text).rounded(0, mode))).toEqual(expected);
  });

  it("is the same from its exact text, and goes on as it would have", () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 6 }), decimal, fc.boolean(), (parts, more, isLess) => {
        const sum = parts.reduce((all, part) => {
          const next = all.plus(of(part));
          return next.isZero() ? next : next.share(of("1"), next.plus(of(more)).plus(of("1")));
        }, of("0"));
        const figure = isLess ? sum.minus(of("1000000000000")) : sum;
        const read = Fraction.ofExactText(figure.exactText());
        expect(read.exactText()).toBe(figure.exactText());
        expect(read.times(of(more)).minus(of("1")).exactText()).toBe(figure.times(of(more)).minus(of("1")).exactText());
      }),
    );
  });

  it("knows that three thirds are one, and no zero to divide by", () => {
    const third = of("1").share(of("1"), of("3"));
    expect(third.rounded(8, "half_even")).toBe("0.33333333");
    expect(third.plus(third).plus(third).cmp(of("1"))).toBe(0);
    expect(of("1").share(of("1"), of("-4")).rounded(2, "down")).toBe("-0.25");
    expect(() => of("1").share(of("1"), Fraction.ZERO)).toThrow("division by zero");
  });

  it("stays short enough to calculate with, and right to 64 decimals", () => {
    let long = of("1");
    for (let n = 0; n < 2_000; n++) long = long.share(of("0.99999999"), of("1.00000001")).bounded();
    // (1 - 1e-8)^2000 / (1 + 1e-8)^2000, which is near e^-0.00004.
    expect(long.rounded(12, "half_even")).toBe("0.9999600008");
    const short = of("1").share(of("1"), of("3"));
    expect(short.bounded()).toBe(short);
  });
});
