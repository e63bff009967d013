/**
 * Owns `hoga connect`: one client over standard input and output, and a hoga that runs elsewhere, over Streamable HTTP. Messages
 * pass as they are; nothing of a desk is here, no key, no policy and no data directory.
 *
 * Invariants: nothing but the protocol is written to standard output, and no secret with it; every request gets one answer, which
 * is the server's or says what is known of it; a request is not sent again once anything of it was written; the end of input ends
 * the connection once everything read before it has its answer, within a limit.
 *
 * Source: architecture.md#rule-1, decision 0036.
 */
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Secret } from "../../config/index.ts";
import { quoted } from "../../contract/index.ts";
import { readingTools } from "../../mcp/index.ts";
import { InFlight } from "../wire/in-flight.ts";
import { LineTransport } from "../wire/line-transport.ts";
import { MessageLines, refusalsTo } from "../wire/message-lines.ts";
import { ServeError } from "../wire/serve-error.ts";
import { ENDING, type RpcError, rpcErrorOf, unknown, unreachable } from "./bridge-error.ts";
import { NotSentError, RemoteFetch } from "./remote-fetch.ts";
import { openTransport, Questions, type Remote, RemoteSession, type SendOptions } from "./remote-session.ts";

export interface ConnectSettings {
  /** Leads to the server, as a person has written it. */
  readonly address: string;
  readonly token: Secret;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Called when the server is lost, and when it is back. */
  readonly onNotice: (message: string) => void;
}

export interface Connected {
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
  /** Answers what waits, within a limit, and ends. */
  close(): Promise<void>;
}

type Id = JSONRPCRequest["id"];

interface Pending {
  readonly request: JSONRPCRequest;
  readonly abort: AbortController;
  /** Resolves when the server has begun to answer, or does not. */
  taken: Promise<void>;
  isTaken: boolean;
  /** Resolves when the client has its answer, or wants none. */
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/** For a request to arrive before its cancellation does. */
const TAKEN_MS = 1_000;

/** @throws ServeError where the address cannot be used */
export async function connectOverStdio(settings: ConnectSettings): Promise<Connected> {
  const bridge = new Bridge(settings, await readingTools());
  return { ended: bridge.ended, close: () => bridge.close() };
}

class Bridge {
  readonly ended: Promise<void>;
  readonly #client: ClientEnd;
  readonly #remote: Remote;
  readonly #onNotice: (message: string) => void;
  readonly #reading: ReadonlySet<string>;
  readonly #pending = new Map<Id, Pending>();
  readonly #inFlight = new InFlight<Id>();
  readonly #questions = new Questions();
  readonly #stateless: StreamableHTTPClientTransport;
  #session: RemoteSession | undefined;
  #isLost = false;
  #settled: Promise<void> | undefined;

  constructor({ address, token, stdin, stdout, onNotice }: ConnectSettings, reading: ReadonlySet<string>) {
    this.#onNotice = onNotice;
    this.#reading = reading;
    const url = remoteAddress(address);
    this.#remote = { url, token, fetch: new RemoteFetch(), onMessage: (message) => this.#fromServer(message) };
    this.#stateless = openTransport(this.#remote);
    this.#stateless.onmessage = this.#remote.onMessage;
    this.#client = new ClientEnd(stdin, stdout, () => this.#settle());
    this.#client.onmessage = (message) => this.#fromClient(message);
    this.ended = this.#client.ended;
    void this.#client.start();
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #fromClient(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) void this.#request(message);
    else if (isJSONRPCResponse(message)) void this.#session?.answer(message).catch(ignored);
    else if (isJSONRPCNotification(message)) void this.#notified(message);
  }

