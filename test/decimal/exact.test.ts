import { Decimal as SharedDecimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  averagePrice,
  DecimalInvariantError,
  max,
  min,
  notional,
  notionalOf,
  type Price,
  price,
  quantity,
  quantityFor,
  type RoundingMode,
  rate,
} from "../../src/decimal/index.ts";
import { anyUnits, plainText, positiveUnits, textOf } from "./arbitraries.ts";

const modes: readonly RoundingMode[] = ["down", "up", "half_even"];

/** floor(numerator / denominator) and its neighbours, in integers: the oracle for every rounding division. */
function divideUnits(numerator: bigint, denominator: bigint, mode: RoundingMode): bigint {
  const floor = (numerator - (((numerator % denominator) + denominator) % denominator)) / denominator;
  const rest = numerator - floor * denominator;
  if (rest === 0n || mode === "down") return floor;
  if (mode === "up") return floor + 1n;
  if (rest * 2n === denominator) return floor % 2n === 0n ? floor : floor + 1n;
  return rest * 2n < denominator ? floor : floor + 1n;
}

describe("an exact decimal", () => {
  it.each([
    ["0", "0"],
    ["0.00000000", "0"],
    ["1.50", "1.5"],
    ["100", "100"],
    ["0.00000001", "0.00000001"],
    ["999999999999999999.99999999", "999999999999999999.99999999"],
  ])("shows %s as %s, plainly and without trailing zeros", (text, canonical) => {
    expect(price(text).toString()).toBe(canonical);
    expect(JSON.stringify({ price: price(text) })).toBe(`{"price":"${canonical}"}`);
    expect(String(price(text))).toBe(canonical);
  });

  it("stays plain where decimal.js would write an exponent", () => {
    const tiny = notionalOf(price("0.00000001"), quantity("0.00000001"));
    expect(tiny.toString()).toBe("0.0000000000000001");
    const huge = notionalOf(price("100000000000000000"), quantity("100000000000000000"));
    expect(huge.toString()).toBe(`1${"0".repeat(34)}`);
  });

  it("never shows a negative zero", () => {
    const minusNothing = price("0").minus(price("1")).scale(rate("0"));
    expect(minusNothing.toString()).toBe("0");
    expect(minusNothing.isZero()).toBe(true);
    expect(minusNothing.isNegative()).toBe(false);
    expect(minusNothing).toStrictEqual(price("0"));
  });

  it("subtracts below zero", () => {
    const loss = notional("1").minus(notional("1.25"));
    expect(loss.toString()).toBe("-0.25");
    expect(loss.isNegative()).toBe(true);
    expect(loss.ratioTo(notional("1")).toString()).toBe("-0.25");
  });

  it("counts its fraction digits", () => {
    expect(["100", "0.25", "1.10", "0.00000001"].map((text) => price(text).decimals())).toEqual([0, 2, 1, 8]);
  });

  it("pads to fixed digits, but refuses to lose any", () => {
    expect(price("1.5").toFixed(2)).toBe("1.50");
    expect(price("1.5").toFixed(1)).toBe("1.5");
    expect(price("2").toFixed(0)).toBe("2");
    expect(() => price("1.25").toFixed(1)).toThrow("1.25 does not fit in 1 fraction digits");
    expect(() => price("1").toFixed(-1)).toThrow("decimals must be an integer from 0 to 20, not -1");
    expect(() => price("1").toFixed(21)).toThrow("not 21");
    expect(() => price("1").toFixed(0.5)).toThrow("not 0.5");
    expect(price("1").toFixed(20)).toBe(`1.${"0".repeat(20)}`);
  });

  it("orders by value, not by text", () => {
    const nine = price("9");
    const ten = price("10");
    expect([nine.cmp(ten), ten.cmp(nine), ten.cmp(price("10.0"))]).toEqual([-1, 1, 0]);
    expect([nine.lt(ten), ten.lt(nine), ten.lt(ten)]).toEqual([true, false, false]);
    expect([nine.lte(ten), ten.lte(nine), ten.lte(ten)]).toEqual([true, false, true]);
    expect([nine.gt(ten), ten.gt(nine), ten.gt(ten)]).toEqual([false, true, false]);
    expect([nine.gte(ten), ten.gte(nine), ten.gte(ten)]).toEqual([false, true, true]);
    expect([nine.eq(ten), ten.eq(ten)]).toEqual([false, true]);
    expect([min(nine, ten), min(ten, nine), max(nine, ten), max(ten, nine)]).toEqual([nine, nine, ten, ten]);
  });

  it("throws under operators, which would compare or join texts", () => {
    expect(() => price("10") < price("9")).toThrow("call lt, gt, plus or minus");
    expect(() => [price("1") as unknown as string].reduce((sum, each) => sum + each, "")).toThrow(
      "operators do not work",
    );
  });

  it("refuses to mix kinds even where the types were bypassed", () => {
    const disguised = quantity("1") as unknown as Price;
    expect(() => price("1").plus(disguised)).toThrow("cannot mix a price with a quantity");
    expect(() => price("1").lt(disguised)).toThrow("cannot mix a price with a quantity");
    expect(() => price("1").scale(quantity("1") as never)).toThrow("scale takes a rate, not a quantity");
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(price("1"))).toBe(true);
  });

  it("is not touched by what other code sets on decimal.js", async () => {
    SharedDecimal.set({ minE: -1, maxE: 1 });
    vi.resetModules();
    try {
      const fresh = await import("../../src/decimal/index.ts");
      expect(fresh.price("1234.5").plus(fresh.price("0.001")).toString()).toBe("1234.501");
    } finally {
      SharedDecimal.set({ defaults: true });
    }
  });

  it("refuses more than 80 digits rather than rounding", () => {
    const wide = rate("0.12345678");
    const nine = [...Array(8)].reduce((product: typeof wide) => product.scale(wide), wide);
    expect(nine.decimals()).toBe(72);
    const full = nine.scale(rate("0.1234567"));
    expect(full.decimals()).toBe(79);
    expect(() => nine.scale(wide)).toThrow("a decimal may have 80 digits");
    const nineMore = full.plus(rate("9"));
    expect(nineMore.minus(rate("9"))).toStrictEqual(full);
    expect(() => full.plus(rate("10"))).toThrow("this result has 81");
  });

  it("keeps the unit of what a division means, and rounds a ratio half-even", () => {
    expect(averagePrice(notional("3"), quantity("2"), 1, "down")).toStrictEqual(price("1.5"));
    expect(quantityFor(notional("3"), price("2"), 1, "down")).toStrictEqual(quantity("1.5"));
    expect(price("3").ratioTo(price("2"))).toStrictEqual(rate("1.5"));
    // 2^-21 has a 5 in its 21st decimal and nothing behind it.
    expect(price("1").ratioTo(price("2097152")).toString()).toBe("0.00000047683715820312");
  });

  it("says what kind of error it is when its own rules are broken", () => {
    expect(() => price("one")).toThrow(expect.objectContaining({ name: "DecimalInvariantError" }));
  });

  it("throws on division by zero", () => {
    expect(() => price("1").ratioTo(price("0"))).toThrow(new DecimalInvariantError("division by zero"));
    expect(() => quantityFor(notional("1"), price("0"), 8, "down")).toThrow("division by zero");
    expect(() => averagePrice(notional("0"), quantity("0"), 8, "down")).toThrow("division by zero");
  });

  it("divides with one rounding, at 20 digits half-even", () => {
    expect(price("1").ratioTo(price("3")).toString()).toBe(`0.${"3".repeat(20)}`);
    expect(price("2").ratioTo(price("3")).toString()).toBe(`0.${"6".repeat(19)}7`);
    expect(price("10").ratioTo(price("4")).toString()).toBe("2.5");
  });

  it("is not fooled by a quotient that first rounding would turn into a tie", () => {
    // 0.5 plus 10^-42, which a division to 40 digits cannot tell from a tie.
    const justAboveHalf = notionalOf(price("0.5"), quantity("1")).plus(
      notional("1")
        .scale(rate("0.00000001"))
        .scale(rate("0.00000001"))
        .scale(rate("0.00000001"))
        .scale(rate("0.00000001")),
    );
    expect(quantityFor(justAboveHalf, price("1"), 0, "half_even").toString()).toBe("1");
    expect(quantityFor(notional("0.5"), price("1"), 0, "half_even").toString()).toBe("0");
    expect(quantityFor(notional("0.5"), price("1"), 0, "up").toString()).toBe("1");
  });
});

