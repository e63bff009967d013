/**
 * Owns the MCP server: which tools, resources and prompts are there. Entry point: `createMcpServer`.
 *
 * Invariants: a server is cheap to make, as the HTTP handler makes one for every request: whatever does not depend on the desk
 * stands at module level; the lists depend on the settings, on what the caller may do and on whether its client shows views.
 */
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type CallToolResult, McpServer, ResourceNotFoundError, type Transport } from "@modelcontextprotocol/server";
import { defined } from "../../contract/index.ts";
import { type Desk, type PlanDesk, UNKNOWN_ACCOUNT } from "../../desk/index.ts";
import { type Reader, wordsFor, wordsInFull } from "../../words/index.ts";
import { isOffered, MODULES, type Module } from "../person/module.ts";
import { type Guarded, SCOPES, type Scope } from "../person/scope.ts";
import { registerViews } from "../person/views.ts";
import { Pictures } from "../pictures/pictures.ts";
import { sendInWords } from "../text/plain-error.ts";
import type { AroundCall, Caller, Look, Receipts, Serving, Tool } from "../tool/tool.ts";
import { modulesOf, toolsOf } from "../tools/every-tool.ts";
import { burdenOfCall } from "./burden.ts";
import { instructionsFor, serverInfo, TOOL_LIST_TTL_MS } from "./introduction.ts";
import { neededScopes } from "./needed-scope.ts";
import { PlanNews, registerNews } from "./plan-news.ts";
import { marketArguments, registerPrompts } from "./prompts.ts";
import { PLANS_URI } from "./resource.ts";
import { registerResources } from "./resources.ts";
import type { Turns } from "./turns.ts";
import { CLOCK, type Watcher, Watching } from "./watching.ts";

export interface McpServerSettings {
  readonly desk: Desk;
  /** Default: `MODULES`. */
  readonly modules?: readonly Module[];
  /** Leaves out every tool that can change anything at the venue, except halt_trading, which only takes risk away. */
  readonly readOnly?: boolean;
  readonly version: string;
  /** Who is asked for approval: their language and time zone. Default: English, UTC. */
  readonly reader?: Reader;
  /** Called with defects, which callers only see as "failed". */
  readonly onError?: (error: unknown) => void;
  readonly around?: AroundCall;
  /** Serves a process, also where it has servers of several desks. Default: one of its own. */
  readonly pictures?: Pictures;
  /** In which its calls are begun, where there is one client and nothing before it arranges that. */
  readonly turns?: Turns;
}

export interface Connection {
  /** Tells whether a notification would be read soon: false while the client does not keep up. */
  readonly ready: () => boolean;
  /** Says what the caller may do: what needs another scope is neither listed nor done. Default: everything. */
  readonly scopes: readonly Scope[];
  /** The tool that is called, where that is all the connection is for: nothing else is registered then. */
  readonly calls: string;
  /** Who calls; absent where that is nobody over HTTP. */
  readonly caller: Caller;
  /** Who learns that an answer has reached the client. */
  readonly receipts: Receipts;
  /** For how long its client has been there already, in whole milliseconds. Default: it comes now. */
  readonly waitedMs: number;
}

/** Makes one server per connection or request. All of them share the desk. */
export interface ServerFactory {
  (connection?: Partial<Connection>): McpServer;
  /**
   * Calls a tool without a server: the result is the one that a server has for a client that may do everything and shows no views.
   * @returns undefined of a tool that does more than look, and of none
   */
  look(tool: string, given: unknown, look: Look): Promise<CallToolResult> | undefined;
  /** From now on the caller of this server may do this. */
  permit(server: McpServer, scopes: readonly Scope[]): void;
  /** @throws ProtocolError where a client may not watch these resources, as one does not exist */
  admit(uris: readonly string[]): Promise<void>;
  /** Notifies of a resource's changes. @returns ends it; undefined where there is no such resource, or too many are watched */
  watch(uri: string, watcher: Watcher): (() => void) | undefined;
  /**
   * Names what is traded here: a digest of environment, profile and account, the same in every process. @param asked the exchange is asked
   * for the account where it is not known yet. @returns undefined as long as it is not known
   */
  place(asked?: "asked"): Promise<string | undefined>;
  /** Resolves when no write is running and the answers of all are sent, so that a process does not end in the middle of an order. */
  idle(): Promise<void>;
}

/** Refuses in words what the SDK refuses, whatever the client is reached by. */
class PlainServer extends McpServer {
  override connect(transport: Transport): Promise<void> {
    sendInWords(transport);
    return super.connect(transport);
  }
}

/** From the end of a write until the SDK has sent its answer. */
const ANSWER_MS = 50;

/**
 * Names the caller, where every request is a session of its own: an answer comes with another request, and counts of the same caller alone
 * (decision 0069). By a digest, as it is kept with the order and the key may be made of a token.
 */
function requestSession(caller: Caller | undefined): string {
  const digest = createHash("sha256")
    .update(`caller\n${caller?.key ?? ""}`)
    .digest("hex");
  return `${digest.slice(0, 32)}/${randomUUID()}`;
}

/** What plans tell is logged to clients of the 2025 era. */
const CAPABILITIES = {
  logging: {},
  tools: { listChanged: false },
  resources: { listChanged: false, subscribe: true },
  prompts: { listChanged: false },
};

