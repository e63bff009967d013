/**
 * Owns the record of what a server says of itself with every setting, found by asking one. In the bundle the answer stands in the place of this
 * module (`rolldown.config.ts`), so that a client is answered before the SDK and the schemas of the tools are loaded, which take longer
 * than everything else at the start. What runs from the sources asks when it first needs to know.
 */
import { InMemoryTransport, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { defined } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import type { Offered } from "../person/module.ts";
import { EVERY_MODULE, EVERY_TOOL, EVERYTHING } from "../tools/every-tool.ts";
import { RESOURCE_FAMILIES, RESOURCES } from "./resource.ts";
import { createMcpServer } from "./server.ts";

export interface HandshakeRecord {
  /** Versions that are negotiated by `initialize`, and versions that each request names. */
  readonly versions: { readonly negotiated: readonly string[]; readonly named: readonly string[] };
  readonly capabilities: object;
  /** Leads to the second page of the resources. */
  readonly nextCursor: string;
  readonly tools: readonly Recorded[];
  readonly resources: readonly Recorded[];
  readonly resourceTemplates: readonly Recorded[];
  readonly prompts: readonly Recorded[];
}

/** Tells by which settings an entry of a list is there. */
export interface Recorded extends Offered {
  readonly listed: {
    readonly name: string;
    readonly annotations?: { readonly readOnlyHint?: boolean };
    readonly outputSchema?: { readonly properties: Readonly<Record<string, unknown>> };
  };
}

const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "record", version: "1" } },
};

let record: Promise<HandshakeRecord> | undefined;

export function recorded(): Promise<HandshakeRecord> {
  record ??= asked();
  return record;
}

async function asked(): Promise<HandshakeRecord> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  // No list asks the desk for anything.
  const desk = { environment: "sandbox", ...EVERYTHING } as Desk;
  const server = createMcpServer({ desk, modules: EVERY_MODULE, version: "" })();
  await server.connect(far);
  await near.start();
  const ask = async (request: object): Promise<Answer> => {
    const answer = new Promise<JSONRPCMessage>((resolve) => {
      near.onmessage = resolve;
    });
    await near.send({ jsonrpc: "2.0", id: 1, ...request } as JSONRPCMessage);
    return (JSON.parse(JSON.stringify(await answer)) as { readonly result: Answer }).result;
  };
  const { capabilities = {} } = await ask(INITIALIZE);
  const { tools } = await ask({ method: "tools/list" });
  const { resources, nextCursor = "" } = await ask({ method: "resources/list" });
  const { resourceTemplates } = await ask({ method: "resources/templates/list" });
  const { prompts } = await ask({ method: "prompts/list" });
  await server.close();
  const shown = [...RESOURCES, ...RESOURCE_FAMILIES];
  return {
    versions: { negotiated: SUPPORTED_PROTOCOL_VERSIONS, named: ["2026-07-28"] },
    capabilities,
    nextCursor,
    tools: withOffers(tools, EVERY_TOOL),
    resources: withOffers(resources, shown),
    resourceTemplates: withOffers(resourceTemplates, shown),
    prompts: withOffers(prompts, []),
  };
}

interface Answer {
  readonly capabilities?: object;
  readonly nextCursor?: string;
  readonly tools?: Listed;
  readonly resources?: Listed;
  readonly resourceTemplates?: Listed;
  readonly prompts?: Listed;
}
type Listed = readonly Recorded["listed"][];

function withOffers(items: Listed = [], offers: readonly Offered[]): readonly Recorded[] {
  return items.map((listed) => {
    const { name, module, writes }: Offered = offers.find((offer) => offer.name === listed.name) ?? listed;
    return { name, ...defined({ module, writes }), listed };
  });
}
