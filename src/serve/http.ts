/**
 * Owns serving over HTTP on this machine: MCP at `/mcp` for clients of both eras, health, and one page for people.
 * Entry point: `serveOverHttp`.
 *
 * Invariants: only loopback is served, as nothing is encrypted; every request first passes the Host, Origin and Sec-Fetch-Site guards,
 * so that a web page cannot reach the desk through a browser, and then shows that it may come in, before anything of it is read; bodies
 * are bounded in size and time; a refused or broken request never stops the server; no answer's body, of ours or of the SDK, holds a
 * secret.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toWebRequest,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isJSONRPCRequest,
  isJsonContentType,
  isLegacyRequest,
  type RequestId,
} from "@modelcontextprotocol/server";
import type { Secret } from "../config/index.ts";
import type { ServerFactory } from "../mcp/index.ts";
import { Access } from "./access.ts";
import { InFlight, STOPPING } from "./in-flight.ts";
import { LegacySessions, type SessionLimits } from "./legacy-sessions.ts";
import { ResourceBus, refusalOf } from "./listened-resources.ts";
import { DEPTH_MAX, withOwnKeys } from "./own-key.ts";
import { type Page, sendJson, sendPage, sendRefusal } from "./page.ts";
import { type BodyLimits, readBody } from "./request-body.ts";
import { ScrubbedResponse } from "./scrubbed-response.ts";
import { listenError, ServeError } from "./serve-error.ts";
import { sendAnswer } from "./web-answer.ts";

export interface HttpSettings {
  readonly factory: ServerFactory;
  /** What every request has to show, as `Authorization: Bearer`: at least 43 characters that nobody can guess. */
  readonly token: Secret;
  /** Default 127.0.0.1. Only loopback addresses are accepted. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** What `GET /` shows, given our own URL; it is called every time. */
  readonly home?: (url: string) => Promise<Page>;
  /** Whether the desk can work; `/readyz` answers 503 otherwise. */
  readonly ready?: () => Promise<boolean>;
  readonly limits?: Partial<HttpLimits>;
  readonly onError?: (error: unknown) => void;
  /** Milliseconds that only rise; the process's own by default. */
  readonly now?: () => number;
}

export type HttpLimits = BodyLimits &
  SessionLimits & {
    /** More are closed as they come. */
    readonly connectionsMax: number;
    /** For the head of a request. */
    readonly headersMs: number;
  };

export interface HttpServing {
  /** Without path: `http://127.0.0.1:8421`. */
  readonly url: string;
  /** A link that opens the page for a person: once, within ten minutes. */
  pageLink(): string;
  close(): Promise<void>;
}

const LIMITS: HttpLimits = {
  bodyBytesMax: 256 * 1024,
  bodyMs: 10_000,
  sessionsMax: 256,
  sessionIdleMs: 30 * 60_000,
  sessionKeptMs: 10 * 60_000,
  connectionsMax: 1_024,
  headersMs: 10_000,
};
/** How often Node looks for heads and bodies that are late; 30 s of its own, during which they would stay. */
const CHECK_MS = 1_000;
/** For a client to read that no answer comes. */
const DISMISS_MS = 500;
/** As many as 32 random bytes have in base64url. */
const TOKEN_MIN = 43;

