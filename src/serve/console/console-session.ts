/**
 * Owns who is at the console: a browser that a person has let in, for twelve hours or until it signs out.
 *
 * Invariants: only the cookie says which session it is, and no script can read it; a write shows besides what only a page of this server was told.
 *
 * Source: decision 0044.
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { digestOf } from "../../config/index.ts";
import { secretText, Tickets } from "../ticket.ts";

export interface ConsoleSession {
  /** In the header of every write. */
  readonly csrf: string;
  /** Fires when it ends. */
  readonly ended: AbortSignal;
}

const SESSION_MS = 12 * 3_600_000;

export class ConsoleSessions {
  readonly #tickets: Tickets<Kept>;

  /** @param now milliseconds that only rise */
  constructor(now: () => number) {
    this.#tickets = new Tickets<Kept>(SESSION_MS, now, ({ end }) => end.abort());
  }

  /** @returns the header that gives the browser its cookie */
  begin(request: IncomingMessage, way: { readonly isEncrypted: boolean }): string {
    const end = new AbortController();
    const ticket = this.#tickets.issue({ end, session: { csrf: secretText(), ended: end.signal } });
    const secure = way.isEncrypted ? "; Secure" : "";
    return `${cookieName(request)}=${ticket}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${SESSION_MS / 1_000}${secure}`;
  }

  of(request: IncomingMessage): ConsoleSession | undefined {
    return this.#tickets.find(cookieIn(request, cookieName(request)))?.session;
  }

  end(session: ConsoleSession): void {
    this.#tickets.sweep((kept) => kept.session === session);
  }

  /** Ends those whose time is over. */
  sweep(): void {
    this.#tickets.sweep();
  }
}

interface Kept {
  readonly session: ConsoleSession;
  readonly end: AbortController;
}

/** Compared by digest, in constant time. */
export function hasCsrf({ csrf }: ConsoleSession, shown: unknown): boolean {
  if (typeof shown !== "string") return false;
  return timingSafeEqual(Buffer.from(digestOf(shown), "hex"), Buffer.from(digestOf(csrf), "hex"));
}

/** A browser sends cookies to every port of a host, so that each server's have a name of their own. */
function cookieName({ socket }: IncomingMessage): string {
  return `hoga-page-${socket.localPort ?? 0}`;
}

/** @returns "" where there is none */
export function cookieIn({ headers }: IncomingMessage, name: string): string {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}
