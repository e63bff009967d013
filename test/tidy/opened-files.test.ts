/**
 * What hoga writes, and what a secret stands in, is never opened through a link: who may write in the directory could have it read or
 * overwrite another file (decision 0069). Each call that opens a path says so, or its file is listed here with the reason.
 */
import { describe, expect, it } from "vitest";
import { isNode, type Node, nodesOf, readSources, type Source, violation } from "./source.ts";

const OPENING = /^(open|readFile|writeFile|appendFile|copyFile)(Sync)?$|^create(Read|Write)Stream$|^(truncate|chmod)$/;
/** By flags that refuse a link, or that make a file that must not be there. */
const SAYS_SO = /NO_?LINK|O_NOFOLLOW|"wx"|COPYFILE_EXCL/;
/** What is open already, and a directory that is opened to sync it. */
const NO_PATH: Readonly<Record<string, string>> = { readFileSync: "file", openSync: "dir" };

const MAY_FOLLOW: Readonly<Record<string, string>> = {
  "src/config/profile/policy-file.ts": "may be a link whose way nobody else can change",
  "src/config/profile/http-settings.ts": "certificates that renew themselves are links; the way to them is looked at",
  "src/sandbox/reference/reference-page.ts": "a file of the program",
  "src/serve/console/console-files.ts": "files of the program",
  "src/mcp/person/views.ts": "files of the program",
  "src/mcp/server/skills.ts": "files of the program",
  "src/serve/wire/connections.ts": "the kernel's",
  "src/cli/commands/service.ts": "the unit, in a directory of root's",
  "src/sandbox/admin/token.ts": "chmod of what was read just before, not through a link",
};

function opensThroughLinks(source: Source): string[] {
  if (source.path in MAY_FOLLOW || !/["'](node:)?fs[/"']/.test(source.text)) return [];
  const nodes = nodesOf(source);
  const opening = new Map(nodes.flatMap(({ node, parent }) => openerOf(node, parent)));
  return nodes.flatMap(({ node }) => {
    const { callee, arguments: given } = node;
    if (node.type !== "CallExpression" || !isNode(callee) || !Array.isArray(given)) return [];
    const name = opening.get(String(callee["name"]));
    const [path] = given as readonly Node[];
    if (name === undefined || path === undefined || NO_PATH[name] === textOf(source, path)) return [];
    return SAYS_SO.test(textOf(source, node)) ? [] : [violation(source, node.start, `${name} follows a link`)];
  });
}

/** The name that a function of the file system has here, and its own. */
function openerOf(node: Node, declaration: Node | undefined): (readonly [string, string])[] {
  const { imported, local } = node;
  const from = declaration?.["source"];
  if (node.type !== "ImportSpecifier" || !isNode(from) || !isNode(imported) || !isNode(local)) return [];
  const name = String(imported["name"]);
  return /^(node:)?fs(\/promises)?$/.test(String(from["value"])) && OPENING.test(name)
    ? [[String(local["name"]), name]]
    : [];
}

function textOf({ text }: Source, { start, end }: Node): string {
  return text.slice(start, end);
}

describe("a file", () => {
  it("is not opened through a link", () => {
    expect(readSources("src").flatMap(opensThroughLinks)).toEqual([]);
  });

  it("may be where it is listed, and nothing is listed for nothing", () => {
    const listed = readSources("src").filter(({ path }) => path in MAY_FOLLOW);
    expect(listed.map(({ path }) => path)).toEqual(Object.keys(MAY_FOLLOW).sort());
    for (const { path, text } of listed) expect(opensThroughLinks({ path: `src/x/${path}`, text })).not.toEqual([]);
  });
});

describe("the rule of links itself", () => {
  const judge = (text: string) => opensThroughLinks({ path: "src/a.ts", text: `import * as x from "a";\n${text}` });

  it.each([
    'import { openSync } from "node:fs"; openSync(path, "r+");',
    'import { readFileSync as read } from "node:fs"; read(path, "utf8");',
    'import { writeFile } from "node:fs/promises"; await writeFile(path, "");',
    'import { createWriteStream } from "fs"; createWriteStream(path);',
  ])("catches %s", (text) => {
    expect(judge(text)).toEqual([expect.stringMatching(/^src\/a\.ts:2 \w+ follows a link$/)]);
  });

  it.each([
    'import { openSync } from "node:fs"; openSync(path, constants.O_RDONLY | NO_LINK);',
    'import { writeFileSync } from "node:fs"; writeFileSync(draft, "", { flag: "wx" });',
    'import { readFileSync } from "node:fs"; readFileSync(file, "utf8");',
    'import { open } from "./store.ts"; open(path);',
  ])("lets %s pass", (text) => {
    expect(judge(text)).toEqual([]);
  });
});
