/**
 * Owns which pages of other origins may call MCP from a browser: those that the guards let in, which are on this machine or at this server's own
 * name. The browser asks before it calls, without the token, and shows the page of an answer only what it is told it may.
 *
 * Invariants: the one origin that asked is named, never every one; a page never calls with what the browser keeps for this server.
 *
 * Source: decision 0081.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pathOf } from "../wire/route.ts";

const METHODS = "GET, POST, DELETE";
/** Lists what clients of either era send. */
const SENT = [
  ...["Authorization", "Content-Type", "Accept", "Last-Event-ID", "Mcp-Session-Id", "MCP-Protocol-Version"],
  ...["Mcp-Method", "Mcp-Name", "Traceparent", "Tracestate"],
].join(", ");
/** Lists what they read. */
const READ = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After";
/** For how long a browser does not ask again. */
const KEPT_S = 600;

export class CrossOrigin {
  readonly #paths: readonly string[];

  /** @param paths that pages of other origins may call */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** Tells whether a page may call this at all. */
  isOpen(request: IncomingMessage): boolean {
    return request.headers.origin !== undefined && this.#paths.includes(pathOf(request));
  }

  /**
   * Answers a request whose origin was let in.
   * @returns whether it was only the question, and is answered
   */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#paths.includes(pathOf(request))) return false;
    response.setHeader("Vary", "Origin");
    const { origin } = request.headers;
    if (origin === undefined) return false;
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Expose-Headers", READ);
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
    request.resume();
    response.writeHead(204, {
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": SENT,
      "Access-Control-Max-Age": String(KEPT_S),
    });
    response.end();
    return true;
  }
}
