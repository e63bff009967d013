/**
 * Owns clients of the 2025 protocol era over Streamable HTTP. Each has a session, because without one a cancellation cannot reach the
 * call it is about, and a person at the client could not be asked. One that is not here is opened anew from its id, where that holds: without
 * its calls, questions and subscriptions.
 *
 * Invariants: a session is the identity's that began it, and an id of another's, or of none, is answered like one that has ended; every
 * request gets one answer, unless it is cancelled, and then its stream ends; a stream that broke goes on where it broke, and who asks for
 * what is no longer kept is told so.
 *
 * Source: decision 0034, decision 0035, decision 0073.
 */
import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  type JSONRPCMessage,
  type McpServer,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { defined } from "../../contract/index.ts";
import { burdenOf, type Connection, type ServerFactory } from "../../mcp/index.ts";
import { BEGINS_ANEW } from "../wire/begins-anew.ts";
import { type Grant, lasting } from "../wire/caller.ts";
import type { InFlight } from "../wire/in-flight.ts";
import { refusal } from "../wire/refusal.ts";
import { isRequest } from "../wire/request-message.ts";
import { QuestionIds } from "./question-ids.ts";
import { Receipts } from "./receipts.ts";
import { canceledBy, isUse, RunningCalls } from "./running-calls.ts";
import { SessionEvents } from "./session-events.ts";
import type { Begun, SessionIds } from "./session-ids.ts";
import { RETRY_MS, type Seat, type SessionEnd, type SessionTable } from "./session-table.ts";

/** Tells what is known of the connection that an answer takes. */
export interface Road extends Pick<Connection, "ready"> {
  /** Let its request in. */
  readonly grant: Grant;
  /** Resolves when its connection or stream has ended. */
  readonly ended: Promise<void>;
  /** @param onWritten to be called with each part of the answer that was handed to the connection while it was open */
  readonly watch: (onWritten: (part: Uint8Array) => void) => void;
}

export interface LegacyParts {
  readonly factory: ServerFactory;
  readonly table: SessionTable;
  readonly inFlight: InFlight<unknown>;
  readonly ids: SessionIds;
}

interface Session {
  readonly transport: SessionTransport;
  readonly server: McpServer;
  readonly seat: Seat;
  /** Streams for notifications, which answer no request. */
  readonly streams: Set<Road>;
  /** When it was last looked up whether it was ended at another server. */
  lookedAtMs: number;
}

const LOOK_EVERY_MS = 1_000;

export class LegacySessions {
  readonly #sessions = new Map<string, Session>();
  /** Being opened anew, by id: two requests of one client are not to open it twice. */
  readonly #opening = new Map<string, Promise<Session | Response>>();
  readonly #parts: LegacyParts;

  constructor(parts: LegacyParts) {
    this.#parts = parts;
  }

  async fetch(request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, parsedBody, road);
    const here = await this.#here(id, parsedBody);
    const begun = here === undefined ? await this.#begunWith(id, parsedBody, road.grant) : undefined;
    if (begun instanceof Response) return begun;
    if (here !== undefined && !here.seat.isOf(road.grant)) return gone();
    if (request.method === "DELETE") {
      if (!(await this.#parts.ids.end(id))) return later("The session could not be ended");
      if (here === undefined) return new Response(null, { status: 200 });
    }
    const session = here ?? (begun && (await this.#anew(id, begun, road.grant)));
    if (session instanceof Response) return session.clone();
    return session === undefined ? gone() : this.#serve(session, request, parsedBody, road);
  }

  async #here(id: string, parsedBody: unknown): Promise<Session | undefined> {
    const session = this.#sessions.get(id);
    const nowMs = performance.now();
    // What halts or cancels does not wait for the store.
    if (session === undefined || nowMs - session.lookedAtMs < LOOK_EVERY_MS || burdenOf(parsedBody).isUrgent)
      return session;
    session.lookedAtMs = nowMs;
    if ((await this.#parts.ids.isEnded(id)) !== true) return session;
    await this.#end(session);
    return undefined;
  }

  /** @returns what a session that is not here was begun with; an answer where it is not opened anew */
  async #begunWith(id: string, parsedBody: unknown, grant: Grant): Promise<Begun | Response> {
    const { ids, factory } = this.#parts;
    // Who begins does not go on.
    if (isInitializeRequest(parsedBody)) return gone();
    const begun = await ids.read(id, grant, () => factory.place("asked"));
    if (begun === "never") return gone();
    return begun === "later" ? later("It cannot be known now whether this session goes on") : begun;
  }

  #anew(id: string, begun: Begun, grant: Grant): Promise<Session | Response> | Session {
    const there = this.#sessions.get(id) ?? this.#opening.get(id);
    if (there !== undefined) return there;
    const opening = this.#open(id, grant).then(async (session) => {
      if (session instanceof Response) return session;
      session.seat.heard({ params: begun });
      await session.transport.begin(begun);
      return session;
    });
    this.#opening.set(id, opening);
    const opened = (): void => void this.#opening.delete(id);
    opening.then(opened, opened);
    return opening;
  }

