/**
 * Owns `resources/subscribe` of the 2025 protocol era: a session's own list, which ends with the session. In the later era a client
 * listens instead, which the entries in `serve` see to.
 */
import { type McpServer, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Watcher, Watching } from "./watching.ts";

export interface Subscribing {
  readonly watching: Watching;
  readonly ready: Watcher["ready"];
  /** Tells whether the caller may see it. */
  readonly isPermitted: (uri: string) => boolean;
}

export function registerSubscriptions(server: McpServer, { watching, ready, isPermitted }: Subscribing): void {
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
    if (end !== undefined) subscribed.set(uri, end);
  };
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (!isPermitted(uri)) throw new ResourceNotFoundError(uri);
    await watching.admit([uri]);
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
