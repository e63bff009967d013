/**
 * Owns what goes back for a request, apart from how both travel: the outcome a defect still has, the text and the headers.
 * Entry points: `headOf`, `outcomeOf`, `replyOf`.
 *
 * Invariant: every reply states the version, and a failure has the error form.
 */
import { AUTH_HEADERS, OPEN_API_VERSION, RATE_HEADERS, VERSION_HEADER } from "../../contract/index.ts";
import type { CallState } from "./call-limit.ts";
import { errorBodyOf, type Outcome, unavailable } from "./outcome.ts";
import { answerCall, type RequestHead, type Result } from "./pipeline.ts";
import type { Service } from "./service.ts";

export interface Reply {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly text: string;
}

/** Names in lower case; a header that was given several times is a list. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

const KEY = AUTH_HEADERS.key.toLowerCase();
const NONCE = AUTH_HEADERS.nonce.toLowerCase();
const SIGN = AUTH_HEADERS.sign.toLowerCase();
const VERSION = VERSION_HEADER.toLowerCase();

/** @param target path and query as in the request line. */
export function headOf(
  method: string,
  target: string,
  headers: RequestHeaders,
  address: string | undefined,
): RequestHead {
  return {
    method,
    target,
    keyId: single(headers[KEY]),
    nonce: single(headers[NONCE]),
    signature: single(headers[SIGN]),
    version: single(headers[VERSION]),
    contentType: single(headers["content-type"]),
    address,
  };
}

/** A header that is given twice is joined by Node, and then fits nothing. */
function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(", ") : header;
}

/** What the call ends in. A defect is told to the service's listener, and to the caller as an outage. */
export function outcomeOf(service: Service, head: RequestHead, body: Buffer): Result {
  try {
    return answerCall(service, head, body);
  } catch (error) {
    service.onDefect(error);
    return { outcome: unavailable(service.journaled.failed === undefined ? 500 : 503) };
  }
}

export function replyOf(service: Service, { outcome, calls }: Result): Reply {
  const text = textOf(service, outcome);
  const headers = headersOf(text);
  if (calls !== undefined) addCalls(headers, calls);
  if (!outcome.ok && outcome.retryAfterMs !== undefined)
    headers.push(RATE_HEADERS.retryAfter, String(wholeSeconds(outcome.retryAfterMs)));
  return { status: outcome.status, headers, text };
}

function textOf(service: Service, outcome: Outcome): string {
  return JSON.stringify(outcome.ok ? outcome.body : errorBodyOf(outcome, service.nextRequestId()));
}

function headersOf(text: string): string[] {
  return [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(Buffer.byteLength(text)),
    "Cache-Control",
    "no-store",
    VERSION_HEADER,
    OPEN_API_VERSION,
  ];
}

function addCalls(headers: string[], { limit, remaining, resetMs }: CallState): void {
  headers.push(RATE_HEADERS.limit, String(limit), RATE_HEADERS.remaining, String(remaining));
  headers.push(RATE_HEADERS.reset, String(wholeSeconds(resetMs)));
}

/** Headers count seconds; rounded up, so that nobody comes too early. */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
