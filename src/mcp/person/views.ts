/**
 * Owns how a server offers its views: the pages as resources, the links to them in the list of tools, and what goes with a result to
 * the view alone.
 *
 * Invariants: a page is the same for everybody and holds no data; what a view is given beyond the result travels in `_meta`, which
 * no model is shown and none can write.
 *
 * Source: decision 0046.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ListToolsResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Reader } from "../../words/index.ts";
import type { Guarded } from "./scope.ts";
import { addressOf, showsViews, VIEW_TYPE, type ViewName, viewOf, withViews } from "./view.ts";
import type { PlanSheet } from "./view-data.ts";

/** From the program, its chunks and the library, and from the sources. */
const FOLDERS = ["./web/views/", "../web/views/", "../../../dist/web/views/"];
/** Where the page, the same for all views, says which it is. */
const WHICH = 'data-view=""';
/** A page changes with the version of hoga only. */
const TTL_MS = 3_600_000;
/** In a result: whom the view speaks to, and what it shows of a plan. In a result and in the call of its button: the ticket of a draft. */
const [READER, TICKET, PLAN] = ["hoga/reader", "hoga/ticket", "hoga/plan"];

/** Sources of other hosts: none. */
const ABOUT_PAGE = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

export interface ToolOffer extends Guarded {
  readonly name: string;
  /** Stands as the list of tools has it. */
  readonly listed: () => { readonly name: string };
}

/** @param offers what the server has of tools, in order */
export function registerViews(server: McpServer, offers: readonly ToolOffer[]): void {
  // Several tools may have the same one.
  const views = new Set(offers.map(({ name }) => viewOf(name)));
  for (const view of views) if (view !== undefined) registerPage(server, view);
  // The SDK's own list is the same for every client.
  server.server.setRequestHandler("tools/list", (_request, context) => {
    const tools = offers.filter((offer) => offer.isPermitted()).map(({ listed }) => listed());
    const shown = showsViews(capabilitiesOf(context, server)) ? withViews(tools) : tools;
    return { tools: [...shown] as ListToolsResult["tools"] };
  });
}

/** It is in no list: a client finds it by its tool. */
function registerPage(server: McpServer, view: ViewName): void {
  const about = { mimeType: VIEW_TYPE, cacheHint: { ttlMs: TTL_MS, cacheScope: "public" } } as const;
  server.registerResource(view, addressOf(view), about, async ({ href: uri }) => {
    const places = FOLDERS.map((folder) => new URL(`${folder}view.html`, import.meta.url));
    const file = places.find((place) => existsSync(place));
    if (file === undefined)
      throw new ProtocolError(ProtocolErrorCode.InternalError, "The views are not built: npm run bundle builds them.");
    const text = (await readFile(file, "utf8")).replace(WHICH, `data-view="${view}"`);
    return { contents: [{ uri, mimeType: VIEW_TYPE, text, _meta: ABOUT_PAGE }] };
  });
}

/** Tells what the client of this call says that it can do: in the later era with each request, in the earlier one when it connects. */
export function capabilitiesOf({ mcpReq }: ServerContext, server: McpServer): unknown {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
}

/** The ticket that a call of a view's button carries. */
export function ticketIn({ mcpReq }: ServerContext): string | undefined {
  const ticket = (mcpReq._meta as Readonly<Record<string, unknown>> | undefined)?.[TICKET];
  return typeof ticket === "string" ? ticket : undefined;
}

/** A preview for the view that shows its button. */
export function withTicket(result: CallToolResult, ticket: string): CallToolResult {
  return { ...result, _meta: { ...result._meta, [TICKET]: ticket } };
}

/** A result for the view of a plan. */
export function withSheet(result: CallToolResult, sheet: PlanSheet): CallToolResult {
  return { ...result, _meta: { ...result._meta, [PLAN]: sheet } };
}

/** A result for the view of its tool, which speaks to the same person as everything else. */
export function withReader(result: CallToolResult, { locale, timeZone }: Reader): CallToolResult {
  return { ...result, _meta: { ...result._meta, [READER]: { locale, timeZone } } };
}
