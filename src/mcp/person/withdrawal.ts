/**
 * Owns what withdraws a call: the client's word, or in the era without sessions over HTTP the end of the connection, which is the call. The end of
 * any other connection withdraws nothing: the client may come back for the answer.
 *
 * Source: decision 0060.
 */
import { SdkError, SdkErrorCode, type ServerContext } from "@modelcontextprotocol/server";

export function isWithdrawn(context: ServerContext): boolean {
  const { signal } = context.mcpReq;
  if (!signal.aborted) return false;
  const reason: unknown = signal.reason;
  return isOneCall(context) || !(reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed);
}

function isOneCall({ http, mcpReq: { envelope } }: ServerContext): boolean {
  return http !== undefined && envelope !== undefined;
}

/** Most calls never ask for the signal, which takes longer to make than what else is there of a call. */
export class Withdrawal {
  readonly #context: ServerContext;
  #withdrawn: AbortController | undefined;
  #isAnswered = false;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  /** Fires when the call is withdrawn. */
  get signal(): AbortSignal {
    if (this.#withdrawn !== undefined) return this.#withdrawn.signal;
    this.#withdrawn = new AbortController();
    const { signal } = this.#context.mcpReq;
    if (this.#isOver) return this.#withdrawn.signal;
    if (signal.aborted) this.#pass();
    else signal.addEventListener("abort", this.#pass, { once: true });
    return this.#withdrawn.signal;
  }

  /** The call has its answer. A connection that was the call ends with it, which withdraws nothing. */
  answered(): void {
    this.#isAnswered = true;
    if (this.#isOver) this.#context.mcpReq.signal.removeEventListener("abort", this.#pass);
  }

  get #isOver(): boolean {
    return this.#isAnswered && isOneCall(this.#context);
  }

  readonly #pass = (): void => {
    if (isWithdrawn(this.#context)) this.#withdrawn?.abort();
  };
}
