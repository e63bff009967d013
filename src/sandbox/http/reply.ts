/**
 * The replies of all API families: JSON with its length, and headers with what is left of the caller's limits. Entry point:
 * `jsonReply`. Source: service.md#rate-headers.
 */
import { RATE_HEADERS } from "../../contract/index.ts";
import type { CallState } from "../service/call-limit.ts";
import { jsonText } from "../wire/json-text.ts";
import type { Reply } from "./family.ts";

export interface ReplyLimits {
  /** undefined while the caller is unknown. */
  readonly calls: CallState | undefined;
  readonly retryAfterMs: number | undefined;
}

/** @param body to be written as JSON, or a `WrittenJson` */
export function jsonReply(status: number, body: object, { calls, retryAfterMs }: ReplyLimits): Reply {
  const { text, bytes } = jsonText(body);
  const headers = ["Content-Type", "application/json", "Content-Length", String(bytes), "Cache-Control", "no-store"];
  if (calls !== undefined) addCalls(headers, calls);
  if (retryAfterMs !== undefined) headers.push(RATE_HEADERS.retryAfter, String(wholeSeconds(retryAfterMs)));
  return { status, headers, text, isAscii: bytes === text.length };
}

function addCalls(headers: string[], { limit, remaining, resetMs }: CallState): void {
  headers.push(RATE_HEADERS.limit, String(limit), RATE_HEADERS.remaining, String(remaining));
  headers.push(RATE_HEADERS.reset, String(wholeSeconds(resetMs)));
}

/** Headers are in seconds, rounded up, so that nobody retries too early. */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
