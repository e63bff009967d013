/** The page that says which test proves what: every test and rule named there is there, and no rule and nothing of the contract is left out. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ENDPOINT_IDS,
  ENDPOINTS,
  FAULT_CODES,
  PRIVATE_CHANNELS,
  PUBLIC_CHANNELS,
  TIERS,
  TRADING_OPERATION_IDS,
  TRANSFER_ENDPOINT_IDS,
  TRANSFER_ENDPOINTS,
  WEBHOOK_TYPES,
} from "../../src/contract/index.ts";
import { TOOLS } from "../../src/mcp/tools/catalog.ts";
import { anchorsIn, rulesIn } from "./anchors.ts";
import { ROOT } from "./source.ts";

const FOLDER = "docs/reference";
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = textOf(join(FOLDER, "coverage.md"));

interface Row {
  readonly line: string;
  /** Where the first column links to, from the page. */
  readonly rule: string;
  readonly what: string;
  readonly file: string;
  readonly title: string;
}

const ROW = /^\| \[[^\]]+\]\(([^)]+)\) \| (.+) \| `(test\/[\w/.-]+)`: "(.+)" \|$/;
const HEADER = /^\|( rule |---)/;

function rowsOf(text: string): { readonly rows: readonly Row[]; readonly odd: readonly string[] } {
  const rows: Row[] = [];
  const odd: string[] = [];
  for (const line of text.split("\n").filter((each) => each.startsWith("|") && !HEADER.test(each))) {
    const [, rule = "", what = "", file = "", title = ""] = ROW.exec(line) ?? [];
    if (file === "") odd.push(line);
    else rows.push({ line, rule, what, file, title });
  }
  return { rows, odd };
}

/** Whether the file has a test or a group of tests under this title. */
function isThere({ file, title }: Row): boolean {
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, "utf8").includes(`"${title}"`);
}

/** Whether there is a rule, a section or a decision where the row says. */
function hasRule({ rule }: Row): boolean {
  const [file = "", anchor] = rule.split("#");
  const path = join(FOLDER, file);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsIn(textOf(path)).includes(anchor);
}

/** The rules of a document that have neither a row nor a link below the heading of what is not tested. */
function unprovenRules(document: string, text: string, coverage: string): string[] {
  const [table = "", untested = ""] = coverage.split("\n## Not tested\n");
  const proven = rowsOf(table).rows.map(({ rule }) => rule);
  return rulesIn(text)
    .map((id) => `${document}#${id}`)
    .filter((rule) => !proven.includes(rule) && !untested.includes(`(${rule})`));
}

describe("a row of the page", () => {
  const { rows, odd } = rowsOf(page);

  it("has the form of one", () => {
    expect(odd).toEqual([]);
    expect(rows.length).toBeGreaterThan(50);
  });

  it("names a test that is there", () => {
    expect(rows.filter((row) => !isThere(row)).map(({ line }) => line)).toEqual([]);
  });

  it("is missed when its test is not there", () => {
    const [row] = rowsOf('| [a](A.md#b) | b | `test/tidy/coverage.test.ts`: "no such test, I hope: ' + '☂" |').rows;
    expect(row !== undefined && isThere(row)).toBe(false);
  });

  it("belongs to a rule that is there", () => {
    expect(rows.filter((row) => !hasRule(row)).map(({ line }) => line)).toEqual([]);
  });

  it("is missed when its rule is not there", () => {
    const judged = (rule: string) => rowsOf(`| [a](${rule}) | b | \`test/a.test.ts\`: "c" |`).rows.map(hasRule);
    expect([`service.md#${"no-such-rule"}`, "no-such-page.md", "service.md#nonce"].flatMap(judged)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it.each(["service.md", "../architecture.md"])("is there for every rule of %s", (document) => {
    expect(unprovenRules(document, textOf(join(FOLDER, document)), page)).toEqual([]);
  });

  it("is missed by a rule that has none, unless the page says that it is not tested", () => {
    const text = ["b", "c", "d"].map((id) => `- <a id="${id}"></a>says something`).join("\n");
    const proven = '| [b](A.md#b) | b | `test/a.test.ts`: "t" |';
    const coverage = `# Page\n${proven}\n\n## Not tested\n\n- [c](A.md#c): nobody can`;
    expect(unprovenRules("A.md", `## <a id="section"></a>Section\n${text}`, coverage)).toEqual(["A.md#d"]);
  });

  it.each([
    ["endpoint", ENDPOINT_IDS.map((id) => `\`${ENDPOINTS[id].method} ${ENDPOINTS[id].path}\``)],
    ["alias endpoint", ALIAS_ENDPOINT_IDS.map((id) => `\`${ALIAS_ENDPOINTS[id].method} ${ALIAS_ENDPOINTS[id].path}\``)],
    [
      "endpoint of the drafts",
      TRANSFER_ENDPOINT_IDS.map((id) => `\`${TRANSFER_ENDPOINTS[id].method} ${TRANSFER_ENDPOINTS[id].path}\``),
    ],
    ["operation of the Trading API", TRADING_OPERATION_IDS.map((id) => `\`${id}\``)],
    ["channel of the stream", [...PUBLIC_CHANNELS, ...PRIVATE_CHANNELS].map((channel) => `\`${channel}\``)],
    ["type of webhook", WEBHOOK_TYPES.map((type) => `\`${type}\``)],
    ["fault", FAULT_CODES.map((code) => `\`${code}\``)],
    ["tier", TIERS.map((tier) => `\`${tier}\``)],
    ["tool", TOOLS.map(({ name }) => `\`${name}\``)],
  ])("is there for every %s", (_, names) => {
    const told = rows.map(({ what }) => what).join("\n");
    expect(names.filter((name) => !told.includes(name))).toEqual([]);
  });
});
