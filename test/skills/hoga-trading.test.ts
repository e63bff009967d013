import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readProperties, validate } from "skills-ref";
import { describe, expect, it } from "vitest";
import { FAULT_CODES, LOCAL_FAULTS } from "../../src/contract/index.ts";
import { TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import { CARDS } from "../../src/venues/index.ts";
import { taughtCalls } from "./taught-calls.ts";

const root = join(import.meta.dirname, "..", "..");
const skill = join(root, "skills", "hoga-trading");

interface Page {
  readonly name: string;
  readonly text: string;
}

const pages: readonly Page[] = readdirSync(skill, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .sort((a, b) => (a < b ? -1 : 1))
  .map((name) => ({ name, text: readFileSync(join(skill, name), "utf8") }));
const everything = pages.map(({ text }) => text).join("\n");

function pageNamed(name: string): string {
  const page = pages.find((each) => each.name === name);
  if (page === undefined) throw new Error(`no page ${name}`);
  return page.text;
}

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

describe("the trading skill", () => {
  it("is a valid Agent Skill", async () => {
    expect(await validate(skill)).toEqual([]);
  });

  it("says when to use it, also in Korean, within the permitted length", async () => {
    const { name, description } = await readProperties(skill);
    expect(name).toBe("hoga-trading");
    expect(description.length).toBeLessThanOrEqual(1024);
    for (const word of ["매수", "매도", "주문", "호가", "미체결 취소", "sandbox", "Use when"])
      expect(description).toContain(word);
  });

  it("has pages short enough to be read whole", () => {
    expect(pages.map(({ name }) => name)).toEqual([
      "SKILL.md",
      "references/korean-phrases.md",
      "references/order-types.md",
      "references/payments-and-remittances.md",
      "references/real-exchanges.md",
      "references/requests.md",
      "references/states-and-errors.md",
    ]);
    expect(pages.filter(({ text }) => text.split("\n").length > 150)).toEqual([]);
  });

  it("has links that lead somewhere inside the skill, and to every page", () => {
    const targets = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => join(dirname(join(skill, name)), link)),
    );
    expect(targets.filter((target) => !existsSync(target) || relative(skill, target).startsWith(".."))).toEqual([]);
    const linked = new Set(targets.map((target) => relative(skill, target)));
    expect(pages.map(({ name }) => name).filter((name) => name !== "SKILL.md" && !linked.has(name))).toEqual([]);
  });
});

describe("what the skill names", () => {
  const tools = [...TOOLS, ...TRANSFER_TOOLS].map(({ name }) => name);
  const verbs = new Set(tools.map((name) => name.split("_", 1)[0]));

  it("are tools that exist, and every tool there is to look and trade with", () => {
    const others = ["cancel_requested", "quote_amount"];
    const named = [...codeWords].filter((word) => verbs.has(word.split("_", 1)[0]) && !others.includes(word));
    expect(named.filter((word) => !tools.includes(word))).toEqual([]);
    const taught = taughtCalls(pageNamed("references/requests.md")).map(({ tool }) => tool);
    expect(tools.filter((name) => ![...named, ...taught].includes(name))).toEqual([]);
  });

  it("are words of the tools, the desk or the contract", () => {
    const known = ["mcp", "desk", "contract"].map(sources).join("\n");
    expect([...codeWords].filter((word) => !new RegExp(`\\b${word}\\b`).test(known))).toEqual([]);
  });

  it("are codes of the catalogue, and all of them that an order, a cancel or a transfer can meet", () => {
    const text = pageNamed("references/states-and-errors.md") + pageNamed("references/payments-and-remittances.md");
    const named = new Set([...text.matchAll(/`(E[A-Z][A-Za-z]+:[^`]+)`/g)].map(([, code = ""]) => code));
    const all = [...FAULT_CODES, ...Object.keys(LOCAL_FAULTS)];
    expect([...named].filter((code) => !all.includes(code))).toEqual([]);
    const elsewhere = ["EGeneral:Invalid arguments", "EGeneral:Unknown method", "EQuery:Unknown asset pair"];
    const isMet = (code: string): boolean => !elsewhere.includes(code) && !code.startsWith("ELocal:Webhook ");
    expect(all.filter((code) => !named.has(code) && isMet(code))).toEqual([]);
  });

  it("are all states an order can be reported in, each with its own row, in both languages", () => {
    const states = [
      "denied",
      "awaiting_approval",
      "rejected",
      "not_placed",
      "not_sent_yet",
      "unknown",
      "accepted",
      "open",
      "partially_filled",
      "filled",
      "cancel_requested",
    ];
    const rows = (name: string) => [...pageNamed(name).matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, state]) => state);
    expect(rows("references/states-and-errors.md")).toEqual([...states, "canceled", "expired"]);
    expect(new Set(rows("references/korean-phrases.md"))).toEqual(new Set([...states, "canceled", "expired"]));
  });
});

describe("the calls the skill teaches", () => {
  const rows = taughtCalls(pageNamed("references/requests.md"));

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
  const calls = [...pageNamed("references/real-exchanges.md").matchAll(/`([a-z_]+) (\{[^`]*\})`/g)];

  it("have the size by which every one of them takes a market order, and fields of the tool alone", () => {
    expect(calls).toHaveLength(2);
    const fields = TOOLS.find(({ name }) => name === "preview_order")?.inputJson()["properties"] as object;
    for (const [, tool, args = ""] of calls) {
      expect(tool).toBe("preview_order");
      const given = JSON.parse(args) as { side: "buy" | "sell"; quote_amount?: string; base_volume?: string };
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(given)));
      for (const { market_buy_by: buy, market_sell_by: sell } of CARDS) {
        const by = given.quote_amount === undefined ? "volume" : "cost";
        expect([by, "both"]).toContain(given.side === "buy" ? buy : sell);
      }
    }
  });
});

describe("what the skill forbids", () => {
  it.each([
    ["to get around a limit", "When hoga denies it", ["never split an order", "Never edit it", "hoga resume"]],
    [
      "to approve in the person's place, or to ask twice",
      "When a person has to approve it",
      ["A yes in the chat does not count", "Never run that", "never ask for the PIN", "Never place it again"],
    ],
    ["to double an order", "When the outcome is unknown", ["Never place it again"]],
  ])("%s", (_, head, words) => {
    const section =
      pageNamed("SKILL.md")
        .split(/^## /m)
        .find((part) => part.startsWith(head)) ?? "";
    for (const word of words) expect(section).toContain(word);
  });
});

describe("mcp.json", () => {
  it("launches the program that the build makes, from the repository's root", () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
    const { bin } = read("package.json") as { bin: { hoga: string } };
    expect(read("mcp.json")).toEqual({ mcpServers: { hoga: { command: "node", args: [bin.hoga, "serve"] } } });
  });
});
