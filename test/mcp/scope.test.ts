/** What each tool, resource and prompt needs, and that a caller without it neither sees nor gets it, whoever asks the server itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer, neededScopes, SCOPES, type Scope, TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { SKILL_NAMES } from "../skills/taught-calls.ts";
import { connect, ERAS, type Era, resourcePages, type TestClient } from "./client.ts";
import { SPECIFIED } from "./specified-tools.ts";

let exchange: ExchangeFixture;
beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());

const { market, account, trade, plans, safety, transfers } = SPECIFIED;
/** Those that only look, in modules whose others do not. */
const LOOKS = ["await_order", "list_plans", "get_desk_status", "get_audit_log"];
const TOOLS_OF: Readonly<Record<Scope, readonly string[]>> = {
  "market:read": market,
  "account:read": [...account, ...LOOKS],
  "trade:write": [...trade, ...plans].filter((name) => !LOOKS.includes(name)),
  "safety:write": safety.filter((name) => !LOOKS.includes(name)),
  "transfer:write": transfers,
};
const RESOURCES_OF: Readonly<Record<string, readonly string[]>> = {
  "market:read": ["hoga://markets", "hoga://venue", "hoga://orderbook", "hoga://ticker"],
  "account:read": [
    ...["hoga://orders/open", "hoga://balances", "hoga://plans", "hoga://policy", "hoga://audit/recent"],
  ],
};
const TEMPLATES_OF: Readonly<Record<string, readonly string[]>> = {
  "market:read": ["orderbook", "ticker"],
  "account:read": ["order"],
};
/** What every caller may read. */
const SKILL_PAGES = SKILL_NAMES.map((name) => `skill://hoga/${name}/SKILL.md`);
const PROMPTS_OF: Readonly<Record<string, readonly string[]>> = {
  "market:read": ["market_brief"],
  "account:read": ["review_my_day", "daily_review", "my_position", "why_denied"],
  "trade:write": ["place_an_order", "rebalance", "flatten_everything"],
};

interface Offer {
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly skills: readonly string[];
  readonly templates: readonly string[];
  readonly prompts: readonly string[];
}

const isOwn = (uri: string): boolean => uri.startsWith("hoga:");

async function offered(client: TestClient): Promise<Offer> {
  const { raw } = client;
  const { tools } = await raw.listTools();
  const resources = (await resourcePages(client)).flat();
  const { resourceTemplates } = await raw.listResourceTemplates();
  const { prompts } = await raw.listPrompts();
  return {
    tools: tools.map(({ name }) => name),
    // Of each market the same.
    resources: [...new Set(resources.filter(isOwn).map((uri) => uri.replace(/^(hoga:..(orderbook|ticker)).*/, "$1")))],
    skills: resources.filter((uri) => !isOwn(uri)),
    templates: resourceTemplates.map(({ name }) => name),
    prompts: prompts.map(({ name }) => name),
  };
}

