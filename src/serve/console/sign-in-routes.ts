/**
 * Owns the way to the identity provider and back, for a browser that has no session yet.
 *
 * Invariants: what was begun is known to its browser alone, by a cookie for this path that lives for ten minutes; a stranger who comes here is told
 * nothing but where people sign in.
 *
 * Source: decision 0044.
 */
import type { IncomingMessage } from "node:http";
import { sendPassage, sendRedirect } from "../page.ts";
import type { Peers } from "../peers.ts";
import type { Handler, Routes } from "../route.ts";
import { type ConsoleSessions, cookieIn } from "./console-session.ts";
import type { IdentitySignIn } from "./identity-sign-in.ts";

export const SIGN_IN_PATH = "/console/sign-in";
/** Where the provider sends the browser back to. */
export const RETURN_PATH = `${SIGN_IN_PATH}/callback`;

const KEPT_S = 600;

export interface SignInParts {
  readonly identity: () => Promise<IdentitySignIn>;
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
}

export function signInRoutes({ identity, sessions, peers }: SignInParts): Routes {
  const begin: Handler = async (request, response) => {
    request.resume();
    const begun = await (await identity()).begin();
    if (begun === undefined) sendPassage(response, "unavailable");
    // Sent back from another site, so it cannot be as strict as the session's.
    else sendRedirect(response, begun.url.href, { "Set-Cookie": cookie(request, begun.kept, KEPT_S) });
  };
  const end: Handler = async (request, response) => {
    request.resume();
    const query = new URLSearchParams((request.url ?? "").split("?", 2)[1] ?? "");
    const ended = await (await identity()).end(query, cookieIn(request, cookieName(request)));
    const over = cookie(request, "", 0);
    if (!ended.ok) sendPassage(response, ended.why, { "Set-Cookie": over });
    else sendPassage(response, "open", { "Set-Cookie": [over, sessions.begin(request, wayOf(request, peers))] });
  };
  const cookie = (request: IncomingMessage, value: string, seconds: number): string => {
    const secure = wayOf(request, peers).isEncrypted ? "; Secure" : "";
    return `${cookieName(request)}=${value}; HttpOnly; SameSite=Lax; Path=${SIGN_IN_PATH}; Max-Age=${seconds}${secure}`;
  };
  return { "sign-in": { GET: begin }, "sign-in/callback": { GET: end } };
}

function wayOf(request: IncomingMessage, peers: Peers): { readonly isEncrypted: boolean } {
  return { isEncrypted: peers.wayOf(request)?.isEncrypted === true };
}

function cookieName({ socket }: IncomingMessage): string {
  return `hoga-sign-in-${socket.localPort ?? 0}`;
}
