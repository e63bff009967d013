/** The door `hoga/mcp`: the tools over a desk, for a server of one's own. */
export { createMcpServer, type McpServerSettings, type ServerFactory } from "../mcp/index.ts";
