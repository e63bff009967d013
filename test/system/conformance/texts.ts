/** Resources and prompts that the conformance suite asks for by name. */
import {
  acceptedContent,
  completable,
  type GetPromptResult,
  inputRequired,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { PICTURE } from "./content.ts";

const PLAIN = "text/plain";
const TEMPLATE = "test://template/{id}/data";

const TEXTS: Readonly<Record<string, string>> = {
  "test://static-text": "This is the content of the static text resource.",
  "test://watched-resource": "Watched resource content",
};

/** @throws ResourceNotFoundError */
export function checkWatchable(uri: string): void {
  if (!(uri in TEXTS)) throw new ResourceNotFoundError(uri);
}

export function registerTexts(server: McpServer): void {
  for (const [uri, text] of Object.entries(TEXTS))
    server.registerResource(uri.slice("test://".length), uri, { description: "A text.", mimeType: PLAIN }, () => ({
      contents: [{ uri, mimeType: PLAIN, text }],
    }));
  const png = { description: "A picture.", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", png, ({ href }) => ({
    contents: [{ uri: href, mimeType: png.mimeType, blob: PICTURE }],
  }));
  const json = { description: "One of many.", mimeType: "application/json" };
  const template = new ResourceTemplate(TEMPLATE, { list: undefined });
  server.registerResource("template", template, json, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: json.mimeType, text: JSON.stringify({ id, templateTest: true }) }],
  }));
}

type Content = GetPromptResult["messages"][number]["content"];

function said(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

const words = (text: string): Content => ({ type: "text", text });

export function registerPrompts(server: McpServer): void {
  const description = "A fixed request.";
  server.registerPrompt("test_simple_prompt", { description }, () =>
    said(words("This is a simple prompt for testing.")),
  );
  const values = ["paris", "park", "party"];
  const arg1 = completable(z.string(), (typed) => values.filter((value) => value.startsWith(typed)));
  const two = z.object({ arg1, arg2: z.string() });
  server.registerPrompt("test_prompt_with_arguments", { description, argsSchema: two }, (given) =>
    said(words(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`)),
  );
  const one = z.object({ resourceUri: z.string() });
  server.registerPrompt("test_prompt_with_embedded_resource", { description, argsSchema: one }, ({ resourceUri }) =>
    said(
      { type: "resource", resource: { uri: resourceUri, mimeType: PLAIN, text: "Embedded resource content." } },
      words("Please process the embedded resource above."),
    ),
  );
  server.registerPrompt("test_prompt_with_image", { description }, () =>
    said({ type: "image", data: PICTURE, mimeType: "image/png" }, words("Please analyze the image above.")),
  );
  const context = z.object({ context: z.string() });
  server.registerPrompt("test_input_required_result_prompt", { description }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "user_context", context);
    if (given !== undefined) return said(words(`In this context: ${given.context}`));
    const message = "What context should the prompt use?";
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema: context }) },
    });
  });
}
