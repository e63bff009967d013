/** What the kinds of decimals allow and forbid, proved by the compiler: `tsc` fails on an unused `@ts-expect-error`. */
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  averagePrice,
  type Exact,
  max,
  min,
  type Notional,
  notional,
  notionalOf,
  type Price,
  parsePrice,
  price,
  type Quantity,
  quantity,
  quantityFor,
  type Rate,
  rate,
} from "../../src/decimal/index.ts";

const p = price("2");
const q = quantity("3");
const n = notional("6");
const r = rate("0.5");

describe("the kinds of decimals", () => {
  it("combine where the units do", () => {
    expectTypeOf(notionalOf(p, q)).toEqualTypeOf<Notional>();
    expectTypeOf(quantityFor(n, p, 8, "down")).toEqualTypeOf<Quantity>();
    expectTypeOf(averagePrice(n, q, 8, "half_even")).toEqualTypeOf<Price>();
    expectTypeOf(p.plus(p)).toEqualTypeOf<Price>();
    expectTypeOf(n.scale(r)).toEqualTypeOf<Notional>();
    expectTypeOf(n.ratioTo(n)).toEqualTypeOf<Rate>();
    expectTypeOf(min(p, p)).toEqualTypeOf<Price>();
    expectTypeOf(parsePrice("1")).extract<{ ok: true }>().toHaveProperty("value").toEqualTypeOf<Price>();
    expect(notionalOf(p, q).eq(n)).toBe(true);
  });

  it("do not mix", () => {
    // @ts-expect-error a price and a quantity have no sum
    expect(() => p.plus(q)).toThrow("cannot mix a price with a quantity");
    // @ts-expect-error nor a difference
    expect(() => p.minus(q)).toThrow("cannot mix a price with a quantity");
    // @ts-expect-error nor an order
    expect(() => p.lt(q)).toThrow("cannot mix a price with a quantity");
    // @ts-expect-error nor a ratio
    expect(() => n.ratioTo(p)).toThrow("cannot mix a notional with a price");
    // @ts-expect-error nor a smaller one
    expect(() => min(p, q)).toThrow("cannot mix a price with a quantity");
    // @ts-expect-error nor a larger one
    expect(() => max(n, q)).toThrow("cannot mix a notional with a quantity");
    // @ts-expect-error only a rate scales
    expect(() => p.scale(q)).toThrow("scale takes a rate, not a quantity");
    // @ts-expect-error operators do not add
    expect(() => p + p).toThrow("operators do not work");
  });

  it("do not pass for one another, nor for a kind wide enough to hold both", () => {
    expectTypeOf<Price>().not.toExtend<Quantity>();
    expectTypeOf<Notional>().not.toExtend<Price>();
    expectTypeOf<Rate>().not.toExtend<Notional>();
    expectTypeOf<Price>().not.toExtend<Exact<string>>();
    expectTypeOf<Price>().not.toExtend<Exact<"price" | "quantity">>();
    // @ts-expect-error the factors of a notional have an order
    expectTypeOf(notionalOf).toBeCallableWith(q, p);
    // @ts-expect-error a string is not a price
    expectTypeOf(notionalOf).toBeCallableWith("2", q);
  });
});
