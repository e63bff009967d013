/** What README and guides show on a terminal is what a terminal shows: every command is run, in a fresh home, and its output compared. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp } from "../../fixture/program.ts";
import { ROOT } from "../../tidy/source.ts";
import { type Exchange, exchangesIn, filesIn, looksLike, Shell } from "./transcript.ts";

const documents = [
  "README.md",
  ...readdirSync(join(ROOT, "docs/guides")).map((name) => join("docs/guides", name)),
].filter((path) => path.endsWith(".md") && readFileSync(join(ROOT, path), "utf8").includes("```console"));

/** The ports that documents name. */
const PORTS = ["8420", "8421", "8422", "8430"];

afterAll(cleanUp);

/** The document as if it had been written for ports that are free here. */
async function withFreePorts(text: string): Promise<string> {
  let moved = text;
  for (const port of PORTS) moved = moved.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(await freePort()));
  return moved;
}

const textOf = ({ command, printed }: Exchange): string => `$ ${command}\n${printed}`;

describe("a transcript", () => {
  it.each(documents)("shows what a terminal shows: %s", { timeout: 180_000 }, async (path) => {
    const text = await withFreePorts(readFileSync(join(ROOT, path), "utf8"));
    const home = freshHome();
    const data = join(home, ".local/share/hoga");
    mkdirSync(data, { recursive: true, mode: 0o700 });
    for (const file of filesIn(text)) writeFileSync(join(data, file.name), file.text, { mode: 0o600 });
    const exchanges = exchangesIn(text);
    const shell = new Shell(ROOT, { PATH: process.env["PATH"] ?? "", HOME: home });
    const shown: string[] = [];
    try {
      for (const exchange of exchanges) {
        const printed = await shell.run(exchange);
        shown.push(textOf(looksLike(printed, exchange.printed) ? exchange : { ...exchange, printed: printed.trim() }));
      }
    } finally {
      await shell.close();
    }
    expect(shown.join("\n")).toBe(exchanges.map(textOf).join("\n"));
  });

  it.each(["desk.mjs", "stream.mjs"])("shows the example %s as it is in its file", (file) => {
    const [guide, example] = ["stream.md", file].map((name) => readFileSync(join(ROOT, "docs/guides", name), "utf8"));
    expect(guide).toContain(`\`\`\`js\n${example}\`\`\``);
  });
});

describe("the comparison of transcripts itself", () => {
  it.each([
    ["open 1 at ₩1,000.5", "open 2 at ₩17"],
    ["order 01a1fda0-02f3-7011-b084-59b854613b7c, userref hgywfa3g7e074eye57.", "order …, userref hgaaaaaaaaaaaaaaaa."],
    ["one\ntwo\nthree", "one\n…\nthree"],
    ["hoga: settled 1 orders and transfers without an answer: 1 placed\none", "one"],
  ])("takes %j for %j", (printed, expected) => {
    expect(looksLike(printed, expected)).toBe(true);
  });

  it.each([
    ["Denied: nothing was sent.", "Accepted: nothing was sent."],
    ["one\ntwo", "one"],
    ["filled", "filled 1"],
  ])("does not take %j for %j", (printed, expected) => {
    expect(looksLike(printed, expected)).toBe(false);
  });
});
