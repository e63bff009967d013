/**
 * Owns which requests of one session have no answer yet, which the SDK does not tell.
 *
 * Invariants: an id stands for one request at a time, as an answer is told apart by its id alone; they are bounded, but for what halts or
 * cancels, as a request goes on where its connection has ended; who still waits when the server stops is told so.
 */
import type { JSONRPCErrorResponse, RequestId } from "@modelcontextprotocol/server";
import { quoted } from "../contract/index.ts";
import { burdenOf, fieldOf } from "../mcp/index.ts";
import { type InFlight, STOPPING } from "./in-flight.ts";
import { refusal } from "./refusal.ts";

/** Of one session. */
const CALLS_MAX = 256;

export interface Call {
  readonly id: RequestId;
  /** It came alone in its body, so that its stream is its own. */
  readonly isAlone: boolean;
}

export class RunningCalls {
  readonly #inFlight: InFlight<unknown>;
  readonly #answer: (answer: JSONRPCErrorResponse) => Promise<void>;
  readonly #calls = new Map<RequestId, Call>();

  /** @param answer sends an answer in the place of the server */
  constructor(inFlight: InFlight<unknown>, answer: (answer: JSONRPCErrorResponse) => Promise<void>) {
    this.#inFlight = inFlight;
    this.#answer = answer;
  }

  /** Notes the requests of a body. @returns a refusal, where none of them may begin */
  begin(body: unknown): Response | undefined {
    const ids = requestsIn(body).map(({ id }) => id);
    const twice = ids.find((id, at) => this.#calls.has(id) || ids.indexOf(id) !== at);
    if (twice !== undefined)
      return refusal(400, -32600, `Request ${quoted(String(twice))} is still running: give each an id of its own.`, {
        id: twice,
      });
    if (this.#calls.size + ids.length > CALLS_MAX && !burdenOf(body).isUrgent)
      return refusal(503, -32000, `More than ${CALLS_MAX} requests of this session would run at once.`, {
        headers: { "Retry-After": "1" },
      });
    for (const id of ids) {
      const call = { id, isAlone: ids.length === 1 };
      this.#calls.set(id, call);
      this.#inFlight.begin(call, () => this.#answer({ jsonrpc: "2.0", id, error: STOPPING }).catch(ignored));
    }
    return undefined;
  }

  get(id: RequestId): Call | undefined {
    return this.#calls.get(id);
  }

  end(id: RequestId): void {
    this.#inFlight.end(this.#calls.get(id));
    this.#calls.delete(id);
  }

  close(): void {
    for (const id of [...this.#calls.keys()]) this.end(id);
  }
}

/** Whether it asks for anything but to begin a session. */
export function isUse(body: unknown): boolean {
  return requestsIn(body).some(({ method }) => method !== "initialize");
}

export function messagesIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

export interface RequestMessage {
  readonly id: RequestId;
  readonly method: string;
}

/** The SDK refuses what is no request beyond that. Its own test parses each message, and makes out at length what is wrong with all others. */
export function isRequest(message: unknown): message is RequestMessage {
  if (typeof message !== "object" || message === null) return false;
  const { jsonrpc, id, method, params = {}, ...more } = message as Readonly<Record<string, unknown>>;
  const isNamed = typeof id === "string" || Number.isSafeInteger(id);
  const isPlain = typeof params === "object" && params !== null && !Array.isArray(params);
  return jsonrpc === "2.0" && isNamed && typeof method === "string" && isPlain && Object.keys(more).length === 0;
}

export function requestsIn(body: unknown): readonly RequestMessage[] {
  return messagesIn(body).filter(isRequest);
}

export function canceledIn(body: unknown): readonly RequestId[] {
  return messagesIn(body).flatMap((message) => {
    if (fieldOf(message, "method") !== "notifications/cancelled" || isRequest(message)) return [];
    const id = fieldOf(fieldOf(message, "params"), "requestId");
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}

function ignored(): void {
  // Nobody reads the answer any more.
}
