/**
 * Owns a session of the 2025 era at a hoga that runs elsewhere, as one client over stdio has it: begun by its `initialize`, and
 * begun anew when the server has forgotten it.
 *
 * Invariants: what a client has subscribed to is subscribed to in the new session, and reported as changed, since it may have; a
 * server that answers `initialize` otherwise than before is not taken for the same; a question of an ended session is withdrawn,
 * and an answer to it reaches no other.
 *
 * Source: decision 0036.
 */
import { setTimeout as pause } from "node:timers/promises";
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Secret } from "../../config/index.ts";
import { BEGINS_ANEW } from "../wire/begins-anew.ts";
import { ReplacedError } from "./bridge-error.ts";
import { RefusedError, type RemoteFetch } from "./remote-fetch.ts";

export interface Remote {
  readonly url: URL;
  readonly token: Secret;
  readonly fetch: RemoteFetch;
  /** Hears what the server sends, answers to our own requests aside. */
  readonly onMessage: (message: JSONRPCMessage) => void;
}

export interface SendOptions {
  readonly requestSignal: AbortSignal;
  readonly onRequestStreamEnd: () => void;
}

type Id = JSONRPCRequest["id"];

/** A transport to the server; every request has its own connection. */
export function openTransport(
  { url, token, fetch }: Remote,
  onStream: (error?: unknown) => void = ignored,
): StreamableHTTPClientTransport {
  const transport = new StreamableHTTPClientTransport(url, {
    // What was subscribed to and asked in a session is begun anew here, or withdrawn, where a server would only open it anew.
    requestInit: { headers: { Authorization: `Bearer ${token.reveal()}`, [BEGINS_ANEW]: "1" } },
    fetch: async (to, init) => {
      if (init?.method !== "GET") return withoutIds(await fetch.fetch(to, init));
      try {
        const stream = await fetch.fetch(to, init);
        onStream();
        return stream;
      } catch (error) {
        onStream(error);
        throw error;
      }
    },
    // Of the stream of notifications alone, which has to be there whenever the server is.
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
  });
  void transport.start();
  return transport;
}

/**
 * An answer whose events have no ids. By an id the SDK would ask for the rest of a broken answer for as long as the server is gone, and the
 * client would wait; without one it is told at once that the outcome is unknown.
 */
function withoutIds(response: Response): Response {
  if (response.body === null || response.headers.get("content-type")?.startsWith("text/event-stream") !== true)
    return response;
  let rest = "";
  const lines = new TransformStream<string, string>({
    transform: (chunk, stream) => {
      rest += chunk;
      const end = rest.lastIndexOf("\n") + 1;
      stream.enqueue(rest.slice(0, end).replaceAll(/^id:.*\r?\n/gm, ""));
      rest = rest.slice(end);
    },
    flush: (stream) => stream.enqueue(rest),
  });
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: response.status, headers: response.headers });
}

/** For the server to forget the session; longer than it takes, and nobody's answer depends on it. */
const FAREWELL_MS = 1_000;

export class RemoteSession {
  /** Resolves when the server has answered `initialize`, or will not. */
  readonly ready: Promise<void>;
  readonly #remote: Remote;
  readonly #initialize: JSONRPCRequest;
  readonly #questions: Questions;
  readonly #subscribed = new Set<string>();
  /** Requests of ours, by id. */
  readonly #own = new Map<
    Id,
    { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }
  >();
  #transport: StreamableHTTPClientTransport;
  /** The first answer to `initialize`. */
  #agreed: string | undefined;
  #restoring: Promise<void> | undefined;
  #replaced: ReplacedError | undefined;
  #isLeaving = false;
  #lastId = 0;
  #tellReady: () => void = ignored;

  constructor(remote: Remote, initialize: JSONRPCRequest, questions: Questions) {
    this.#remote = remote;
    this.#initialize = initialize;
    this.#questions = questions;
    this.ready = new Promise((resolve) => {
      this.#tellReady = resolve;
    });
    this.#transport = this.#open();
  }

