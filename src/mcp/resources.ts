/** Owns the resources: data a host may attach to a conversation without a tool call. */
import type { McpServer, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Desk } from "../desk/index.ts";
import { reportError } from "../desk/index.ts";

const MARKETS = "hoga://markets";
const MARKETS_TTL_MS = 60_000;

export function registerResources(server: McpServer, desk: Desk): void {
  server.registerResource(
    "markets",
    MARKETS,
    {
      title: "Markets",
      description: "All markets with price ticks, minimum orders, fees and status.",
      mimeType: "application/json",
      cacheHint: { ttlMs: MARKETS_TTL_MS, cacheScope: "public" },
    },
    async () => {
      const markets = await desk.markets();
      const { environment } = desk;
      return json(
        MARKETS,
        markets.ok ? { environment, markets: markets.value } : { environment, error: reportError(markets.fault) },
      );
    },
  );
}

function json(uri: string, content: object): ReadResourceResult {
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(content) }] };
}
