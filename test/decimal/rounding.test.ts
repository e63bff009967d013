import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isOnStep,
  isOnTick,
  notional,
  price,
  quantity,
  quantityFor,
  type RoundingMode,
  roundToStep,
  roundToTick,
  type TickBand,
  tickAt,
} from "../../src/decimal/index.ts";
import { plainText } from "./arbitraries.ts";

function bandsOf(...pairs: readonly (readonly [string, string])[]): readonly TickBand[] {
  return pairs.map(([from, tick]) => ({ from: price(from), tick: price(tick) }));
}

const krw = bandsOf(["0", "0.01"], ["100", "0.1"], ["1000", "1"], ["10000", "10"], ["1000000", "500"]);
const ones = bandsOf(["0", "1"]);

/** Value, then what each mode makes of it at whole numbers. */
const table: readonly (readonly [string, Record<RoundingMode, string>])[] = [
  ["0", { down: "0", up: "0", half_even: "0" }],
  ["0.00000001", { down: "0", up: "1", half_even: "0" }],
  ["0.4", { down: "0", up: "1", half_even: "0" }],
  ["0.5", { down: "0", up: "1", half_even: "0" }],
  ["0.50000001", { down: "0", up: "1", half_even: "1" }],
  ["0.6", { down: "0", up: "1", half_even: "1" }],
  ["1", { down: "1", up: "1", half_even: "1" }],
  ["1.49999999", { down: "1", up: "2", half_even: "1" }],
  ["1.5", { down: "1", up: "2", half_even: "2" }],
  ["2.5", { down: "2", up: "3", half_even: "2" }],
  ["3.5", { down: "3", up: "4", half_even: "4" }],
  ["999.5", { down: "999", up: "1000", half_even: "1000" }],
];
const cases = table.flatMap(([value, byMode]) =>
  (Object.entries(byMode) as [RoundingMode, string][]).map(([mode, expected]) => [value, mode, expected] as const),
);

describe("the rounding modes", () => {
  it.each(cases)("%s %s is %s, to a step, to a tick and in a division alike", (value, mode, expected) => {
    expect(roundToStep(quantity(value), 0, mode).toString()).toBe(expected);
    expect(roundToTick(ones, price(value), mode).toString()).toBe(expected);
    expect(quantityFor(notional(value), price("1"), 0, mode).toString()).toBe(expected);
  });

  it.each([
    ["0.5", { down: "-1", up: "0", half_even: "0" }],
    ["1.5", { down: "-2", up: "-1", half_even: "-2" }],
    ["2.25", { down: "-3", up: "-2", half_even: "-2" }],
    ["3", { down: "-3", up: "-3", half_even: "-3" }],
  ] as const)("keep down below and up above a negative value, -%s", (value, byMode) => {
    const negative = quantity("0").minus(quantity(value));
    const debt = notional("0").minus(notional(value));
    for (const [mode, expected] of Object.entries(byMode) as [RoundingMode, string][]) {
      expect(roundToStep(negative, 0, mode).toString()).toBe(expected);
      expect(quantityFor(debt, price("1"), 0, mode).toString()).toBe(expected);
    }
  });
});

describe("a quantity step", () => {
  it("allows as many fraction digits as the market does", () => {
    expect(isOnStep(quantity("0.015"), 3)).toBe(true);
    expect(isOnStep(quantity("0.0150"), 3)).toBe(true);
    expect(isOnStep(quantity("0.015"), 2)).toBe(false);
    expect(roundToStep(quantity("0.0159"), 3, "down").toString()).toBe("0.015");
  });

  it("refuses digits that are not a count", () => {
    expect(() => isOnStep(quantity("1"), Number.NaN)).toThrow("decimals must be an integer");
    expect(() => roundToStep(quantity("1"), -1, "down")).toThrow("decimals must be an integer");
  });

  it("is kept by every rounding, which moves by less than a step", () => {
    fc.assert(
      fc.property(plainText.map(quantity), fc.nat({ max: 8 }), (value, decimals) => {
        const [down, up, even] = (["down", "up", "half_even"] as const).map((mode) =>
          roundToStep(value, decimals, mode),
        );
        expect(down?.lte(value) && up?.gte(value)).toBe(true);
        expect(isOnStep(down ?? value, decimals) && isOnStep(up ?? value, decimals)).toBe(true);
        expect([down?.toString(), up?.toString()]).toContain(even?.toString());
        expect(value.eq(down ?? value) === isOnStep(value, decimals)).toBe(true);
      }),
    );
  });
});

