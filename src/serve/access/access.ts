/**
 * Owns who is let in over HTTP. A program shows a token in every request; a person opens a link with a code, which works once and
 * gives the browser a cookie that opens the console and nothing else.
 *
 * Invariants: a peer that is refused is told how to come in, whatever it asked for, and nothing of what is here; whether the server
 * lives is told to all; what is neither MCP nor figures is the owner's alone, whose token is the data directory's.
 *
 * Source: decision 0022, decision 0035, decision 0044.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ANYBODY_GRANT, type Callers, type Grant, INVALID, OWNER, OWNER_GRANT } from "../wire/caller.ts";
import { sendClosedPage, sendPassage, sendRedirect, sendRefusal } from "../wire/page.ts";
import { pathOf } from "../wire/route.ts";
import type { Challenges } from "./challenge.ts";
import { PROBES } from "./paths.ts";
import { Tickets } from "./ticket.ts";

/** From the moment a link is printed until somebody opens it. */
const CODE_MS = 10 * 60_000;
/** Lists what a tenant is let in for: what is served in a room of its own. */
const TENANTS_PATHS: readonly string[] = ["/mcp", "/sse", "/messages"];
/** Lists what others than the owner are let in for, where they are not a tenant's. */
const SHARED_PATHS: readonly string[] = [...TENANTS_PATHS, "/metrics"];

/**
 * Tells what let a browser in. `asked`: a link that was asked for with the owner's token; `person`: the printed one, or who signed in
 * elsewhere.
 */
export type LetInBy = "asked" | "person";

/** Browsers that a person has let in. */
interface BrowserSessions {
  /** @returns the header that gives the browser its cookie; undefined where there is no room */
  begin(request: IncomingMessage, by: LetInBy): string | undefined;
  /** The session that the request belongs to. */
  of(request: IncomingMessage): object | undefined;
  /** @returns false where it cannot be told now whether the browser is signed in @param isUrgent it waits for no store */
  recall(request: IncomingMessage, isUrgent: boolean): Promise<boolean>;
}

/** Who has opened the page, and what else that opens. */
export interface Readers {
  readonly sessions: BrowserSessions;
  readonly opens: (path: string) => boolean;
  /** Tells what leads to signing in elsewhere: open to all. */
  readonly leadsIn: (path: string) => boolean;
  /** Says where that begins; undefined where nobody can. */
  readonly signIn: string | undefined;
}

export class Access {
  readonly #callers: Callers;
  readonly #challenges: Challenges;
  readonly #readers: Readers;
  /** Apart, so that what is asked for with the owner's token takes nothing from the link that was printed. */
  readonly #codes: Readonly<Record<LetInBy, Tickets<true>>>;

  /** @param now milliseconds that only rise. */
  constructor(callers: Callers, challenges: Challenges, readers: Readers, now: () => number) {
    this.#callers = callers;
    this.#challenges = challenges;
    this.#readers = readers;
    this.#codes = { asked: new Tickets(CODE_MS, now), person: new Tickets(CODE_MS, now) };
  }

  /** A link that opens the page once. @param by `person` for the one that is printed */
  link(url: string, by: LetInBy): string {
    return `${url}/?code=${this.#codes[by].issue(true)}`;
  }

  /** @returns what it was let in by; undefined where it is not, and was answered */
  async admit(request: IncomingMessage, response: ServerResponse): Promise<Grant | undefined> {
    const path = pathOf(request);
    const [, query = ""] = (request.url ?? "").split("?", 2);
    // They are told nothing by which it matters who asks.
    if (this.#isOpenToAll(path)) return ANYBODY_GRANT;
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const verdict = token === undefined ? INVALID : await this.#callers.identify(token);
    if (verdict.ok && pathsOf(verdict.grant)?.includes(path) !== false) return verdict.grant;
    const { sessions, opens } = this.#readers;
    if (
      token === undefined &&
      (path === "/" || opens(path)) &&
      !(await sessions.recall(request, URGENT.includes(path)))
    ) {
      request.resume();
      sendRefusal(response, 503, -32000, UNAVAILABLE, { "Retry-After": "5" });
      return undefined;
    }
    if (token === undefined && opens(path) && sessions.of(request) !== undefined) return OWNER_GRANT;
    // The rest of what it sends is not looked at.
    request.resume();
    if (verdict.ok) sendRefusal(response, 403, -32001, OWNERS);
    else if (verdict.why === "not_admitted") sendRefusal(response, 403, -32001, NOT_ADMITTED);
    else if (verdict.why === "unavailable")
      sendRefusal(response, 503, -32000, UNAVAILABLE, { "Retry-After": String(verdict.retryAfterS) });
    else if (path === "/" && request.method === "GET") {
      const code = new URLSearchParams(query).get("code");
      const isReader = this.#admitsReader(request, response, code);
      return isReader ? OWNER_GRANT : undefined;
    } else {
      const challenge = this.#challenges.unauthorized(request.headers.authorization !== undefined);
      sendRefusal(response, 401, -32001, UNAUTHORIZED, { "WWW-Authenticate": challenge });
    }
    return undefined;
  }

  #isOpenToAll(path: string): boolean {
    return PROBES.includes(path) || Object.hasOwn(this.#challenges.routes, path) || this.#readers.leadsIn(path);
  }

  /** The code leaves the address with the first answer, so that it is in no history and no picture of the screen. */
  #admitsReader(request: IncomingMessage, response: ServerResponse, code: string | null): boolean {
    const { sessions, signIn } = this.#readers;
    const by = BY.find((each) => code !== null && this.#codes[each].find(code) === true);
    if (by !== undefined) {
      const cookie = sessions.begin(request, by);
      // The link is kept for when there is room.
      if (cookie === undefined) sendPassage(response, "full");
      else {
        this.#codes[by].take(code ?? "");
        sendRedirect(response, "/", { "Set-Cookie": cookie });
      }
    } else if (sessions.of(request) === undefined) sendClosedPage(response, signIn);
    else if (code === null) return true;
    else sendRedirect(response, "/");
    return false;
  }
}

/** They take risk away, and wait for nothing. */
const URGENT: readonly string[] = ["/console/halt", "/console/cancel"];

const BY: readonly LetInBy[] = ["person", "asked"];

/** @returns undefined where all are */
function pathsOf({ identity }: Grant): readonly string[] | undefined {
  if (identity === OWNER) return undefined;
  return identity.tenant === undefined ? SHARED_PATHS : TENANTS_PATHS;
}

const UNAUTHORIZED =
  "Unauthorized: send Authorization: Bearer with the token from the configuration that this server printed when it was started, or with one that was made for you.";
const OWNERS =
  "Forbidden: this is for whoever started the server. With this token there is /mcp or /sse, and /metrics.";
const NOT_ADMITTED =
  "Forbidden: you are known, and belong to no account here. Ask whoever runs this server to admit you.";
const UNAVAILABLE = "Whether you are let in cannot be told now. Try again.";
