/**
 * Owns clients of the 2025 protocol era over HTTP. Each has a session, because without one a cancellation cannot reach the call
 * it is about, and a person at the client could not be asked.
 *
 * Invariants: the number of sessions is bounded; a session that nobody uses or listens to ends, and none that was used lately gives
 * way to another; a session is the identity's that began it, and an id of another's, or of none, is answered like one that has ended; every
 * request gets one answer, unless it is cancelled, and then its stream ends.
 */
import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type McpServer,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { defined } from "../contract/index.ts";
import type { Connection, ServerFactory } from "../mcp/index.ts";
import { type Grant, lasting } from "./caller.ts";
import type { OpenRequests } from "./open-requests.ts";

export interface SessionLimits {
  readonly sessionsMax: number;
  readonly sessionIdleMs: number;
  /** A session that was used this lately stays, however many others ask to begin. */
  readonly sessionKeptMs: number;
}

/** What is known of the connection that an answer takes. */
export interface Road extends Pick<Connection, "ready"> {
  /** What its request was let in by. */
  readonly grant: Grant;
  /** Resolves when its connection or stream has ended. */
  readonly ended: Promise<void>;
}

interface Session {
  readonly transport: SessionTransport;
  readonly server: McpServer;
  /** The key of the identity that began it. */
  readonly owner: string;
  /** It does not end with its caller's token any more. */
  release: () => void;
  /** Streams for notifications, which answer no request. */
  readonly streams: Set<Road>;
  /** Requests and streams that are open now. */
  open: number;
  usedAtMs: number;
  /** Whether its client has asked for anything but to begin. */
  isUsed: boolean;
}

const SWEEP_MS = 30_000;

export class LegacySessions {
  readonly #sessions = new Map<string, Session>();
  readonly #factory: ServerFactory;
  readonly #open: OpenRequests;
  readonly #limits: SessionLimits;
  readonly #sweeper: NodeJS.Timeout;

  constructor(factory: ServerFactory, limits: SessionLimits, open: OpenRequests) {
    this.#factory = factory;
    this.#open = open;
    this.#limits = limits;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, limits.sessionIdleMs));
    this.#sweeper.unref();
  }

  /** Serves one request. */
  async fetch(request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, parsedBody, road);
    const session = this.#sessions.get(id);
    return session === undefined || session.owner !== road.grant.identity.key
      ? refusal(404, -32001, "Session not found: it has ended. Initialize again.")
      : this.#serve(session, request, parsedBody, road);
  }

  get size(): number {
    return this.#sessions.size;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #begin(request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    if (!messagesIn(parsedBody).some(isInitializeRequest))
      return refusal(400, -32000, "Begin with initialize, then send its Mcp-Session-Id with every request.");
    if (this.#sessions.size >= this.#limits.sessionsMax && !(await this.#endOldest()))
      return refusal(503, -32000, "All sessions are in use; close one or wait.", { "Retry-After": "60" });
    const streams = new Set<Road>();
    const { identity } = road.grant;
    const ready = (): boolean => streams.size > 0 && [...streams].every((stream) => stream.ready());
    const server = this.#factory({ ready, scopes: identity.scopes });
    const transport = new SessionTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
        session.release = this.#open.begin(lasting(road.grant), () => void this.#end(id));
      },
      onsessionclosed: (id) => this.#end(id),
    });
    const session: Session = {
      ...{ transport, server, streams, owner: identity.key, release: () => undefined },
      ...{ open: 0, usedAtMs: Date.now(), isUsed: false },
    };
    await server.connect(transport);
    const response = await this.#serve(session, request, parsedBody, road);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  #serve(session: Session, request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    session.open += 1;
    session.usedAtMs = Date.now();
    // Another token of the same identity may do more, or less.
    this.#factory.permit(session.server, road.grant.identity.scopes);
    if (request.method !== "GET" && requestsIn(parsedBody).some((message) => !isInitializeRequest(message)))
      session.isUsed = true;
    if (request.method === "GET") session.streams.add(road);
    void road.ended.then(() => {
      session.streams.delete(road);
      session.open -= 1;
      session.usedAtMs = Date.now();
    });
    return session.transport.serve(request, parsedBody);
  }

  #sweep(): void {
    const oldest = Date.now() - this.#limits.sessionIdleMs;
    for (const [id, session] of this.#sessions) if (session.open === 0 && session.usedAtMs < oldest) void this.#end(id);
  }

  /** First one whose client has only begun. @returns false when every session is used. */
  async #endOldest(): Promise<boolean> {
    const keptSinceMs = Date.now() - this.#limits.sessionKeptMs;
    const [idle] = [...this.#sessions]
      .filter(([, { open, isUsed, usedAtMs }]) => open === 0 && (!isUsed || usedAtMs <= keptSinceMs))
      .sort(([, a], [, b]) => Number(a.isUsed) - Number(b.isUsed) || a.usedAtMs - b.usedAtMs);
    if (idle === undefined) return false;
    await this.#end(idle[0]);
    return true;
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.release();
    await session?.server.close();
  }
}

/** Knows which requests are running, which the SDK's own does not tell. */
class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** By id, and whether each came alone in its body, so that its stream is its own. */
  readonly #running = new Map<RequestId, boolean>();

  async serve(request: Request, parsedBody: unknown): Promise<Response> {
    const ids = requestsIn(parsedBody).map(({ id }) => id);
    const twice = ids.find((id, at) => this.#running.has(id) || ids.indexOf(id) !== at);
    // The SDK would send both answers into the later stream, and leave the earlier one open.
    if (twice !== undefined)
      return refusal(
        400,
        -32600,
        `Request ${JSON.stringify(twice)} is still running: give each an id of its own.`,
        {},
        twice,
      );
    for (const id of ids) this.#running.set(id, ids.length === 1);
    const response = await this.handleRequest(request, defined({ parsedBody }));
    if (!response.ok) for (const id of ids) this.#running.delete(id);
    for (const id of canceledIn(parsedBody)) this.#endStream(id);
    return response;
  }

  override async send(
    ...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport["send"]>
  ): Promise<void> {
    if (!("method" in message) && message.id !== undefined) this.#running.delete(message.id);
    return super.send(message, options);
  }

  /** A cancelled request gets no answer, so nothing else would end its stream. */
  #endStream(id: RequestId): void {
    if (this.#running.get(id) === true) this.closeSSEStream(id);
    this.#running.delete(id);
  }
}

function messagesIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function requestsIn(body: unknown) {
  return messagesIn(body).filter((message) => isJSONRPCRequest(message));
}

function canceledIn(body: unknown): readonly RequestId[] {
  return messagesIn(body).flatMap((message) => {
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return [];
    const id = message.params?.["requestId"];
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}

function refusal(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  id: RequestId | null = null,
): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status, headers: { ...headers } });
}
