/** The rows of balances count as BigInts do, whatever is added and taken. Source: decision 0056. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../../src/sandbox/engine/core/invariant.ts";
import { AVAILABLE, Balances, LOCKED } from "../../../../src/sandbox/engine/memory/index.ts";

/** On both sides of what one part of an amount holds, and far beyond. */
const change = fc
  .tuple(
    fc.oneof(
      fc.bigInt(0n, 10n ** 18n),
      fc.bigInt(0n, 10n ** 27n),
      fc.constantFrom(0n, 1n, 2n ** 62n - 1n, 2n ** 62n, 2n ** 62n + 1n, 2n ** 63n, 2n ** 64n),
    ),
    fc.boolean(),
  )
  .map(([amount, isTaken]) => (isTaken ? -amount : amount));

const step = fc.record({
  row: fc.nat({ max: 4 }),
  place: fc.constantFrom<typeof AVAILABLE | typeof LOCKED>(AVAILABLE, LOCKED),
  change,
  remembers: fc.boolean(),
});

describe("the rows of balances", () => {
  it("have what was added and not taken, refuse to take more, and know whether they differ from what was remembered", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const rows = new Balances();
        const plain = Array.from({ length: 5 }, () => [0n, 0n] as [bigint, bigint]);
        const before = plain.map(() => [0n, 0n] as [bigint, bigint]);
        expect(plain.map(() => rows.add())).toEqual([0, 1, 2, 3, 4]);
        for (const { row, place, change: by, remembers } of steps) {
          const known = plain[row] ?? [0n, 0n];
          if (remembers) {
            rows.remember(row);
            before[row] = [...known];
          }
          const sum = known[place] + by;
          expect(rows.change(row, place, by)).toBe(sum >= 0n);
          if (sum >= 0n) known[place] = sum;
          for (const [at, each] of plain.entries()) {
            expect([rows.read(at, AVAILABLE), rows.read(at, LOCKED)]).toEqual(each);
            const [available, locked] = before[at] ?? [];
            expect(rows.isAsBefore(at)).toBe(each[0] === available && each[1] === locked);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("stay as they are when more rows come", () => {
    const rows = new Balances();
    for (let row = 0; row < 1_000; row += 1) rows.change(rows.add(), LOCKED, BigInt(row) * 2n ** 61n);
    for (let row = 0; row < 1_000; row += 1) expect(rows.read(row, LOCKED)).toBe(BigInt(row) * 2n ** 61n);
  });

  it("throw, with nothing changed, where an amount is too large for them", () => {
    const rows = new Balances();
    const row = rows.add();
    rows.change(row, AVAILABLE, 2n ** 93n - 1n);
    expect(() => rows.change(row, AVAILABLE, 1n)).toThrow(InvariantError);
    expect(rows.read(row, AVAILABLE)).toBe(2n ** 93n - 1n);
  });
});
