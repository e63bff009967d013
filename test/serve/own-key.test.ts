import { describe, expect, it } from "vitest";
import { OwnKeyLines, withOwnKeys } from "../../src/serve/own-key.ts";

async function through(...chunks: readonly string[]): Promise<string> {
  const lines = new OwnKeyLines();
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  let text = "";
  for await (const part of lines) text += String(part);
  return text;
}

describe("a key named __proto__", () => {
  it("is kept under a name that no schema knows, at every depth, escaped or plain", () => {
    const shown = withOwnKeys(JSON.parse('{"a":[{"__proto__":{"price":"1"}}],"\\u005f_proto__":2}'));
    expect(Object.keys(shown as object)).toEqual(["a", "__proto__ (not a field)"]);
    expect(JSON.stringify(shown)).toBe('{"a":[{"__proto__ (not a field)":{"price":"1"}}],"__proto__ (not a field)":2}');
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });

  it("is found in lines however they are split, and leaves every other line unchanged", async () => {
    const odd = '{ "text" : "\\"__proto__\\": is only text, 호가" }';
    const bad = '{"__proto__":1}';
    expect(await through(`${odd}\n{"__pro`, 'to__":1}\nnot json __proto__\n{"a":  1}')).toBe(
      `${JSON.stringify(JSON.parse(odd))}\n${bad.replace("__proto__", "__proto__ (not a field)")}\nnot json __proto__\n{"a":  1}`,
    );
  });

  it("is found however deep it is, and what is nested too deeply is cut", async () => {
    const nested = `{"a":${'[{"__proto__":'.repeat(20_000)}1${"}]".repeat(20_000)}}`;
    let cut = 0;
    const shown = JSON.stringify(withOwnKeys(JSON.parse(nested), () => (cut += 1)));
    expect(shown.split("__proto__ (not a field)")).toHaveLength(32);
    expect([shown.includes('"__proto__":'), shown.includes("(nested too deeply)"), cut]).toEqual([false, true, 1]);
    expect(await through(nested)).toBe(shown);
    const plain = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    expect((await through(plain)).length).toBeLessThan(200);
  });

  it("does not buffer a line that never ends", async () => {
    const long = "x".repeat(2_500_000);
    expect(await through(long.slice(0, 1_200_000), long.slice(1_200_000))).toBe(long);
  });
});
