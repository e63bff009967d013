import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/contract/index.ts";

describe("a number of an answer", () => {
  it("keeps every digit, whatever its length", () => {
    const digits = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^\d{1,30}$/));
    fc.assert(
      fc.property(digits, ([whole, fraction]) => {
        const text = `${whole}.${fraction}`;
        expect(parseExactJson(`{"a": [${text}, -${text}], "b":"${text}"}`)).toEqual({
          a: [text, /[1-9]/.test(text) ? `-${text}` : text],
          b: text,
        });
      }),
    );
  });

  it.each([
    ["5.0E-5", "0.00005"],
    ["8.4E7", "84000000"],
    ["1e2", "100"],
    ["-2.50e+1", "-25"],
    ["0E-8", "0"],
    ["123.4500", "123.4500"],
    ["-0", "0"],
  ])("is a plain decimal for %s", (token, plain) => {
    expect(parseExactJson(`[${token}]`)).toEqual([plain]);
  });

  it("stays apart from what only looks like one", () => {
    const text = '{"a 1":"2 [3e4] \\" 5","b":"\\\\","c":true,"d":null,"e":6}';
    expect(parseExactJson(text)).toEqual({ "a 1": '2 [3e4] " 5', b: "\\", c: true, d: null, e: "6" });
  });

  it.each(["[01]", "{1:2}", "{12 :2}", "[1.]", "[.5]", "[1 2]", '["a1]', "[1e999999]", "[NaN]", "[+1]", "1a"])(
    "makes no JSON of %s",
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );

  it("agrees with JSON.parse on any JSON, but for its numbers", () => {
    const asText = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, v) => (typeof v === "number" ? "n" : v));
    const blank = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, v) => (typeof v === "string" ? "n" : v));
    fc.assert(
      fc.property(fc.json({ noUnicodeString: true, maxDepth: 3 } as never), (text) => {
        // Such a number is longer than any amount.
        if (text.includes("__proto__") || /\de[+-]?\d{2}/i.test(text)) return;
        expect(blank(parseExactJson(text))).toEqual(blank(asText(JSON.parse(text))));
      }),
    );
  });
});
