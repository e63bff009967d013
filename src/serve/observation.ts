/**
 * Owns what is known of a request from outside: which path it took, how it was answered and how long that took.
 *
 * Invariants: what a caller writes is passed on only where it is one of a few known words; every request that began ends once, also where its
 * connection broke off.
 *
 * Source: decision 0039.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pathOf } from "./route.ts";

export interface EndedRequest {
  readonly method: string;
  /** One of ours, or "other". */
  readonly path: string;
  readonly status: number;
}

export interface HttpObserver {
  ended(request: EndedRequest): void;
  /** A connection was closed as it came, as there are too many. */
  dropped(): void;
}

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** @param paths that are ours */
export function observedBy(
  observer: HttpObserver | undefined,
  paths: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    response.once("close", () => {
      const { method = "" } = request;
      const path = pathOf(request);
      observer?.ended({
        method: METHODS.includes(method) ? method : "other",
        path: paths.includes(path) ? path : "other",
        status: response.statusCode,
      });
    });
  };
}