  /** Sends the client's own `initialize`. */
  async begin(options: SendOptions): Promise<void> {
    try {
      await this.#transport.send(this.#initialize, options);
    } catch (error) {
      this.#tellReady();
      throw error;
    }
  }

  /** A session that the server has forgotten is begun anew: the refused request was not looked at, so it is sent again. */
  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    await this.ready;
    await this.#restoring;
    if (this.#replaced !== undefined) throw this.#replaced;
    const transport = this.#transport;
    try {
      await transport.send(message, options);
    } catch (error) {
      if (!isForgotten(error) || transport.sessionId === undefined) throw error;
      await this.#restore(transport);
      await this.#transport.send(message, options);
    }
  }

  /** The client's answer to a question of this session. */
  async answer(response: JSONRPCResponse): Promise<void> {
    const message = this.#questions.answered(this.#transport, response);
    if (message !== undefined) await this.#transport.send(message);
  }

  /** A request of the client has succeeded. */
  succeeded({ method, params }: JSONRPCRequest): void {
    const uri = params?.["uri"];
    if (typeof uri !== "string") return;
    if (method === "resources/subscribe") this.#subscribed.add(uri);
    if (method === "resources/unsubscribe") this.#subscribed.delete(uri);
  }

  /** Nobody is there any more to answer: whoever asks is told so from now on. */
  async leaveQuestions(): Promise<void> {
    this.#isLeaving = true;
    await Promise.all(
      this.#questions.left(this.#transport).map((message) => this.#transport.send(message).catch(ignored)),
    );
  }

  close(): Promise<void> {
    return end(this.#transport);
  }

  #open(): StreamableHTTPClientTransport {
    let streams = 0;
    const transport = openTransport(this.#remote, (error) => {
      if (isForgotten(error)) void this.#restore(transport).catch(ignored);
      if (error !== undefined) return;
      streams += 1;
      // What changed while there was no stream was told to nobody.
      if (streams > 1) this.#tellChanged();
    });
    transport.onmessage = (message) => this.#received(transport, message);
    return transport;
  }

  #received(transport: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
    if (!isJSONRPCResponse(message)) {
      const shown = this.#questions.asked(transport, message);
      if (this.#isLeaving && isJSONRPCRequest(message)) void this.leaveQuestions();
      else if (shown !== undefined) this.#remote.onMessage(shown);
      return;
    }
    const own = message.id === undefined ? undefined : this.#own.get(message.id);
    if (own !== undefined) {
      if (isJSONRPCErrorResponse(message)) own.reject(new Error(message.error.message));
      else own.resolve(message.result);
      return;
    }
    if (message.id === this.#initialize.id && this.#agreed === undefined) this.#agree(transport, message);
    this.#remote.onMessage(message);
  }

  #agree(transport: StreamableHTTPClientTransport, answer: JSONRPCResponse): void {
    if (!isJSONRPCErrorResponse(answer)) {
      this.#agreed = JSON.stringify(answer.result);
      transport.setProtocolVersion(String(answer.result["protocolVersion"]));
    }
    this.#tellReady();
  }

  #restore(forgotten: StreamableHTTPClientTransport): Promise<void> {
    if (this.#transport !== forgotten) return this.#restoring ?? Promise.resolve();
    this.#restoring ??= this.#begun().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  /** Another session in the place of this one. */
  async #begun(): Promise<void> {
    const transport = this.#open();
    try {
      const { params = {} } = this.#initialize;
      const agreed = await this.#ask(transport, "initialize", params);
      if (JSON.stringify(agreed) !== this.#agreed) throw new ReplacedError();
      transport.setProtocolVersion(String((agreed as { readonly protocolVersion: unknown }).protocolVersion));
      await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      for (const uri of this.#subscribed) await this.#ask(transport, "resources/subscribe", { uri });
    } catch (error) {
      await end(transport);
      // Asked again, it would answer the same.
      if (error instanceof ReplacedError) await this.#replace(error);
      throw error;
    }
    const ended = this.#transport;
    this.#transport = transport;
    await this.#leave(ended);
    this.#tellChanged();
  }

  async #replace(error: ReplacedError): Promise<void> {
    this.#replaced = error;
    await this.#leave(this.#transport);
  }

  async #leave(ended: StreamableHTTPClientTransport): Promise<void> {
    await ended.close();
    for (const message of this.#questions.withdrawn(ended)) this.#remote.onMessage(message);
  }

  async #ask(transport: StreamableHTTPClientTransport, method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = `hoga-connect-${this.#lastId}`;
    const answer = new Promise<unknown>((resolve, reject) => this.#own.set(id, { resolve, reject }));
    const request = { jsonrpc: "2.0", id, method, params } as JSONRPCRequest;
    const failed = (error: Error): void => this.#own.get(id)?.reject(error);
    transport.send(request, { onRequestStreamEnd: () => failed(new Error("no answer")) }).catch(failed);
    try {
      return await answer;
    } finally {
      this.#own.delete(id);
    }
  }

  #tellChanged(): void {
    for (const uri of this.#subscribed)
      this.#remote.onMessage({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
  }
}

