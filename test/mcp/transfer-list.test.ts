/** The tools of the draft APIs in the list: only where they are switched on, and what they cost there. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { Desk, PlanDesk, TransferDesk } from "../../src/desk/index.ts";
import { createMcpServer, type McpServerSettings, TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import { connect, ERAS, type ListedTool } from "./client.ts";
import { SPECIFIED } from "./specified-tools.ts";

const desk = { environment: "sandbox", unit: "KRW", transfers: {} as TransferDesk, plans: {} as PlanDesk } as Desk;
const MODULES = ["market", "account", "trade", "plans", "safety", "payment", "remittance"] as const;
const PAYMENT = SPECIFIED.transfers.filter((name) => name.endsWith("_payment"));
const REMITTANCE = SPECIFIED.transfers.filter((name) => name.endsWith("_remittance"));
const WRITES = SPECIFIED.transfers.filter((name) => SPECIFIED.writes.includes(name));
/** What the drafts add to the budget of the others, output schemas included. */
const TOKENS_MAX = 4_200;

async function listed(settings: Partial<McpServerSettings>): Promise<readonly ListedTool[]> {
  const client = await connect(ERAS[0], createMcpServer({ desk, version: "0.0.0", ...settings }));
  const tools = await client.listTools();
  await client.close();
  return tools;
}
const names = async (settings: Partial<McpServerSettings>) => (await listed(settings)).map(({ name }) => name);

describe("the tools of the drafts", () => {
  it("are not in the list unless they are switched on, each family by itself", async () => {
    const usual = TOOLS.map(({ name }) => name);
    expect(await names({})).toEqual(usual);
    expect(await names({ modules: MODULES })).toEqual([...usual, ...PAYMENT, ...REMITTANCE]);
    expect(await names({ modules: ["payment"] })).toEqual(PAYMENT);
    expect(await names({ modules: ["remittance"] })).toEqual(REMITTANCE);
    expect(TRANSFER_TOOLS).toHaveLength(8);
  });

  it("are no writes in a read-only server, and are absent where the desk has no transfers", async () => {
    const readOnly = await names({ modules: ["payment", "remittance"], readOnly: true });
    expect(readOnly).toEqual([...PAYMENT, ...REMITTANCE].filter((name) => !WRITES.includes(name)));
    const without = { environment: "sandbox", unit: "KRW", plans: {} as PlanDesk } as Desk;
    expect(await names({ modules: MODULES, desk: without })).toHaveLength(TOOLS.length);
  });

  it("are marked as drafts, say truthfully what can change something, and let no unknown field in", async () => {
    for (const { name, title, description, annotations, inputSchema } of await listed({
      modules: ["payment", "remittance"],
    })) {
      expect(title).toContain("(draft)");
      expect(description).toMatch(/^Draft API\. /);
      const writes = WRITES.includes(name);
      const hints = { readOnlyHint: !writes, destructiveHint: writes, idempotentHint: true, openWorldHint: true };
      expect(annotations).toEqual(hints);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });

  it("cost tokens only where they are switched on", async () => {
    const [usual, all] = [await listed({}), await listed({ modules: MODULES })].map((tools) =>
      countTokens(JSON.stringify({ tools })),
    );
    expect(Number(all) - Number(usual)).toBeLessThanOrEqual(TOKENS_MAX);
  });
});
