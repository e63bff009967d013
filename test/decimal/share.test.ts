import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isShare, parseShare, quantity } from "../../src/decimal/index.ts";
import { anyUnits, textOf } from "./arbitraries.ts";

describe("a share", () => {
  it.each([
    "0%",
    "0.00%",
    "101%",
    "100.00000001%",
    "-5%",
    "%",
    "50 %",
    " 50%",
    "5e1%",
    "050%",
    "50%%",
    "1.123456789%",
    "NaN%",
    "50,5%",
  ])("is not %s, and it is told how to write one", (text) => {
    expect(parseShare(text)).toMatchObject({
      ok: false,
      reason: "not_a_share",
      message: expect.stringContaining('"50%"'),
    });
  });

  it("is a text that ends with the sign, and nothing else", () => {
    expect(["50%", "%", "50", "", 50, null].map(isShare)).toEqual([true, true, false, false, false, false]);
  });

  it("is exact: a hundred of them are the percentage of the whole", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 10n), anyUnits, (share, units) => {
        const parsed = parseShare(`${textOf(share)}%`);
        expect(parsed.ok).toBe(true);
        if (!parsed.ok) return;
        const part = quantity(textOf(units)).scale(parsed.value).toString();
        // Units of 10^-8, of both, and of a hundredth.
        expect(part).toBe(textOf(units * share, 18));
      }),
    );
  });
});
