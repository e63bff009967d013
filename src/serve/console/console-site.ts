/** Owns the console as a whole, as the server over HTTP takes it in: who is signed in, the page's files, and what the page asks for. */
import type { Secret } from "../../config/index.ts";
import { RETURN_PATH, SIGN_IN_PATH } from "../access/paths.ts";
import { sendPassage, sendRedirect } from "../wire/page.ts";
import type { Peers } from "../wire/peers.ts";
import type { Handler, Routes } from "../wire/route.ts";
import type { Stamp } from "../wire/stamp.ts";
import {
  type ConsoleEndpoint,
  type ConsoleParts,
  type ConsoleSettings,
  consoleEndpoint,
  type SignInSettings,
} from "./console-endpoint.ts";
import { builtConsole, consoleFiles } from "./console-files.ts";
import { ConsoleSessions } from "./console-session.ts";
import { Cookie } from "./cookie.ts";
import type { IdentitySignIn } from "./identity-sign-in.ts";

export interface ConsoleSite extends ConsoleEndpoint {
  readonly sessions: ConsoleSessions;
  /** Tells whether whoever is signed in may go there; `/` apart. */
  readonly opens: (path: string) => boolean;
  /** Tells whether it is on the way to signing in elsewhere. */
  readonly leadsIn: (path: string) => boolean;
  /** Says where that begins; undefined where nobody can. */
  readonly signIn: string | undefined;
  readonly index: Handler | undefined;
}

const PATH = "/console/";

/** @param settings undefined where there is only a page that looks */
export function consoleSite(
  settings: ConsoleSettings | undefined,
  {
    stamp,
    token,
    ...parts
  }: Omit<ConsoleParts, keyof ConsoleSettings | "sessions"> & { readonly stamp: Stamp; readonly token: Secret },
): ConsoleSite {
  const sessions = new ConsoleSessions({
    ...{ peers: parts.peers, now: parts.now, stored: settings?.stored },
    admission: admissionOf(token, settings?.signIn),
  });
  if (settings === undefined)
    return {
      ...{ sessions, routes: {}, index: undefined, signIn: undefined },
      opens: () => false,
      leadsIn: () => false,
      idle: async () => undefined,
      close: async () => undefined,
    };
  const files = consoleFiles(builtConsole());
  const endpoint = consoleEndpoint({ ...settings, ...parts, sessions });
  const { signIn: settled } = settings;
  const leading =
    settled === undefined ? {} : signInRoutes({ ...parts, sessions, identity: identityOf(settled, stamp, parts.now) });
  const own = Object.entries({ ...endpoint.routes, ...leading }).map(([path, handlers]) => [
    `${PATH}${path}`,
    handlers,
  ]);
  return {
    ...{ ...endpoint, sessions, index: files.index },
    signIn: settled === undefined ? undefined : SIGN_IN_PATH,
    leadsIn: (path) => settled !== undefined && (path === SIGN_IN_PATH || path === RETURN_PATH),
    routes: { ...files.routes, ...Object.fromEntries(own) },
    opens: (path) => path.startsWith(PATH) || Object.hasOwn(files.routes, path),
  };
}

/** Changes where the token is made anew, or others may sign in: then everybody comes in anew. */
function admissionOf(token: Secret, signIn: SignInSettings | undefined): string {
  const { issuer = "", clientId = "", subjects = [] } = signIn ?? {};
  return JSON.stringify([token.reveal(), issuer, clientId, subjects.toSorted()]);
}

/** Loaded when somebody signs in there. */
function identityOf(settings: SignInSettings, stamp: Stamp, now: () => number): () => Promise<IdentitySignIn> {
  const tools = { stamp, now, clock: () => Date.now() };
  let opened: Promise<IdentitySignIn> | undefined;
  return () => {
    opened ??= import("./identity-sign-in.ts").then(
      (library) => new library.IdentitySignIn({ ...settings, redirectUri: `${settings.origin}${RETURN_PATH}` }, tools),
    );
    return opened;
  };
}

interface SignInParts {
  readonly identity: () => Promise<IdentitySignIn>;
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
}

/**
 * The way to the identity provider and back, for a browser that has no session yet. What was begun is known to its browser alone, by a cookie that lives
 * for ten minutes and that nobody else can make; a stranger is told nothing but where people sign in. Source: decision 0044, decision 0072.
 */
function signInRoutes({ identity, sessions, peers }: SignInParts): Routes {
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