async function withCaller<T>(era: Era, scopes: readonly Scope[], use: (client: TestClient) => Promise<T>): Promise<T> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const client = await connect(era, () => factory({ scopes }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

describe("each tool", () => {
  it("needs the one scope that stands here", () => {
    const found = Object.fromEntries(
      SCOPES.map((scope) => [
        scope,
        [...TOOLS, ...TRANSFER_TOOLS].filter((tool) => tool.scope === scope).map(({ name }) => name),
      ]),
    );
    expect(found).toEqual(TOOLS_OF);
  });

  it("needs a scope to write when it changes anything", () => {
    const writes = [...TOOLS, ...TRANSFER_TOOLS].filter((tool) => tool.writes);
    expect(writes.length).toBeGreaterThan(6);
    expect(writes.filter(({ scope }) => !scope.endsWith(":write"))).toEqual([]);
  });
});

describe.each(ERAS)("a caller in %s", (era) => {
  it.each(SCOPES.filter((scope) => scope !== "transfer:write"))(
    "when it has %s, is offered that, in order",
    async (scope) => {
      expect(await withCaller(era, [scope], offered)).toEqual({
        tools: TOOLS_OF[scope],
        resources: RESOURCES_OF[scope] ?? [],
        skills: SKILL_PAGES,
        templates: [...(TEMPLATES_OF[scope] ?? []), "skill"],
        prompts: PROMPTS_OF[scope] ?? [],
      });
    },
  );

  it("when it has all of them, is offered what one without a word of scopes is", async () => {
    const plain = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
    expect(await withCaller(era, SCOPES, offered)).toEqual(await offered(plain));
    await plain.close();
  });

  it("gets nothing of what it is not offered, and nothing reaches the exchange", async () => {
    await withCaller(era, ["market:read"], async (client) => {
      await client.call("get_ticker", { symbols: ["BTC/KRW"] });
      exchange.relay.seen.length = 0;
      const { raw } = client;
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
      const refused = await Promise.allSettled([
        client.call("place_order", order),
        client.call("get_balances"),
        client.call("halt_trading"),
        client.read("hoga://balances"),
        client.read("HOGA://balances"),
        client.read("hoga://orders/anything"),
        raw.getPrompt({ name: "place_an_order", arguments: { symbol: "BTC/KRW", order: "buy" } }),
        raw.complete({ ref: { type: "ref/prompt", name: "place_an_order" }, argument: { name: "symbol", value: "B" } }),
      ]);
      const ends = refused.map((end) => (end.status === "fulfilled" ? JSON.stringify(end.value) : "refused"));
      expect(ends).toEqual(refused.map(() => "refused"));
      expect(exchange.relay.seen).toEqual([]);
      expect(await exchange.desk.status()).toMatchObject({ can_trade: true });
    });
  });

  it("is told by the instructions what it cannot do", async () => {
    const words = (scopes: readonly Scope[]) => withCaller(era, scopes, async ({ raw }) => raw.getInstructions() ?? "");
    expect(await words(["trade:write"])).toContain("Preview an order");
    expect(await words(["account:read"])).toContain("Orders cannot be placed here. ");
    expect(await words(["trade:write"])).toContain(
      "Stops, regular or sliced orders, rebalancing and alerts: create_plan",
    );
    expect(await words(["account:read"])).toContain("recurring orders, price alerts, margin");
    expect(await words(["safety:write"])).toContain("Orders cannot be placed here; halt_trading still halts");
  });
});

describe("a server whose caller comes back with another token", () => {
  it.each(ERAS.slice(1))("lists and does what that one may, in the same order, in %s", async (era) => {
    const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
    const server = factory({ scopes: ["account:read"] });
    const client = await connect(era, () => server);
    const less = await offered(client);
    factory.permit(server, SCOPES);
    const all = await offered(client);
    expect(all.tools).toEqual(TOOLS.map(({ name }) => name));
    expect(all.templates).toEqual(["orderbook", "ticker", "order", "skill"]);
    expect(await client.read("hoga://ticker/BTC%2FKRW")).toMatchObject({ symbol: "BTC/KRW" });
    factory.permit(server, ["account:read"]);
    expect(await offered(client)).toEqual(less);
    await expect(client.read("hoga://ticker/BTC%2FKRW")).rejects.toThrow(/disabled/);
    await client.close();
  });
});

describe("what a message needs", () => {
  const needs = (method: string, params: object) => neededScopes({ jsonrpc: "2.0", id: 1, method, params });

  it.each([
    ["tools/call", { name: "place_order" }, ["trade:write"]],
    ["tools/call", { name: "quote_payment" }, ["transfer:write"]],
    ["tools/call", { name: "no_such_tool" }, []],
    ["tools/call", {}, []],
    ["tools/list", {}, []],
    ["prompts/get", { name: "market_brief" }, ["market:read"]],
    ["resources/read", { uri: "hoga://balances" }, ["account:read"]],
    ["resources/read", { uri: "hoga://ticker/BTC%2FKRW" }, ["market:read"]],
    ["resources/read", { uri: "HOGA://balances" }, ["account:read"]],
    ["resources/subscribe", { uri: "hoga://orders/open" }, ["account:read"]],
    ["resources/read", { uri: "hoga://orders/mine" }, ["account:read"]],
    ["completion/complete", { ref: { type: "ref/prompt", name: "rebalance" } }, ["trade:write"]],
    ["completion/complete", { ref: { type: "ref/resource", uri: "hoga://ticker/{symbol}" } }, ["market:read"]],
    [
      "subscriptions/listen",
      { notifications: { resourceSubscriptions: ["hoga://balances", "hoga://ticker/BTC-KRW", 5] } },
      ["account:read", "market:read"],
    ],
  ])("%s %j", (method, params, scopes) => {
    expect(needs(method, params)).toEqual(scopes);
  });

  it.each([undefined, null, 5, "tools/call", [], { method: "tools/call" }, { method: "tools/call", params: null }])(
    "%j needs none",
    (message) => {
      expect(neededScopes(message)).toEqual([]);
    },
  );
});