  async #request(request: JSONRPCRequest): Promise<void> {
    const { id } = request;
    if (this.#pending.has(id)) {
      const message = `Request ${quoted(String(id))} is still running: give each an id of its own.`;
      return this.#client.tell({ jsonrpc: "2.0", id, error: { code: -32600, message } });
    }
    const pending = pendingOf(request);
    this.#pending.set(id, pending);
    // Whoever listens is not waiting for an answer.
    if (request.method !== "subscriptions/listen") this.#inFlight.begin(id, () => this.#refuse(id, ENDING));
    const { host } = this.#remote.url;
    const sent = this.#send(request, {
      requestSignal: pending.abort.signal,
      onRequestStreamEnd: () => this.#refuse(id, unknown("the stream has ended", host, this.#isWrite(request))),
    });
    pending.taken = sent.catch(ignored).then(() => {
      pending.isTaken = true;
    });
    try {
      await sent;
      this.#found();
    } catch (error) {
      this.#lost(error);
      this.#refuse(id, rpcErrorOf(error, { host, isWrite: this.#isWrite(request) }));
    }
  }

  /** A request that names its version stands alone; the others belong to the session that `initialize` begins. */
  #send(request: JSONRPCRequest, options: SendOptions): Promise<void> {
    if (isModern(request)) return this.#stateless.send(request, options);
    if (request.method !== "initialize") return (this.#session ?? this.#stateless).send(request, options);
    const before = this.#session;
    this.#session = new RemoteSession(this.#remote, request, this.#questions);
    void before?.close().catch(ignored);
    return this.#session.begin(options);
  }

  async #notified(notification: JSONRPCNotification): Promise<void> {
    if (notification.method === "notifications/cancelled") {
      const pending = this.#finish(notification.params?.["requestId"]);
      if (pending === undefined) return;
      // Of a request that stands alone, the end of its connection says it.
      if (isModern(pending.request)) return pending.abort.abort();
      await Promise.race([pending.taken, pause(TAKEN_MS, undefined, { ref: false })]);
      // Of what has not even left, nothing is to leave any more.
      if (!pending.isTaken) pending.abort.abort();
    }
    await this.#session?.send(notification).catch(ignored);
  }

  #fromServer(message: JSONRPCMessage): void {
    if (isJSONRPCResponse(message)) {
      const pending = this.#finish(message.id);
      if (pending === undefined) return;
      if (!isJSONRPCErrorResponse(message)) this.#session?.succeeded(pending.request);
    }
    this.#client.tell(message);
  }

  /** @returns undefined where it has its answer */
  #finish(id: unknown): Pending | undefined {
    const pending = this.#pending.get(id as Id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id as Id);
    this.#inFlight.end(id as Id);
    pending.finish();
    return pending;
  }

  #refuse(id: Id, error: RpcError): void {
    if (this.#finish(id) !== undefined) this.#client.tell({ jsonrpc: "2.0", id, error });
  }

  #lost(error: unknown): void {
    if (this.#isLost || !(error instanceof NotSentError)) return;
    this.#isLost = true;
    this.#onNotice(unreachable(error.code, this.#remote.url.host));
  }

  #found(): void {
    if (this.#isLost) this.#onNotice(`The hoga at ${this.#remote.url.host} is reached again.`);
    this.#isLost = false;
  }

  /** Takes for a write what is not known to change nothing. */
  #isWrite({ method, params }: JSONRPCRequest): boolean {
    return method === "tools/call" && !this.#reading.has(String(params?.["name"]));
  }

  #settle(): Promise<void> {
    this.#settled ??= this.#end();
    return this.#settled;
  }

  async #end(): Promise<void> {
    await this.#session?.leaveQuestions();
    await this.#inFlight.settle(async () => {
      const writes = [...this.#pending.values()].filter(({ request }) => this.#isWrite(request));
      await Promise.all(writes.map(({ done }) => done));
    });
    await this.#session?.close();
    await this.#stateless.close();
    await this.#remote.fetch.close();
  }
}

/** The client's side, as an assistant launches it. */
class ClientEnd extends LineTransport {
  readonly ended: Promise<void>;
  readonly #settle: () => Promise<void>;
  readonly #stdin: Readable;
  readonly #lines: MessageLines;
  #tellEnd: () => void = ignored;

  /** @param settle called before the end; resolves when everybody has an answer */
  constructor(stdin: Readable, stdout: Writable, settle: () => Promise<void>) {
    const lines = new MessageLines(refusalsTo(stdout));
    super(lines, stdout);
    this.#stdin = stdin;
    this.#lines = lines;
    this.#settle = settle;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    stdin.on("error", (error) => lines.destroy(error));
    stdin.setEncoding("utf8").pipe(lines);
  }

  /** Does not wait for a client that does not read. */
  tell(message: JSONRPCMessage): void {
    this.send(message).catch(ignored);
  }

  /** Called by the SDK, too, at the end of input. */
  override async close(): Promise<void> {
    await this.#settle();
    await super.close();
    this.#stdin.unpipe(this.#lines).pause();
    this.#tellEnd();
  }
}

function pendingOf(request: JSONRPCRequest): Pending {
  let finish = ignored;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { request, abort: new AbortController(), taken: done, isTaken: false, done, finish };
}

/** Since 2026-07-28 every request names its version. */
function isModern({ params }: JSONRPCRequest): boolean {
  return typeof params?._meta?.[PROTOCOL_VERSION_META_KEY] === "string";
}

function ignored(): void {
  // Whoever waits is told otherwise.
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address of its MCP endpoint; `/mcp` where only the host is named. No token leaves this machine unencrypted, and none is part of the address.
 * @throws ServeError with what is wrong with it
 */
function remoteAddress(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw bad("is not the address of a server", "Write it as that hoga printed it, such as http://127.0.0.1:8421/mcp.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw bad(
      "holds more than host, port and path",
      "Write these alone. A token goes into HOGA_TOKEN or a file (--token-file).",
    );
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    throw new ServeError(
      "not_encrypted",
      `${url.hostname} is another machine, and over http everybody on the way reads the token.`,
      "Use https, or an SSH tunnel: ssh -N -L 8421:127.0.0.1:8421 HOST, and then http://127.0.0.1:8421/mcp.",
    );
  if (url.pathname === "/") url.pathname = "/mcp";
  return url;
}

function bad(problem: string, fix: string): ServeError {
  return new ServeError("bad_url", `What is given as the server ${problem}.`, fix);
}
