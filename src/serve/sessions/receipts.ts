/**
 * Owns what is still owed to the calls of one connection: that their answers were handed to a client that waits for them. Only then does what an
 * answer tells of count as heard, and the same request as a new one.
 *
 * Source: decision 0060.
 */
import type { RequestId } from "@modelcontextprotocol/server";
import type { Connection } from "../../mcp/index.ts";

/** Bounds those of one connection; of what is pushed out the same request is answered with the first order, once. */
const OWED_MAX = 512;

export class Receipts implements NonNullable<Connection["receipts"]> {
  readonly #owed = new Map<RequestId, () => void>();

  owe(request: RequestId, heard: () => void): void {
    this.#owed.delete(request);
    this.#owed.set(request, heard);
    if (this.#owed.size > OWED_MAX) for (const [oldest] of [...this.#owed].slice(0, 1)) this.#owed.delete(oldest);
  }

  /** The answer to it was handed over. */
  handed(request: RequestId): void {
    const heard = this.#owed.get(request);
    this.#owed.delete(request);
    heard?.();
  }

  /** Every answer was. */
  handedAll(): void {
    for (const request of [...this.#owed.keys()]) this.handed(request);
  }

  /** Nobody waits for the answer. */
  withdrawn(request: RequestId): void {
    this.#owed.delete(request);
  }
}