describe("a tick size", () => {
  it.each([
    ["0", "0.01"],
    ["99.99999999", "0.01"],
    ["100", "0.1"],
    ["999.9", "0.1"],
    ["1000", "1"],
    ["1000000", "500"],
    ["123456789", "500"],
  ])("when the price is %s, comes to %s", (at, tick) => {
    expect(tickAt(krw, price(at)).toString()).toBe(tick);
  });

  it.each([
    ["99.99", true],
    ["99.999", false],
    ["100.1", true],
    ["100.01", false],
    ["1000000", true],
    ["1000010", false],
    ["0", true],
  ])("lets %s stand: %s", (at, allowed) => {
    expect(isOnTick(krw, price(at))).toBe(allowed);
  });

  it.each([
    ["99.995", "down", "99.99"],
    ["99.995", "up", "100"],
    ["99.995", "half_even", "100"],
    ["100.01", "down", "100"],
    ["100.01", "up", "100.1"],
    ["999999", "down", "999990"],
    ["999999", "up", "1000000"],
    ["1000001", "down", "1000000"],
    ["1000001", "up", "1000500"],
    ["1000250", "half_even", "1000000"],
    ["1000750", "half_even", "1001000"],
  ] as const)("takes %s %s to %s", (at, mode, expected) => {
    expect(roundToTick(krw, price(at), mode).toString()).toBe(expected);
  });

  it("rounds up across a border onto the next band's own grid", () => {
    // 8 is a multiple of 2 but not of 5; the first price of the second band is 10.
    const crooked = bandsOf(["0", "2"], ["7", "5"]);
    expect(roundToTick(crooked, price("6.5"), "up").toString()).toBe("10");
    expect(roundToTick(crooked, price("6.5"), "down").toString()).toBe("6");
    expect(roundToTick(crooked, price("8"), "down").toString()).toBe("6");
    expect(roundToTick(crooked, price("8"), "half_even").toString()).toBe("10");
    expect(roundToTick(crooked, price("7"), "half_even").toString()).toBe("6");
  });

  it("rounds across a band that holds no price at all", () => {
    const hollow = bandsOf(["0", "2"], ["10", "7"], ["13", "5"]);
    expect(roundToTick(hollow, price("11"), "down").toString()).toBe("8");
    expect(roundToTick(hollow, price("11"), "up").toString()).toBe("15");
    expect(roundToTick(hollow, price("13.5"), "down").toString()).toBe("8");
    expect(roundToTick(hollow, price("9"), "up").toString()).toBe("15");
  });

  it.each([
    [[], "1", "there is no tick band 0"],
    [bandsOf(["1", "1"]), "1", "must start at 0"],
    [bandsOf(["0", "1"], ["5", "2"], ["5", "3"]), "1", "must ascend"],
    [bandsOf(["0", "1"], ["5", "2"], ["4", "3"]), "1", "must ascend"],
    [bandsOf(["0", "0"]), "1", "a tick must be positive"],
    [[{ from: price("0"), tick: price("0").minus(price("1")) }], "1", "a tick must be positive"],
  ])("refuses malformed bands (%#)", (bands, at, message) => {
    expect(() => tickAt(bands, price(at))).toThrow(message);
    expect(() => isOnTick(bands, price(at))).toThrow(message);
    expect(() => roundToTick(bands, price(at), "down")).toThrow(message);
  });

  it("refuses a negative price", () => {
    expect(() => tickAt(krw, price("0").minus(price("1")))).toThrow("a negative price has no tick: -1");
  });
});

describe("rounding to tick, for all bands and prices,", () => {
  const aligned = bandPairs(true);
  const anyBands = fc.oneof(aligned, bandPairs(false));
  const anyPrice = fc.oneof(
    fc.nat({ max: 4000 }).map((eighths) => price(`${Math.trunc(eighths / 8)}.${(eighths % 8) * 125}`)),
    plainText.map(price),
  );
  const mode = fc.constantFrom<RoundingMode>("down", "up", "half_even");

  it("lands on tick and stays there when rounded again", () => {
    fc.assert(
      fc.property(anyBands, anyPrice, mode, mode, (bands, at, first, second) => {
        const rounded = roundToTick(bands, at, first);
        expect(isOnTick(bands, rounded)).toBe(true);
        expect(roundToTick(bands, rounded, second)).toStrictEqual(rounded);
      }),
    );
  });

  it("brackets the price, and half-even takes the nearer end", () => {
    fc.assert(
      fc.property(anyBands, anyPrice, (bands, at) => {
        const down = roundToTick(bands, at, "down");
        const up = roundToTick(bands, at, "up");
        const even = roundToTick(bands, at, "half_even");
        expect(down.lte(at) && at.lte(up)).toBe(true);
        expect(even.eq(down) || even.eq(up)).toBe(true);
        const [nearer, farther] = even.eq(down) ? [at.minus(down), up.minus(at)] : [up.minus(at), at.minus(down)];
        expect(nearer.lte(farther)).toBe(true);
      }),
    );
  });

  it("moves by less than a tick where borders are on tick", () => {
    fc.assert(
      fc.property(aligned, anyPrice, mode, (bands, at, by) => {
        const rounded = roundToTick(bands, at, by);
        const moved = rounded.gt(at) ? rounded.minus(at) : at.minus(rounded);
        expect(moved.lt(tickAt(bands, at))).toBe(true);
      }),
    );
  });

  it("keeps the order of prices", () => {
    fc.assert(
      fc.property(anyBands, anyPrice, anyPrice, mode, (bands, a, b, by) => {
        const [lower, upper] = a.lte(b) ? [a, b] : [b, a];
        expect(roundToTick(bands, lower, by).lte(roundToTick(bands, upper, by))).toBe(true);
      }),
    );
  });

  it("skips no price on tick: it agrees with trying every whole number", () => {
    fc.assert(
      fc.property(anyBands, fc.nat({ max: 300 }), (bands, whole) => {
        let down = whole;
        while (!isOnTick(bands, price(`${down}`))) down -= 1;
        let up = whole;
        while (!isOnTick(bands, price(`${up}`))) up += 1;
        expect(roundToTick(bands, price(`${whole}`), "down").toString()).toBe(`${down}`);
        expect(roundToTick(bands, price(`${whole}`), "up").toString()).toBe(`${up}`);
      }),
    );
  });

  /** Whole-numbered bands; aligned ones start on a multiple of their own tick. */
  function bandPairs(startOnTick: boolean): fc.Arbitrary<readonly TickBand[]> {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 25 })), {
      maxLength: 4,
    });
    return fc.tuple(fc.integer({ min: 1, max: 25 }), steps).map(([firstTick, rest]) => {
      let from = 0;
      const pairs = rest.map(([width, tick]): [string, string] => {
        from += width;
        if (startOnTick) from = Math.ceil(from / tick) * tick;
        return [`${from}`, `${tick}`];
      });
      return bandsOf(["0", `${firstTick}`], ...pairs);
    });
  }
});
