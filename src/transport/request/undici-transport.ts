/**
 * The wire: one undici pool for the current origin, keep-alive, one request at a time on a connection.
 *
 * Invariants:
 * - A request is written at most once. undici queues a request again when its connection closes for other reasons; the handler
 *   refuses a second start, which undici respects before the first byte.
 * - `not_sent` is reported only for a request that undici never started, and such a request is refused if undici starts it later.
 * - Nothing is sent over TLS to who cannot show a certificate for the address.
 * - No request starts after its time, not even when the machine slept in between: a caller that waited so long relies on it.
 *
 * undici is loaded at the first request, so that a start does not load it.
 */
import type { Dispatcher, Pool } from "undici";
import type { Transport, WireOutcome, WireRequest } from "./ports.ts";

export interface TransportLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  /** Longest silence inside a body. */
  readonly bodyMs: number;
  readonly bodyBytesMax: number;
}

/** A bound for public reads; private calls go one by one. */
const CONNECTIONS = 32;

type Controller = Dispatcher.DispatchController;

/** When a request was asked for, by a clock that nobody sets, and until when it may start, by the wall's. */
interface Asked {
  readonly atMs: number;
  readonly startsBeforeMs: number;
}

/** Carries one request on its way: collects the answer and settles exactly once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (outcome: WireOutcome) => void;
  readonly #bodyBytesMax: number;
  readonly #asked: Asked;
  #waitedMs = 0;
  #controller: Controller | undefined;
  #settled = false;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bodyBytesMax: number, asked: Asked, settle: (outcome: WireOutcome) => void) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#asked = asked;
    this.#settle = settle;
  }

  /** Ends the wait for an answer: by the deadline, the caller, or a failed dispatch. */
  giveUp(): void {
    this.#end({ kind: this.#controller === undefined ? "not_sent" : "no_answer" });
    this.#controller?.abort(new Error("gave up waiting"));
  }

  /** The last moment before the first byte: aborting here keeps the request from being written. */
  onRequestStart(controller: Controller): void {
    const isFirst = this.#controller === undefined;
    if (!isFirst || Date.now() >= this.#asked.startsBeforeMs) this.#end({ kind: isFirst ? "not_sent" : "no_answer" });
    if (this.#settled) controller.abort(new Error("too late, or a second time"));
    else this.#controller = controller;
    this.#waitedMs = performance.now() - this.#asked.atMs;
  }

  onResponseStart(_: Controller, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#bodyBytesMax) {
      this.#chunks.push(chunk);
      return;
    }
    this.#end({ kind: "garbled" });
    controller.abort(new Error("the answer is too long"));
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks, this.#bytes);
    this.#end({ kind: "answer", status: this.#status, headers: this.#headers, body, waitedMs: this.#waitedMs });
  }

  onResponseError(_: Controller, error: Error): void {
    if (this.#controller === undefined) this.#end({ kind: "not_sent" });
    else this.#end({ kind: isGarble(error) ? "garbled" : "no_answer" });
  }

  #end(outcome: WireOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(outcome);
  }
}

function isGarble(error: Error): boolean {
  return error.name === "HTTPParserError" || error.name === "HeadersOverflowError";
}

/** The transport over real sockets. */
export class UndiciTransport implements Transport {
  readonly #limits: TransportLimits;
  /** Kept: in a bundle each import makes the namespace anew. */
  #undici: Promise<typeof import("undici")> | undefined;
  #current: { readonly origin: string; readonly pool: Pool } | undefined;
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  constructor(limits: TransportLimits) {
    this.#limits = limits;
  }

  async send(request: WireRequest): Promise<WireOutcome> {
    const asked = { atMs: performance.now(), startsBeforeMs: Date.now() + request.totalMs };
    this.#undici ??= import("undici");
    const { Pool } = await this.#undici;
    if (this.#closed || request.signal?.aborted === true) return { kind: "not_sent" };
    const pool = this.#poolFor(request.origin, Pool);
    const { method, path, headers, body, signal } = request;
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#limits.bodyBytesMax, asked, (outcome) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", giveUp);
        resolve(outcome);
      });
      const giveUp = (): void => exchange.giveUp();
      const timer = setTimeout(giveUp, request.totalMs);
      signal?.addEventListener("abort", giveUp, { once: true });
      try {
        // Not even a GET is idempotent for undici: the caller decides what is retried.
        pool.dispatch({ method, path, headers, body: body ?? null, idempotent: false }, exchange);
      } catch {
        exchange.giveUp();
      }
    });
  }

  /** Waits for the requests in flight, each of which ends by its own deadline. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retire();
    await Promise.all(this.#closing);
  }

  #poolFor(origin: string, PoolClass: typeof Pool): Pool {
    if (this.#current?.origin === origin) return this.#current.pool;
    this.#retire();
    const { connectMs, headersMs, bodyMs } = this.#limits;
    const pool = new PoolClass(origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      // Said here, since the environment could else switch it off (NODE_TLS_REJECT_UNAUTHORIZED).
      connect: { timeout: connectMs, rejectUnauthorized: true },
      headersTimeout: headersMs,
      bodyTimeout: bodyMs,
    });
    this.#current = { origin, pool };
    return pool;
  }

  #retire(): void {
    if (this.#current === undefined) return;
    const closing = this.#current.pool.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    this.#current = undefined;
  }
}
