/**
 * Owns clients of the 2025 protocol era over HTTP. Each has a session, because without one a cancellation cannot reach the call
 * it is about, and a person at the client could not be asked.
 *
 * Invariants: the number of sessions is bounded; a session that nobody uses or listens to ends; an id that is not ours is
 * answered like one that has ended.
 */
import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { defined } from "../contract/index.ts";
import type { Connection } from "../mcp/index.ts";

export interface SessionLimits {
  readonly sessionsMax: number;
  readonly sessionIdleMs: number;
}

/** What is known of the connection that an answer takes. */
export interface Road extends Connection {
  /** Resolves when its connection or stream has ended. */
  readonly ended: Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer;
  /** Streams for notifications, which answer no request. */
  readonly streams: Set<Road>;
  /** Requests and streams that are open now. */
  open: number;
  usedAtMs: number;
}

const SWEEP_MS = 30_000;

export class LegacySessions {
  readonly #sessions = new Map<string, Session>();
  readonly #make: (connection: Connection) => McpServer;
  readonly #limits: SessionLimits;
  readonly #sweeper: NodeJS.Timeout;

  constructor(make: (connection: Connection) => McpServer, limits: SessionLimits) {
    this.#make = make;
    this.#limits = limits;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, limits.sessionIdleMs));
    this.#sweeper.unref();
  }

  /** Serves one request. */
  async fetch(request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, parsedBody, road);
    const session = this.#sessions.get(id);
    return session === undefined
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
    const messages: readonly unknown[] = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
    if (!messages.some(isInitializeRequest))
      return refusal(400, -32000, "Begin with initialize, then send its Mcp-Session-Id with every request.");
    if (this.#sessions.size >= this.#limits.sessionsMax && !(await this.#endOldest()))
      return refusal(503, -32000, "All sessions are in use; close one or wait.");
    const streams = new Set<Road>();
    const server = this.#make({ ready: () => streams.size > 0 && [...streams].every(({ ready }) => ready()) });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    const session: Session = { transport, server, streams, open: 0, usedAtMs: Date.now() };
    await server.connect(transport);
    const response = await this.#serve(session, request, parsedBody, road);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  #serve(session: Session, request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    session.open += 1;
    session.usedAtMs = Date.now();
    if (request.method === "GET") session.streams.add(road);
    void road.ended.then(() => {
      session.streams.delete(road);
      session.open -= 1;
      session.usedAtMs = Date.now();
    });
    return session.transport.handleRequest(request, defined({ parsedBody }));
  }

  #sweep(): void {
    const oldest = Date.now() - this.#limits.sessionIdleMs;
    for (const [id, session] of this.#sessions) if (session.open === 0 && session.usedAtMs < oldest) void this.#end(id);
  }

  /** @returns false when every session has something open. */
  async #endOldest(): Promise<boolean> {
    const [idle] = [...this.#sessions]
      .filter(([, session]) => session.open === 0)
      .sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (idle === undefined) return false;
    await this.#end(idle[0]);
    return true;
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.server.close();
  }
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
