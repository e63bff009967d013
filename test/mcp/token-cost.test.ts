import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import type { Desk, PlanDesk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { withViews } from "../../src/mcp/person/view.ts";
import { connect, ERAS } from "./client.ts";

/** Every conversation pays for the list; of hosts that leave output schemas out, for the rest of it. Without plans it is what it was before them. */
const BUDGETS = [
  { what: "with plans", modules: undefined, tools: 24, tokens: 13_600, withoutOutput: 4_400 },
  {
    what: "without plans",
    modules: ["market", "account", "trade", "safety"] as const,
    tools: 21,
    tokens: 12_000,
    withoutOutput: 3_600,
  },
] as const;

it.each(BUDGETS)("keeps the list of tools within its budget, output schemas included, $what", async (budget) => {
  const desk = { environment: "sandbox", unit: "KRW", plans: {} as PlanDesk } as Desk;
  const { modules, tools: most } = budget;
  const factory = createMcpServer({ desk, version: "0.0.0", ...(modules && { modules }) });
  const client = await connect(ERAS[0], factory);
  const tools = await client.listTools();
  await client.close();
  expect(tools).toHaveLength(most);
  const costs = [tools, withViews(tools)].map((listed) => countTokens(JSON.stringify({ tools: listed })));
  expect(Math.max(...costs)).toBeLessThanOrEqual(budget.tokens);
  const inputs = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(countTokens(JSON.stringify({ tools: inputs }))).toBeLessThanOrEqual(budget.withoutOutput);
});
