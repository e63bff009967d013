import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderIds } from "../../../src/sandbox/service/order-id.ts";
import { decimalText, fixedText, quotient, unitsOf } from "../../../src/sandbox/wire/decimal-text.ts";

const units = fc.bigInt({ min: 0n, max: 10n ** 26n - 1n });

describe("units", () => {
  it.each([
    [0n, "0", "0.00000000"],
    [1n, "0.00000001", "0.00000001"],
    [1_500_000n, "0.015", "0.01500000"],
    [100_000_000n, "1", "1.00000000"],
    [9_500_000_000_000_000n, "95000000", "95000000.00000000"],
    [10n ** 26n - 1n, "999999999999999999.99999999", "999999999999999999.99999999"],
  ])("%s is %s, with all decimals %s", (count, text, fixed) => {
    expect([decimalText(count), fixedText(count), unitsOf(text), unitsOf(fixed)]).toEqual([text, fixed, count, count]);
  });

  it("are read back from their text unchanged, without trailing zeros", () => {
    fc.assert(
      fc.property(units, (count) => {
        const text = decimalText(count);
        expect(unitsOf(text)).toBe(count);
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{0,7}[1-9])?$/);
        expect(decimalText(-count)).toBe(count === 0n ? "0" : `-${text}`);
      }),
    );
  });

  it.each([
    [1n, 3n, "0.33333333"],
    [2n, 3n, "0.66666667"],
    [1n, 200_000_000n, "0"],
    [3n, 200_000_000n, "0.00000002"],
    [-1n, 3n, "-0.33333333"],
    [-3n, 200_000_000n, "-0.00000002"],
    [0n, 7n, "0"],
  ])("%s ÷ %s is %s, rounded half-even", (numerator, denominator, text) => {
    expect(decimalText(quotient(numerator, denominator))).toBe(text);
  });
});

describe("order ids", () => {
  const zeros = (count: number) => new Uint8Array(count);
  const ones = (count: number) => new Uint8Array(count).fill(0xff);

  it("are UUIDv7 with the time of their creation", () => {
    const at = Date.UTC(2026, 6, 20, 9);
    for (const bytes of [zeros, ones]) {
      const id = orderIds(() => at, bytes)();
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(at);
    }
  });

  it("always rise, with a clock that stands still, runs and is set back, and with the worst randomness", () => {
    for (const bytes of [zeros, ones]) {
      let at = 1000;
      const next = orderIds(() => at, bytes);
      let last = "";
      for (let count = 0; count < 20_000; count++) {
        if (count % 6000 === 0) at -= 3;
        if (count % 700 === 0) at += 1;
        const id = next();
        expect(id > last).toBe(true);
        last = id;
      }
    }
  });
});
