/**
 * Makes the MCP servers. Loaded only when a client asks for more than the handshake: it brings the SDK and the schemas of the tools.
 */
import { defined } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import {
  type AroundCall,
  createMcpServer,
  neededScopes,
  Pictures,
  type ServerFactory,
  Turns,
} from "../../mcp/index.ts";
import type { Invocation } from "../invocation.ts";
import { VERSION } from "../version.ts";
import type { ServedProfile } from "./served-profile.ts";

export interface ServerParts {
  readonly desk: Desk;
  /** Belongs to the process. */
  readonly pictures: Pictures;
  readonly around?: AroundCall;
  /** Over stdio; over HTTP requests have theirs. */
  readonly turns?: Turns;
}

export function factoryOf(
  run: Invocation,
  { profile: { modules }, readOnly }: ServedProfile,
  { desk, pictures, turns, around }: ServerParts,
): ServerFactory {
  return createMcpServer({
    ...{ desk, pictures },
    modules,
    readOnly,
    version: VERSION,
    reader: run.words,
    onError: (error) => run.fail(error),
    ...defined({ around, turns }),
  });
}

/**
 * Serves the process, and is made here, as whoever imported them from `mcp` itself, even lazily, would take all of it into what is loaded
 * for the first answers.
 */
export const newPictures = (): Pictures => new Pictures();
export const newTurns = (): Turns => new Turns();

/** Tells whether a tool looks at the market alone: nothing that its calls do is written in the log. */
export function isLook(tool: string): boolean {
  const [scope] = neededScopes({ method: "tools/call", params: { name: tool } });
  return scope === "market:read";
}
