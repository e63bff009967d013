/** The ports of what is injected so that the desk also runs in a simulation: time, ids, processes, policy. */
import type { Result } from "../../contract/index.ts";
import type { Policy } from "../model/policy.ts";

/** Time, injected so that the desk also runs in a simulation. */
export interface Clock {
  /** Unix milliseconds. May be set, to whatever. */
  now(): number;
  /** Milliseconds since some moment of this process. Unlike `now` it is never set: it only rises. */
  rising(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Fresh identifiers; unique across processes and restarts. */
export interface Ids {
  intentId(): string;
  /** 1–64 of `[A-Za-z0-9._-]`. */
  userref(): string;
}

/** Which process this is, among those that share a store. */
export interface Presence {
  readonly id: string;
  /** Tells whether the process of this id is known to have ended; what is not known is false. */
  isGone(id: string): boolean;
}

/** Says what is allowed; lives in a file that no tool can change. */
export interface PolicySource {
  /** Reads the file as it is now. A fault means: no new orders. */
  read(): Result<Policy>;
}
