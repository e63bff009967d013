/**
 * Owns HTTP itself: reading requests within their limits, writing answers, garbage on the wire, closing down.
 * Entry point: `createFront`.
 *
 * Invariants: every answer, also to garbage, has the error form and states the version; an answer to a call that changed
 * the exchange leaves after the change is on disk; an answer to garbage is never taken for the answer to a call before it,
 * and nothing takes effect on a connection after garbage.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { collectBody } from "./body-reader.ts";
import { badArgument, type Fault, fault, unavailable } from "./outcome.ts";
import { admitHead, type RequestHead, type Result } from "./pipeline.ts";
import { headOf, outcomeOf, replyOf } from "./reply.ts";
import type { Service } from "./service.ts";

export interface Front {
  readonly server: Server;
  /** Takes no new requests, lets those under way end, cuts what has not ended after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const KEEP_ALIVE_MS = 65_000;
/** An answer to a request that is not read to its end stays open so long, or the sender would only see a broken pipe. */
const LINGER_MS = 500;

export function createFront(service: Service): Front {
  const connections: Connections = { answering: new WeakMap(), broken: new WeakSet(), closing: false };
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: service.limits.requestTimeoutMs,
      requestTimeout: service.limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, Math.ceil(service.limits.requestTimeoutMs / 4)),
    },
    (request, response) => receive(service, connections, request, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    connections.broken.add(socket);
    if (socket.writable && (connections.answering.get(socket) ?? 0) === 0) socket.end(rawAnswer(service, error.code));
    else socket.destroy();
  });
  return {
    server,
    async close(graceMs) {
      connections.closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

interface Connections {
  /** Requests that were read and are not answered yet. */
  readonly answering: WeakMap<Duplex, number>;
  /** Connections that sent garbage, or a request that did not arrive in time. */
  readonly broken: WeakSet<Duplex>;
  closing: boolean;
}

function receive(service: Service, connections: Connections, request: IncomingMessage, response: ServerResponse): void {
  const head = headOf(request.method ?? "", request.url ?? "", request.headers, request.socket.remoteAddress);
  const refused = admitHead(service, head);
  if (refused !== undefined) {
    send(service, connections, response, { outcome: refused });
    return;
  }
  collectBody(request, service.limits.bodyBytesMax, (body) => {
    // The connection already got its last answer, and it said that this request was not taken.
    if (connections.broken.has(request.socket)) return;
    if (body === undefined) sendEarly(service, request, response, tooLarge(service.limits.bodyBytesMax));
    else handle(service, connections, head, body, response);
  });
}

function handle(
  service: Service,
  connections: Connections,
  head: RequestHead,
  body: Buffer,
  response: ServerResponse,
): void {
  const { socket } = response;
  if (socket !== null) connections.answering.set(socket, (connections.answering.get(socket) ?? 0) + 1);
  const finish = (result: Result): void => {
    send(service, connections, response, result);
    if (socket !== null) connections.answering.set(socket, (connections.answering.get(socket) ?? 1) - 1);
  };
  const result = outcomeOf(service, head, body);
  if (!result.outcome.ok || !result.outcome.changed) {
    finish(result);
    return;
  }
  service.journaled.durable().then(
    () => finish(result),
    (error: unknown) => {
      service.onDefect(error);
      finish({ ...result, outcome: unavailable(503) });
    },
  );
}

function send(service: Service, connections: Connections, response: ServerResponse, result: Result): void {
  const { status, headers, text } = replyOf(service, result);
  if (connections.closing) headers.push("Connection", "close");
  response.writeHead(status, headers);
  response.end(text);
}

/** Answers while the request is still coming in. */
function sendEarly(service: Service, request: IncomingMessage, response: ServerResponse, refused: Fault): void {
  const { status, headers, text } = replyOf(service, { outcome: refused });
  response.writeHead(status, [...headers, "Connection", "close"]);
  response.write(text);
  const end = (): void => {
    clearTimeout(linger);
    response.end();
  };
  const linger = setTimeout(end, LINGER_MS);
  request.once("close", end);
  request.resume();
}

function tooLarge(bytesMax: number): Fault {
  return badArgument("body", `the body is larger than ${bytesMax} bytes`, 413);
}

/** The answer to what is not HTTP, or does not come to an end. */
function rawAnswer(service: Service, code: string | undefined): string {
  const { status, headers, text } = replyOf(service, { outcome: wireFault(code) });
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n${text}`;
}

function wireFault(code: string | undefined): Fault {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { ...fault("EService:Timeout", "the request did not arrive in time; it had no effect"), status: 408 };
  if (code === "HPE_HEADER_OVERFLOW") return badArgument("headers", "the headers are too large", 431);
  return badArgument("request", "this is not an HTTP/1.1 request");
}
