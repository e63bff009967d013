/**
 * Makes the MCP servers. Loaded only when a client asks for more than the handshake: it brings the SDK and the schemas of the tools.
 */
import { createMcpServer, type ServerFactory } from "../../mcp/index.ts";
import type { Invocation } from "../invocation.ts";
import { VERSION } from "../version.ts";
import type { Composition } from "./compose.ts";
import type { ServedProfile } from "./served-profile.ts";

export function factoryOf(
  run: Invocation,
  { profile: { modules }, readOnly }: ServedProfile,
  { desk }: Composition,
): ServerFactory {
  return createMcpServer({
    desk,
    modules,
    readOnly,
    version: VERSION,
    reader: run.words,
    onError: (error) => run.fail(error),
  });
}