export function createMcpServer(settings: McpServerSettings): ServerFactory {
  const { desk, readOnly = false, version, reader, around, onError = ignored } = settings;
  const { pictures = new Pictures(), turns } = settings;
  const modules = modulesOf(desk, settings.modules ?? MODULES);
  const inTurn: Serving["inTurn"] = turns && ((name, given, call) => turns.run(burdenOfCall(name, given), "", call));
  const tools = toolsOf(desk, modules).filter((tool) => isOffered(tool, modules, readOnly));
  const writes = new Set<Promise<unknown>>();
  const onWrite = (write: Promise<unknown>) => {
    writes.add(write);
    const ended = () => writes.delete(write);
    write.then(ended, ended);
  };
  const serving: Serving = {
    desk,
    pictures,
    onError,
    onWrite,
    words: wordsFor(reader),
    ...defined({ around, inTurn }),
  };
  const prompted = marketArguments(desk);
  const plans = modules.includes("plans");
  const watching = new Watching({ desk, modules, onError });
  const news = modules.includes("plans") && desk.plans !== undefined ? newsOf(desk.plans, serving, reader) : undefined;
  const permits = new WeakMap<McpServer, (scopes: readonly Scope[]) => void>();
  const make = (connection: Partial<Connection> = {}) => {
    const { ready = () => true, scopes = SCOPES, waitedMs = 0, calls, caller, receipts } = connection;
    const server = new PlainServer(serverInfo(version), {
      capabilities: CAPABILITIES,
      instructions: instructionsFor({ environment: desk.environment, modules, readOnly, scopes }),
      cacheHints: hintsFor(scopes),
    });
    const session = calls === undefined ? randomUUID() : requestSession(caller);
    const own = { ...serving, session, ...defined({ caller, receipts }) };
    const called = tools.filter(({ name }) => name === calls);
    const isOneCall = called.length > 0;
    const toolOffers = (isOneCall ? called : tools).map((tool) => tool.register(server, own));
    const offers: readonly Guarded[] = isOneCall
      ? toolOffers
      : [...toolOffers, ...registerResources(server, own, modules), ...registerPrompts(server, prompted, { plans })];
    let permitted = scopes;
    const permit = (now: readonly Scope[]) => {
      permitted = now;
      for (const offer of offers) offer.permit(now.includes(offer.scope));
    };
    permit(scopes);
    permits.set(server, permit);
    if (isOneCall) return server;
    registerViews(server, toolOffers);
    const isPermitted = (uri: string) =>
      neededScopes({ method: "resources/subscribe", params: { uri } }).every((scope) => permitted.includes(scope));
    registerSubscriptions(server, { watching, ready, isPermitted });
    if (news !== undefined) registerNews(server, news, { ready, waitedMs, isPermitted: () => isPermitted(PLANS_URI) });
    return server;
  };
  const idle = async () => {
    while (writes.size > 0) {
      await Promise.allSettled(writes);
      await sleep(ANSWER_MS);
    }
  };
  return Object.assign(make, {
    idle,
    look: lookAmong(tools, serving),
    place: (asked?: "asked") => placeOf(desk, asked),
    permit: (server: McpServer, scopes: readonly Scope[]) => permits.get(server)?.(scopes),
    admit: watching.admit.bind(watching),
    watch: watching.watch.bind(watching),
  });
}

function newsOf(plans: PlanDesk, { desk, onError }: Serving, reader: Reader | undefined): PlanNews {
  const words = () => wordsInFull(reader);
  return new PlanNews({ plans, words, onError, clock: CLOCK, environment: desk.environment, unit: desk.unit });
}

async function placeOf(desk: Desk, asked: "asked" | undefined): Promise<string | undefined> {
  if (asked !== undefined && desk.stamp().account === UNKNOWN_ACCOUNT) await desk.pending();
  const { environment, account } = desk.stamp();
  if (account === UNKNOWN_ACCOUNT) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([environment, desk.profile, account]))
    .digest("base64url");
}

/** A caller that may not do everything may be given more, and is then to see it. */
function hintsFor(scopes: readonly Scope[]) {
  const ttlMs = SCOPES.every((scope) => scopes.includes(scope)) ? TOOL_LIST_TTL_MS : 0;
  return { "tools/list": { ttlMs, cacheScope: "private" } } as const;
}

function lookAmong(tools: readonly Tool[], serving: Serving): ServerFactory["look"] {
  const looks = tools.filter(({ writes, scope }) => !writes && scope.endsWith(":read"));
  const byName = new Map(looks.map((tool) => [tool.name, tool]));
  return (tool, given, look) => byName.get(tool)?.call(given, serving, look);
}

function ignored(): void {
  // A caller that wants to see defects passes onError.
}

interface Subscribing {
  readonly watching: Watching;
  readonly ready: Watcher["ready"];
  /** Tells whether the caller may see it. */
  readonly isPermitted: (uri: string) => boolean;
}

/** `resources/subscribe` of the 2025 protocol era: a session's own list, which ends with it. In the later era a client listens instead, which `serve` sees to. */
function registerSubscriptions(server: McpServer, { watching, ready, isPermitted }: Subscribing): void {
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
