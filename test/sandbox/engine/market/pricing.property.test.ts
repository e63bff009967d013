/** Values and fees are those of plain arithmetic, however large the amounts. Source: decision 0056. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KRW_MARKETS } from "../../../../src/sandbox/engine/market/market-rules.ts";
import { feeOn, holdFor, notionalOf, stepFor, tickAt } from "../../../../src/sandbox/engine/market/pricing.ts";
import { ONE } from "../../../../src/sandbox/model/index.ts";

/** Of every size, and on both sides of what 53 and 63 bits hold. */
const amount = fc.oneof(
  fc.bigInt(0n, 10n ** 12n),
  fc.bigInt(0n, 10n ** 30n),
  fc.bigInt(0n, 10n ** 12n).map((whole) => whole * ONE),
  fc.constantFrom(0n, 1n, ONE - 1n, ONE, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n + 1n),
);

describe("values and fees", () => {
  it("are the product of both amounts, rounded down", () => {
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        const wanted = (one * other) / ONE;
        expect([notionalOf(one, other), feeOn(one, other)]).toEqual([wanted, wanted]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("make what an order holds: its volume, or its value and the higher fee", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KRW_MARKETS), amount, amount, (rule, price, remaining) => {
        const value = (price * remaining) / ONE;
        const rate = rule.makerFeeRate > rule.takerFeeRate ? rule.makerFeeRate : rule.takerFeeRate;
        expect(holdFor(rule, "buy", price, remaining)).toBe(value + (value * rate) / ONE);
        expect(holdFor(rule, "sell", price, remaining)).toBe(remaining);
      }),
    );
  });

  it("stand beside the tick of the last band that begins at or below the price", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KRW_MARKETS), amount, (rule, price) => {
        expect(tickAt(rule, price)).toBe(rule.tickBands.findLast(({ from }) => price >= from)?.tick);
      }),
    );
    const [rule] = KRW_MARKETS;
    expect(rule && tickAt({ ...rule, tickBands: [] }, ONE)).toBe(stepFor(rule?.priceDecimals ?? 0));
  });
});
