import { describe, expect, it } from "vitest";
import { parsePrice, quoted } from "../../src/decimal/index.ts";

describe("words of others in a sentence", () => {
  it.each([
    ["비트코인 (BTC)", '"비트코인 (BTC)"'],
    ['say "yes"', '"say \\"yes\\""'],
    ["turned\u202eround", '"turned\\u202eround"'],
    ["BTC\u200b\u2060/KRW", '"BTC\\u200b\\u2060/KRW"'],
    ["\u001b[31mred", '"\\u001b[31mred"'],
    ["c1\u009b31m", '"c1\\u009b31m"'],
    ["two\nlines\u2028three", '"two\\nlines\\u2028three"'],
    ["tag\u{e0041}", '"tag\\udb40\\udc41"'],
    ["half\ud800", '"half\\ud800"'],
  ])("%j stand as %s", (text, shown) => {
    expect(quoted(text)).toBe(shown);
    expect(JSON.parse(shown)).toBe(text);
  });

  it("are cut by characters, however long", () => {
    expect(quoted("🙂".repeat(100), 3)).toBe('"🙂🙂🙂"');
    expect(quoted("x".repeat(1_000_000))).toBe(`"${"x".repeat(60)}"`);
  });

  it("are so in what is said of a number too", () => {
    expect(parsePrice("1\u202e0\u009b")).toMatchObject({ message: expect.stringContaining('"1\\u202e0\\u009b"') });
  });
});
