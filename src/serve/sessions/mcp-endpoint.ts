/**
 * Owns `/mcp`, where clients of both protocol eras are served over Streamable HTTP.
 *
 * Invariants: a body is read once, and then handed to the era that it belongs to; a request that waits for an answer when the server
 * stops is told that none comes.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
} from "@modelcontextprotocol/server";
import { type Connection, fieldOf, type ServerFactory, scopesAmong } from "../../mcp/index.ts";
import type { Challenges } from "../access/challenge.ts";
import { refuseBeyondScopes } from "../access/scope-gate.ts";
import { type Identity, lasting } from "../wire/caller.ts";
import { type InFlight, STOPPING } from "../wire/in-flight.ts";
import { readMessage } from "../wire/message-body.ts";
import type { OpenRequests } from "../wire/open-requests.ts";
import { sendJson } from "../wire/page.ts";
import { inReplyTo } from "../wire/refusal.ts";
import type { BodyLimits } from "../wire/request-body.ts";
import { isRequest } from "../wire/request-message.ts";
import type { Endpoint, Handler } from "../wire/route.ts";
import { closed, sendAnswer } from "../wire/web-answer.ts";
import { bodiless } from "../wire/web-request.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { ResourceBus, refusalOf } from "./listened-resources.ts";
import { Receipts } from "./receipts.ts";
import type { SessionIds } from "./session-ids.ts";
import type { SessionTable } from "./session-table.ts";

export interface McpParts {
  readonly factory: ServerFactory;
  readonly table: SessionTable;
  readonly inFlight: InFlight<unknown>;
  readonly ids: SessionIds;
  readonly open: OpenRequests;
  readonly challenges: Challenges;
  readonly limits: BodyLimits;
  readonly onError: (error: unknown) => void;
}

export function mcpEndpoint(parts: McpParts): Endpoint {
  const { factory, table, inFlight, open, challenges, limits, onError } = parts;
  const sessions = new LegacySessions(parts);
  const bus = new ResourceBus(factory, onError);
  const modern = createMcpHandler(
    ({ authInfo }) =>
      factory({ scopes: scopesAmong(authInfo?.scopes ?? []), ...(authInfo?.extra as OneCall | undefined) }),
    { legacy: "reject", maxRequestBodySize: limits.bodyBytesMax, bus, onerror: onError },
  );
  const handle = served({ factory, table, modern, bus, sessions, inFlight, open, challenges }, limits);
  return {
    routes: { "/mcp": { POST: handle, GET: handle, DELETE: handle } },
    close: () => modern.close(),
  };
}

interface Eras {
  readonly factory: ServerFactory;
  readonly table: SessionTable;
  readonly modern: ReturnType<typeof createMcpHandler>;
  readonly bus: ResourceBus;
  readonly sessions: LegacySessions;
  readonly inFlight: InFlight<unknown>;
  readonly open: OpenRequests;
  readonly challenges: Challenges;
}

function served(
  { factory, table, modern, bus, sessions, inFlight, open, challenges }: Eras,
  limits: BodyLimits,
): Handler {
  return async (request, response, grant) => {
    let parsedBody: unknown;
    if (request.method === "POST") {
      const message = await readMessage(request, response, { limits, inFlight, entry: grant.entry });
      if (message === undefined) return;
      parsedBody = message.value;
    } else {
      request.resume();
    }
    // Gone already, while it was found out who calls.
    if (response.closed || refuseBeyondScopes(parsedBody, grant.identity, { challenges, response })) return;
    const id = awaitedBy(parsedBody);
    // What waits for an answer gets it, also where the token expires meanwhile.
    const close = open.begin(id === undefined ? grant : lasting(grant), () => response.destroy());
    const ended = closed(response);
    void ended.then(() => {
      close();
      inFlight.end(response);
    });
    // A client that does not read gets no further notifications.
    const ready = (): boolean => !response.writableNeedDrain;
    let onWritten: (part: Uint8Array) => void = () => undefined;
    const watch = (listener: typeof onWritten): void => {
      onWritten = listener;
    };
    const fetchSession = (): Promise<Response> =>
      sessions.fetch(bodiless(request), parsedBody, { ended, ready, grant, watch });
    const fetchModern = async (): Promise<Response> => {
      if (id !== undefined && !response.closed) inFlight.begin(response, () => dismiss(response, id));
      const refusal = await refusalOf(factory, parsedBody);
      if (refusal !== undefined) return Response.json(refusal);
      const receipts = new Receipts();
      // All of it was handed over, to a connection that had not ended.
      response.once("finish", () => receipts.handedAll());
      const caller = table.pass(grant, parsedBody, ended);
      const authInfo = authInfoOf(grant.identity, parsedBody, { caller, receipts });
      const web = bodiless(request, unwanted(response, ended));
      return bus.serving(parsedBody, ready, () => modern.fetch(web, { parsedBody, authInfo }));
    };
    const said = await ((await isOfSessions(request, parsedBody)) ? fetchSession() : fetchModern());
    const answer = await inReplyTo(parsedBody, said);
    // The SDK always sets keep-alive, also for a client that asked to close; Node sets the right header itself.
    answer.headers.delete("connection");
    await sendAnswer(response, answer, (part) => onWritten(part));
  };
}

/** Says what the server of one request is made for, besides the scopes. */
type OneCall = Pick<Connection, "caller" | "receipts"> & Partial<Pick<Connection, "calls">>;

/** Makes what the SDK hands on to the factory. It is not given the token. */
function authInfoOf(
  { name, scopes }: Identity,
  body: unknown,
  known: Pick<Connection, "caller" | "receipts">,
): AuthInfo {
  const tool = fieldOf(body, "method") === "tools/call" ? fieldOf(fieldOf(body, "params"), "name") : undefined;
  const extra: OneCall = { ...known, ...(typeof tool === "string" ? { calls: tool } : {}) };
  return { token: "", clientId: name, scopes: [...scopes], extra: { ...extra } };
}

/** Fires where the connection has ended before the answer: a session's call goes on then, every other is given up. */
function unwanted(response: ServerResponse, ended: Promise<void>): AbortSignal {
  const abort = new AbortController();
  void ended.then(() => {
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}

/** Tells the eras apart as the SDK does, which looks at everything that a body could be; most are requests that leave no doubt. */
async function isOfSessions(request: IncomingMessage, body: unknown): Promise<boolean> {
  if (isRequest(body) && body.method !== "initialize") {
    const claimed = fieldOf(fieldOf(fieldOf(body, "params"), "_meta"), PROTOCOL_VERSION_META_KEY);
    if (claimed !== undefined) return false;
    if (request.headers["mcp-protocol-version"] === LAST_WITH_SESSIONS) return true;
  }
  return isLegacyRequest(bodiless(request), body);
}

const LAST_WITH_SESSIONS = "2025-11-25";

/** @returns the id of a request that waits for an answer; whoever listens does not */
function awaitedBy(body: unknown): RequestId | undefined {
  return isRequest(body) && body.method !== "subscriptions/listen" ? body.id : undefined;
}

/** Tells a client that its answer does not come, in the form that its answer has begun in. */
function dismiss(response: ServerResponse, id: RequestId): void {
  const refusal = { jsonrpc: "2.0", id, error: STOPPING };
  if (!response.headersSent) sendJson(response, 503, refusal, { Connection: "close", "Retry-After": "5" });
  else if (response.getHeader("content-type") === "text/event-stream")
    response.end(`event: message\ndata: ${JSON.stringify(refusal)}\n\n`);
  else response.destroy();
}
