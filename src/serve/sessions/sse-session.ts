/**
 * Owns one session over HTTP+SSE. Loaded when the first client opens one.
 *
 * Invariants: what its client has not read is bounded; what it posts is taken as what came over HTTP, never as what came over a pipe.
 *
 * Source: decision 0034.
 */
import type { ServerResponse } from "node:http";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";
import type { InFlight } from "../wire/in-flight.ts";
import { refusal } from "../wire/refusal.ts";
import { isRequest } from "../wire/request-message.ts";
import type { Receipts } from "./receipts.ts";
import { canceledBy, isUse, RunningCalls } from "./running-calls.ts";
import { RETRY_MS, type Seat } from "./session-table.ts";

/** Carries a session. */
export interface Wire {
  readonly response: ServerResponse;
  readonly seat: Seat;
  readonly inFlight: InFlight<unknown>;
  readonly receipts: Receipts;
}

/** Bounds a stream; a client that leaves more than this may not ask for more. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** Lets a stream on which nothing happens show this often that it is there, as those of the SDK do. */
const BEAT_MS = 15_000;

export class SseSession extends SSEServerTransport {
  readonly #response: ServerResponse;
  readonly #seat: Seat;
  readonly #receipts: Receipts;
  readonly #calls: RunningCalls;
  readonly #beat: NodeJS.Timeout;

  /** @param postTo path of the address that the client is told */
  constructor(postTo: string, { response, seat, inFlight, receipts }: Wire) {
    super(postTo, response);
    this.#response = response;
    this.#seat = seat;
    this.#receipts = receipts;
    this.#calls = new RunningCalls(inFlight, (answer) => this.send(answer));
    this.#beat = setInterval(() => {
      if (!response.writableEnded && !response.writableNeedDrain) response.write(": keepalive\n\n");
    }, BEAT_MS).unref();
  }

  override async start(): Promise<void> {
    // A proxy is not to wait until there is more.
    this.#response.setHeader("X-Accel-Buffering", "no");
    await super.start();
    this.#response.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** Takes what was posted; the answer to it comes over the stream. */
  async take(body: unknown, request: Request): Promise<Response> {
    if (this.#response.writableLength > UNREAD_BYTES_MAX) return unread();
    const refused = this.#calls.begin(body);
    if (refused !== undefined) return refused;
    if (isUse(body)) this.#seat.isUsed = true;
    try {
      // With the request, as what came over HTTP is not to be taken for what came over a pipe.
      await this.handleMessage(body, { request });
    } catch {
      if (isRequest(body)) this.#calls.end(body.id);
      return refusal(400, -32600, "Invalid Request: the body is no JSON-RPC message");
    }
    const canceled = canceledBy(body);
    if (canceled !== undefined) {
      this.#calls.end(canceled);
      this.#receipts.withdrawn(canceled);
    }
    return new Response("Accepted", { status: 202 });
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    try {
      await super.send(message);
      if (id !== undefined) await this.#written(id);
    } finally {
      if (id !== undefined) this.#calls.end(id);
    }
  }

  /** The answer is heard once the connection, still open, has taken all that was written. */
  async #written(id: RequestId): Promise<void> {
    if (this.#response.destroyed) return;
    this.#response.write("", (error) => {
      if (error === undefined || error === null) this.#receipts.handed(id);
    });
  }

  /** Nobody is there to be answered. */
  ended(): void {
    clearInterval(this.#beat);
    this.#calls.close();
  }
}

function unread(): Response {
  return refusal(503, -32000, "Read the stream first: too much of it waits.", { headers: { "Retry-After": "1" } });
}
