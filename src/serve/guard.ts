/**
 * Owns which requests are let in at all: first those that no page of another site can have made, then those that show that they may.
 *
 * Invariant: a request that is refused is answered here, before anything of its body is read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";
import type { Access } from "./access.ts";
import type { Grant } from "./caller.ts";
import { sendRefusal } from "./page.ts";

/** Whether the request may be served; it is answered where it may not. */
type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What a request is let in by; undefined where it is not, and was answered. */
export type Admission = (request: IncomingMessage, response: ServerResponse) => Promise<Grant | undefined>;

export function guardedBy(access: Access): Admission {
  const guards: readonly Guard[] = [localhostHostValidation(), localhostOriginValidation(), refuseCrossSite];
  return async (request, response) =>
    guards.every((admits) => admits(request, response)) ? access.admit(request, response) : undefined;
}

/** A request for an image or a frame on another site carries no Origin; without this guard it could make us query the exchange at will. */
function refuseCrossSite(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers["sec-fetch-site"] !== "cross-site") return true;
  request.resume();
  sendRefusal(response, 403, -32000, "A page of another site asked for this. Open the address itself.");
  return false;
}
