/**
 * Owns what a caller is told that asks for more than it may: which scope is missing, before the message is served, whatever there is
 * to be served. The server itself lists and does nothing beyond the caller's scopes either.
 *
 * Source: decision 0035.
 */
import type { ServerResponse } from "node:http";
import { quoted } from "../../contract/index.ts";
import { neededScopes } from "../../mcp/index.ts";
import type { Identity } from "../wire/caller.ts";
import { sendJson } from "../wire/page.ts";
import { isRequest } from "../wire/request-message.ts";
import type { Challenges } from "./challenge.ts";

/** @returns whether it was refused, and answered */
export function refuseBeyondScopes(
  message: unknown,
  { name, scopes }: Identity,
  { challenges, response }: { readonly challenges: Challenges; readonly response: ServerResponse },
): boolean {
  const missing = [...new Set(neededScopes(message))].filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return false;
  const id = isRequest(message) ? message.id : null;
  const said = `Forbidden: the token of ${quoted(name)} lacks the scope ${missing.join(" and ")}.`;
  // A client that asks for a token with these loses none of those that it has.
  const challenge = challenges.insufficient([...scopes, ...missing]);
  const refusal = { jsonrpc: "2.0", error: { code: -32001, message: said }, id };
  sendJson(response, 403, refusal, { "WWW-Authenticate": challenge });
  return true;
}
