/**
 * Owns the lists of resources: data a host may attach to a conversation without a tool call.
 *
 * Invariants: the first page of the list depends on modules and scopes alone, so that a client is answered before anything else is loaded;
 * the skills, which are files, are on the second, the markets, which the exchange has to be asked for, on the pages after it, ordered by symbol. The lists show what the caller may
 * read, in one order.
 *
 * Source: decision 0038.
 */
import {
  type ListResourcesResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  UriTemplate,
  type Variables,
} from "@modelcontextprotocol/server";
import { defined } from "../../contract/index.ts";
import { type Desk, POLICY_FILE } from "../../desk/index.ts";
import { isOffered, MODULES, type Module } from "../person/module.ts";
import { type Guarded, guarded, shownScope } from "../person/scope.ts";
import { withPolicyPath } from "../text/policy-place.ts";
import type { Serving } from "../tool/tool.ts";
import { symbolsLike } from "./prompts.ts";
import {
  type ListedResource,
  RESOURCE_FAMILIES,
  RESOURCES,
  type ResourceFamily,
  readAt,
  resourceAt,
} from "./resource.ts";
import { registerSkills, SKILL_TEMPLATE, skillResources } from "./skills.ts";

type Listed = ListResourcesResult["resources"];

const JSON_TYPE = "application/json";
const MARKETS_TTL_MS = 60_000;
/** The list of markets changes seldom and is public; everything else may change at any moment. */
const CACHE_HINTS: Readonly<Record<string, { readonly ttlMs: number; readonly cacheScope: "public" }>> = {
  markets: { ttlMs: MARKETS_TTL_MS, cacheScope: "public" },
};
/** Markets on one page of the list. */
const PAGE_MARKETS = 50;
/** Leads to the page of the skills. */
const SKILLS_CURSOR = "skills";
/** Begins the cursor of a page of markets; the symbol of the last one on the page before follows. */
const MARKETS_CURSOR = "markets:";

export function registerResources(server: McpServer, serving: Serving, modules: readonly Module[]): readonly Guarded[] {
  const { desk, onError } = serving;
  const read = async ({ href: uri }: URL) => {
    const json = await readAt(uri, modules, desk, onError);
    const text = json.includes(POLICY_FILE) ? JSON.stringify(withPolicyPath(JSON.parse(json), serving)) : json;
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  };
  const fixed = RESOURCES.filter((resource) => isOffered(resource, modules)).map((resource) => {
    const { name, uri } = resource;
    const about = { ...aboutOf(resource), ...defined({ cacheHint: CACHE_HINTS[name] }) };
    return { shown: resource, registered: server.registerResource(name, uri, about, read) };
  });
  const families = RESOURCE_FAMILIES.filter((family) => isOffered(family, modules)).map((family) => {
    const { name, parameter } = family;
    const complete = parameter === "symbol" ? { symbol: (typed: string) => symbolsLike(desk, typed) } : {};
    const template = new ResourceTemplate(new FamilyTemplate(family), { list: undefined, complete });
    return { shown: family, registered: server.registerResource(name, template, aboutFamily(family), read) };
  });
  registerSkills(server);
  server.server.setRequestHandler("resources/list", ({ params }) =>
    page(params?.cursor, { fixed: permitted(fixed), families: permitted(families), desk }),
  );
  // The SDK's own list has those too that the caller may not read.
  server.server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      ...permitted(families).map((family) => ({
        name: family.name,
        uriTemplate: templateOf(family),
        ...aboutFamily(family),
      })),
      SKILL_TEMPLATE,
    ],
  }));
  return [...fixed, ...families].map(({ shown, registered }) => guarded(shownScope(shown.module), registered));
}

/** Those that the caller may read now. */
function permitted<Shown>(
  offers: readonly { readonly shown: Shown; readonly registered: { readonly enabled: boolean } }[],
): readonly Shown[] {
  return offers.filter(({ registered }) => registered.enabled).map(({ shown }) => shown);
}

function aboutOf({ title, description, priority }: ListedResource) {
  return { title, description, mimeType: JSON_TYPE, annotations: { priority } };
}

function aboutFamily({ title, description }: ResourceFamily) {
  return { title, description, mimeType: JSON_TYPE };
}

function templateOf({ prefix, parameter }: ResourceFamily): string {
  return `${prefix}{${parameter}}`;
}

interface Offer {
  readonly fixed: readonly ListedResource[];
  readonly families: readonly ResourceFamily[];
  readonly desk: Desk;
}

async function page(cursor: string | undefined, { fixed, families, desk }: Offer): Promise<ListResourcesResult> {
  const ofMarkets = families.filter(({ parameter }) => parameter === "symbol");
  if (cursor === undefined) {
    const resources = fixed.map((resource) => ({ uri: resource.uri, name: resource.name, ...aboutOf(resource) }));
    return { resources, nextCursor: SKILLS_CURSOR };
  }
  if (cursor === SKILLS_CURSOR)
    return { resources: await skillResources(), ...(ofMarkets.length > 0 && { nextCursor: MARKETS_CURSOR }) };
  if (ofMarkets.length === 0 || !cursor.startsWith(MARKETS_CURSOR))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such page: send nextCursor back unchanged.");
  const markets = await desk.markets();
  // What cannot be had now is left out: an error would take the whole list from a client that reads all pages.
  const symbols = markets.ok ? markets.value.map(({ symbol }) => symbol).sort() : [];
  const after = cursor.slice(MARKETS_CURSOR.length);
  const left = symbols.filter((symbol) => symbol > after);
  const shown = left.slice(0, PAGE_MARKETS);
  const resources = shown.flatMap((symbol) => ofMarkets.map((family) => ofMarket(family, symbol)));
  return { resources, ...(left.length > PAGE_MARKETS && { nextCursor: `${MARKETS_CURSOR}${shown.at(-1)}` }) };
}

function ofMarket({ prefix, name, title }: ResourceFamily, symbol: string): Listed[number] {
  const uri = `${prefix}${encodeURIComponent(symbol)}`;
  return { uri, name: `${name} ${symbol}`, title: `${title} of ${symbol}`, mimeType: JSON_TYPE };
}

/** Takes a symbol as the service writes it too, with its slash. */
class FamilyTemplate extends UriTemplate {
  readonly #family: ResourceFamily;

  constructor(family: ResourceFamily) {
    super(templateOf(family));
    this.#family = family;
  }

  override match(uri: string): Variables | null {
    const { prefix, parameter } = this.#family;
    const isOurs = uri.startsWith(prefix) && resourceAt(uri, MODULES) !== undefined;
    return isOurs ? { [parameter]: uri.slice(prefix.length) } : null;
  }
}
