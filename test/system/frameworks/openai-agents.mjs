/**
 * `@openai/agents`: hands on the text alone. Its strict tools, here those over stdio, want every argument named, with null for those
 * that are not meant.
 */
import {
  MCPServerSSE,
  MCPServerStdio,
  MCPServerStreamableHttp,
  mcpToFunctionTool,
  RunContext,
  setTracingDisabled,
} from "@openai/agents";

setTracingDisabled(true);

/** Take an object with names of any kind, `weights`: such a tool cannot be strict there, and is handed on as it is. */
const OPEN = ["create_plan"];

/** @returns {Promise<import("./conversation.mjs").Framework>} */
export async function open({ stdio, http, sse }) {
  const server = serverOf({ stdio, http, sse });
  await server.connect();
  const strict = stdio !== undefined;
  const tools = (await server.listTools()).map((tool) => mcpToFunctionTool(tool, server, strict));
  return {
    names: tools.filter(({ name, strict: is }) => is === (strict && !OPEN.includes(name))).map(({ name }) => name),
    call: async (name, args) => {
      const tool = tools.find((tool) => tool.name === name);
      const fields = strict ? Object.keys(tool.parameters.properties) : [];
      const unmeant = Object.fromEntries(fields.map((field) => [field, null]));
      const { text } = await tool.invoke(new RunContext(), JSON.stringify({ ...unmeant, ...args }));
      return { text };
    },
    close: () => server.close(),
  };
}

function serverOf({ stdio, http, sse }) {
  if (stdio !== undefined) return new MCPServerStdio(stdio);
  const { url, headers } = http ?? sse;
  const Server = http === undefined ? MCPServerSSE : MCPServerStreamableHttp;
  return new Server({ url, requestInit: { headers } });
}
