/**
 * The seam at which a sandbox goes wrong on purpose, so that clients can be tried: between a request that was read and its
 * answer. Nothing in the exchange or in the API families knows of it.
 */
import type { Family, Reply, RequestHead } from "./family.ts";

/** What befalls one request. */
export interface InjectedFault {
  /** It is taken up that much later. */
  readonly delayMs: number;
  /** What is answered in place of doing what was asked for; undefined: it is done. */
  instead(family: Family): Reply | undefined;
  /** What leaves in place of the answer to what was done; undefined: the connection ends without one. */
  altered(reply: Reply, family: Family): Reply | undefined;
}

export interface FaultInjector {
  /** What befalls this request, which counts as having happened. */
  take(head: RequestHead): InjectedFault | undefined;
}
