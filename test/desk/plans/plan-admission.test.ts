import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inUnit } from "../../../src/decimal/index.ts";
import { usedBeside } from "../../../src/desk/plans/plan-admission.ts";
import { busiestDay, type WorstCase } from "../../../src/desk/plans/terms/worst-case.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Item {
  readonly hour: number;
  readonly value: number;
}

const items = fc.array(fc.record({ hour: fc.nat({ max: 120 }), value: fc.integer({ min: 1, max: 9 }) }), {
  maxLength: 12,
});

function worstOf(own: readonly Item[]): WorstCase {
  const steps = [...own]
    .sort((a, b) => a.hour - b.hour)
    .map(({ hour, value }, index) => ({
      ...{ step: index + 1, dueAtMs: hour * HOUR_MS, size: "1", worstValue: inUnit(String(value)) },
    }));
  return { value: inUnit("0"), steps, busiestDay: busiestDay(steps) };
}

function beside(own: readonly Item[], others: readonly Item[], used: number) {
  const planned = others.map(({ hour, value }) => ({ dueAtMs: hour * HOUR_MS, worstValue: String(value) }));
  return usedBeside(worstOf(own), planned, { usedMs: 0, used: inUnit(String(used)) });
}

/** Every 24 hours that hold a step of the plan, one after the other. */
function most(own: readonly Item[], others: readonly Item[], used: number): number {
  const all = [{ hour: 0, value: used }, ...own, ...others];
  const sums = Array.from({ length: 145 }, (_, end) => {
    const isIn = ({ hour }: Item): boolean => hour <= end && hour >= end - DAY_MS / HOUR_MS;
    return own.some(isIn) ? all.filter(isIn).reduce((sum, { value }) => sum + value, 0) : 0;
  });
  return Math.max(...sums);
}

describe("what others use beside a plan", () => {
  it("is with the plan's busiest day the most of any 24 hours in which the plan acts", () => {
    fc.assert(
      fc.property(items, items, fc.nat({ max: 9 }), (own, others, used) => {
        const sum = beside(own, others, used).plus(worstOf(own).busiestDay);
        expect(sum.toString()).toBe(String(most(own, others, used)));
      }),
    );
  });

  it("is not what was used today where the plan begins after that is a day old", () => {
    expect(beside([{ hour: 24, value: 5 }], [], 7).toString()).toBe("7");
    expect(beside([{ hour: 25, value: 5 }], [], 7).toString()).toBe("0");
    expect(beside([{ hour: 25, value: 5 }], [{ hour: 2, value: 3 }], 7).toString()).toBe("3");
    expect(beside([], [{ hour: 2, value: 3 }], 7).toString()).toBe("0");
  });
});
