/** The maps say where the walls are, in the words of the one list of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionIndex } from "../../docs/decision-index.ts";
import { ROOT } from "./source.ts";
import { FOLDERS, mayImport, ROOMS } from "./walls.ts";

/** Name and last cell of each row that begins with a name in backquotes, of the first table after some words. */
function rowsAfter(text: string, words: string): readonly (readonly [name: string, last: string])[] {
  const [, after = ""] = text.split(words);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(after) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \|.*\| ([^|]*) \|$/gm)].map(([, name = "", last = ""]) => [name, last]);
}

const folders = Object.keys(FOLDERS).map((folder) => [folder, mayImport(folder)]);

describe.each([
  ["AGENTS.md", "## Folders"],
  ["docs/architecture.md", '## <a id="rooms"></a>The rooms'],
])("%s", (document, heading) => {
  const text = readFileSync(join(ROOT, document), "utf8");

  it("names every folder with what it may import", () => {
    const rows = rowsAfter(text, heading).map(([name, last]) => [name.replace(/^src\//, ""), last]);
    expect(rows).toEqual(folders);
  });
});

it.each(Object.entries(ROOMS))("AGENTS.md names the rooms of %s, lowest first", (folder, rooms) => {
  const [, list = ""] = readFileSync(join(ROOT, "AGENTS.md"), "utf8").split(`- \`src/${folder}\`: `);
  const [line = ""] = list.split("\n");
  expect([...line.matchAll(/`(\w+)`(?= [(·]|$)/g)].map(([, room]) => room)).toEqual(rooms);
});

it("docs/architecture.md names the rooms of the desk, lowest first", () => {
  const [, after = ""] = readFileSync(join(ROOT, "docs/architecture.md"), "utf8").split("Inside `desk`");
  const [table = ""] = /(?:^\|.*\n)+/m.exec(after) ?? [];
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, room]) => room)).toEqual(ROOMS["desk"]);
});

it("the list of decisions has each of them", () => {
  const folder = join(ROOT, "docs/decisions");
  // `npm run docs` writes it anew.
  expect(readFileSync(join(folder, "README.md"), "utf8")).toBe(decisionIndex(folder));
});

it("a table is read row by row, so that another wall is seen", () => {
  const table = "# Head\n\n| folder | what | may import |\n|---|---|---|\n| `a` | A | b, c |\n| `d` | D | nothing |\n";
  expect(rowsAfter(table, "# Head")).toEqual([
    ["a", "b, c"],
    ["d", "nothing"],
  ]);
});
