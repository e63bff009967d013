import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csv } from "../../src/cli/text/csv.ts";
import { readCsv } from "../fixture/csv-reader.ts";

/** What breaks readers, often. */
const odd = fc.oneof(
  fc.string({ unit: fc.constantFrom(...",\"\r\n\t=+-@'; ", "a", "1", "비", "＝", "🪙", "é") }),
  fc.string({ unit: "binary" }),
);

describe("CSV", () => {
  it("is read back as it was by a reader that shares no code, but for the apostrophe before a formula", () => {
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((columns) => fc.array(fc.array(odd, { minLength: columns, maxLength: columns }), { minLength: 1 }));
    fc.assert(
      fc.property(tables, (cells) => {
        const [heads = [], ...rows] = cells;
        const read = readCsv(csv(heads, rows));
        expect(read).toHaveLength(cells.length);
        for (const [line, row] of read.entries())
          for (const [at, cell] of row.entries()) {
            const given = cells[line]?.[at] ?? "";
            expect([given, `'${given}`]).toContain(cell);
            // No cell that a spreadsheet would calculate; a number is none.
            if (/^[=+\-@\t\r\n＝＋－＠]/.test(cell)) expect(cell).toMatch(/^-\d+(\.\d+)?$/);
          }
      }),
    );
  });

  it("ends its lines with CRLF, quotes what needs it, and leaves the rest", () => {
    expect(
      csv(
        ["a", "b"],
        [
          ["x,y", 'say "hi"'],
          ["two\nlines", null],
          ["", "plain text"],
        ],
      ),
    ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"two\nlines",\r\n,plain text\r\n');
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["+1+1", "'+1+1"],
    ["-1+1", "'-1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["＝1+1", "'＝1+1"],
    ["-0.5", "-0.5"],
    ["-1.", "'-1."],
    ["a=1", "a=1"],
  ])("lets no text pass for a formula: %j is %j", (given, written) => {
    expect(csv(["h"], [[given]])).toBe(`h\r\n${written}\r\n`);
  });
});
