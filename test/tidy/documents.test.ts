/** What the documents name is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source.ts";

const documents = [
  "README.md",
  "AGENTS.md",
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

describe("a decision", () => {
  it("has a number of its own, the one of its file", () => {
    const folder = join(ROOT, "docs/decisions");
    const numbers = readdirSync(folder).map((name) => {
      const number = Number(name.slice(0, 4)); // not money: a number of a document
      const text = readFileSync(join(folder, name), "utf8");
      expect(`${name}: ${text}`).toMatch(new RegExp(`^${name}: # ${number}\\. `));
      return number;
    });
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
