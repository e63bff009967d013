import { describe, expect, it } from "vitest";
import { isNode, lineAt, type Node, nodesOf, readSources, type Source, violation } from "./source.ts";

const folders = [
  ...["decimal", "contract", "desk", "client", "mcp", "sandbox", "telemetry"].map((folder) => `src/${folder}`),
  "web",
];
const excuse = /\/\/ not money: \S+/;

/** Whatever turns text or a decimal into a binary floating-point number needs a reason on its line. */
function inexactNumbers(source: Source): string[] {
  const lines = source.text.split("\n");
  return nodesOf(source).flatMap(({ node, parent }) => {
    const name = conversion(node, parent);
    if (name === undefined) return [];
    const excused = [lineAt(source, node.start), lineAt(source, node.end)].some((line) =>
      excuse.test(lines[line - 1] ?? ""),
    );
    return excused
      ? []
      : [violation(source, node.start, `${name}: numbers are exact here, or "// not money: <reason>"`)];
  });
}

function conversion(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === "UnaryExpression" && node["operator"] === "+") return "unary plus";
  if (node.type === "MemberExpression" && isNode(node["property"])) {
    const property = String(node["property"]["name"]);
    if (property === "toNumber") return ".toNumber()";
    const object = node["object"];
    const onNumber = isNode(object) && object["name"] === "Number";
    return onNumber && /^parse(Float|Int)$/.test(property) ? `Number.${property}` : undefined;
  }
  if (node.type !== "Identifier" || !/^(Number|parseFloat|parseInt)$/.test(String(node["name"]))) return;
  // Only as a value: called, or handed on as in `.map(Number)`; not `Number.isInteger`, `{ Number: … }`, or a type.
  const isMember = parent?.type === "MemberExpression" || parent?.type === "TSTypeReference";
  const isKey = parent?.["key"] === node && parent["shorthand"] !== true;
  return isMember || isKey ? undefined : `${String(node["name"])}()`;
}

describe("money", () => {
  it("never passes through a binary floating-point number", () => {
    expect(readSources(...folders).flatMap(inexactNumbers)).toEqual([]);
  });
});

describe("the money rule itself", () => {
  const judge = (text: string) => inexactNumbers({ path: "src/desk/a.ts", text });

  it.each([
    ["Number(price)", "Number()"],
    ["parseFloat(price)", "parseFloat()"],
    ["parseInt(price, 10)", "parseInt()"],
    ["Number.parseFloat(price)", "Number.parseFloat"],
    ["prices.map(Number)", "Number()"],
    ["+price", "unary plus"],
    ["price.toNumber()", ".toNumber()"],
    ["Number(price); // not money:", "Number()"],
  ])("catches %s", (text, name) => {
    expect(judge(`\n${text}`)).toEqual([
      `src/desk/a.ts:2 ${name}: numbers are exact here, or "// not money: <reason>"`,
    ]);
  });

  it.each([
    "const retries = Number(header); // not money: a count of retries",
    "Number.isSafeInteger(n)",
    "z.number()",
    "a + b; -a; n++",
    "// Number(price)",
    '"Number(price)"',
  ])("lets %s pass", (text) => {
    expect(judge(text)).toEqual([]);
  });
});
