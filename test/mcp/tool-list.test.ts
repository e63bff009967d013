import { describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, type McpServerSettings } from "../../src/mcp/index.ts";
import { connect, ERAS, type Era, type ListedTool } from "./client.ts";

const desk = { environment: "sandbox" } as Desk;

async function listed(era: Era, settings: Partial<McpServerSettings> = {}): Promise<readonly ListedTool[]> {
  const client = await connect(era, createMcpServer({ desk, version: "0.0.0", ...settings }));
  const tools = await client.listTools();
  await client.close();
  return tools;
}

const WRITES = ["place_order", "cancel_order", "cancel_all_orders"];

describe("the list of tools", () => {
  it("is the same for clients of both eras, each time", async () => {
    const [first, second, legacy] = [await listed(ERAS[0]), await listed(ERAS[0]), await listed(ERAS[1])];
    expect(second).toEqual(first);
    expect(legacy.map((tool) => tool.name)).toEqual(first.map((tool) => tool.name));
  });

  it("is as reviewed, word by word", async () => {
    for (const tool of await listed(ERAS[0])) expect(JSON.parse(JSON.stringify(tool))).toMatchSnapshot(tool.name);
  });

  it("says truthfully what can change something", async () => {
    for (const { name, title, description, annotations } of await listed(ERAS[0])) {
      const writes = WRITES.includes(name);
      expect(annotations).toEqual({
        readOnlyHint: !writes,
        destructiveHint: writes,
        idempotentHint: name !== "place_order",
        openWorldHint: true,
      });
      expect([title, description]).not.toContain(undefined);
    }
  });

  it("refuses unknown fields everywhere, and lets results grow", async () => {
    for (const tool of await listed(ERAS[0])) {
      expect(tool.inputSchema).toMatchObject({ additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: "object", required: ["environment"] });
      expect(JSON.stringify(tool.outputSchema)).not.toContain("additionalProperties");
    }
  });

  it("has no writes when read-only, and only the modules asked for", async () => {
    const readOnly = await listed(ERAS[0], { readOnly: true });
    expect(readOnly.filter((tool) => WRITES.includes(tool.name))).toEqual([]);
    expect(readOnly).toHaveLength(13);
    const market = await listed(ERAS[1], { modules: ["market"] });
    expect(market.map((tool) => tool.name)).toEqual([
      "get_markets",
      "get_ticker",
      "get_orderbook",
      "get_candles",
      "get_recent_trades",
    ]);
  });
});
