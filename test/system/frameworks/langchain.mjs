/** `@langchain/mcp-adapters`: a tool's answer becomes a block of text that carries the structured content. */
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

/** @returns {Promise<import("./conversation.mjs").Framework>} */
export async function open({ stdio, http, sse }) {
  const web = http === undefined ? { transport: "sse", ...sse } : { transport: "http", ...http };
  const server = stdio === undefined ? web : { transport: "stdio", ...stdio };
  const client = new MultiServerMCPClient({ useStandardContentBlocks: true, mcpServers: { hoga: server } });
  const tools = await client.getTools("hoga");
  return {
    names: tools.map(({ name }) => name),
    call: async (name, args) => {
      const answer = await tools.find((tool) => tool.name === name).invoke(args);
      return { text: answer.text, content: answer.structuredContent };
    },
    close: () => client.close(),
  };
}
