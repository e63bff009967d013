/**
 * Owns HTTP itself: reading requests within their limits, handing them to their API family, writing answers, garbage on the
 * wire, closing down. Entry point: `createFront`.
 *
 * Invariants: every answer, also to garbage, has a family's form; an answer to a call that changed the exchange leaves after
 * the change is on disk; an answer to garbage is never taken for the answer to a call before it, and nothing takes effect
 * on a connection after garbage.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Service } from "../service/service.ts";
import { collectBody } from "./body-reader.ts";
import { type Family, familyFor, type Reply, type RequestHead, requestHead, respond } from "./family.ts";
import type { FaultInjector, InjectedFault } from "./fault-injection.ts";
import { badArgument, type Fault, fault } from "./outcome.ts";

export interface ApiServer {
  readonly server: Server;
  /** Takes no new requests, lets those under way end, cuts what has not ended after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const KEEP_ALIVE_MS = 65_000;
/** An answer to a request that is not read to its end stays open so long, or the sender would only see a broken pipe. */
const LINGER_MS = 500;

/** @param mishaps what goes wrong on purpose; WebSocket connections are left alone. */
export function createApiServer(service: Service, families: readonly Family[], mishaps?: FaultInjector): ApiServer {
  const connections: Connections = {
    answering: new WeakMap(),
    newest: new WeakMap(),
    broken: new WeakSet(),
    closing: false,
  };
  const parts: FrontParts = { service, families, connections, mishaps };
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: service.limits.requestTimeoutMs,
      requestTimeout: service.limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, Math.ceil(service.limits.requestTimeoutMs / 4)),
    },
    (request, response) => receive(parts, request, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    connections.broken.add(socket);
    if (socket.writable && (connections.answering.get(socket) ?? 0) === 0)
      socket.end(rawText(familyFor(families, "").refuse(wireFault(error.code))));
    else socket.destroy();
  });
  if (families.some((family) => family.upgrade !== undefined)) acceptUpgrades(server, parts);
  return {
    server,
    async close(graceMs) {
      connections.closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      for (const family of families) family.close?.();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

interface FrontParts {
  readonly service: Service;
  readonly families: readonly Family[];
  readonly connections: Connections;
  readonly mishaps: FaultInjector | undefined;
}

interface Connections {
  /** Requests that were read and are not answered yet. */
  readonly answering: WeakMap<Duplex, number>;
  /** The answer to the request that came last. */
  readonly newest: WeakMap<Duplex, ServerResponse>;
  /** Connections that sent garbage, or a request that did not arrive in time. */
  readonly broken: WeakSet<Duplex>;
  closing: boolean;
}

function headOf(request: IncomingMessage): RequestHead {
  return requestHead(request.method ?? "", request.url ?? "", request.headers, request.socket.remoteAddress);
}

function receive(parts: FrontParts, request: IncomingMessage, response: ServerResponse): void {
  const { service, families, connections, mishaps } = parts;
  const head = headOf(request);
  const family = familyFor(families, head.path);
  connections.newest.set(request.socket, response);
  const refused = family.admit(head);
  if (refused !== undefined) {
    send(connections, response, refused);
    return;
  }
  collectBody(request, service.limits.bodyBytesMax, (body) => {
    // The connection already got its last answer, and it said that this request was not taken.
    if (connections.broken.has(request.socket)) return;
    if (body === undefined) sendEarly(request, response, family.refuse(tooLarge(service.limits.bodyBytesMax)));
    else {
      const mishap = mishaps?.take(head);
      const goOn = (): void => handle(parts, { family, head, body, mishap }, response);
      if (mishap === undefined || mishap.delayMs === 0) goOn();
      else setTimeout(goOn, mishap.delayMs).unref();
    }
  });
}

interface ReadRequest {
  readonly family: Family;
  readonly head: RequestHead;
  readonly body: Buffer;
  readonly mishap: InjectedFault | undefined;
}

function handle(
  { service, connections }: FrontParts,
  { family, head, body, mishap }: ReadRequest,
  response: ServerResponse,
): void {
  const { socket } = response;
  if (socket !== null) connections.answering.set(socket, (connections.answering.get(socket) ?? 0) + 1);
  const finish = (reply: Reply): void => {
    const shown = mishap === undefined ? reply : mishap.altered(reply, family);
    if (shown === undefined) response.destroy();
    else send(connections, response, shown);
    if (socket !== null) connections.answering.set(socket, (connections.answering.get(socket) ?? 1) - 1);
  };
  const instead = mishap?.instead(family);
  if (instead !== undefined) {
    finish(instead);
    return;
  }
  const { reply, unsaved, later } = respond(service, family, head, body);
  if (unsaved === undefined && later === undefined) {
    finish(reply);
    return;
  }
  const done = later ?? service.journaled.durable().then(() => reply);
  done.then(finish, (error: unknown) => {
    service.onDefect(error);
    finish(unsaved?.() ?? reply);
  });
}

function send(connections: Connections, response: ServerResponse, { status, headers, text }: Reply): void {
  response.writeHead(status, connections.closing ? [...headers, "Connection", "close"] : headers);
  response.end(text);
}

/** Answers while the request is still coming in. */
function sendEarly(request: IncomingMessage, response: ServerResponse, { status, headers, text }: Reply): void {
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

function acceptUpgrades(server: Server, { families, connections }: FrontParts): void {
  server.on("upgrade", (request, socket, early) => {
    const head = headOf(request);
    const family = familyFor(families, head.path);
    if (family.upgrade === undefined || !/^websocket$/i.test(request.headers.upgrade ?? "")) {
      const before = connections.newest.get(socket);
      const goOn = (): void => ignoreOffer(server, request, socket, early);
      if (before === undefined || before.closed) goOn();
      else before.once("close", goOn);
      return;
    }
    const refused = family.admit(head);
    if (refused === undefined) family.upgrade(head, request, socket, early);
    else socket.on("error", () => socket.destroy()).end(rawText(refused));
  });
}

/** Other protocols are offered in passing (HTTP/2 in clear, by some clients): the connection is read again without the offer. */
function ignoreOffer(server: Server, request: IncomingMessage, socket: Duplex, early: Buffer): void {
  if (early.length > 0) socket.unshift(early);
  socket.unshift(Buffer.from(withoutOffer(request), "latin1"));
  server.emit("connection", socket);
}

/** The head of a request as it was sent, apart from its offer to upgrade. */
function withoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (/^upgrade$/i.test(name)) continue;
    lines.push(`${name}: ${/^connection$/i.test(name) ? value.replace(/\bupgrade\b/gi, "keep-alive") : value}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function tooLarge(bytesMax: number): Fault {
  return badArgument("body", `the body is larger than ${bytesMax} bytes`, 413);
}

/** A reply as bytes, where there is no request that Node could answer. It is the connection's last. */
function rawText({ status, headers, text }: Reply): string {
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
