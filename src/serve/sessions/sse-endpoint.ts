/**
 * Owns the older transport, HTTP+SSE, for clients that have no other: `GET /sse` opens a stream, which names the address under
 * `/messages` where its client posts, and over which everything is answered.
 *
 * Invariants: a session is its stream, and ends with it; it is the identity's that opened it, and what is posted for another's, or for
 * none, is refused before it is read; what a client has not read is bounded.
 *
 * Source: decision 0034, decision 0035.
 */
import type { McpServer } from "@modelcontextprotocol/server";
import type { ServerFactory } from "../../mcp/index.ts";
import type { Challenges } from "../access/challenge.ts";
import { refuseBeyondScopes } from "../access/scope-gate.ts";
import type { Grant } from "../wire/caller.ts";
import type { InFlight } from "../wire/in-flight.ts";
import { readMessage } from "../wire/message-body.ts";
import { inReplyTo, refusal, stopped } from "../wire/refusal.ts";
import type { BodyLimits } from "../wire/request-body.ts";
import type { Handler, Routes } from "../wire/route.ts";
import { closed, sendAnswer } from "../wire/web-answer.ts";
import { bodiless } from "../wire/web-request.ts";
import { Receipts } from "./receipts.ts";
import type { Seat, SessionTable } from "./session-table.ts";
import type { SseSession } from "./sse-session.ts";

export interface SseParts {
  readonly factory: ServerFactory;
  readonly table: SessionTable;
  readonly inFlight: InFlight<unknown>;
  readonly challenges: Challenges;
  readonly limits: BodyLimits;
}

interface Session {
  readonly transport: SseSession;
  readonly server: McpServer;
  readonly seat: Seat;
}

const POST_TO = "/messages";

export function sseRoutes({ factory, table, inFlight, challenges, limits }: SseParts): Routes {
  const sessions = new Map<string, Session>();
  const open: Handler = async (request, response, grant) => {
    request.resume();
    if (inFlight.isStopping) return sendAnswer(response, stopped());
    // The SDK has it in a package of its own, with a core of its own, which few need.
    const { SseSession } = await import("./sse-session.ts");
    const seat = await table.take(grant, () => transport.close());
    if (seat instanceof Response) return sendAnswer(response, seat);
    const receipts = new Receipts();
    const transport = new SseSession(POST_TO, { response, seat, inFlight, receipts });
    // A client that does not read gets no further notifications.
    const ready = (): boolean => !response.writableNeedDrain;
    const server = factory({ ready, scopes: grant.identity.scopes, caller: seat.caller, receipts });
    sessions.set(transport.sessionId, { transport, server, seat });
    const ended = closed(response);
    seat.opened(ended);
    void ended.then(() => {
      sessions.delete(transport.sessionId);
      transport.ended();
      table.leave(seat);
    });
    if (!response.closed) await server.connect(transport);
  };
  const sessionOf = (id: string, grant: Grant): Session | undefined => {
    const session = sessions.get(id);
    return session?.seat.isOf(grant) === true ? session : undefined;
  };
  const take: Handler = async (request, response, grant) => {
    const id = new URL(request.url ?? "/", "http://localhost").searchParams.get("sessionId") ?? "";
    if (sessionOf(id, grant) === undefined) {
      request.resume();
      return sendAnswer(response, notFound());
    }
    const message = await readMessage(request, response, { limits, inFlight, entry: grant.entry });
    if (message === undefined || refuseBeyondScopes(message.value, grant.identity, { challenges, response }))
      return undefined;
    const web = bodiless(request);
    const session = sessionOf(id, grant);
    const reply = async (answer: Response) => sendAnswer(response, await inReplyTo(message.value, answer));
    if (session === undefined) return reply(notFound());
    // Another token of the same identity may do more, or less.
    factory.permit(session.server, grant.identity.scopes);
    const { transport, seat } = session;
    seat.heard(message.value);
    return reply(await transport.take(message.value, web));
  };
  return { "/sse": { GET: open }, [POST_TO]: { POST: take } };
}

function notFound(): Response {
  return refusal(404, -32001, "Session not found: its stream has ended. Open /sse again.");
}
