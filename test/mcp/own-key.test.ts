import { describe, expect, it } from "vitest";
import { withOwnKeys } from "../../src/mcp/input/own-key.ts";

describe("a key named __proto__", () => {
  it("is kept under a name that no schema knows, at every depth, escaped or plain", () => {
    const shown = withOwnKeys(JSON.parse('{"a":[{"__proto__":{"price":"1"}}],"\\u005f_proto__":2}'));
    expect(Object.keys(shown as object)).toEqual(["a", "__proto__ (not a field)"]);
    expect(JSON.stringify(shown)).toBe('{"a":[{"__proto__ (not a field)":{"price":"1"}}],"__proto__ (not a field)":2}');
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });

  it("is found however deep it is, and what is nested too deeply is cut", () => {
    const nested = `{"a":${'[{"__proto__":'.repeat(20_000)}1${"}]".repeat(20_000)}}`;
    let cut = 0;
    const shown = JSON.stringify(withOwnKeys(JSON.parse(nested), () => (cut += 1)));
    expect(shown.split("__proto__ (not a field)")).toHaveLength(32);
    expect([shown.includes('"__proto__":'), shown.includes("(nested too deeply)"), cut]).toEqual([false, true, 1]);
  });
});