describe("exact arithmetic, for all decimals,", () => {
  const anyPrice = plainText.map(price);

  it("reads back what it writes", () => {
    fc.assert(
      fc.property(plainText, (text) => {
        expect(price(text).toString()).toBe(text);
      }),
    );
  });

  it("adds and subtracts as integers of the smallest unit do", () => {
    fc.assert(
      fc.property(anyUnits, anyUnits, (a, b) => {
        expect(
          price(textOf(a))
            .plus(price(textOf(b)))
            .toString(),
        ).toBe(textOf(a + b));
        expect(
          price(textOf(a))
            .minus(price(textOf(b)))
            .toString(),
        ).toBe(textOf(a - b));
      }),
    );
  });

  it("adds in any order and grouping, and minus undoes plus", () => {
    fc.assert(
      fc.property(anyPrice, anyPrice, anyPrice, (a, b, c) => {
        expect(a.plus(b)).toStrictEqual(b.plus(a));
        expect(a.plus(b).plus(c)).toStrictEqual(a.plus(b.plus(c)));
        expect(a.plus(b).minus(b)).toStrictEqual(a);
      }),
    );
  });

  it("compares as integers do", () => {
    fc.assert(
      fc.property(anyUnits, anyUnits, (a, b) => {
        expect(price(textOf(a)).cmp(price(textOf(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it("multiplies without rounding", () => {
    fc.assert(
      fc.property(anyUnits, anyUnits, (a, b) => {
        const product = textOf(a * b, 16);
        expect(notionalOf(price(textOf(a)), quantity(textOf(b))).toString()).toBe(product);
        expect(
          notional(textOf(a))
            .scale(rate(textOf(b)))
            .toString(),
        ).toBe(product);
      }),
    );
  });

  it("divides as integers do, in every mode", () => {
    fc.assert(
      fc.property(anyUnits, positiveUnits, fc.nat({ max: 20 }), fc.constantFrom(...modes), (a, b, decimals, mode) => {
        const expected = textOf(divideUnits(a * 10n ** BigInt(decimals), b, mode), decimals);
        expect(quantityFor(notional(textOf(a)), price(textOf(b)), decimals, mode).toString()).toBe(expected);
        expect(averagePrice(notional(textOf(a)), quantity(textOf(b)), decimals, mode).toString()).toBe(expected);
      }),
    );
  });

  it("divides negative numbers with the same rules", () => {
    fc.assert(
      fc.property(anyUnits, positiveUnits, positiveUnits, (a, less, b) => {
        const change = price(textOf(a)).minus(price(textOf(a + less > 10n ** 26n - 1n ? a : a + less)));
        const units = a + less > 10n ** 26n - 1n ? 0n : -less;
        const expected = textOf(divideUnits(units * 10n ** 20n, b, "half_even"), 20);
        expect(change.ratioTo(price(textOf(b))).toString()).toBe(expected);
        const byNegative = price("0").minus(price(textOf(b)));
        expect(change.ratioTo(byNegative).toString()).toBe(
          textOf(divideUnits(-units * 10n ** 20n, b, "half_even"), 20),
        );
      }),
    );
  });

  it("never buys more than the notional when rounding down, nor leaves a whole step unspent", () => {
    fc.assert(
      fc.property(plainText, positiveUnits, fc.nat({ max: 8 }), (budget, priceUnits, decimals) => {
        const at = price(textOf(priceUnits));
        const bought = quantityFor(notional(budget), at, decimals, "down");
        expect(notionalOf(at, bought).lte(notional(budget))).toBe(true);
        const oneStepMore = bought.plus(quantity(textOf(1n, decimals)));
        expect(notionalOf(at, oneStepMore).gt(notional(budget))).toBe(true);
      }),
    );
  });
});
