/**
 * Owns who is at the console: a browser that a person has let in, for twelve hours or until it signs out.
 *
 * Invariants: only the cookie says which session it is, and no script can read it; a write shows besides what only a page of this server was told;
 * a session that was used gives way to no other, and what is begun with the owner's token alone takes no room of the rest.
 *
 * Source: decision 0044, decision 0072.
 */
import { randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { digestOf } from "../../config/index.ts";
import type { Peers } from "../peers.ts";
import { secretText, Tickets } from "../ticket.ts";
import { Cookie } from "./cookie.ts";

export interface ConsoleSession {
  /** No other session has it. It opens nothing. */
  readonly id: string;
  /** In the header of every write. */
  readonly csrf: string;
  /** Fires when it ends. */
  readonly ended: AbortSignal;
}

/** What let a browser in. `asked`: a link that was asked for with the owner's token; `person`: the printed one, or who signed in elsewhere. */
export type LetInBy = "asked" | "person";

const SESSION_MS = 12 * 3_600_000;

export class ConsoleSessions {
  readonly #tickets: Readonly<Record<LetInBy, Tickets<Kept>>>;
  readonly #cookie: Cookie;

  /** @param now milliseconds that only rise */
  constructor(peers: Peers, now: () => number) {
    const tickets = () => new Tickets<Kept>(SESSION_MS, now, ({ end }) => end.abort());
    this.#tickets = { asked: tickets(), person: tickets() };
    this.#cookie = new Cookie("hoga-page", peers, { sameSite: "Strict", path: "/" });
  }

  /** @returns the header that gives the browser its cookie; undefined where all the sessions there may be are used */
  begin(request: IncomingMessage, by: LetInBy): string | undefined {
    // Its cookie takes the place of this one's.
    const before = this.of(request);
    if (before !== undefined) this.end(before);
    if (!this.#tickets[by].makeRoom(({ isUsed }) => !isUsed)) return undefined;
    const end = new AbortController();
    const session = { id: randomUUID(), csrf: secretText(), ended: end.signal };
    const ticket = this.#tickets[by].issue({ end, session, isUsed: false });
    return this.#cookie.header(request, ticket, SESSION_MS / 1_000);
  }

  of(request: IncomingMessage): ConsoleSession | undefined {
    const { asked, person } = this.#tickets;
    for (const ticket of this.#cookie.valuesIn(request)) {
      const kept = person.find(ticket) ?? asked.find(ticket);
      if (kept === undefined) continue;
      kept.isUsed = true;
      return kept.session;
    }
    return undefined;
  }

  end(session: ConsoleSession): void {
    for (const tickets of Object.values(this.#tickets)) tickets.sweep((kept) => kept.session === session);
  }

  /** Ends those whose time is over. */
  sweep(): void {
    for (const tickets of Object.values(this.#tickets)) tickets.sweep();
  }
}

interface Kept {
  readonly session: ConsoleSession;
  readonly end: AbortController;
  /** Whether its browser has come back with the cookie. */
  isUsed: boolean;
}

/** Compared by digest, in constant time. */
export function hasCsrf({ csrf }: ConsoleSession, shown: unknown): boolean {
  if (typeof shown !== "string") return false;
  return timingSafeEqual(Buffer.from(digestOf(shown), "hex"), Buffer.from(digestOf(csrf), "hex"));
}
