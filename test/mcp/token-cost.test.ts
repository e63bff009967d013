import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { withViews } from "../../src/mcp/person/view.ts";
import { connect, ERAS } from "./client.ts";

/** Every conversation pays for the list; of hosts that leave output schemas out, for the rest of it. */
const TOKENS_MAX = 12_000;
const WITHOUT_OUTPUT_MAX = 3_600;
const TOOLS_MAX = 21;

it("keeps the list of tools within its budget, output schemas included", async () => {
  const factory = createMcpServer({ desk: { environment: "sandbox", unit: "KRW" } as Desk, version: "0.0.0" });
  const client = await connect(ERAS[0], factory);
  const tools = await client.listTools();
  await client.close();
  expect(tools.length).toBeLessThanOrEqual(TOOLS_MAX);
  const costs = [tools, withViews(tools)].map((listed) => countTokens(JSON.stringify({ tools: listed })));
  expect(Math.max(...costs)).toBeLessThanOrEqual(TOKENS_MAX);
  const inputs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(countTokens(JSON.stringify({ tools: inputs }))).toBeLessThanOrEqual(WITHOUT_OUTPUT_MAX);
});
