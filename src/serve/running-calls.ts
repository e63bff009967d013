/**
 * Owns which requests of one session have no answer yet, which the SDK does not tell.
 *
 * Invariants: an id stands for one request at a time, as an answer is told apart by its id alone; they are bounded, as a request goes
 * on where its connection has ended; who still waits when the server stops is told so.
 */
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type RequestId,
} from "@modelcontextprotocol/server";
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
      return refusal(400, -32600, `Request ${JSON.stringify(twice)} is still running: give each an id of its own.`, {
        id: twice,
      });
    if (this.#calls.size + ids.length > CALLS_MAX)
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
  return requestsIn(body).some((request) => !isInitializeRequest(request));
}

export function messagesIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

export function requestsIn(body: unknown) {
  return messagesIn(body).filter((message) => isJSONRPCRequest(message));
}

export function canceledIn(body: unknown): readonly RequestId[] {
  return messagesIn(body).flatMap((message) => {
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return [];
    const id = message.params?.["requestId"];
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}

function ignored(): void {
  // Nobody reads the answer any more.
}
