/**
 * Owns the resource subscriptions of clients of the later protocol era: they name resources in `subscriptions/listen`, which the SDK
 * answers by itself, and this passes the names to what watches resources for changes. A request that names what does not exist is
 * refused before the SDK sees it, as it would acknowledge what nobody can notify of.
 *
 * Invariant: the end of a stream or of a connection ends its listening.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  InMemoryServerEventBus,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  ProtocolError,
  type ServerEvent,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined } from "../../contract/index.ts";
import { type Connection, fieldOf, type ServerFactory } from "../../mcp/index.ts";
import { isRequest } from "../wire/request-message.ts";

/** Stands for one stream, one connection: what it asked for, and whether it can take more. */
interface Listening extends Pick<Connection, "ready"> {
  readonly uris: readonly string[];
}

const filter = z.object({ resourceSubscriptions: z.array(z.string()).optional() });
const listenRequest = z.object({
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: filter }),
});
const acknowledged = z.object({
  method: z.literal("notifications/subscriptions/acknowledged"),
  params: z.object({
    _meta: z.object({ [SUBSCRIPTION_ID_META_KEY]: z.union([z.string(), z.number()]) }),
    notifications: filter,
  }),
});
const cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/** Which resources a message asks to be told of; undefined where it does not begin to listen. */
function listenedIn(message: unknown): readonly string[] | undefined {
  // Nearly all messages are others, and to make out what is wrong with one takes time.
  if (fieldOf(message, "method") !== "subscriptions/listen") return undefined;
  return listenRequest.safeParse(message).data?.params.notifications.resourceSubscriptions ?? [];
}

/** @returns the answer to a request for resources that cannot be watched; undefined for every other message */
export async function refusalOf(factory: ServerFactory, message: unknown): Promise<JSONRPCErrorResponse | undefined> {
  const uris = listenedIn(message) ?? [];
  if (uris.length === 0 || !isRequest(message)) return undefined;
  try {
    await factory.admit(uris);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message: text, data: about } = error;
    return { jsonrpc: "2.0", id: message.id, error: { code, message: text, ...defined({ data: about }) } };
  }
}

/** @returns ends it */
function listen(factory: ServerFactory, { uris, ready }: Listening, notify: (uri: string) => void): () => void {
  const ends = [...new Set(uris)].map((uri) => factory.watch(uri, { notify: () => notify(uri), ready }));
  return () => {
    for (const end of ends) end?.();
  };
}

/** Over HTTP, where every stream is a request: the SDK subscribes to this bus when a stream begins, and leaves it when it ends. */
export class ResourceBus extends InMemoryServerEventBus {
  readonly #factory: ServerFactory;
  readonly #listening = new AsyncLocalStorage<Listening>();

  constructor(factory: ServerFactory, onError: (error: unknown) => void) {
    super(onError);
    this.#factory = factory;
  }

  /** Serves a request; a stream that it begins is subscribed to the resources that its body names. */
  serving<T>(body: unknown, ready: Connection["ready"], serve: () => T): T {
    const uris = listenedIn(body);
    return uris === undefined ? serve() : this.#listening.run({ uris, ready }, serve);
  }

  override subscribe(listener: (event: ServerEvent) => void): () => void {
    const leave = super.subscribe(listener);
    const listening = this.#listening.getStore();
    if (listening === undefined) return leave;
    const end = listen(this.#factory, listening, (uri) => listener({ kind: "resource_updated", uri }));
    return () => {
      end();
      leave();
    };
  }
}

/** Over one connection for everything, whose messages are seen in both directions. */
export class ListenedResources {
  readonly #factory: ServerFactory;
  readonly #notify: (uri: string) => void;
  readonly #ready: Connection["ready"];
  readonly #ends = new Map<string | number, () => void>();

  constructor(factory: ServerFactory, ready: Connection["ready"], notify: (uri: string) => void) {
    this.#factory = factory;
    this.#ready = ready;
    this.#notify = notify;
  }

  /** An acknowledged request begins its subscriptions. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== "notifications/subscriptions/acknowledged") return;
    const { data } = acknowledged.safeParse(message);
    if (data === undefined) return;
    const id = data.params._meta[SUBSCRIPTION_ID_META_KEY];
    const uris = data.params.notifications.resourceSubscriptions ?? [];
    this.#end(id);
    this.#ends.set(id, listen(this.#factory, { uris, ready: this.#ready }, this.#notify));
  }

  /** A canceled request ends its subscriptions. */
  received(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const { data } = cancelled.safeParse(message);
    if (data !== undefined) this.#end(data.params.requestId);
  }

  close(): void {
    for (const id of [...this.#ends.keys()]) this.#end(id);
  }

  #end(id: string | number): void {
    this.#ends.get(id)?.();
    this.#ends.delete(id);
  }
}
