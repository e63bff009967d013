/**
 * Owns the way to the identity provider and back, for a browser that has no session yet.
 *
 * Invariants: what was begun is known to its browser alone, by a cookie that lives for ten minutes and that nobody else can make; a stranger who comes
 * here is told nothing but where people sign in.
 *
 * Source: decision 0044, decision 0072.
 */

import { SIGN_IN_PATH } from "../access/paths.ts";
import { sendPassage, sendRedirect } from "../wire/page.ts";
import type { Peers } from "../wire/peers.ts";
import type { Handler, Routes } from "../wire/route.ts";
import type { ConsoleSessions } from "./console-session.ts";
import { Cookie } from "./cookie.ts";
import type { IdentitySignIn } from "./identity-sign-in.ts";

export interface SignInParts {
  readonly identity: () => Promise<IdentitySignIn>;
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
}

export function signInRoutes({ identity, sessions, peers }: SignInParts): Routes {
  // Sent back from another site, so it cannot be as strict as the session's.
  const cookie = new Cookie("hoga-sign-in", peers, { sameSite: "Lax", path: SIGN_IN_PATH });
  const begin: Handler = async (request, response) => {
    request.resume();
    const begun = await (await identity()).begin();
    if (begun === undefined) sendPassage(response, "unavailable");
    else sendRedirect(response, begun.url.href, { "Set-Cookie": cookie.header(request, begun.kept, begun.seconds) });
  };
  const end: Handler = async (request, response) => {
    request.resume();
    const query = new URLSearchParams((request.url ?? "").split("?", 2)[1] ?? "");
    const kept = cookie.valuesIn(request);
    const ended = await (await identity()).end({ query, kept, address: peers.addressOf(request) });
    // What can still be ended is kept.
    if (!ended.ok && ended.why === "busy") return sendPassage(response, "busy", { "Retry-After": "60" });
    const over = cookie.header(request, "", 0);
    if (!ended.ok) return sendPassage(response, ended.why, { "Set-Cookie": over });
    const session = sessions.begin(request, "person");
    if (session === undefined) sendPassage(response, "full", { "Set-Cookie": over });
    else sendPassage(response, "open", { "Set-Cookie": [over, session] });
  };
  return { "sign-in": { GET: begin }, "sign-in/callback": { GET: end } };
}
