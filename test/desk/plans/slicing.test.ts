import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantity } from "../../../src/decimal/index.ts";
import { carried, intervalMs, isMissed, parseDuration, piecesOf } from "../../../src/desk/plans/terms/slicing.ts";

describe("a duration", () => {
  it.each([
    ["2h", 7_200_000],
    ["90m", 5_400_000],
    ["1h30m", 5_400_000],
    ["45s", 45_000],
  ])("is read from %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "2", "2 h", "h", "0m", "-1h", "1.5h", "30m1h", "2d"])("is not read from %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe("a total in pieces", () => {
  it("is all of it, the last piece with the rest, each due an interval after the one before", () => {
    const pieces = piecesOf("1000000", { count: 7, decimals: 0, fromMs: 1_000, durationMs: 70_000 });
    expect(pieces.map(({ size }) => size)).toEqual([...Array(6).fill("142857"), "142858"]);
    expect(pieces.map(({ step, dueAtMs }) => [step, dueAtMs])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((step) => [step, 1_000 + (step - 1) * 10_000]),
    );
  });

  it("adds up to the last step, with pieces that differ by less than one for each", () => {
    const units = fc.bigInt({ min: 1_000n, max: 10n ** 18n - 1n });
    fc.assert(
      fc.property(units, fc.integer({ min: 2, max: 200 }), fc.integer({ min: 0, max: 8 }), (steps, count, decimals) => {
        const digits = steps.toString().padStart(decimals + 1, "0");
        const total = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
        const pieces = piecesOf(total, { count, decimals, fromMs: 0, durationMs: 1 });
        const sum = pieces.reduce((all, { size }) => all.plus(quantity(size)), quantity("0"));
        expect(sum.eq(quantity(total))).toBe(true);
        const [first, last] = [pieces[0], pieces.at(-1)].map((piece) => quantity(piece?.size ?? "0"));
        expect(last?.gte(first ?? quantity("0"))).toBe(true);
        expect(pieces.slice(0, -1).every(({ size }) => size === pieces[0]?.size)).toBe(true);
      }),
    );
  });

  it("has missed a piece half an interval after it was due", () => {
    const piece = { step: 1, dueAtMs: 1_000, size: "1" };
    const every = intervalMs(60_000, 6);
    expect([6_000, 6_001].map((now) => isMissed(piece, now, every))).toEqual([false, true]);
  });

  it.each([
    ["1", "0", { size: "1", left: "0" }],
    ["1", "0.4", { size: "1.4", left: "0" }],
    ["1", "1", { size: "2", left: "0" }],
    ["1", "2.5", { size: "2", left: "1.5" }],
  ])(
    "carries to a piece of %s what the one before could not fill, %s, twice itself at most",
    (size, unfilled, next) => {
      expect(carried(size, unfilled, 1)).toEqual(next);
    },
  );
});
