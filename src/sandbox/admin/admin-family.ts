/**
 * The admin interface as an API family on a port of its own: who may come in, which operation is meant, and the text at `/` that
 * lists them all. Entry point: `adminFamily`.
 *
 * Invariants: a web page can reach none of it (a foreign Host, any Origin and a foreign Sec-Fetch-Site are refused first); all
 * but the text needs the token; no answer shows it.
 */

import { type Answered, type Family, headerOf, type Reply, type RequestHead } from "../http/family.ts";
import { duplicatedKey, readJson } from "../http/json-body.ts";
import { badArgument, errorBodyOf, type Fault, fault, type Outcome, unavailable } from "../http/outcome.ts";
import { decoded, readQuery } from "../http/query-string.ts";
import { jsonReply } from "../http/reply.ts";
import { checkPart } from "../http/request-shape.ts";
import { EXCHANGE_OPERATIONS } from "./exchange-operations.ts";
import { FAULT_OPERATIONS } from "./fault-operations.ts";
import type { AdminParts, Operation } from "./operation.ts";
import { isToken, TOKEN_FILE } from "./token.ts";
import { WEBHOOK_OPERATIONS } from "./webhook-operations.ts";

export interface AdminFamilyParts extends AdminParts {
  readonly token: string;
  /** The port it is served on, once it is. */
  readonly port: () => number | undefined;
}

export const OPERATIONS: readonly Operation[] = [...EXCHANGE_OPERATIONS, ...WEBHOOK_OPERATIONS, ...FAULT_OPERATIONS];

const INDEX = "/";

export function adminFamily(parts: AdminFamilyParts): Family {
  const replyOf = (outcome: Outcome): Reply => {
    const body = outcome.ok ? outcome.body : errorBodyOf(outcome, parts.service.nextRequestId());
    return jsonReply(outcome.status, JSON.stringify(body), { calls: undefined, retryAfterMs: undefined });
  };
  return {
    serves: () => true,
    admit(head) {
      const refused = stranger(parts, head) ?? (head.path === INDEX ? undefined : unproven(parts, head));
      if (refused === undefined) return undefined;
      const reply = replyOf(refused);
      if (refused.status === 401) reply.headers.push("WWW-Authenticate", "Bearer");
      return reply;
    },
    answer(head, body): Answered {
      if (head.path === INDEX && head.method === "GET") return { reply: indexReply() };
      const outcome = perform(parts, head, body);
      const reply = replyOf(outcome);
      return outcome.ok && outcome.changed ? { reply, unsaved: () => replyOf(unavailable(503)) } : { reply };
    },
    refuse: replyOf,
  };
}

/** A page of another site, or one that made a name of its own mean this machine. */
function stranger({ port }: AdminFamilyParts, head: RequestHead): Fault | undefined {
  const own = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port() ?? ""}`);
  const site = headerOf(head, "sec-fetch-site");
  if (!own.includes((headerOf(head, "host") ?? "").toLowerCase()))
    return fault("EGeneral:Permission denied", `ask for it as ${own[0]}`);
  if (headerOf(head, "origin") !== undefined || (site !== undefined && site !== "none" && site !== "same-origin"))
    return fault("EGeneral:Permission denied", "web pages may not use this interface");
  return undefined;
}

function unproven({ token }: AdminFamilyParts, head: RequestHead): Fault | undefined {
  const given = /^Bearer (\S+)$/.exec(headerOf(head, "authorization") ?? "")?.[1] ?? "";
  if (isToken(token, given)) return undefined;
  return fault("EAPI:Invalid key", `send Authorization: Bearer with the token; GET ${INDEX} says where it is`);
}

function perform(parts: AdminFamilyParts, head: RequestHead, body: Buffer): Outcome {
  const found = findOperation(head);
  if (found === undefined)
    return fault("EGeneral:Unknown method", `there is no such method and path; GET ${INDEX} lists them`);
  const { operation, params } = found;
  const read = readQuery(head.queryText);
  if (!read.ok) return read;
  const query = checkPart(operation.query, read.query);
  if (!query.ok) return query;
  const checked = checkBody(operation, head, body);
  if (!checked.ok) return checked;
  return operation.run({ ...parts, at: parts.service.now(), params, query: query.value, body: checked.value });
}

function checkBody(operation: Operation, head: RequestHead, body: Buffer): ReturnType<typeof checkPart> {
  if (operation.body === undefined)
    return body.length === 0 ? { ok: true, value: undefined } : badArgument("body", "this operation takes no body");
  const json = readJson(headerOf(head, "content-type"), body);
  if (!json.ok) return json;
  if (typeof json.value !== "object" || json.value === null || Array.isArray(json.value))
    return badArgument("body", "send a JSON object");
  const checked = checkPart(operation.body, json.value);
  const twice = checked.ok ? duplicatedKey(json.text, json.value) : undefined;
  return twice === undefined ? checked : badArgument(twice, "this field is given more than once");
}

interface Found {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

/** A path without placeholders wins over one with. */
function findOperation({ method, path }: RequestHead): Found | undefined {
  const found = OPERATIONS.flatMap((operation): Found[] => {
    const params = operation.method === method ? paramsOf(operation.path, path) : undefined;
    return params === undefined ? [] : [{ operation, params }];
  });
  return found.find(({ operation }) => !operation.path.includes("{")) ?? found[0];
}

function paramsOf(template: string, path: string): Record<string, string> | undefined {
  const [expected, given] = [template.split("/"), path.split("/")];
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const text = decoded(given[index] ?? "");
    if (part.startsWith("{")) params[part.slice(1, -1)] = text ?? "";
    else if (part !== given[index]) return undefined;
  }
  return params;
}

function indexReply(): Reply {
  const text = indexText();
  const length = String(Buffer.byteLength(text));
  const headers = ["Content-Type", "text/plain; charset=utf-8", "Content-Length", length, "Cache-Control", "no-store"];
  return { status: 200, headers: [...headers, "X-Content-Type-Options", "nosniff"], text };
}

/** What there is, for people. */
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
