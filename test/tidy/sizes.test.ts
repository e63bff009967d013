import { describe, expect, it } from "vitest";
import { isNode, lineAt, type Node, nodesOf, readSources, type Source, violation } from "./source.ts";

const limits = { source: 400, test: 600, function: 70 };

/** Too long with good reason: `path` or `path#function` → the reason. An entry that is no longer needed fails. */
const exceptions: Record<string, string> = {};

interface TooLong {
  /** As in the table of exceptions. */
  readonly key: string;
  readonly report: string;
}

function longFiles(source: Source): TooLong[] {
  const limit = /^(src|web)\//.test(source.path) ? limits.source : limits.test;
  const lines = source.text.replace(/\n$/, "").split("\n").length;
  if (lines <= limit) return [];
  return [{ key: source.path, report: `${source.path}:${limit + 1} file has ${lines} lines, ${limit} allowed` }];
}

function longFunctions(source: Source): TooLong[] {
  return nodesOf(source).flatMap(({ node, parent }) => {
    if (!["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(node.type)) return [];
    const lines = lineAt(source, node.end) - lineAt(source, node.start) + 1;
    if (lines <= limits.function) return [];
    const name = nameOf(node, parent);
    const report = violation(source, node.start, `${name} has ${lines} lines, ${limits.function} allowed`);
    return [{ key: `${source.path}#${name}`, report }];
  });
}

/** A function's own name, else that of the variable, method or property that holds it. */
function nameOf(node: Node, parent: Node | undefined): string {
  const name = [node["id"], parent?.["id"], parent?.["key"]].find(isNode)?.["name"];
  return typeof name === "string" ? name : "(anonymous)";
}

const tooLong = [
  ...readSources("src", "test", "bench", "web").flatMap(longFiles),
  ...readSources("src", "web").flatMap(longFunctions),
];

describe("sizes", () => {
  it("stay inside the limits", () => {
    expect(tooLong.filter(({ key }) => !(key in exceptions)).map(({ report }) => report)).toEqual([]);
  });

  it("have no exception without a reason or a need", () => {
    expect(Object.keys(exceptions).filter((key) => !exceptions[key]?.trim())).toEqual([]);
    expect(Object.keys(exceptions).filter((key) => !tooLong.some((found) => found.key === key))).toEqual([]);
  });
});

describe("the size rules themselves", () => {
  const blank = (lines: number) => "\n".repeat(lines);
  const reports = (found: TooLong[]) => found.map(({ report }) => report);

  it("catch a long file", () => {
    expect(reports(longFiles({ path: "src/a.ts", text: blank(401) }))).toEqual([
      "src/a.ts:401 file has 401 lines, 400 allowed",
    ]);
    expect(longFiles({ path: "src/a.ts", text: blank(400) })).toEqual([]);
    expect(longFiles({ path: "test/a.test.ts", text: blank(601) })).toHaveLength(1);
    expect(longFiles({ path: "test/a.test.ts", text: blank(600) })).toEqual([]);
  });

  it("catch a long function, arrow and method, after text that is not ASCII too", () => {
    const body = `{${blank(70)}}`;
    const text = `// 호가 📈\nfunction a() ${body}\nconst b = () => ${body};\nclass C { d() ${body} }`;
    expect(reports(longFunctions({ path: "src/a.ts", text }))).toEqual([
      "src/a.ts:2 a has 71 lines, 70 allowed",
      "src/a.ts:73 b has 71 lines, 70 allowed",
      "src/a.ts:144 d has 71 lines, 70 allowed",
    ]);
    expect(longFunctions({ path: "src/a.ts", text: `function a() {${blank(69)}}` })).toEqual([]);
  });
});
