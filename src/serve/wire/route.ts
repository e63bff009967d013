/**
 * Owns which handler answers which path and method, and what is said where there is none.
 *
 * Source: decision 0034.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Grant } from "./caller.ts";
import { sendJson } from "./page.ts";

/** @param grant what the request was let in by */
export type Handler = (request: IncomingMessage, response: ServerResponse, grant: Grant) => Promise<void>;

type Method = "GET" | "POST" | "DELETE";

/** Keyed by path, which is matched as a whole, and by method. */
export type Routes = Readonly<Record<string, Readonly<Partial<Record<Method, Handler>>>>>;

/** Routes, and what they keep open. */
export interface Endpoint {
  readonly routes: Routes;
  /** Ends every stream. */
  close(): Promise<void>;
}

export function routed(routes: Routes): Handler {
  const handlersOf = new Map(
    Object.entries(routes).map(([path, handlers]) => [path, new Map(Object.entries(handlers))]),
  );
  return async (request, response, grant) => {
    const handlers = handlersOf.get(pathOf(request));
    if (handlers === undefined) return sendJson(response, 404, { error: "not found", paths: [...handlersOf.keys()] });
    const handle = handlers.get(request.method ?? "");
    if (handle !== undefined) return handle(request, response, grant);
    return sendJson(response, 405, { error: "method not allowed" }, { Allow: [...handlers.keys()].join(", ") });
  };
}

/** Lists where MCP is found, also with the slashes that hosts add when they put an address together. */
const MCP_PATHS: readonly string[] = ["/mcp", "/sse", "/messages"];

/** Leaves out the query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const [path = "/"] = url.split("?", 1);
  const plain = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  return MCP_PATHS.includes(plain) ? plain : path;
}
