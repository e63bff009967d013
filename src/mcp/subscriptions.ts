/**
 * Owns `resources/subscribe` of the 2025 protocol era: a session's own list, which ends with the session. In the later era a client
 * listens instead, which the entries in `serve` see to.
 */
import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Desk } from "../desk/index.ts";
import type { Module } from "./module.ts";
import { type Resource, resourceAt } from "./resource.ts";
import type { Watcher, Watching } from "./watching.ts";

export interface Subscribing {
  readonly desk: Desk;
  readonly modules: readonly Module[];
  readonly watching: Watching;
  readonly ready: Watcher["ready"];
}

export function registerSubscriptions(server: McpServer, { desk, modules, watching, ready }: Subscribing): void {
  const subscribed = new Map<string, () => void>();
  let isClosed = false;
  const subscribe = (uri: string): void => {
    if (isClosed || subscribed.has(uri)) return;
    const notify = (): void => {
      server.server.sendResourceUpdated({ uri }).catch(() => {
        // The client is gone; the end of the session ends this too.
      });
    };
    const end = watching.watch(uri, { notify, ready });
    if (end === undefined) throw invalid("Too many resources are watched; unsubscribe from others first.");
    subscribed.set(uri, end);
  };
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const resource = resourceAt(uri, modules);
    if (resource === undefined) throw invalid("There is no such resource: take one of resources/list.");
    const refusal = await refusalOf(resource, desk);
    if (refusal !== undefined) throw invalid(refusal);
    subscribe(uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
    return {};
  });
  server.server.onclose = () => {
    isClosed = true;
    for (const end of subscribed.values()) end();
    subscribed.clear();
  };
}

/** Only a market that does not exist is refused: one that cannot be queried now may exist. */
async function refusalOf({ topic }: Resource, desk: Desk): Promise<string | undefined> {
  if (topic === undefined || !("symbol" in topic)) return undefined;
  const market = await desk.market(topic.symbol);
  return market.ok || market.fault.retry !== "never" ? undefined : market.fault.message;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