  async #begin(request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    if (!isInitializeRequest(parsedBody))
      return refusal(400, -32000, "Begin with initialize, then send its Mcp-Session-Id with every request.");
    const { factory, ids } = this.#parts;
    const place = request.headers.has(BEGINS_ANEW) ? undefined : await factory.place();
    const session = await this.#open(await ids.make(parsedBody.params, road.grant, place), road.grant);
    if (session instanceof Response) return session;
    const response = await this.#serve(session, request, parsedBody, road);
    if (session.transport.sessionId === undefined) await this.#end(session);
    return response;
  }

  async #open(id: string, grant: Grant): Promise<Session | Response> {
    const { factory, table, inFlight } = this.#parts;
    const seat = await table.take(lasting(grant), (why) => this.#end(session, why));
    if (seat instanceof Response) return seat;
    const streams = new Set<Road>();
    const ready = (): boolean => streams.size > 0 && [...streams].every((stream) => stream.ready());
    const receipts = new Receipts();
    const server = factory({ ready, scopes: grant.identity.scopes, caller: seat.caller, receipts });
    const [onBegin, onEnd] = [() => void this.#sessions.set(id, session), () => this.#end(session)];
    const transport = new SessionTransport(id, { inFlight, receipts, onBegin, onEnd });
    const session: Session = { transport, server, seat, streams, lookedAtMs: performance.now() };
    await server.connect(transport);
    return session;
  }

  #serve(session: Session, request: Request, parsedBody: unknown, road: Road): Promise<Response> {
    const { transport, server, seat, streams } = session;
    seat.opened(road.ended);
    // Another token of the same identity may do more, or less.
    this.#parts.factory.permit(server, road.grant.identity.scopes);
    if (isUse(parsedBody)) seat.isUsed = true;
    if (transport.isForNotifications(request)) {
      streams.add(road);
      void road.ended.then(() => streams.delete(road));
    }
    seat.heard(parsedBody);
    road.watch((part) => transport.written(part));
    return transport.serve(request, parsedBody);
  }

  /** @param why absent where its client ended it, which is noted already. One that was only unused, or whose server stops, may come back. */
  async #end({ transport, server, seat }: Session, why?: SessionEnd): Promise<void> {
    const { sessionId } = transport;
    if (sessionId !== undefined) {
      if (why === "limit" || why === "token") await this.#parts.ids.end(sessionId);
      this.#sessions.delete(sessionId);
    }
    this.#parts.table.leave(seat);
    await server.close();
  }
}

function gone(): Response {
  return refusal(404, -32001, "Session not found: it has ended. Initialize again.");
}

function later(what: string): Response {
  const message = `${what}, and nothing of this request was done. Send it again.`;
  return refusal(503, -32000, message, { headers: { "Retry-After": "5" } });
}

/** The name that the SDK gives to the stream of what answers no request. */
const NOTIFICATIONS = "_GET_stream";
/** The version from which on a client takes an event without data. */
const PLACES_SINCE = "2025-11-25";

/** Matches the id of an event, which stands before its data. Each is one part of the stream. */
const EVENT_ID = /^id: (\S+)$/m;
const HEAD = 200;

interface TransportParts {
  readonly inFlight: InFlight<unknown>;
  readonly receipts: Receipts;
  readonly onBegin: () => void;
  readonly onEnd: () => Promise<void>;
}

