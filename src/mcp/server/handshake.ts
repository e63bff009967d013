/**
 * Owns what a client is told before anything is called, without the SDK: the server's name, what it can do, its instructions and its lists.
 *
 * Invariant: it is what the server itself says, word for word; `test/mcp/handshake.test.ts` compares them.
 */

import { isOffered, type Module } from "../person/module.ts";
import { withViews } from "../person/view.ts";
import { instructionsFor, serverInfo, TOOL_LIST_TTL_MS } from "./introduction.ts";
import { type HandshakeRecord, type Recorded, recorded } from "./record.ts";

export interface HandshakeSettings {
  readonly environment: "sandbox" | "live";
  readonly modules: readonly Module[];
  readonly readOnly: boolean;
  readonly version: string;
}

export interface Handshake extends Pick<HandshakeRecord, "versions" | "capabilities"> {
  readonly serverInfo: Readonly<Record<string, string>>;
  readonly instructions: string;
  /** Holds, by method, the result, and for how long a client may keep it. */
  readonly lists: Readonly<Record<string, HandshakeList>>;
}

interface HandshakeList {
  readonly result: object;
  /** For a client that shows views, where that is another. */
  readonly withViews?: object;
  readonly ttlMs: number;
}

/** A server with these settings, over a desk that can do everything. */
export async function handshakeOf(settings: HandshakeSettings): Promise<Handshake> {
  const { environment, modules, readOnly, version } = settings;
  const listed = (items: readonly Recorded[]): readonly Recorded["listed"][] =>
    items.filter((item) => isOffered(item, modules, readOnly)).map((item) => item.listed);
  const { versions, capabilities, tools, resources, resourceTemplates, prompts, nextCursor } = await recorded();
  const offered = listed(tools).map((tool) => (modules.includes("plans") ? tool : withoutPlans(tool)));
  return {
    versions,
    serverInfo: serverInfo(version),
    capabilities,
    instructions: instructionsFor({ environment, modules, readOnly }),
    lists: {
      "tools/list": {
        result: { tools: offered },
        withViews: { tools: withViews(offered) },
        ttlMs: TOOL_LIST_TTL_MS,
      },
      // The pages after the first have the skills and the markets.
      "resources/list": { result: { resources: listed(resources), nextCursor }, ttlMs: 0 },
      "resources/templates/list": {
        result: { resourceTemplates: listed(resourceTemplates) },
        ttlMs: 0,
      },
      "prompts/list": { result: { prompts: listed(prompts) }, ttlMs: 0 },
    },
  };
}

/** The status says nothing of plans where their module is off: `toolsOf` has another tool of this name then. */
function withoutPlans(tool: Recorded["listed"]): Recorded["listed"] {
  const { name, outputSchema } = tool;
  if (name !== "get_desk_status" || outputSchema === undefined) return tool;
  const { plans: _, ...properties } = outputSchema.properties;
  return { ...tool, outputSchema: { ...outputSchema, properties } };
}

/** Names the tools that change nothing, as their annotations have it; of a name that is not known here nobody can say so. */
export async function readingTools(): Promise<ReadonlySet<string>> {
  const { tools } = await recorded();
  return new Set(tools.filter(({ listed }) => listed.annotations?.readOnlyHint).map(({ name }) => name));
}
