/**
 * The HTTP server: reads requests within their limits, passes them to their API family, writes replies, answers malformed
 * requests, shuts down. Entry point: `createApiServer`.
 *
 * Invariants: every reply, also to a malformed request, has the form of a family; the reply to a call that changed the exchange
 * leaves after the change is on disk; the reply to a malformed request cannot be mistaken for the reply to an earlier call, and
 * nothing takes effect on a connection after a malformed request. Source: service.md#body-limit, decision 0058.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { SANDBOX_HEADER } from "../../contract/index.ts";
import type { Service } from "../service/service.ts";
import { type Family, familyFor, type Reply, type RequestHead, requestHead, respond } from "./family.ts";
import type { FaultInjector, InjectedFault } from "./fault-injection.ts";
import { badArgument, type Fault, fault } from "./outcome.ts";
import { TurnQueue } from "./turn-queue.ts";

export interface ApiServer {
  readonly server: Server;
  /** Accepts no new requests, lets those under way end, and closes connections that are still open after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const KEEP_ALIVE_MS = 65_000;
/**
 * Bounds how long a connection stays open after a reply to a request that is not read to its end; its sender would else see only a reset.
 */
const LINGER_MS = 500;

/** @param faults what to inject into requests; WebSocket connections are not affected */
export function createApiServer(service: Service, families: readonly Family[], faults?: FaultInjector): ApiServer {
  const connections: Connections = { known: new WeakMap(), closing: false };
  const turn = new TurnQueue();
  const parts: ServerParts = { service, families, connections, faults, turn };
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
    const connection = connectionOf(connections, socket);
    connection.broken = true;
    // Replies that wait, to what came before it on this connection, go first.
    turn.run();
    if (socket.writable && connection.answering === 0 && !isHeldBack(connection.replied))
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

interface ServerParts {
  readonly service: Service;
  readonly families: readonly Family[];
  readonly connections: Connections;
  readonly faults: FaultInjector | undefined;
  /** Orders requests that are read, and replies. */
  readonly turn: TurnQueue;
}

interface Connections {
  readonly known: WeakMap<Duplex, Connection>;
  closing: boolean;
}

interface Connection {
  /** The number of requests that were read and are not answered yet. */
  answering: number;
  /** The response to the last request. */
  newest: ServerResponse | undefined;
  /** The response to the last request that is answered. */
  replied: ServerResponse | undefined;
  /** It sent a malformed request, or one that did not arrive in time. */
  broken: boolean;
}

function connectionOf({ known }: Connections, socket: Duplex): Connection {
  let connection = known.get(socket);
  if (connection === undefined) {
    connection = { answering: 0, newest: undefined, replied: undefined, broken: false };
    known.set(socket, connection);
  }
  return connection;
}

/** Tells whether Node keeps a reply until the one before it, on the same connection, has ended. */
function isHeldBack(replied: ServerResponse | undefined): boolean {
  return replied !== undefined && replied.socket === null && !replied.writableFinished;
}

function headOf(request: IncomingMessage): RequestHead {
  return requestHead(request.method ?? "", request.url ?? "", request.headers, request.socket.remoteAddress);
}

function receive(parts: ServerParts, request: IncomingMessage, response: ServerResponse): void {
  const { service, families, connections, faults, turn } = parts;
  const head = headOf(request);
  const family = familyFor(families, head.path);
  const connection = connectionOf(connections, request.socket);
  connection.newest = response;
  const refused = family.admit(head);
  if (refused !== undefined) {
    send(parts, response, refused);
    return;
  }
  collectBody(request, service.limits.bodyBytesMax, (body) => {
    if (body === undefined) {
      if (!connection.broken) sendEarly(parts, request, response, family.refuse(tooLarge(service.limits.bodyBytesMax)));
      return;
    }
    turn.add(() => {
      // The connection's last reply was sent already, and said that this request had no effect.
      if (connection.broken) return;
      const injected = faults?.take(head);
      if (injected?.cutsAtOnce === true) response.destroy();
      const proceed = (): void => handle(parts, { connection, family, head, body, injected }, response);
      if (injected === undefined || injected.delayMs === 0) proceed();
      else setTimeout(proceed, injected.delayMs).unref();
    });
  });
}

interface ReadRequest {
  readonly connection: Connection;
  readonly family: Family;
  readonly head: RequestHead;
  readonly body: Buffer;
  readonly injected: InjectedFault | undefined;
}

function handle(parts: ServerParts, request: ReadRequest, response: ServerResponse): void {
  const { connection, family, head, body, injected } = request;
  const { service, turn } = parts;
  connection.answering += 1;
  const finish = (reply: Reply): void =>
    turn.add(() => {
      const sent = injected === undefined ? reply : injected.altered(reply, family);
      if (sent === undefined) response.destroy();
      else send(parts, response, sent);
      connection.replied = response;
      connection.answering -= 1;
    });
  const instead = injected?.instead(family);
  if (instead !== undefined) {
    finish(instead);
    return;
  }
  if (injected?.deliversTwice === true) respond(service, family, head, body);
  const { reply, unsaved, later } = respond(service, family, head, body, injected?.effect);
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

function send({ service, connections }: ServerParts, response: ServerResponse, reply: Reply): void {
  const sent = [...reply.headers, ...ownHeaders(service, reply)];
  if (connections.closing) sent.push("Connection", "close");
  response.writeHead(reply.status, sent);
  response.end(reply.text, reply.isAscii === true ? "latin1" : "utf8");
}

/** Of every answer; the date is by the exchange's clock, as the times within it, where the reply has none of its own. */
function ownHeaders(service: Service, { headers }: Reply): readonly string[] {
  const date = headers.includes("Date") ? [] : ["Date", new Date(service.now()).toUTCString()];
  return [SANDBOX_HEADER, service.sandboxId, ...date];
}

/** Sends a reply while the request is still arriving. */
function sendEarly({ service }: ServerParts, request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, [...reply.headers, ...ownHeaders(service, reply), "Connection", "close"]);
  response.write(reply.text);
  const end = (): void => {
    clearTimeout(linger);
    response.end();
  };
  const linger = setTimeout(end, LINGER_MS);
  request.once("close", end);
  request.resume();
}

function acceptUpgrades(server: Server, { families, connections }: ServerParts): void {
  server.on("upgrade", (request, socket, early) => {
    const head = headOf(request);
    const family = familyFor(families, head.path);
    if (family.upgrade === undefined || !/^websocket$/i.test(request.headers.upgrade ?? "")) {
      const before = connectionOf(connections, socket).newest;
      const proceed = (): void => ignoreUpgrade(server, request, socket, early);
      if (before === undefined || before.closed) proceed();
      else before.once("close", proceed);
      return;
    }
    const refused = family.admit(head);
    if (refused === undefined) family.upgrade(head, request, socket, early);
    else socket.on("error", () => socket.destroy()).end(rawText(refused));
  });
}

/** Some clients offer to upgrade to another protocol (HTTP/2 without TLS): the request is read again without the offer. */
function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, early: Buffer): void {
  if (early.length > 0) socket.unshift(early);
  socket.unshift(Buffer.from(withoutUpgrade(request), "latin1"));
  server.emit("connection", socket);
}

/** The head of a request as it was sent, without its offer to upgrade. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
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

/** A reply as bytes, where there is no request that Node could respond to. It is the connection's last. */
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

const EMPTY = Buffer.alloc(0);

/**
 * Calls `done` once: with the whole body, or with undefined as soon as it is larger than `bytesMax`; not at all when the sender
 * aborts the request.
 */
function collectBody(request: IncomingMessage, bytesMax: number, done: (body: Buffer | undefined) => void): void {
  const { "content-length": declared, "transfer-encoding": chunked } = request.headers;
  if (chunked === undefined && (declared === undefined || declared === "0")) {
    done(EMPTY);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let open = true;
  request.on("data", (chunk: Buffer) => {
    if (!open) return;
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
    else {
      open = false;
      done(undefined);
    }
  });
  request.on("end", () => {
    const [first = EMPTY] = chunks;
    if (open) done(chunks.length === 1 ? first : Buffer.concat(chunks));
  });
}
