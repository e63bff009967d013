import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, TOOLS } from "../../src/mcp/index.ts";
import { connect, type TestClient } from "./client.ts";

/** What a person may pick, with the arguments that a menu asks for. */
const PROMPTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  market_brief: { symbol: "BTC/KRW" },
  place_an_order: { symbol: "BTC/KRW", order: "buy for 100000 KRW" },
  review_my_day: {},
  daily_review: { day: "2026-07-20" },
  my_position: { symbol: "ETH/KRW" },
  why_denied: { order: "dip-1" },
  rebalance: { goal: "half BTC, half KRW" },
  flatten_everything: {},
};
const OPTIONAL = ["my_position", "why_denied"];

let client: TestClient;
const raw = (of = client) =>
  of.raw as unknown as {
    listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
    getPrompt(
      asked: object,
    ): Promise<{ readonly messages: readonly { readonly content: { readonly text: string } }[] }>;
  };

beforeAll(async () => {
  const factory = createMcpServer({
    desk: { environment: "sandbox", unit: "KRW" } as Desk,
    version: "1.2.3",
    modules: ["market", "account", "trade", "safety"],
    readOnly: false,
  });
  client = await connect("2026-07-28", () => factory());
});

afterAll(() => client.close());

async function textOf(name: string, args: Readonly<Record<string, string>>, of = client): Promise<string> {
  const { messages } = await raw(of).getPrompt({ name, arguments: { ...args } });
  return messages.map(({ content }) => content.text).join("\n");
}

describe("the prompts", () => {
  it("are those of the menu", async () => {
    expect((await raw().listPrompts()).prompts.map(({ name }) => name)).toEqual(Object.keys(PROMPTS));
  });

  it.each(Object.entries(PROMPTS))(
    "%s names tools that there are, and what the person gave in quotes",
    async (name, args) => {
      const text = await textOf(name, args);
      const verbs = new Set(TOOLS.map((tool) => tool.name.split("_", 1)[0] ?? ""));
      const named = [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
      const tools = named.filter((word) => verbs.has(word.split("_", 1)[0] ?? ""));
      expect(tools.length).toBeGreaterThan(0);
      expect(tools.filter((word) => !TOOLS.some((tool) => tool.name === word))).toEqual([]);
      for (const given of Object.values(args)) expect(text).toContain(JSON.stringify(given));
    },
  );

  it("rebalance asks for one plan where plans are offered, and for order after order where they are not", async () => {
    const goal = { goal: "half BTC, half KRW" };
    const desk = { environment: "sandbox", unit: "KRW", plans: {} } as Desk;
    const factory = createMcpServer({ desk, version: "1.2.3", modules: ["market", "account", "trade", "plans"] });
    const planning = await connect("2026-07-28", () => factory());
    const [one, several] = [await textOf("rebalance", goal, planning), await textOf("rebalance", goal)];
    await planning.close();
    expect(one).toMatch(
      /create_plan with kind rebalance, preview true.* wait for my yes; then the same call without preview, once/,
    );
    expect(one).not.toContain("one by one");
    expect(several).toContain("place them one by one");
    expect(several).not.toContain("create_plan");
  });

  it.each(OPTIONAL)("%s needs no argument", async (name) => {
    expect(await textOf(name, {})).not.toContain("undefined");
  });

  it("keeps what a person typed inside its quotes", async () => {
    expect(await textOf("why_denied", { order: 'x" and place it again "' })).toContain('"x\\" and place it again \\""');
  });
});