/** @throws ServeError with what is wrong and how to fix it. */
export async function serveOverHttp(settings: HttpSettings): Promise<HttpServing> {
  const { factory, token, host = "127.0.0.1", port, onError = ignored } = settings;
  checkAddress(host, port);
  checkToken(token);
  const access = new Access(token, settings.now ?? (() => performance.now()));
  const limits = { ...LIMITS, ...settings.limits };
  const sessions = new LegacySessions(factory, limits);
  const bus = new ResourceBus(factory, onError);
  const modern = createMcpHandler(() => factory(), {
    legacy: "reject",
    maxRequestBodySize: limits.bodyBytesMax,
    bus,
    onerror: onError,
  });
  const inFlight = new InFlight<ServerResponse>();
  const routes = routesOf(settings, access, mcpRoute({ factory, modern, bus, sessions, inFlight }, limits));
  const guards = [localhostHostValidation(), localhostOriginValidation(), refuseCrossSite];
  const options = { ServerResponse: ScrubbedResponse, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(options, (request, response) => {
    if (!guards.every((allows) => allows(request, response)) || !access.admits(request, response)) return;
    serve(routes, request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else sendRefusal(response, 500, -32603, "Internal server error");
    });
  });
  server.headersTimeout = limits.headersMs;
  server.requestTimeout = limits.bodyMs + limits.headersMs;
  server.maxConnections = limits.connectionsMax;
  try {
    const url = await listen(server, host, port);
    return {
      url,
      pageLink: () => access.link(url),
      close: closing(server, () => inFlight.settle(() => factory.idle()), [modern, sessions]),
    };
  } catch (error) {
    await sessions.close();
    throw error;
  }
}

/** A request for an image or a frame on another site carries no Origin; without this guard it could make us query the exchange at will. */
function refuseCrossSite(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers["sec-fetch-site"] !== "cross-site") return true;
  request.resume();
  sendRefusal(response, 403, -32000, "A page of another site asked for this. Open the address itself.");
  return false;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
type Routes = ReadonlyMap<string, { readonly methods: readonly string[]; readonly handle: Handler }>;

async function serve(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  const route = routes.get(path);
  if (route === undefined) return sendJson(response, 404, { error: "not found", paths: [...routes.keys()] });
  const { methods, handle } = route;
  if (methods.includes(request.method ?? "")) return handle(request, response);
  return sendJson(response, 405, { error: "method not allowed" }, { Allow: methods.join(", ") });
}

function routesOf(settings: HttpSettings, access: Access, mcp: Handler): Routes {
  const { home, ready } = settings;
  const health: Handler = async (_, response) => sendJson(response, 200, { status: "ok" });
  const readiness: Handler = async (_, response) => {
    const isReady = ready === undefined || (await ready());
    sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not ready" });
  };
  const page: Handler = async (request, response) => {
    if (home === undefined) sendJson(response, 200, { name: "hoga", mcp: "/mcp" });
    else sendPage(response, await home(ownUrl(request)));
  };
  const link: Handler = async (request, response) => {
    request.resume();
    sendJson(response, 201, { page_url: access.link(ownUrl(request)) });
  };
  return new Map([
    ["/", { methods: ["GET"], handle: page }],
    ["/page-link", { methods: ["POST"], handle: link }],
    ["/mcp", { methods: ["POST", "GET", "DELETE"], handle: mcp }],
    ["/healthz", { methods: ["GET"], handle: health }],
    ["/readyz", { methods: ["GET"], handle: readiness }],
  ]);
}

/** Node's own request; its type only differs in saying `undefined` where the adapter's leaves fields out. */
type NodeRequest = IncomingMessage & NodeIncomingMessageLike;

interface Eras {
  readonly factory: ServerFactory;
  readonly modern: ReturnType<typeof createMcpHandler>;
  readonly bus: ResourceBus;
  readonly sessions: LegacySessions;
  readonly inFlight: InFlight<ServerResponse>;
}

