/** Owns the form of an answer to a request that no server has seen: one that MCP clients read. */
import type { RequestId } from "@modelcontextprotocol/server";
import { defined } from "../contract/index.ts";
import type { Excess } from "./caller.ts";

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the request, where it is known. */
  readonly id?: RequestId;
}

export function refusal(
  status: number,
  code: number,
  message: string,
  { headers = {}, id }: RefusalDetails = {},
): Response {
  const answer = { jsonrpc: "2.0", error: { code, message }, id: id ?? null };
  return Response.json(answer, { status, headers: { ...headers } });
}

/** To who asks for something while the server is stopping. */
export function stopped(id?: RequestId): Response {
  const message = "The server stops: nothing of this request was done. Send it again when the server is back.";
  return refusal(503, -32000, message, { headers: { Connection: "close", "Retry-After": "5" }, ...defined({ id }) });
}

/** To who asks for more than its share. Its body was read, so the connection goes on. */
export function beyondLimits({ message, retryAfterS }: Excess, id?: RequestId): Response {
  return refusal(429, -32000, message, { headers: { "Retry-After": String(retryAfterS) }, ...defined({ id }) });
}

/** To who would begin one more session than there may be. */
export function noSession(): Response {
  return refusal(503, -32000, "All sessions are in use; close one or wait.", { headers: { "Retry-After": "60" } });
}

/** The same, of one caller. */
export function noSessionOfCaller(max: number): Response {
  const message = `Too many sessions: this caller may have ${max}; close one or wait.`;
  return refusal(429, -32000, message, { headers: { "Retry-After": "60" } });
}
