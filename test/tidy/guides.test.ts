/** What the guides list is what there is: every rule and setting of the policy, every tool, every command. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withToolTable } from "../../docs/tool-table.ts";
import { RULES } from "../../src/desk/model/policy.ts";
import { TOOLS } from "../../src/mcp/index.ts";
import { settingNames } from "../../src/policy/index.ts";
import { ROOT, readSources } from "./source.ts";

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The code words that the rows of the first table behind an anchor begin with. */
function firstColumn(text: string, anchor: string): string[] {
  const [, section = ""] = text.split(`<a id="${anchor}"></a>`);
  const [table = ""] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  return [...table.matchAll(/^\| (?:<a id="[^"]+"><\/a>)?`([^`]+)`/gm)].map(([, word = ""]) => word);
}

/** What stands in the blocks of code. */
function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
}

/** The commands that the command line defines, such as `webhooks listen` where one stands in another. */
function commandsIn(source: string): string[] {
  return [...source.matchAll(/\.command\("([\w-]+)/g)].map(([, name = ""]) => name);
}

describe("the guide of", () => {
  it("the policy lists its rules in the order of precedence", () => {
    expect(firstColumn(textOf("docs/guides/policy.md"), "precedence")).toEqual([...RULES]);
  });

  it("the policy shows every setting", () => {
    const guide = textOf("docs/guides/policy.md");
    const names = settingNames("KRW");
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !new RegExp(`^\\[?${name}\\b`, "m").test(guide))).toEqual([]);
  });

  it("the tools lists each in its module, as `npm run docs` writes it", () => {
    const guide = textOf("docs/guides/tools.md");
    expect(guide).toContain("| market | `get_markets` `");
    expect(withToolTable(guide)).toBe(guide);
  });

  it.each([
    ["Upbit", "trade-on-upbit"],
    ["Bithumb", "trade-on-bithumb"],
  ])("%s shows the same commands and settings in both languages, of commands that there are", (_, guide) => {
    const [en = [], ko] = [`${guide}.md`, `${guide}.ko.md`].map((name) => blocksOf(textOf(`docs/guides/${name}`)));
    expect(en.length).toBeGreaterThan(5);
    expect(ko).toEqual(en);
    const named = [...en.join("\n").matchAll(/^hoga ([\w-]+)/gm)].map(([, name = ""]) => name);
    const commands = commandsIn(textOf("src/cli/main.ts"));
    expect(named.filter((name) => !commands.includes(name))).toEqual([]);
    const tools = [...en.join("\n").matchAll(/^hoga call (\w+)/gm)].map(([, name]) => name);
    expect(tools.filter((name) => !TOOLS.some((tool) => tool.name === name))).toEqual([]);
  });

  it("operating has every figure that there is", async () => {
    const { Metrics } = await import("../../src/telemetry/index.ts");
    const names = new Metrics({ account: "paper", environment: "sandbox", version: "0" }).names;
    expect(names).toContain("hoga_orders_total");
    expect(firstColumn(textOf("docs/guides/operate.md"), "metric-names").sort()).toEqual([...names].sort());
  });

  it("the commands names each of them", () => {
    const guide = textOf("docs/guides/commands.md");
    const commands = commandsIn(textOf("src/cli/main.ts"));
    expect(commands).toContain("halt");
    expect(
      commands.filter((name) => !new RegExp(`\`hoga (?:webhooks |passkeys |tokens )?${name}\\b`).test(guide)),
    ).toEqual([]);
  });
});

describe("the guide of what goes wrong", () => {
  /** Source as it is said: strings that are put together over lines are one, and what is filled in is `…`. */
  const said = readSources("src")
    .map(({ text }) => text.replace(/["`]\s*\+\s*["`]/g, "").replace(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, "…"))
    .join("\n");
  const messages = [...textOf("docs/guides/troubleshooting.md").matchAll(/^\| `([^`]+)`/gm)].map(
    ([, name = ""]) => name,
  );

  it("quotes messages that hoga says", () => {
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.filter((message) => !said.includes(message))).toEqual([]);
  });
});

describe("the reading of the guides itself", () => {
  it("finds the first words of a table, and commands in their definitions", () => {
    expect(
      firstColumn('<a id="a"></a>\ntext\n\n| x | y |\n|---|---|\n| `one` | 1 |\n| <a id="t"></a>`two` | `2` |\n', "a"),
    ).toEqual(["one", "two"]);
    expect(commandsIn('hoga\n    .command("halt")\n    .command("audit [action]")')).toEqual(["halt", "audit"]);
  });
});
