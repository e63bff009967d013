import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { withViews } from "../../src/mcp/view.ts";
import { connect, ERAS } from "./client.ts";

/** Every conversation pays for the list; the bar is 9 000. */
const TOKENS_MAX = 9_000;
const TOOLS_MAX = 21;

it("keeps the list of tools within its budget, output schemas included", async () => {
  const factory = createMcpServer({ desk: { environment: "sandbox" } as Desk, version: "0.0.0" });
  const client = await connect(ERAS[0], factory);
  const tools = await client.listTools();
  await client.close();
  expect(tools.length).toBeLessThanOrEqual(TOOLS_MAX);
  const costs = [tools, withViews(tools)].map((listed) => countTokens(JSON.stringify({ tools: listed })));
  expect(Math.max(...costs)).toBeLessThanOrEqual(TOKENS_MAX);
});
