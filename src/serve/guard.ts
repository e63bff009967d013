/**
 * Owns which requests are let in at all: first those that no page of another site can have made, then those that show that they may.
 *
 * Invariant: a request that is refused is answered here, before anything of its body is read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";
import type { Access } from "./access.ts";
import { sendRefusal } from "./page.ts";

/** Whether the request may be served; it is answered where it may not. */
export type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

export function guardedBy(access: Access): Guard {
  const guards: readonly Guard[] = [
    localhostHostValidation(),
    localhostOriginValidation(),
    refuseCrossSite,
    (request, response) => access.admits(request, response),
  ];
  return (request, response) => guards.every((admits) => admits(request, response));
}

/** A request for an image or a frame on another site carries no Origin; without this guard it could make us query the exchange at will. */
function refuseCrossSite(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers["sec-fetch-site"] !== "cross-site") return true;
  request.resume();
  sendRefusal(response, 403, -32000, "A page of another site asked for this. Open the address itself.");
  return false;
}
