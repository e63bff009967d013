/** `@mastra/mcp`: hands on the structured content alone, after it has checked it against the tool's schema. */
import { MCPClient } from "@mastra/mcp";

/** @returns {Promise<import("./conversation.mjs").Framework>} */
export async function open({ stdio, http, sse }) {
  // It finds out by itself which of the two transports an address has.
  const { url, headers } = http ?? sse ?? {};
  const server = stdio ?? { url: new URL(url), requestInit: { headers } };
  const client = new MCPClient({ servers: { hoga: server } });
  const { hoga } = await client.getToolsets();
  return {
    names: Object.keys(hoga),
    call: async (name, args) => ({ content: await hoga[name].execute({ context: args }) }),
    close: () => client.disconnect(),
  };
}
