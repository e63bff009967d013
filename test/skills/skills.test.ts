import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readProperties, validate } from "skills-ref";
import { afterAll, describe, expect, it } from "vitest";
import { FAULT_CODES, LOCAL_FAULTS } from "../../src/contract/index.ts";
import { TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import { CARDS } from "../../src/venues/index.ts";
import { cleanUp, run } from "../fixture/in-process.ts";
import { SKILL_NAMES, SKILLS, skillText, taughtCalls } from "./taught-calls.ts";

afterAll(cleanUp);

const root = join(import.meta.dirname, "..", "..");

interface Page {
  /** Its path below `skills`. */
  readonly name: string;
  readonly text: string;
}

const pages: readonly Page[] = readdirSync(SKILLS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .sort((a, b) => (a < b ? -1 : 1))
  .map((name) => ({ name, text: readFileSync(join(SKILLS, name), "utf8") }));
const everything = pages.map(({ text }) => text).join("\n");

/** Words in code style, such as `place_order` or `base_volume`; of `side: "buy"` the part before the colon. */
const codeWords = new Set(
  [...everything.matchAll(/`([a-z]+(?:_[a-z0-9]+)+)(?:: [^`]*)?`/g)].map(([, word = ""]) => word),
);

function sources(folder: string): string {
  const absolute = join(root, "src", folder);
  return readdirSync(absolute, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(absolute, name), "utf8"))
    .join("\n");
}

it("is one skill for each thing that a trader asks for", () => {
  expect(SKILL_NAMES).toEqual([
    "hoga-follow-orders",
    "hoga-limits",
    "hoga-market",
    "hoga-place-orders",
    "hoga-plans",
    "hoga-real-exchanges",
    "hoga-review",
    "hoga-setup",
    "hoga-transfers",
    "hoga-unknown-outcome",
  ]);
});

describe.each(SKILL_NAMES)("the skill %s", (name) => {
  const folder = join(SKILLS, name);
  const own = pages.filter((page) => page.name.startsWith(`${name}/`));

  it("is a valid Agent Skill", async () => {
    expect(await validate(folder)).toEqual([]);
  });

  it("says when to use it, in English and Korean, within the permitted length", async () => {
    const properties = await readProperties(folder);
    expect(properties.name).toBe(name);
    expect(properties.description.length).toBeLessThanOrEqual(1024);
    expect(properties.description).toMatch(/Use (?:when|whenever) /);
    expect([...properties.description.matchAll(/\p{Script=Hangul}+/gu)].length).toBeGreaterThanOrEqual(5);
  });

  it("is short enough to be read whole, and says what must never be done", () => {
    expect(own.filter(({ text }) => text.split("\n").length > 120).map((page) => page.name)).toEqual([]);
    const [, never = ""] = skillText(name).split("\n## What must never be done\n");
    expect(never).toMatch(/^\n- Never /);
  });

  it("has links that lead somewhere inside it, and to every page", () => {
    const targets = own.flatMap((page) =>
      [...page.text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) =>
        join(dirname(join(SKILLS, page.name)), link),
      ),
    );
    expect(targets.filter((target) => !existsSync(target) || relative(folder, target).startsWith(".."))).toEqual([]);
    const linked = new Set(targets.map((target) => relative(SKILLS, target)));
    expect(own.map((page) => page.name).filter((page) => page !== `${name}/SKILL.md` && !linked.has(page))).toEqual([]);
  });
});

describe("what the skills name", () => {
  const tools = [...TOOLS, ...TRANSFER_TOOLS].map(({ name }) => name);
  const verbs = new Set(tools.map((name) => name.split("_", 1)[0]));

  it("are tools that exist, and every tool there is to look and trade with", () => {
    const others = ["cancel_requested", "quote_amount", "quote_id"];
    const named = [...codeWords].filter((word) => verbs.has(word.split("_", 1)[0]) && !others.includes(word));
    expect(named.filter((word) => !tools.includes(word))).toEqual([]);
    const taught = taughtCalls().map(({ tool }) => tool);
    expect(tools.filter((name) => ![...named, ...taught].includes(name))).toEqual([]);
  });

  it("are words of the tools, the desk or the contract", () => {
    const known = ["mcp", "desk", "contract"].map(sources).join("\n");
    expect([...codeWords].filter((word) => !new RegExp(`\\b${word}\\b`).test(known))).toEqual([]);
  });

  it("are codes of the catalogue, and all of them that an order, a cancel or a transfer can meet", () => {
    const named = new Set([...everything.matchAll(/`(E[A-Z][A-Za-z]+:[^`]+)`/g)].map(([, code = ""]) => code));
    const all = [...FAULT_CODES, ...Object.keys(LOCAL_FAULTS)];
    expect([...named].filter((code) => !all.includes(code))).toEqual([]);
    const elsewhere = [...["EGeneral:Invalid arguments", "EGeneral:Unknown method", "EQuery:Unknown asset pair"]];
    const isMet = (code: string): boolean => !elsewhere.includes(code) && !code.startsWith("ELocal:Webhook ");
    expect(all.filter((code) => !named.has(code) && isMet(code))).toEqual([]);
  });

  it("are all states an order can be reported in, each with its own row, in both languages", () => {
    const states = [
      ...["denied", "awaiting_approval", "rejected", "not_placed", "not_sent_yet", "unknown", "accepted", "open"],
      ...["partially_filled", "filled", "cancel_requested", "canceled", "expired"],
    ];
    const rows = [...skillText("hoga-follow-orders").matchAll(/^\| `([a-z_]+)` \| ([^|]+) \|/gm)];
    expect(rows.map(([, state]) => state)).toEqual(states);
    expect(rows.filter(([, , ko = ""]) => !/\p{Script=Hangul}/u.test(ko))).toEqual([]);
  });

  it("are commands that the program has, with their options", async () => {
    const named = [...everything.matchAll(/`hoga ([a-z]+)([^`]*)`/g)].map(([, name = "", rest = ""]) => ({
      name,
      rest,
    }));
    expect(named.length).toBeGreaterThan(10);
    for (const { name, rest } of named) {
      const { code, stdout } = await run([name, "--help"]);
      expect({ name, code }).toEqual({ name, code: 0 });
      for (const [option] of rest.matchAll(/--[a-z]+/g)) expect(stdout).toContain(option);
    }
  });

  it("are skills that exist", () => {
    const named = [...everything.matchAll(/`(hoga-[a-z-]+)`/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !SKILL_NAMES.includes(name))).toEqual([]);
  });
});

describe("the calls the skills teach", () => {
  const rows = taughtCalls();

  it("are of every tool to look and trade with, those aside that go by an earlier answer", () => {
    const taught = new Set(rows.map(({ tool }) => tool));
    expect(TOOLS.map(({ name }) => name).filter((name) => !taught.has(name))).toEqual(["place_order"]);
  });

  it("spend won as an amount and sell coins as a volume", () => {
    const order = (request: string) => rows.find(({ ko }) => ko === request)?.args;
    expect(order("비트코인 5만원어치 사줘")).toEqual({
      symbol: "BTC/KRW",
      side: "buy",
      type: "market",
      quote_amount: "50000",
    });
    expect(order("이더리움 0.5개 시장가로 팔아줘")).toEqual({
      symbol: "ETH/KRW",
      side: "sell",
      type: "market",
      base_volume: "0.5",
    });
  });
});

describe("the calls for a real exchange", () => {
  const calls = taughtCalls().filter(({ skill }) => skill === "hoga-real-exchanges");

  it("have the size by which every one of them takes a market order, and fields of the tool alone", () => {
    expect(calls).toHaveLength(2);
    const fields = TOOLS.find(({ name }) => name === "preview_order")?.inputJson()["properties"] as object;
    for (const { tool, args } of calls) {
      expect(tool).toBe("preview_order");
      const given = args as { side: "buy" | "sell"; quote_amount?: string; base_volume?: string };
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(given)));
      for (const { market_buy_by: buy, market_sell_by: sell } of CARDS) {
        const by = given.quote_amount === undefined ? "volume" : "cost";
        expect([by, "both"]).toContain(given.side === "buy" ? buy : sell);
      }
    }
  });
});

describe("what the skills forbid", () => {
  it.each([
    [
      "getting around a limit",
      "hoga-limits",
      ["never split an order", "Never edit it", "Only the person starts again"],
    ],
    [
      "approving in the person's place, and asking twice",
      "hoga-limits",
      ["A yes in the chat does not count", "Never run that", "never ask for the PIN", "Never place it again"],
    ],
    ["doubling an order", "hoga-unknown-outcome", ["Never place it again", 'not a "smaller one to be safe"']],
    ["doubling an order when it is placed", "hoga-place-orders", ["**do not place it again**"]],
    ["doubling a payment", "hoga-transfers", ["Never quote and make\n  it anew"]],
    [
      "promising an alert, and trading because of one",
      "hoga-plans",
      ["Never promise that they will be told", "Never place an order because an alert told", "never watch it yourself"],
    ],
    [
      "promising what a stop brings, and taking it away",
      "hoga-plans",
      ["Never promise a price", "Never call a plan safe", "Never take a protection away", "out of looking repeatedly"],
    ],
    ["secrets in a chat", "hoga-setup", ["Never ask for a key, a secret or the PIN in the chat"]],
  ])("%s", (_, skill, words) => {
    for (const word of words) expect(skillText(skill)).toContain(word);
  });
});

describe("mcp.json", () => {
  it("launches the program that the build makes, from the repository's root", () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
    const { bin } = read("package.json") as { bin: { hoga: string } };
    expect(read("mcp.json")).toEqual({ mcpServers: { hoga: { command: "node", args: [bin.hoga, "serve"] } } });
  });
});