class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #events: SessionEvents;
  readonly #calls: RunningCalls;
  readonly #receipts: Receipts;
  readonly #questions = new QuestionIds();

  constructor(id: string, { inFlight, receipts, onBegin, onEnd }: TransportParts) {
    const events = new SessionEvents(NOTIFICATIONS);
    super({
      sessionIdGenerator: () => id,
      onsessioninitialized: onBegin,
      onsessionclosed: onEnd,
      eventStore: events,
      retryInterval: RETRY_MS,
    });
    this.#events = events;
    this.#receipts = receipts;
    this.#calls = new RunningCalls(inFlight, (answer) => this.send(answer));
  }

  /** Begins it as its client did once; the answer is nobody's. */
  async begin(params: Begun): Promise<void> {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const asClient = async (given: object, more = {}): Promise<void> => {
      const request = new Request("http://localhost/", { method: "POST", headers: { ...headers, ...more } });
      await (await this.serve(request, given)).text();
    };
    await asClient({ jsonrpc: "2.0", id: randomUUID(), method: "initialize", params });
    await asClient(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      defined({ "mcp-session-id": this.sessionId }),
    );
  }

  async serve(request: Request, given: unknown): Promise<Response> {
    const parsedBody = this.#questions.received(given);
    const lastEventId = resumedFrom(request);
    const ended = lastEventId === undefined ? undefined : this.#endOf(lastEventId);
    if (ended !== undefined) return ended;
    const refused = this.#calls.begin(parsedBody);
    if (refused !== undefined) return refused;
    const response = await this.handleRequest(request, defined({ parsedBody }));
    if (!response.ok && isRequest(parsedBody)) this.#calls.end(parsedBody.id);
    const canceled = canceledBy(parsedBody);
    if (canceled !== undefined) await this.#cancel(canceled);
    return request.method === "GET" && lastEventId === undefined ? this.#withPlace(request, response) : response;
  }

  /** Part of a stream that went out to its client, at once or when it came back: an answer in it is heard. */
  written(part: Uint8Array): void {
    const [, eventId] =
      EVENT_ID.exec(Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("latin1", 0, HEAD)) ?? [];
    const answered = eventId === undefined ? undefined : this.#events.answeredBy(eventId);
    if (answered !== undefined) this.#receipts.handed(answered);
  }

  isForNotifications(request: Request): boolean {
    const lastEventId = resumedFrom(request);
    return request.method === "GET" && (lastEventId === undefined || this.#events.isOfNotifications(lastEventId));
  }

  override async send(
    ...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport["send"]>
  ): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    if (id !== undefined && this.#calls.has(id)) this.#events.endsWith(message, "kept");
    try {
      await super.send(this.#questions.sent(message), options);
    } finally {
      if (id !== undefined) this.#calls.end(id);
    }
  }

  override async close(): Promise<void> {
    this.#calls.close();
    await super.close();
  }

  /** A cancelled request gets no answer, so nothing else would end its stream, here and in what the SDK remembers. */
  async #cancel(id: RequestId): Promise<void> {
    const isRunning = this.#calls.has(id);
    this.#calls.end(id);
    this.#receipts.withdrawn(id);
    if (!isRunning) return;
    this.closeSSEStream(id);
    const ended = { jsonrpc: "2.0", id, error: { code: -32000, message: "Request cancelled" } } as const;
    this.#events.endsWith(ended, "dropped");
    await super.send(ended);
  }

  /** @returns undefined where more may come */
  #endOf(lastEventId: string): Response | undefined {
    const place = this.#events.find(lastEventId);
    switch (place.at) {
      case "open":
        return undefined;
      // What an event stream says to a client that it is not to open it again.
      case "end":
        return new Response(null, { status: 204 });
      case "lost":
        return streamOf(place.eventId, { jsonrpc: "2.0", id: place.id, error: { code: -32000, message: LOST } });
      case "unknown":
        return refusal(400, -32000, "What came after this Last-Event-ID is not kept: open the stream without it.");
    }
  }

  /** Its first event is the place from which it can be opened again, also where nothing else was sent before it broke. */
  #withPlace(request: Request, response: Response): Response {
    const version = request.headers.get("mcp-protocol-version") ?? "";
    if (!response.ok || response.body === null || version < PLACES_SINCE) return response;
    const { status, headers, body } = response;
    const place = `id: ${this.#events.place()}\nretry: ${RETRY_MS}\ndata: \n\n`;
    const first = new TransformStream<Uint8Array, Uint8Array>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(place)),
    });
    return new Response(body.pipeThrough(first), { status, headers });
  }
}

const LOST =
  "The answer was too much to be kept until the stream was opened again. A read can be asked again; before an order is placed again, look with get_order whether it is there.";

/** A stream of one message. */
function streamOf(eventId: string, message: JSONRPCMessage): Response {
  return new Response(`event: message\nid: ${eventId}\ndata: ${JSON.stringify(message)}\n\n`, {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" },
  });
}

/** The last event of the stream that a client opens again. */
function resumedFrom(request: Request): string | undefined {
  const lastEventId = request.method === "GET" ? request.headers.get("last-event-id") : null;
  return lastEventId === null || lastEventId === "" ? undefined : lastEventId;
}
