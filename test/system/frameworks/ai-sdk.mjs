/** `@ai-sdk/mcp`, the client of `ai`: its tools answer with the result of MCP as it is. */
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as Stdio } from "@ai-sdk/mcp/mcp-stdio";
import { asSchema } from "ai";

/** @returns {Promise<import("./conversation.mjs").Framework>} */
export async function open({ stdio, http, sse }) {
  const web = http === undefined ? { type: "sse", ...sse } : { type: "http", ...http };
  const client = await createMCPClient({ transport: stdio === undefined ? web : new Stdio(stdio) });
  const tools = await client.tools();
  return {
    // As `generateText` describes them to a model.
    names: Object.keys(tools).filter((name) => asSchema(tools[name].inputSchema).jsonSchema.type === "object"),
    call: async (name, args) => {
      const { content, structuredContent } = await tools[name].execute(args, { toolCallId: name, messages: [] });
      return { text: content[0].text, content: structuredContent };
    },
    close: () => client.close(),
  };
}
