/**
 * A server of what the conformance suite asks for by name, and hoga does not have, to be served by hoga's own stack: what is
 * judged is the stack. Nothing here is part of the program.
 */
import { randomBytes } from "node:crypto";
import { createRequestStateCodec, McpServer } from "@modelcontextprotocol/server";
import type { ServerFactory } from "../../../src/mcp/index.ts";
import { registerAnsweringTools } from "./answering-tools.ts";
import { registerAskingTools, type Step } from "./asking-tools.ts";
import { checkWatchable, registerPrompts, registerTexts } from "./texts.ts";

/** As hoga's own, and what a fixture has besides: log lines and completion. */
const CAPABILITIES = {
  tools: { listChanged: false },
  resources: { listChanged: false, subscribe: true },
  prompts: { listChanged: false },
  logging: {},
  completions: {},
};

export function fixtureServers(): ServerFactory {
  const steps = createRequestStateCodec<Step>({ key: randomBytes(32) });
  const make = () => {
    const server = new McpServer(
      { name: "conformance-fixture", version: "1.0.0" },
      { capabilities: CAPABILITIES, requestState: { verify: (...sent) => steps.verify(...sent) } },
    );
    registerAnsweringTools(server);
    registerAskingTools(server, steps);
    registerTexts(server);
    registerPrompts(server);
    server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      checkWatchable(uri);
      return {};
    });
    server.server.setRequestHandler("resources/unsubscribe", () => ({}));
    return server;
  };
  return Object.assign(make, {
    look: () => undefined,
    idle: async () => {},
    place: async () => "fixture",
    // Every caller may do everything.
    permit: () => {},
    admit: async (uris: readonly string[]) => uris.forEach(checkWatchable),
    // Nothing of it ever changes.
    watch: () => () => {},
  });
}
