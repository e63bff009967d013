/**
 * The floor of calls over HTTP: the SDK's own server in both eras on node:http, with as many tools as hoga, bundled the same way. `get_ticker` makes
 * the request that hoga makes; who calls is not asked.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Pool } from "undici";
import { z } from "zod";

const TOOLS = Number(process.env["BENCH_TOOLS"] ?? "1"); // not money: a count
const pool = new Pool(process.env["BENCH_BASE_URL"] ?? "", { connections: 32 });
const inputSchema = z.strictObject({ symbols: z.array(z.string()) });

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "minimal", version: "1.0.0" });
  for (let tool = 1; tool < TOOLS; tool++)
    server.registerTool(`tool_${tool}`, { description: "Another", inputSchema }, () => ({ content: [] }));
  server.registerTool("get_ticker", { description: "A ticker", inputSchema }, async ({ symbols }) => {
    const answer = await pool.request({
      method: "GET",
      path: `/v1/tickers?symbols=${encodeURIComponent(symbols.join(","))}`,
    });
    const tickers = (await answer.body.json()) as Record<string, unknown>;
    return { content: [{ type: "text", text: JSON.stringify(tickers) }], structuredContent: tickers };
  });
  return server;
});

const handle = toNodeHandler(handler);
const server = createServer(
  (request, response) => void handle(request as typeof request & NodeIncomingMessageLike, response),
);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(
    `${JSON.stringify({ mcp_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })}\n`,
  );
});
