/**
 * Owns what a message of a client asks a scope for, whatever this server offers: known before the message is served, so that a caller
 * without it is told which one is missing, and nothing else.
 *
 * Source: decision 0035.
 */

import { PROMPT_SCOPES, type Scope, shownScope } from "../person/scope.ts";
import { EVERY_TOOL } from "../tools/every-tool.ts";
import { RESOURCE_FAMILIES, RESOURCES } from "./resource.ts";

type Json = Readonly<Record<string, unknown>>;

const OF_TOOL = new Map(EVERY_TOOL.map(({ name, scope }) => [name, scope]));
const OF_PROMPT: ReadonlyMap<unknown, Scope> = new Map(Object.entries(PROMPT_SCOPES));

/** @returns none for what everybody may ask, and for what there is not: that is the server's to answer */
export function neededScopes(message: unknown): readonly Scope[] {
  const { method, params } = objectOf(message);
  const given = objectOf(params);
  return scopesOf(method, given).flatMap((scope) => scope ?? []);
}

function scopesOf(method: unknown, params: Json): readonly (Scope | undefined)[] {
  switch (method) {
    case "tools/call":
      return [typeof params["name"] === "string" ? OF_TOOL.get(params["name"]) : undefined];
    case "prompts/get":
      return [OF_PROMPT.get(params["name"])];
    case "resources/read":
    case "resources/subscribe":
      return [ofResource(params["uri"])];
    case "completion/complete": {
      const { name, uri } = objectOf(params["ref"]);
      return [OF_PROMPT.get(name), ofResource(uri)];
    }
    case "subscriptions/listen": {
      const { resourceSubscriptions: uris } = objectOf(params["notifications"]);
      return Array.isArray(uris) ? uris.map(ofResource) : [];
    }
    default:
      return [];
  }
}

/** However it is written: the SDK takes every spelling of an address. */
function ofResource(given: unknown): Scope | undefined {
  if (typeof given !== "string") return undefined;
  const uri = URL.canParse(given) ? new URL(given).toString() : given;
  const found =
    RESOURCES.find((resource) => resource.uri === uri) ??
    RESOURCE_FAMILIES.find(({ prefix }) => uri.startsWith(prefix));
  return found && shownScope(found.module);
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