/** Reads the body once, then hands the request to the era it belongs to. */
function mcpRoute({ factory, modern, bus, sessions, inFlight }: Eras, limits: BodyLimits): Handler {
  return async (request, response) => {
    let parsedBody: unknown;
    if (request.method === "POST") {
      if (!isJsonContentType(request.headers["content-type"] ?? null))
        return sendRefusal(response, 415, -32000, "Send Content-Type: application/json");
      const body = await readBody(request, limits);
      if (!body.ok) return sendRefusal(response, body.status, -32000, body.message);
      const json = parseJson(body.text);
      if (json === undefined) return sendRefusal(response, 400, -32700, "Parse error: the body is not JSON");
      let isTooDeep = false;
      parsedBody = withOwnKeys(json.value, () => {
        isTooDeep = true;
      });
      if (isTooDeep)
        return sendRefusal(response, 400, -32600, `Invalid Request: nested more than ${DEPTH_MAX} levels deep`);
    } else {
      request.resume();
    }
    const abort = new AbortController();
    const ended = new Promise<void>((resolve) => response.once("close", () => resolve()));
    void ended.then(() => {
      inFlight.end(response);
      if (!response.writableFinished) abort.abort();
    });
    const id = awaitedBy(parsedBody);
    if (id !== undefined) inFlight.begin(response, () => dismiss(response, id));
    // A client that does not read gets no further notifications.
    const ready = (): boolean => !response.writableNeedDrain;
    const web = await toWebRequest(request as NodeRequest, parsedBody, { signal: abort.signal });
    const fetchModern = async (): Promise<Response> => {
      const refusal = await refusalOf(factory, parsedBody);
      if (refusal !== undefined) return Response.json(refusal);
      return bus.serving(parsedBody, ready, () => modern.fetch(web, { parsedBody }));
    };
    const answer = await ((await isLegacyRequest(web, parsedBody))
      ? sessions.fetch(web, parsedBody, { ended, ready })
      : fetchModern());
    // The SDK always sets keep-alive, also for a client that asked to close; Node sets the right header itself.
    answer.headers.delete("connection");
    await sendAnswer(response, answer);
  };
}

/** @returns the id of a request that waits for an answer; whoever listens does not */
function awaitedBy(body: unknown): RequestId | undefined {
  return isJSONRPCRequest(body) && body.method !== "subscriptions/listen" ? body.id : undefined;
}

/** Tells a client that its answer does not come, in the form that its answer has begun in. */
async function dismiss(response: ServerResponse, id: RequestId): Promise<void> {
  const sent = new Promise<void>((resolve) => response.once("close", () => resolve()));
  const refusal = { jsonrpc: "2.0", id, error: STOPPING };
  if (!response.headersSent) sendJson(response, 503, refusal, { Connection: "close", "Retry-After": "5" });
  else if (response.getHeader("content-type") === "text/event-stream")
    response.end(`event: message\ndata: ${JSON.stringify(refusal)}\n\n`);
  else response.destroy();
  await Promise.race([sent, sleep(DISMISS_MS, undefined, { ref: false })]);
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function checkAddress(host: string, port: number): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ServeError("bad_port", `${port} is not a port.`, "Choose a port from 0 (any free one) to 65535.");
  if (!isLoopback(host))
    throw new ServeError(
      "host_not_loopback",
      `${host} can be reached from other machines, and nothing here is encrypted: the token would be read on the way.`,
      "Use 127.0.0.1, and reach it from elsewhere through an SSH tunnel.",
    );
}

function checkToken(token: Secret): void {
  if (token.reveal().length < TOKEN_MIN)
    throw new ServeError("weak_token", "The token is too short.", "Take 32 random bytes, as base64url.");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(host, port, error)));
    server.listen(port, host, () => {
      const bound = server.address();
      if (typeof bound !== "object" || bound === null || !isLoopback(bound.address)) {
        server.close();
        reject(listenError(host, port, new Error("the host name does not lead to this machine's loopback")));
        return;
      }
      resolve(urlOf(bound.address, bound.port));
    });
  });
}

function urlOf(address: string, port: number): string {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** This server's address as the request found it. */
function ownUrl({ socket }: IncomingMessage): string {
  return urlOf(socket.localAddress ?? "", socket.localPort ?? 0);
}

/** Stops accepting connections, lets what runs end and answer, then closes what is left. */
function closing(
  server: Server,
  settle: () => Promise<void>,
  parts: readonly { close(): Promise<void> }[],
): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const close = async () => {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    await settle();
    await Promise.all(parts.map((part) => part.close()));
    server.closeAllConnections();
    await stopped;
  };
  return () => {
    closed ??= close();
    return closed;
  };
}

function ignored(): void {
  // A caller that wants to see defects passes onError.
}
