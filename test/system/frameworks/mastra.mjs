/** `@mastra/mcp`: hands on the structured content alone, after it has checked it against the tool's schema. */
import { MCPClient } from "@mastra/mcp";

/** @returns {Promise<import("./conversation.mjs").Framework>} */
export async function open({ stdio, http }) {
  const server = stdio ?? { url: new URL(http.url), requestInit: { headers: http.headers } };
  const client = new MCPClient({ servers: { hoga: server } });
  const { hoga } = await client.getToolsets();
  return {
    names: Object.keys(hoga),
    call: async (name, args) => ({ content: await hoga[name].execute({ context: args }) }),
    close: () => client.disconnect(),
  };
}
