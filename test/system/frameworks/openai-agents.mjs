/**
 * `@openai/agents`: hands on the text alone. Its strict tools, here those over stdio, want every argument named, with null for those
 * that are not meant.
 */
import {
  MCPServerStdio,
  MCPServerStreamableHttp,
  mcpToFunctionTool,
  RunContext,
  setTracingDisabled,
} from "@openai/agents";

setTracingDisabled(true);

/** @returns {Promise<import("./conversation.mjs").Framework>} */
export async function open({ stdio, http }) {
  const server =
    stdio === undefined
      ? new MCPServerStreamableHttp({ url: http.url, requestInit: { headers: http.headers } })
      : new MCPServerStdio(stdio);
  await server.connect();
  const strict = stdio !== undefined;
  const tools = (await server.listTools()).map((tool) => mcpToFunctionTool(tool, server, strict));
  return {
    names: tools.filter((tool) => tool.strict === strict).map(({ name }) => name),
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
