/**
 * Names what the client needs from outside: a lane that orders and numbers the private calls of a key, a clock, and a way to put one
 * request on the wire. The store satisfies `Lane`, so that all processes on a key share its nonces; undici satisfies `Transport`; a
 * simulation replaces all three.
 *
 * Source: service.md#nonce, service.md#one-lane-per-key, architecture.md#rule-11.
 */

/** A turn in the lane. No other call has one until `leave` is called. */
export interface LanePass {
  /** Larger than every nonce given out for the key before, in any process. */
  readonly nonce: bigint;
  /** Tells whether the turn is still this call's. Absent: it ends with `leave` only. */
  holds?(): boolean;
  leave(): Promise<void>;
}

/** Until when a call waits. */
export interface LaneDeadline {
  readonly hasPassed: boolean;
  /** Absent: not known. A wait that is longer is not begun where that can be told. */
  readonly remainingMs?: number;
  /** Fires when it passes. Made when it is read, which is where something has to be waited for: most calls never do. */
  readonly signal: AbortSignal;
}

export interface LaneRequest {
  /** Weight of the endpoint, for the per-minute budget. */
  readonly weight: number;
  /** Server clock minus ours, milliseconds, so that nonces follow the server's time; called when the nonce is made. */
  readonly clockOffsetMs: () => number;
  /** It belongs to a cancel, and may use the part of the budget that is kept free for cancels. */
  readonly urgent?: boolean;
  /** It is history that nobody waits for: it goes when no other call waits, and leaves most of the budget to the others. */
  readonly background?: boolean;
  readonly deadline?: LaneDeadline;
  /** What it uses of a venue's groups of calls; absent at a venue that counts by weight alone. */
  readonly charges?: readonly Charge[];
}

/** What a call uses of one group. */
export interface Charge {
  readonly group: string;
  readonly weight: number;
}

/**
 * What an answer says of a group. `left`: that many calls until its window is over. `pause`: it takes none for a while. `ban`: nothing
 * whatever is taken of the key, or of the address, that the group counts by. Without `forMs` the venue did not say how long.
 */
export type LimitNews =
  | { readonly kind: "left"; readonly group: string; readonly left: number }
  | { readonly kind: "pause" | "ban"; readonly group: string; readonly forMs?: number };

/** Tells what the venue says of the weight that a key may use in a minute. */
export interface WeightNews {
  readonly limit: number;
  /** Until some of what was used is more than a minute ago. */
  readonly remaining: number;
}

/** Lets one call per key through at a time: waits for its turn and for the rate budget, then gives it a nonce. */
export interface Lane {
  /** @param keyId name of the key, never the key itself */
  enter(keyId: string, request: LaneRequest): Promise<LanePass>;
  /** The venue said that the limit is reached: for this long only a cancel enters now and then. */
  pause(keyId: string, forMs: number): Promise<void>;
  /** The venue said how much is left, which another program may have used. Absent: it keeps no budget. */
  learn?(keyId: string, news: WeightNews): Promise<void>;
  /** The same of groups. Absent: it has none. */
  hear?(keyId: string, news: readonly LimitNews[]): Promise<void>;
}

/** What a process asks of one group, and tells of it. */
export interface GroupClaim {
  readonly group: string;
  /** Calls in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** How much of the limit may be used by the call that asks. */
  readonly open: number;
  /** Without it no call goes; 0 where it only tells. */
  readonly needed: number;
  /** With those that stand behind it. */
  readonly wanted: number;
  /** More that would be of use, where most of the group is free. */
  readonly spare: number;
  readonly isUrgent: boolean;
  /** What is over since it was told last. */
  readonly used: readonly (readonly [agoMs: number, calls: number])[];
  /** With what it keeps of what was granted before. */
  readonly underWay: number;
  /** How long it may be so at most. */
  readonly underWayMs: number;
  /** The same of what is granted, once it has left. */
  readonly flightMs: number;
  /** What the venue has just said is left of the window. */
  readonly left?: number;
  /** The venue takes none for so long. */
  readonly pauseMs?: number;
}

/** What may be used of one group. */
export interface GroupShare {
  readonly group: string;
  readonly granted: number;
  /** Where fewer are granted than needed: when it is worth asking again. */
  readonly waitMs: number;
  readonly pausedMs: number;
  /** Used or held by all processes, with what was granted now. */
  readonly total: number;
}

/** The budgets of a venue's groups that several processes share. */
export interface SharedBudgets {
  /**
   * Tells what was used, and takes what may be used next; what was held of these groups is given back, but for what is said to be kept.
   * @param whose key, or the address, that the groups count by
   * @param ban the venue shuts all of it out; without a time it did not say how long
   * @returns undefined where nobody can be asked; never rejects
   */
  claim(
    whose: string,
    groups: readonly GroupClaim[],
    ban?: { readonly forMs?: number },
  ): Promise<
    { readonly leaseMs: number; readonly bannedMs: number; readonly groups: readonly GroupShare[] } | undefined
  >;
}

export interface ClientClock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SteadyClock extends ClientClock {
  /** Milliseconds since some moment. Unlike `now` it is never set. */
  rising(): number;
}

/** Holds one request, ready for the wire. */
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
 * Tells what became of one request. `not_sent`: certainly no byte of it left this process. `no_answer`: it may have arrived, and no
 * complete answer came back. `garbled`: the answer was not HTTP, or too long.
 */
export type WireOutcome =
  | { readonly kind: "not_sent" | "no_answer" | "garbled" }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Uint8Array;
      /** How long the request waited until it could be written, in milliseconds: for a connection, above all. Absent where that is not known. */
      readonly waitedMs?: number;
    };

/** Puts a request on the wire at most once; never throws, never repeats. */
export interface Transport {
  send(request: WireRequest): Promise<WireOutcome>;
  close(): Promise<void>;
}
