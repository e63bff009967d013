import { describe, expect, it } from "vitest";
import { isNode, nodesOf, readSources, type Source, violation } from "./source.ts";

/** Stdout carries the protocol: only the command line writes to it, and nobody else uses the console. */
function writesToStdout(source: Source): string[] {
  if (source.path.startsWith("src/cli/") || !/console|stdout/.test(source.text)) return [];
  return nodesOf(source).flatMap(({ node }) => {
    const name = reachForStdout(node);
    return name === undefined ? [] : [violation(source, node.start, `${name} outside src/cli`)];
  });
}

function reachForStdout(node: { type: string; [field: string]: unknown }): string | undefined {
  const { object, property, source, imported } = node;
  const nameOf = (value: unknown) => (isNode(value) ? value["name"] : undefined);
  if (node.type === "MemberExpression" && nameOf(object) === "console") return `console.${String(nameOf(property))}`;
  if (node.type === "MemberExpression" && (nameOf(property) === "stdout" || propertyText(property) === "stdout")) {
    return nameOf(object) === "process" ? "process.stdout" : undefined;
  }
  if (node.type === "ImportDeclaration" && isNode(source) && /^(node:)?console$/.test(String(source["value"]))) {
    return "the console module";
  }
  return node.type === "ImportSpecifier" && nameOf(imported) === "stdout" ? "an imported stdout" : undefined;
}

function propertyText(property: unknown): unknown {
  return isNode(property) ? property["value"] : undefined;
}

describe("stdout", () => {
  it("belongs to the protocol", () => {
    expect(readSources("src").flatMap(writesToStdout)).toEqual([]);
  });
});

describe("the stdout rule itself", () => {
  const judge = (path: string, text: string) => writesToStdout({ path, text });

  it.each([
    ['console.log("x")', "console.log"],
    ['console.error("x")', "console.error"],
    ['process.stdout.write("x")', "process.stdout"],
    ['process["stdout"].write("x")', "process.stdout"],
    ['import { stdout } from "node:process"', "an imported stdout"],
    ['import { log } from "node:console"', "the console module"],
  ])("catches %s", (text, name) => {
    expect(judge("src/mcp/a.ts", `\n${text}`)).toEqual([`src/mcp/a.ts:2 ${name} outside src/cli`]);
  });

  it("lets the command line write, and others read and mention", () => {
    expect(judge("src/cli/a.ts", 'console.log("x"); process.stdout.write("x")')).toEqual([]);
    expect(judge("src/mcp/a.ts", "child.stdout.on(f); process.stderr.write(s); // console.log")).toEqual([]);
  });
});
