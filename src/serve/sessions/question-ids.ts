/**
 * Owns the ids under which the server of one session asks its client.
 *
 * Invariant: every process counts from a number of its own, as the SDK's servers all count from the same one: a session that was opened anew
 * would take an answer to an old question for the answer to a new one, and with it a person's yes.
 *
 * Source: decision 0073.
 */
import { randomInt } from "node:crypto";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { fieldOf } from "../../mcp/index.ts";

/** Far more than anybody asks, and less than where numbers are not exact any more. */
const FIRST_MAX = 2 ** 47;

export class QuestionIds {
  readonly #first = randomInt(FIRST_MAX);

  /** @returns the message as the client sees it */
  sent(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) return message;
    if ("id" in message) return { ...message, id: this.#first + Number(message.id) };
    const requestId = fieldOf(message.params, "requestId");
    if (message.method !== "notifications/cancelled" || requestId === undefined) return message;
    return { ...message, params: { ...message.params, requestId: this.#first + Number(requestId) } };
  }

  /** @returns the body as the server sees it */
  received(body: unknown): unknown {
    const [id, method] = [fieldOf(body, "id"), fieldOf(body, "method")];
    const number = typeof id === "number" || typeof id === "string" ? Number(id) : Number.NaN;
    if (method !== undefined || !Number.isSafeInteger(number)) return body;
    return { ...(body as object), id: number - this.#first };
  }
}
