/**
 * What somebody else wrote stands in a sentence of ours by `quoted` alone, which writes out what is not seen: `JSON.stringify` lets through
 * what turns a line round, hides, or talks to a terminal. Where it makes data and no sentence, the file is listed with what it makes.
 */
import { describe, expect, it } from "vitest";
import { isNode, type Node, nodesOf, readSources, type Source, violation } from "./source.ts";

const MAKES_DATA: Readonly<Record<string, string>> = {
  "src/contract/openapi/reference.ts": "a file of JSON",
  "src/sandbox/paper-account.ts": "a file of JSON",
  "src/sandbox/reference/reference-page.ts": "a script of the page",
  "src/serve/console/console-reads.ts": "names of questions that are shared",
  "src/serve/console/event-board.ts": "an event",
  "src/serve/sessions/legacy-sessions.ts": "an event",
  "src/config/profile/store-mark.ts": "a file of JSON",
  "src/serve/sessions/mcp-endpoint.ts": "an event",
  "src/serve/access/oauth.ts": "the key of an identity",
  "src/serve/stdio/stdio.ts": "a line of the protocol",
  "src/store/audit/audit-check.ts": "a line of the log",
  "src/store/audit/audit.ts": "what is digested",
  "src/store/schema/store-move.ts": "what is digested",
};

function stringifiedWords(source: Source): string[] {
  if (source.path in MAKES_DATA || !source.text.includes("JSON.stringify")) return [];
  return nodesOf(source).flatMap(({ node, parent }) => {
    if (!isStringify(node)) return [];
    const [given] = node["arguments"] as readonly Node[];
    const isInText =
      parent?.type === "TemplateLiteral" || (parent?.type === "BinaryExpression" && parent["operator"] === "+");
    return isInText || (given !== undefined && isCut(given))
      ? [violation(source, node.start, "JSON.stringify in a sentence: quoted shows what hides")]
      : [];
  });
}

function isStringify({ type, callee }: Node): boolean {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return false;
  const { object, property } = callee;
  return isNode(object) && object["name"] === "JSON" && isNode(property) && property["name"] === "stringify";
}

/** `text.slice(0, 40)`: only words for people are cut. */
function isCut({ type, callee }: Node): boolean {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return false;
  const { property } = callee;
  return isNode(property) && property["name"] === "slice";
}

describe("words of others", () => {
  it("stand in a sentence by the one function that quotes", () => {
    expect(readSources("src").flatMap(stringifiedWords)).toEqual([]);
  });

  it("are not what the listed files make, and nothing is listed for nothing", () => {
    const listed = readSources("src").filter(({ path }) => path in MAKES_DATA);
    expect(listed.map(({ path }) => path)).toEqual(Object.keys(MAKES_DATA).sort());
    for (const { path, text } of listed)
      expect([path, stringifiedWords({ path: "src/a.ts", text }).length]).not.toEqual([path, 0]);
  });

  it("have one function that quotes them", () => {
    const makers = readSources("src").filter(({ text }) => /function quoted\(/.test(text));
    expect(makers.map(({ path }) => path)).toEqual(["src/decimal/quotation.ts"]);
  });
});

describe("the rule itself", () => {
  const judge = (text: string) => stringifiedWords({ path: "src/a.ts", text: `\n${text}` });

  it.each([
    "fail(`There is no tool \u0024{JSON.stringify(name)}.`);",
    'fail("There is no tool " + JSON.stringify(name));',
    "const typed = JSON.stringify(text.slice(0, 40));",
  ])("catches %s", (text) => {
    expect(judge(text)).toEqual([expect.stringMatching(/^src\/a\.ts:2 JSON\.stringify in a sentence/)]);
  });

  it.each(["send(JSON.stringify(message));", "fail(`There is no tool \u0024{quoted(name)}.`);"])(
    "lets %s pass",
    (text) => {
      expect(judge(text)).toEqual([]);
    },
  );
});
