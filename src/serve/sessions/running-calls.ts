/**
 * Owns which requests of one session have no answer yet, which the SDK does not tell.
 *
 * Invariants: an id stands for one request at a time, as an answer is told apart by its id alone; they are bounded, but for what halts or
 * cancels, as a request goes on where its connection has ended; who still waits when the server stops is told so.
 */
import type { JSONRPCErrorResponse, RequestId } from "@modelcontextprotocol/server";
import { quoted } from "../../contract/index.ts";
import { burdenOf, fieldOf } from "../../mcp/index.ts";
import { type InFlight, STOPPING } from "../wire/in-flight.ts";
import { refusal } from "../wire/refusal.ts";
import { isRequest } from "../wire/request-message.ts";

/** Bounds those of one session. */
const CALLS_MAX = 256;

export class RunningCalls {
  readonly #inFlight: InFlight<unknown>;
  readonly #answer: (answer: JSONRPCErrorResponse) => Promise<void>;
  readonly #calls = new Map<RequestId, { readonly id: RequestId }>();

  /** @param answer sends an answer in the place of the server */
  constructor(inFlight: InFlight<unknown>, answer: (answer: JSONRPCErrorResponse) => Promise<void>) {
    this.#inFlight = inFlight;
    this.#answer = answer;
  }

  /** Notes a request. @returns a refusal, where it may not begin */
  begin(message: unknown): Response | undefined {
    if (!isRequest(message)) return undefined;
    const { id } = message;
    if (this.#calls.has(id))
      return refusal(400, -32600, `Request ${quoted(String(id))} is still running: give each an id of its own.`, {
        id,
      });
    if (this.#calls.size >= CALLS_MAX && !burdenOf(message).isUrgent)
      return refusal(503, -32000, `More than ${CALLS_MAX} requests of this session would run at once.`, {
        headers: { "Retry-After": "1" },
      });
    const call = { id };
    this.#calls.set(id, call);
    this.#inFlight.begin(call, () => this.#answer({ jsonrpc: "2.0", id, error: STOPPING }).catch(ignored));
    return undefined;
  }

  has(id: RequestId): boolean {
    return this.#calls.has(id);
  }

  end(id: RequestId): void {
    this.#inFlight.end(this.#calls.get(id));
    this.#calls.delete(id);
  }

  close(): void {
    for (const id of [...this.#calls.keys()]) this.end(id);
  }
}

/** Tells whether it asks for anything but to begin a session. */
export function isUse(message: unknown): boolean {
  return isRequest(message) && message.method !== "initialize";
}

/** The request that a notification withdraws; undefined where it is none. */
export function canceledBy(message: unknown): RequestId | undefined {
  if (fieldOf(message, "method") !== "notifications/cancelled" || isRequest(message)) return undefined;
  const id = fieldOf(fieldOf(message, "params"), "requestId");
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function ignored(): void {
  // Nobody reads the answer any more.
}
