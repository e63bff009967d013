/**
 * Owns what every request to the console has to be: of a page of this very server, in a session, and, where it changes something, with that
 * session's token and a body of the shape that is meant.
 *
 * Invariants: a request that is not is refused before anything of it is done; nothing is changed by a request that a browser would send for a page of
 * another server, on another port of this machine included.
 *
 * Source: decision 0044.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { defined, type Fault } from "../../contract/index.ts";
import { reportError } from "../../desk/index.ts";
import { withOwnKeys } from "../../mcp/index.ts";
import type { Words } from "../../words/index.ts";
import { sendJson } from "../wire/page.ts";
import type { Peers } from "../wire/peers.ts";
import { readBody } from "../wire/request-body.ts";
import type { ConsoleFailure } from "./console-api.ts";
import { type ConsoleSession, type ConsoleSessions, hasCsrf } from "./console-session.ts";

/** Larger than an answer of a passkey, and than anything else. */
const BODY_BYTES_MAX = 64 * 1024;
const BODY_MS = 10_000;

export interface Refusal {
  readonly status: number;
  readonly failure: ConsoleFailure;
  readonly retryAfterMs?: number;
}

export function refused(status: number, code: string, message: string, more: Partial<ConsoleFailure> = {}): Refusal {
  return { status, failure: { error: { code, message }, ...more } };
}

export function sendFailure(response: ServerResponse, { status, failure, retryAfterMs }: Refusal): void {
  const headers = retryAfterMs === undefined ? {} : { "Retry-After": String(Math.ceil(retryAfterMs / 1_000)) };
  sendJson(response, status, failure, headers);
}

/** In the reader's language, and by its code for the page. */
export function ofFault(fault: Fault, { locale, say, korean: koreanOf }: Words): Refusal {
  const { code, field, retryAfterMs } = fault;
  const isKorean = locale === "ko";
  const korean = koreanOf(code, fault.message);
  const message = isKorean ? `${korean.meaning} ${say("error.detail", { detail: fault.message })}` : fault.message;
  const next_action = isKorean ? korean.nextAction : fault.nextAction;
  // Whoever asked has something to put right; all else is the exchange's, or ours.
  const isAskers = field !== undefined || code.startsWith("EQuery:") || code === "EOrder:Unknown order";
  const failure = { error: { ...reportError(fault), message }, next_action };
  return { status: isAskers ? 400 : 503, failure, ...defined({ retryAfterMs }) };
}

export interface RequestParts {
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
}

/** @returns undefined where it was refused, and answered */
export function sessionOf(
  request: IncomingMessage,
  response: ServerResponse,
  { sessions, peers }: RequestParts,
): ConsoleSession | undefined {
  const session = sessions.of(request);
  // With the owner's token alone there is no page that could be asked for a person's word.
  if (session === undefined) sendFailure(response, refused(401, "signed_out", "Sign in again."));
  else if (isOfOtherPage(request, peers)) sendFailure(response, OTHER_PAGE);
  else return session;
  request.resume();
  return undefined;
}

const OTHER_PAGE = refused(403, "forbidden", "A page of another address asked for this.");

/** Another port of this machine is the same site to a browser, and sends this server's cookies along. */
function isOfOtherPage({ headers, method, socket }: IncomingMessage, peers: Peers): boolean {
  const { origin, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  if (origin === undefined) return method !== "GET";
  return origin !== peers.originOf({ headers, socket });
}

/** Holds what is to be done as a page has posted; why not otherwise. */
type Posted<Act> = { readonly act: Act } | { readonly refusal: Refusal };

/** Reads what was asked for. @returns what is then to be done; what is wrong with it otherwise */
export type Take<Asked, Act> = (asked: Asked) => { readonly act: Act } | { readonly problem: string };

export function taking<Asked, Parsed, More extends readonly unknown[], Done>(
  shape: z.ZodType<Parsed, Asked>,
  act: (parsed: Parsed, ...more: More) => Done,
): Take<Asked, (...more: More) => Done> {
  return (asked) => {
    const parsed = shape.safeParse(asked);
    return parsed.success ? { act: (...more) => act(parsed.data, ...more) } : { problem: problemOf(parsed.error) };
  };
}

/** @param take what is meant; where it takes nothing at all, whatever is wrong with the body is no reason to refuse */
export async function postedBy<Act>(
  request: IncomingMessage,
  session: ConsoleSession,
  take: Take<never, Act>,
): Promise<Posted<Act>> {
  const refuse = (...refusal: Parameters<typeof refused>): Posted<Act> => {
    request.resume();
    return { refusal: refused(...refusal) };
  };
  if (!hasCsrf(session, request.headers["x-hoga-csrf"]))
    return refuse(403, "forbidden", "The page is of an earlier session. Load it again.");
  const anyway = take(undefined as never);
  if ("act" in anyway) {
    const read = await readBody(request, { bodyBytesMax: BODY_BYTES_MAX, bodyMs: BODY_MS });
    const meant = take((read.ok ? jsonOf(read.text) : undefined) as never);
    return "act" in meant ? meant : anyway;
  }
  if (!isJsonContentType(request.headers["content-type"] ?? null))
    return refuse(415, "bad_request", "Send Content-Type: application/json");
  const read = await readBody(request, { bodyBytesMax: BODY_BYTES_MAX, bodyMs: BODY_MS });
  if (!read.ok) return refuse(read.status, "bad_request", read.message);
  const meant = take(jsonOf(read.text) as never);
  return "act" in meant ? meant : refuse(400, "bad_request", meant.problem);
}

/** @returns undefined where it is none, which no shape takes */
function jsonOf(text: string): unknown {
  try {
    return withOwnKeys(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function problemOf({ issues: [first] }: z.ZodError): string {
  const path = first?.path.join(".") ?? "";
  const message = first?.message ?? "is not what is meant";
  return path === "" ? `The request: ${message}` : `${path}: ${message}`;
}

/** The query by name. One that stands there twice is not taken. */
export function queryOf({ url = "/" }: IncomingMessage): Readonly<Record<string, unknown>> {
  const found = new URLSearchParams(url.split("?", 2)[1] ?? "");
  return Object.fromEntries(
    [...new Set(found.keys())].map((name) => {
      const values = found.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
