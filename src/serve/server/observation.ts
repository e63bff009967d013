/**
 * Owns what is known of a request from outside: its id, which path it took, how it was answered and how long that took.
 *
 * Invariants: what a caller writes is passed on only where it is one of a few known words, or an id that is well-formed and holds no secret; a
 * session is named by a digest; every request that began ends once, also where its connection broke off.
 *
 * Source: decision 0039.
 */
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { scrubber } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { SessionEnd } from "../sessions/session-table.ts";
import { pathOf } from "../wire/route.ts";

export interface BegunRequest {
  readonly id: string;
  /** The beginning of a digest of the session's id, which itself lets its bearer in. */
  readonly session?: string;
  readonly method: string;
  /** Is one of ours, or "other". */
  readonly path: string;
  /** Names the caller's place in a trace, as it does; not looked at. */
  readonly traceparent?: string;
}

export interface EndedRequest extends Omit<BegunRequest, "traceparent"> {
  readonly status: number;
  readonly ms: number;
  /** Says as whom it was served; absent: as the operator, or not at all. */
  readonly tenant?: string;
}

export interface HttpObserver {
  /** Calls `serve` once; what is done for the request is done inside of it. */
  around(request: BegunRequest, serve: () => void): void;
  /** @param begun the same that `around` was given */
  ended(request: EndedRequest, begun: BegunRequest): void;
  /** A connection was closed as it came, as there are too many. */
  dropped(): void;
  sessionEnded(why: SessionEnd): void;
}

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const tenants = new WeakMap<ServerResponse, string>();

/** Says whose request it is, once that is known. */
export function servedAs(response: ServerResponse, tenant: string | undefined): void {
  if (tenant !== undefined) tenants.set(response, tenant);
}

/** @param paths that are ours */
export function observedBy(
  observer: HttpObserver | undefined,
  paths: readonly string[],
): (request: IncomingMessage, response: ServerResponse, serve: () => void) => void {
  return (request, response, serve) => {
    const id = idOf(request);
    response.setHeader("X-Request-Id", id);
    if (observer === undefined) {
      serve();
      return;
    }
    const startedAtMs = performance.now();
    const path = pathOf(request);
    const { method: given = "", headers } = request;
    const [method, traceparent] = [METHODS.includes(given) ? given : "other", headers["traceparent"]];
    const named = { id, method, path: paths.includes(path) ? path : "other" };
    const session = sessionOf(headers["mcp-session-id"]);
    const begun = {
      ...named,
      ...session,
      ...(typeof traceparent === "string" ? { traceparent } : {}),
    };
    response.once("close", () => {
      const ended = { status: response.statusCode, ms: Math.round(performance.now() - startedAtMs) };
      const answered = session ?? sessionOf(response.getHeader("mcp-session-id"));
      observer.ended({ ...named, ...answered, ...ended, ...defined({ tenant: tenants.get(response) }) }, begun);
    });
    observer.around(begun, serve);
  };
}

/** The caller's own, so that both sides name a request alike. */
function idOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  const isUsable = typeof given === "string" && WELL_FORMED.test(given) && scrubber.text(given) === given;
  return isUsable ? given : randomUUID();
}

/** Names it by the beginning of a digest. */
function sessionOf(id: unknown): Pick<BegunRequest, "session"> | undefined {
  return typeof id === "string" ? { session: createHash("sha256").update(id).digest("hex").slice(0, 12) } : undefined;
}
