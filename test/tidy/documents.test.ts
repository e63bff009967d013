/** What the documents name is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsIn } from "./anchors.ts";
import { ROOT } from "./source.ts";

const documents = [
  "README.md",
  "AGENTS.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "llms.txt",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

describe("a file that a document names", () => {
  it.each(documents)("is there: %s", (document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    const named = [...text.matchAll(/`((?:src|test|docs|bench|skills)\/[\w./-]+)`/g)].map(([, path = ""]) => path);
    const linked = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, path = ""]) =>
      join(document, "..", path),
    );
    expect([...named, ...linked].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe("a name that a document gives after a file", () => {
  it.each(documents)("stands in that file: %s", (document) => {
    const named = [
      ...readFileSync(join(ROOT, document), "utf8").matchAll(/`((?:src|test)\/[\w./-]+\.ts)` \(`(\w+)`\)/g),
    ];
    const absent = named.filter(([, path = "", name = ""]) => {
      const text = readFileSync(join(ROOT, path), "utf8");
      return !new RegExp(`\\b${name}\\b`).test(text);
    });
    expect(absent.map(([found]) => found)).toEqual([]);
  });
});

/** Links to an anchor that is not in the document that they name; `path` is the linking one's. */
function strayLinks(path: string, text: string, textOf: (path: string) => string): string[] {
  const links = [...text.matchAll(/\]\(((?!https?:)[^)\s]*?)#([\w-]+)\)/g)];
  return links
    .filter(([, target = "", id = ""]) => {
      const there = target === "" ? text : textOf(join(path, "..", target));
      return !anchorsIn(there).includes(id);
    })
    .map(([link]) => link);
}

describe("an anchor that a document links to", () => {
  it.each(documents)("is there: %s", (document) => {
    const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
    expect(strayLinks(document, textOf(document), textOf)).toEqual([]);
  });

  it("is missed when it is not there", () => {
    const other = '<a id="there"></a>';
    const links = "[a](#here) [b](#gone) [c](B.md#there) [d](B.md#gone) [e](https://example.com/#gone)";
    const stray = strayLinks("docs/a.md", `<a id="here"></a>${links}`, () => other);
    expect(stray).toEqual(["](#gone)", "](B.md#gone)"]);
  });
});

describe("a decision", () => {
  it("has a number of its own, the one of its file", () => {
    const folder = join(ROOT, "docs/decisions");
    const files = readdirSync(folder).filter((name) => name !== "README.md");
    const numbers = files.map((name) => {
      const number = Number(name.slice(0, 4)); // not money: a number of a document
      const text = readFileSync(join(folder, name), "utf8");
      expect(`${name}: ${text}`).toMatch(new RegExp(`^${name}: # ${number}\\. `));
      return number;
    });
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
