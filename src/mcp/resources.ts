/** Owns the list of resources: data a host may attach to a conversation without a tool call. */
import {
  type McpServer,
  type ReadResourceResult,
  ResourceTemplate,
  UriTemplate,
  type Variables,
} from "@modelcontextprotocol/server";
import { defined } from "../contract/index.ts";
import { isOffered, MODULES, type Module } from "./module.ts";
import { symbolsLike } from "./prompts.ts";
import { existing, MARKET_RESOURCES, RESOURCES, type Resource, resourceAt, textOf } from "./resource.ts";
import { type Guarded, guarded, shownScope } from "./scope.ts";
import type { Serving } from "./tool.ts";

const JSON_TYPE = "application/json";
const MARKETS_TTL_MS = 60_000;
/** The list of markets changes seldom and is public; everything else may change at any moment. */
const CACHE_HINTS: Readonly<Record<string, { readonly ttlMs: number; readonly cacheScope: "public" }>> = {
  markets: { ttlMs: MARKETS_TTL_MS, cacheScope: "public" },
};

export function registerResources(server: McpServer, serving: Serving, modules: readonly Module[]): readonly Guarded[] {
  const read = async (resource: Resource): Promise<ReadResourceResult> => {
    const { uri } = resource;
    const text = await textOf(resource, serving.desk, serving.onError);
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  };
  const fixed = RESOURCES.filter((resource) => isOffered(resource, modules)).map((resource) => {
    const { name, uri, title, description, module } = resource;
    const cacheHint = CACHE_HINTS[name];
    const about = { title, description, mimeType: JSON_TYPE, ...defined({ cacheHint }) };
    return guarded(
      shownScope(module),
      server.registerResource(name, uri, about, () => read(resource)),
    );
  });
  const markets = MARKET_RESOURCES.filter((market) => isOffered(market, modules)).map((market) => {
    const { name, title, description, module } = market;
    const template = new ResourceTemplate(new MarketTemplate(market.prefix), {
      list: undefined,
      complete: { symbol: (typed) => symbolsLike(serving.desk, typed) },
    });
    const register = () =>
      server.registerResource(name, template, { title, description, mimeType: JSON_TYPE }, async (url) =>
        read(await existing(url.toString(), modules, serving.desk)),
      );
    return { scope: shownScope(module), permit: onceRegistered(register) };
  });
  return [...fixed, ...markets];
}

/** The SDK lists a template whether it is enabled or not, so that one is registered when it is permitted first. */
function onceRegistered(register: () => { enabled: boolean }): Guarded["permit"] {
  let registered: { enabled: boolean } | undefined;
  return (isPermitted) => {
    if (isPermitted) registered ??= register();
    if (registered !== undefined) registered.enabled = isPermitted;
  };
}

/** Takes a symbol as the service writes it too, with its slash. */
class MarketTemplate extends UriTemplate {
  readonly #prefix: string;

  constructor(prefix: string) {
    super(`${prefix}{symbol}`);
    this.#prefix = prefix;
  }

  override match(uri: string): Variables | null {
    const isOurs = uri.startsWith(this.#prefix) && resourceAt(uri, MODULES) !== undefined;
    return isOurs ? { symbol: uri.slice(this.#prefix.length) } : null;
  }
}
