/**
 * The admin interface as an API family on a port of its own: access, dispatch of operations, and the text at `/` that lists them.
 * Entry point: `adminFamily`.
 *
 * Invariants: no web page can use it (a foreign Host, any Origin and a foreign Sec-Fetch-Site are refused first); everything but the
 * text needs the token; no answer shows the token, nor anything whose record is not with the operating system.
 * Source: service.md#administration, decision 0055.
 */

import { type Answered, type Family, headerOf, type Reply, type RequestHead } from "../http/family.ts";
import { errorBodyOf, type Fault, fault, type Outcome, unavailable } from "../http/outcome.ts";
import { jsonReply } from "../http/reply.ts";
import { checkShape } from "../http/request-shape.ts";
import { router } from "../http/route.ts";
import { EXCHANGE_OPERATIONS } from "./exchange-operations.ts";
import { FAULT_OPERATIONS } from "./fault-operations.ts";
import type { AdminParts, Operation } from "./operation.ts";
import { isToken, TOKEN_FILE } from "./token.ts";
import { WEBHOOK_OPERATIONS } from "./webhook-operations.ts";

export interface AdminFamilyParts extends AdminParts {
  readonly token: string;
  /** The port it is served on; undefined before the server listens. */
  readonly port: () => number | undefined;
}

export const OPERATIONS: readonly Operation[] = [...EXCHANGE_OPERATIONS, ...WEBHOOK_OPERATIONS, ...FAULT_OPERATIONS];

const INDEX = "/";

const findOperation = router(Object.fromEntries(OPERATIONS.entries()));

export function adminFamily(parts: AdminFamilyParts): Family {
  const replyOf = (outcome: Outcome): Reply => {
    const body = outcome.ok ? outcome.body : errorBodyOf(outcome, parts.service.nextRequestId());
    return jsonReply(outcome.status, body, { calls: undefined, retryAfterMs: undefined });
  };
  return {
    serves: () => true,
    admit(head) {
      const refused = checkOrigin(parts, head) ?? (head.path === INDEX ? undefined : checkToken(parts, head));
      if (refused === undefined) return undefined;
      const reply = replyOf(refused);
      if (refused.status === 401) reply.headers.push("WWW-Authenticate", "Bearer");
      return reply;
    },
    answer(head, body): Answered {
      if (head.path === INDEX && head.method === "GET") return { reply: indexReply() };
      const outcome = perform(parts, head, body);
      const reply = replyOf(outcome);
      const unsaved = (): Reply => replyOf(unavailable(503));
      if (outcome.ok && outcome.changed) return { reply, unsaved };
      // It may show what calls have changed whose records wait to be written.
      return { reply: parts.service.journaled.flush() ? reply : unsaved() };
    },
    refuse: replyOf,
  };
}

/** Refuses pages of other sites, and names that another site made resolve to this machine (DNS rebinding). */
function checkOrigin({ port }: AdminFamilyParts, head: RequestHead): Fault | undefined {
  const own = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port() ?? ""}`);
  const site = headerOf(head, "sec-fetch-site");
  if (!own.includes((headerOf(head, "host") ?? "").toLowerCase()))
    return fault("EGeneral:Permission denied", `ask for it as ${own[0]}`);
  if (headerOf(head, "origin") !== undefined || (site !== undefined && site !== "none" && site !== "same-origin"))
    return fault("EGeneral:Permission denied", "web pages may not use this interface");
  return undefined;
}

function checkToken({ token }: AdminFamilyParts, head: RequestHead): Fault | undefined {
  const given = /^Bearer (\S+)$/.exec(headerOf(head, "authorization") ?? "")?.[1] ?? "";
  if (isToken(token, given)) return undefined;
  return fault("EAPI:Invalid key", `send Authorization: Bearer with the token; GET ${INDEX} says where it is`);
}

function perform(parts: AdminFamilyParts, head: RequestHead, body: Buffer): Outcome {
  const route = findOperation(head.method, head.path);
  if (route === undefined)
    return fault("EGeneral:Unknown method", `there is no such method and path; GET ${INDEX} lists them`);
  const { endpoint: operation, params } = route;
  const contentType = headerOf(head, "content-type");
  // The path's parameters are looked up by the operations themselves.
  const shape = checkShape({ endpoint: operation, params: {} }, { queryText: head.queryText, contentType, body });
  if (!shape.ok) return shape;
  return operation.run({ ...parts, at: parts.service.now(), params, query: shape.query, body: shape.body });
}

function indexReply(): Reply {
  const text = indexText();
  const length = String(Buffer.byteLength(text));
  const headers = ["Content-Type", "text/plain; charset=utf-8", "Content-Length", length, "Cache-Control", "no-store"];
  return { status: 200, headers: [...headers, "X-Content-Type-Options", "nosniff"], text };
}

/** The list of operations, for people. */
export function indexText(): string {
  const lines = OPERATIONS.flatMap(({ method, path, summary, example }) => [
    `${method.padEnd(6)} ${path}`,
    `       ${summary}`,
    ...(example === undefined ? [] : [`       ${example}`]),
    "",
  ]);
  return [
    "Administration of the sandbox exchange",
    "",
    `Every request but this one needs the header "Authorization: Bearer TOKEN". The token is in the file ${TOKEN_FILE} of the`,
    "sandbox's data directory. Bodies are JSON objects (Content-Type: application/json); amounts are decimal strings.",
    "",
    ...lines,
  ].join("\n");
}
