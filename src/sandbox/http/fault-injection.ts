/**
 * The interface for injected faults, with which clients can be tested: a fault acts between a request that was read and its reply.
 * Neither the exchange nor the API families depend on it.
 */
import type { Family, Reply, RequestHead } from "./family.ts";
import type { FamilyEffect } from "./family-effect.ts";

export interface InjectedFault {
  /** Holds the request back for so long before it is handled. */
  readonly delayMs: number;
  /** Ends the connection as soon as the request is read, whatever becomes of the request. */
  readonly cutsAtOnce?: boolean;
  /** Delivers the request twice, as a network may; the second answer is sent. */
  readonly deliversTwice?: boolean;
  /** What the family is asked to do wrong. */
  readonly effect?: FamilyEffect;
  /** The reply instead of handling the request; undefined when it is handled. */
  instead(family: Family): Reply | undefined;
  /** Makes what is sent instead of the reply; undefined when the connection ends without one. */
  altered(reply: Reply, family: Family): Reply | undefined;
}

export interface FaultInjector {
  /** The fault for this request, which then counts as used. */
  take(head: RequestHead): InjectedFault | undefined;
}