/** Tells the server that its session is over, where it still listens. */
async function end(transport: StreamableHTTPClientTransport): Promise<void> {
  const over = new AbortController();
  const farewell = transport.terminateSession().catch(ignored);
  await Promise.race([farewell, pause(FAREWELL_MS, undefined, { signal: over.signal }).catch(ignored)]);
  over.abort();
  await transport.close();
}

function isForgotten(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}

/**
 * Keep what servers have asked the client. Each session counts from the same number on, so every question has an id of ours here: an answer
 * that comes late cannot be taken for the answer to another question.
 */
export class Questions {
  readonly #asked = new Map<Id, { readonly transport: StreamableHTTPClientTransport; readonly id: Id }>();
  #lastId = 0;

  /** @returns the message as the client sees it */
  asked(transport: StreamableHTTPClientTransport, message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (isJSONRPCRequest(message)) {
      this.#lastId += 1;
      this.#asked.set(this.#lastId, { transport, id: message.id });
      return { ...message, id: this.#lastId };
    }
    if (!("method" in message) || message.method !== "notifications/cancelled") return message;
    const requestId = this.#take(transport, message.params?.["requestId"]);
    return requestId === undefined ? undefined : { ...message, params: { ...message.params, requestId } };
  }

  /** @returns the answer as the server sees it; undefined where nobody waits for it */
  answered(transport: StreamableHTTPClientTransport, response: JSONRPCResponse): JSONRPCMessage | undefined {
    const question = response.id === undefined ? undefined : this.#asked.get(response.id);
    if (response.id === undefined || question === undefined) return undefined;
    this.#asked.delete(response.id);
    return question.transport === transport ? { ...response, id: question.id } : undefined;
  }

  /** Those of an ended session: what the client is told. */
  withdrawn(transport: StreamableHTTPClientTransport): readonly JSONRPCMessage[] {
    return this.#takeAll(transport).map(([requestId]) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId, reason: "the server was lost" },
    }));
  }

  /** Those that a client leaves open: what the server is told. */
  left(transport: StreamableHTTPClientTransport): readonly JSONRPCMessage[] {
    const error = { code: -32000, message: "The client has gone." };
    return this.#takeAll(transport).map(([, id]) => ({ jsonrpc: "2.0", id, error }));
  }

  #takeAll(transport: StreamableHTTPClientTransport): readonly (readonly [shown: Id, id: Id])[] {
    const found = [...this.#asked].filter(([, question]) => question.transport === transport);
    for (const [shown] of found) this.#asked.delete(shown);
    return found.map(([shown, { id }]) => [shown, id]);
  }

  #take(transport: StreamableHTTPClientTransport, id: unknown): Id | undefined {
    const found = [...this.#asked].find(([, question]) => question.transport === transport && question.id === id);
    if (found === undefined) return undefined;
    this.#asked.delete(found[0]);
    return found[0];
  }
}

function ignored(): void {
  // Nobody depends on it.
}
