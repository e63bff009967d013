/** The page that says which test proves what: every test named there is there, and nothing of the contract is left out. */
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
import { ROOT } from "./source.ts";

const page = readFileSync(join(ROOT, "docs/reference/coverage.md"), "utf8");

interface Row {
  readonly line: string;
  readonly what: string;
  readonly file: string;
  readonly title: string;
}

const ROW = /^\| (.+?) \| (.+) \| `(test\/[\w/.-]+)`: "(.+)" \|$/;
const HEADER = /^\|( said in |---)/;

function rowsOf(text: string): { readonly rows: readonly Row[]; readonly odd: readonly string[] } {
  const rows: Row[] = [];
  const odd: string[] = [];
  for (const line of text.split("\n").filter((each) => each.startsWith("|") && !HEADER.test(each))) {
    const [, , what = "", file = "", title = ""] = ROW.exec(line) ?? [];
    if (file === "") odd.push(line);
    else rows.push({ line, what, file, title });
  }
  return { rows, odd };
}

/** Whether the file has a test or a group of tests under this title. */
function isThere({ file, title }: Row): boolean {
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, "utf8").includes(`"${title}"`);
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
    const [row] = rowsOf('| a | b | `test/tidy/coverage.test.ts`: "no such test, I hope: ' + '☂" |').rows;
    expect(row !== undefined && isThere(row)).toBe(false);
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
