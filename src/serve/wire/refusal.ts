/** Owns the form of an answer to a request that no server has seen: one that MCP clients read. */
import type { RequestId } from "@modelcontextprotocol/server";
import { defined } from "../../contract/index.ts";
import { fieldOf } from "../../mcp/index.ts";
import type { Excess } from "./caller.ts";
import { isRequest } from "./request-message.ts";

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** Names the request, where it is known. */
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

/**
 * A refusal as its message is answered: with the id of a request, and without words for what is not answered, a notification or a response, of
 * which only the status is told.
 */
export async function inReplyTo(message: unknown, answer: Response): Promise<Response> {
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  if (answer.ok || !isJson || message === undefined) return answer;
  const { status, headers } = answer;
  const kept = new Headers(headers);
  kept.delete("content-length");
  if (!isRequest(message)) {
    kept.delete("content-type");
    return new Response(null, { status, headers: kept });
  }
  const body: unknown = await answer.json();
  const isNamed = fieldOf(body, "error") === undefined || (fieldOf(body, "id") ?? null) !== null;
  return Response.json(isNamed ? body : { ...(body as object), id: message.id }, { status, headers: kept });
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
