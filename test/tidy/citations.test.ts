/**
 * A comment that cites a rule names an anchor of a document in this repository (`service.md`, `#` and the anchor's id), or a decision by its four
 * digits (`decision 0003`); every citation points at something that is there.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsIn } from "./anchors.ts";
import { listFiles, matchingLines, ROOT, readSources, type Source, violation } from "./source.ts";

interface Documents {
  /** The ids of each document's anchors, by its file name. */
  readonly anchors: ReadonlyMap<string, ReadonlySet<string>>;
  /** The four digits of each decision. */
  readonly decisions: ReadonlySet<string>;
}

const pages = listFiles("docs").filter((path) => path.endsWith(".md"));
const citable = pages.filter((path) => !path.startsWith("docs/decisions/"));
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

const documents: Documents = {
  anchors: new Map(citable.map((path) => [basename(path), new Set(anchorsIn(textOf(path)))])),
  decisions: new Set(pages.flatMap((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? [])),
};

const ANCHOR = /\b([a-z][a-z-]*\.md)#([\w-]+)/g;
const DECISIONS = /\bdecisions? (\d+(?:(?:, | and |, and )\d+)*)/g;

/** Citations of what is not there. */
function brokenCitations(source: Source, { anchors, decisions }: Documents): string[] {
  const toNowhere = [...source.text.matchAll(ANCHOR)].filter(([, page = "", id = ""]) => !anchors.get(page)?.has(id));
  const undecided = [...source.text.matchAll(DECISIONS)].filter(([, numbers = ""]) =>
    numbers.split(/\D+/).some((number) => !decisions.has(number)),
  );
  return [...toNowhere, ...undecided].map(({ 0: cited, index }) => violation(source, index, `cites ${cited}`));
}

/** Ways to cite documents that are not in the repository: a design by its rules, decisions by sections, a specification by its headings. */
const OUTSIDE =
  /architecture,? rule|decisions? §|\b(?:surface|specification),? (?:§|["'`])|\b(?:decisions|surface|rooms|style|bars)\.md|docs\/decisions\/\d/;

function outsideCitations(source: Source): string[] {
  return matchingLines(source, OUTSIDE, "cites what is not in the repository");
}

describe("an anchor", () => {
  it.each(citable)("is the only one of its name in %s", (path) => {
    const ids = anchorsIn(textOf(path));
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("is found by the file name of its document, as no two have the same", () => {
    expect(documents.anchors.size).toBe(citable.length);
  });
});

describe("a citation", () => {
  it("names an anchor or a decision that is there", () => {
    expect(readSources("src", "test", "bench").flatMap((source) => brokenCitations(source, documents))).toEqual([]);
  });
});

describe("a comment or a document", () => {
  it("cites nothing outside the repository", () => {
    const texts = [...pages, "README.md", "AGENTS.md", "CONTRIBUTING.md"].map((path) => ({ path, text: textOf(path) }));
    expect([...readSources("src", "test", "bench"), ...texts].flatMap(outsideCitations)).toEqual([]);
  });
});

describe("the rule of citations itself", () => {
  const known: Documents = { anchors: new Map([["a.md", new Set(["here"])]]), decisions: new Set(["0003", "0010"]) };
  const judge = (text: string) => brokenCitations({ path: "src/a.ts", text: `\n${text}` }, known);

  it.each([
    `a.md${"#"}gone`,
    `b.md${"#"}here`,
    `decision ${"0004"}`,
    `decision ${"3"}`,
    `decisions ${"0003"}, ${"12"}`,
  ])("catches %s", (cited) => {
    expect(judge(`/** Source: ${cited}. */`)).toEqual([`src/a.ts:2 cites ${cited}`]);
  });

  it.each([`a.md${"#"}here, decision ${"0003"}`, `decisions ${"0003"} and ${"0010"}`, "a decision of 3 people"])(
    "lets %s pass",
    (cited) => {
      expect(judge(`/** Source: ${cited}. */`)).toEqual([]);
    },
  );

  it.each([
    `architecture ${"rule"} 1`,
    `architecture, ${"rule"} 9`,
    `decisions ${"§"}2`,
    `surface, ${'"'}Settings"`,
    `specification ${"§"}3`,
    `specification, ${'"'}Errors"`,
    `decisions${"."}md, 4`,
    `docs/decisions/${"0009"}`,
  ])("catches %s", (cited) => {
    expect(outsideCitations({ path: "src/a.ts", text: `\n// Source: ${cited}` })).toHaveLength(1);
  });

  it.each([
    "a surface, such as a table",
    "the specification, which is short",
    "decisions are made here",
    "RFC 9562 §5.7",
  ])("lets %s pass", (text) => {
    expect(outsideCitations({ path: "src/a.ts", text })).toEqual([]);
  });
});
