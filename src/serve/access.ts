/**
 * Owns who is let in over HTTP. A program shows a token in every request; a person opens a link with a code, which works once and
 * gives the browser a cookie that opens the page and nothing else.
 *
 * Invariants: a peer that is refused is told how to come in, whatever it asked for, and nothing of what is here; whether the server
 * lives is told to all; what is neither MCP nor figures is the owner's alone, whose token is the data directory's.
 *
 * Source: decision 0022, decision 0035.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { digestOf } from "../config/index.ts";
import { type Callers, type Grant, INVALID, OWNER, OWNER_GRANT } from "./caller.ts";
import type { Challenges } from "./challenge.ts";
import { sendClosedPage, sendRedirect, sendRefusal } from "./page.ts";

const SECRET_BYTES = 32;
/** From the moment a link is printed until somebody opens it. */
const CODE_MS = 10 * 60_000;
const COOKIE_MS = 12 * 3_600_000;
/** Links and browsers at once; the oldest gives way. */
const KEPT_MAX = 64;
/** They say that the server lives, and whether it can work. */
const OPEN_TO_ALL: readonly string[] = ["/healthz", "/readyz"];
/** What others than the owner are let in for. */
const SHARED_PATHS: readonly string[] = ["/mcp", "/sse", "/messages", "/metrics"];

export class Access {
  readonly #callers: Callers;
  readonly #challenges: Challenges;
  readonly #codes: Tickets;
  readonly #cookies: Tickets;

  /** @param now milliseconds that only rise. */
  constructor(callers: Callers, challenges: Challenges, now: () => number) {
    this.#callers = callers;
    this.#challenges = challenges;
    this.#codes = new Tickets(CODE_MS, now);
    this.#cookies = new Tickets(COOKIE_MS, now);
  }

  /** A link that opens the page once. */
  link(url: string): string {
    return `${url}/?code=${this.#codes.issue()}`;
  }

  /** @returns what it was let in by; undefined where it is not, and was answered */
  async admit(
    request: IncomingMessage,
    response: ServerResponse,
    way: { readonly isEncrypted: boolean },
  ): Promise<Grant | undefined> {
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    // They are told nothing by which it matters who asks.
    if (OPEN_TO_ALL.includes(path) || Object.hasOwn(this.#challenges.routes, path)) return OWNER_GRANT;
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const verdict = token === undefined ? INVALID : await this.#callers.identify(token);
    if (verdict.ok && (verdict.grant.identity === OWNER || SHARED_PATHS.includes(path))) return verdict.grant;
    // The rest of what it sends is not looked at.
    request.resume();
    if (verdict.ok) sendRefusal(response, 403, -32001, OWNERS);
    else if (verdict.why === "unavailable")
      sendRefusal(response, 503, -32000, UNAVAILABLE, { "Retry-After": String(verdict.retryAfterS) });
    else if (path === "/" && request.method === "GET") {
      const code = new URLSearchParams(query).get("code");
      const isReader = this.#admitsReader(request, response, { code, secure: way.isEncrypted ? "; Secure" : "" });
      return isReader ? OWNER_GRANT : undefined;
    } else {
      const challenge = this.#challenges.unauthorized(request.headers.authorization !== undefined);
      sendRefusal(response, 401, -32001, UNAUTHORIZED, { "WWW-Authenticate": challenge });
    }
    return undefined;
  }

  /** The code leaves the address with the first answer, so that it is in no history and no picture of the screen. */
  #admitsReader(
    request: IncomingMessage,
    response: ServerResponse,
    { code, secure }: { readonly code: string | null; readonly secure: string },
  ): boolean {
    const name = cookieName(request);
    if (code !== null && this.#codes.take(code))
      sendRedirect(response, "/", {
        "Set-Cookie": `${name}=${this.#cookies.issue()}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${COOKIE_MS / 1_000}${secure}`,
      });
    else if (!this.#cookies.has(cookieIn(request, name))) sendClosedPage(response);
    else if (code === null) return true;
    else sendRedirect(response, "/");
    return false;
  }
}

const UNAUTHORIZED =
  "Unauthorized: send Authorization: Bearer with the token from the configuration that this server printed when it was started, or with one that was made for you.";
const OWNERS =
  "Forbidden: this is for whoever started the server. With this token there is /mcp or /sse, and /metrics.";
const UNAVAILABLE = "Whether this token is good cannot be told now. Try again.";

/** Random values that are worth something for a while. */
class Tickets {
  readonly #lifeMs: number;
  readonly #now: () => number;
  /** When each ends, by digest, oldest first: what is looked up says nothing of what is kept. */
  readonly #endsAtMs = new Map<string, number>();

  constructor(lifeMs: number, now: () => number) {
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  issue(): string {
    const ticket = randomBytes(SECRET_BYTES).toString("base64url");
    this.#endsAtMs.set(digestOf(ticket), this.#now() + this.#lifeMs);
    for (const key of [...this.#endsAtMs.keys()].slice(0, -KEPT_MAX)) this.#endsAtMs.delete(key);
    return ticket;
  }

  has(ticket: string): boolean {
    return this.#now() < (this.#endsAtMs.get(digestOf(ticket)) ?? Number.NEGATIVE_INFINITY);
  }

  /** Once. */
  take(ticket: string): boolean {
    const isGood = this.has(ticket);
    this.#endsAtMs.delete(digestOf(ticket));
    return isGood;
  }
}

/** A browser sends cookies to every port of a host, so that each server's have a name of their own. */
function cookieName({ socket }: IncomingMessage): string {
  return `hoga-page-${socket.localPort ?? 0}`;
}

function cookieIn({ headers }: IncomingMessage, name: string): string {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}
