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
import { incoming } from "./incoming.ts";
import { sendJson, sendRefusal } from "./page.ts";
import { beyondLimits, stopped } from "./refusal.ts";
import { type BodyLimits, readBody } from "./request-body.ts";
import { isRequest } from "./request-message.ts";
import { sendAnswer } from "./web-answer.ts";

export interface Reading {
  readonly limits: BodyLimits;
  readonly inFlight: InFlight<unknown>;
  /** Belongs to the request. */
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
  const read = incoming(body.text);
  const value = read.kind === "message" ? read.value : undefined;
  const asked = isRequest(value) ? value : undefined;
  if (inFlight.isStopping && asked !== undefined) {
    await sendAnswer(response, stopped(asked.id));
    return undefined;
  }
  // What cannot be read is of the caller's share too.
  const excess = await entry?.pass(value);
  if (excess !== undefined) await sendAnswer(response, beyondLimits(excess, asked?.id));
  else if (read.kind === "refused") sendJson(response, 400, read.refusal);
  else if (read.kind === "unanswered") response.writeHead(400).end();
  else return { value };
  return undefined;
}
