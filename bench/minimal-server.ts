/**
 * The floor that `hoga serve` is measured against: the SDK's server with one tool and nothing else, bundled the same way.
 * `quote` reads a ticker, `order` sends one signed order and `cancel` one cancel, each with one undici call: the same requests hoga makes.
 */
import { createHash, createHmac } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const baseUrl = process.env["BENCH_BASE_URL"] ?? "";
const secret = Buffer.from(process.env["BENCH_API_SECRET"] ?? "", "base64");
const quoteInput = z.strictObject({ symbol: z.string() });
const orderInput = z.strictObject({ body: z.string() });
const cancelInput = z.strictObject({ order_id: z.string() });

type Pool = import("undici").Pool;
let pool: Pool | undefined;
let nonce = 0;

async function send(method: "GET" | "POST" | "DELETE", path: string, body?: string): Promise<string> {
  const undici = await import("undici");
  pool ??= new undici.Pool(baseUrl, { connections: 1 });
  nonce = Math.max(nonce + 1, Date.now());
  const hash = createHash("sha256")
    .update(`${nonce}${body ?? ""}`)
    .digest();
  const sign = createHmac("sha512", secret).update(`${method} ${path}`).update(hash).digest("base64");
  const headers = {
    "API-Key": process.env["BENCH_API_KEY"] ?? "bench",
    "API-Nonce": nonce.toString(),
    "API-Sign": sign,
    "content-type": "application/json",
  };
  const answer = await pool.request({ method, path, headers, body: body ?? null });
  return answer.body.text();
}

serveStdio(() => {
  const server = new McpServer({ name: "minimal", version: "1.0.0" });
  server.registerTool("quote", { description: "A ticker", inputSchema: quoteInput }, async ({ symbol }) => ({
    content: [{ type: "text", text: await send("GET", `/v1/tickers?symbols=${encodeURIComponent(symbol)}`) }],
  }));
  server.registerTool("order", { description: "An order", inputSchema: orderInput }, async ({ body }) => ({
    content: [{ type: "text", text: await send("POST", "/v1/orders", body) }],
  }));
  server.registerTool("cancel", { description: "A cancel", inputSchema: cancelInput }, async ({ order_id }) => ({
    content: [{ type: "text", text: await send("DELETE", `/v1/orders/BTC%2FKRW/${order_id}`) }],
  }));
  return server;
});
