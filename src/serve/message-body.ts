/**
 * Owns reading what a client posts, for every endpoint of the protocol.
 *
 * Invariants: a body is bounded in size, time and depth; what cannot be read is answered here, in the form MCP clients read; so is
 * a request that comes when the server is stopping, as it would begin what cannot be ended.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import type { Entry } from "./caller.ts";
import type { InFlight } from "./in-flight.ts";
import { DEPTH_MAX, mayHoldMore, withOwnKeys } from "./own-key.ts";
import { sendRefusal } from "./page.ts";
import { beyondLimits, stopped } from "./refusal.ts";
import { type BodyLimits, readBody } from "./request-body.ts";
import { requestsIn } from "./running-calls.ts";
import { sendAnswer } from "./web-answer.ts";

export interface Reading {
  readonly limits: BodyLimits;
  readonly inFlight: InFlight<unknown>;
  /** Of the request. */
  readonly entry: Entry | undefined;
}

/** @returns undefined where the request was answered, as its body is no message */
export async function readMessage(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, inFlight, entry }: Reading,
): Promise<{ readonly value: unknown } | undefined> {
  const refuse = (status: number, code: number, message: string): undefined => {
    sendRefusal(response, status, code, message);
  };
  if (!isJsonContentType(request.headers["content-type"] ?? null))
    return refuse(415, -32000, "Send Content-Type: application/json");
  const body = await readBody(request, limits);
  if (!body.ok) return refuse(body.status, -32000, body.message);
  const json = parseJson(body.text);
  if (json === undefined) return refuse(400, -32700, "Parse error: the body is not JSON");
  let isTooDeep = false;
  const tooDeep = () => {
    isTooDeep = true;
  };
  const value = mayHoldMore(body.text) ? withOwnKeys(json.value, tooDeep) : json.value;
  if (isTooDeep) return refuse(400, -32600, `Invalid Request: nested more than ${DEPTH_MAX} levels deep`);
  const [late] = inFlight.isStopping ? requestsIn(value) : [];
  if (late !== undefined) {
    await sendAnswer(response, stopped(late.id));
    return undefined;
  }
  const excess = await entry?.pass(value);
  if (excess === undefined) return { value };
  const [asked] = requestsIn(value);
  await sendAnswer(response, beyondLimits(excess, asked?.id));
  return undefined;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
