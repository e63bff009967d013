/** Tools that the conformance suite calls by name and that answer by themselves: each kind of content, log lines, progress, a failure. */
import { setTimeout as sleep } from "node:timers/promises";
import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { PICTURE, SOUND } from "./content.ts";

type Content = CallToolResult["content"];

const text = (words: string): Content => [{ type: "text", text: words }];
const picture: Content = [{ type: "image", data: PICTURE, mimeType: "image/png" }];
const embedded = (uri: string, mimeType: string, words: string): Content => [
  { type: "resource", resource: { uri, mimeType, text: words } },
];

const CONTENTS: Readonly<Record<string, Content>> = {
  test_simple_text: text("This is a simple text response for testing."),
  test_image_content: picture,
  test_audio_content: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }],
  test_embedded_resource: embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  test_multiple_content_types: [
    ...text("Multiple content types test:"),
    ...picture,
    ...embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
};

/** Between two messages, so that a client sees each come by itself. */
const STEP_MS = 50;

async function logging({ mcpReq }: ServerContext): Promise<CallToolResult> {
  await mcpReq.log("info", "Tool execution started");
  await sleep(STEP_MS);
  await mcpReq.log("info", "Tool processing data");
  await sleep(STEP_MS);
  await mcpReq.log("info", "Tool execution completed");
  return { content: text("Three lines were logged, for whoever asked for them.") };
}

async function progressing({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    await sleep(STEP_MS);
  }
  return { content: text("All of it is done.") };
}

/** Ends the stream that its answer would go to: the client comes back for the rest. */
async function reconnecting({ http }: ServerContext): Promise<CallToolResult> {
  if (http?.closeSSE === undefined) throw new Error("this stream cannot be gone on with");
  http.closeSSE();
  await sleep(STEP_MS);
  return { content: text("The client has come back.") };
}

export function registerAnsweringTools(server: McpServer): void {
  for (const [name, content] of Object.entries(CONTENTS))
    server.registerTool(name, { description: "Answers with fixed content." }, () => ({ content }));
  server.registerTool("test_tool_with_logging", { description: "Logs while it works." }, logging);
  server.registerTool("test_logging_tool", { description: "Logs while it works." }, logging);
  server.registerTool("test_tool_with_progress", { description: "Tells its progress." }, progressing);
  server.registerTool("test_reconnection", { description: "Breaks off its stream." }, reconnecting);
  server.registerTool("test_error_handling", { description: "Always fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}
