/**
 * What the client needs from outside: a lane that numbers and orders the private calls of a key,
 * a clock, and a way to put one request on the wire. The store satisfies `Lane`, so the numbering is
 * shared by every process on one key; undici satisfies `Transport`; a simulation replaces all three.
 *
 * Source: decisions §2 (nonce), architecture rules 1 (one ordered lane per key) and 11.
 */

/** Passage through the lane: holds it until `leave` is called. */
export interface LanePass {
  /** Strictly larger than every nonce handed out for the key before, in any process. */
  readonly nonce: bigint;
  leave(): Promise<void>;
}

export interface LaneRequest {
  /** Weight of the endpoint, for the per-minute budget. */
  readonly weight: number;
  /** Server clock minus ours, milliseconds, so that nonces follow the server's time; asked when the number is drawn. */
  readonly clockOffsetMs: () => number;
  /** A cancel: may use the part of the budget that is kept free for cancels. */
  readonly urgent?: boolean;
  readonly signal?: AbortSignal;
}

/** One call in flight per key; waits for its turn and for the rate budget, then numbers the call. */
export interface Lane {
  /** @param keyId name of the key, never the key itself */
  enter(keyId: string, request: LaneRequest): Promise<LanePass>;
  /** The venue said the limit is reached: nobody enters for this long, but for a cancel now and then. */
  pause(keyId: string, forMs: number): Promise<void>;
}

export interface ClientClock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SteadyClock extends ClientClock {
  /** Milliseconds since some moment; unlike `now` it is never set. */
  steady(): number;
}

/** One request, ready for the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query exactly as signed. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whole time allowed, connect to last byte. */
  readonly totalMs: number;
  readonly signal?: AbortSignal;
}

/**
 * What became of one request. `not_sent`: certainly no byte of it left this process. `no_answer`: it may have
 * arrived, and no whole answer came back. `garbled`: something came back that is not HTTP, or too much of it.
 */
export type WireOutcome =
  | { readonly kind: "not_sent" | "no_answer" | "garbled" }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Uint8Array;
    };

/** Puts a request on the wire at most once; never throws, never repeats. */
export interface Transport {
  send(request: WireRequest): Promise<WireOutcome>;
  close(): Promise<void>;
}
