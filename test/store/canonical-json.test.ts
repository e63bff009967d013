import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/store/canonical-json.ts";

/** The same value with the members of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("canonical JSON", () => {
  it.each([
    [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, b: Number.NaN, c: -0, d: new Date(0) }, '{"b":null,"c":0,"d":"1970-01-01T00:00:00.000Z"}'],
    [{ 10: 1, 9: 2, é: 3, z: 4, "\u{10000}": 5, "\uffff": 6 }, '{"10":1,"9":2,"z":4,"é":3,"𐀀":5,"\uffff":6}'],
    [[1e21, 1e-7, 0.1, 2 ** 53], "[1e+21,1e-7,0.1,9007199254740992]"],
    [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
    ["\u2028\ud800\u0000\n", '"\u2028\\ud800\\u0000\\n"'],
  ])("of %j", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("means the same as the value, has one text for it, and is its own canonical text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(text).not.toMatch(/^\s|\n|\r|\t|\s$/);
      }),
    );
  });

  it("redacts every string, and keys, in any depth", () => {
    const redact = (text: string) => text.replaceAll("secret", "*");
    const given = { secret: [{ deep: "a secret" }], z: "secret", a: 1 };
    expect(canonicalJson(given, redact)).toBe('{"*":[{"deep":"a *"}],"a":1,"z":"*"}');
    expect(canonicalJson({ secret: 1, "*": 2 }, redact)).toBe('{"*":2}');
  });
});
