/**
 * Owns who is at the console: a browser that a person has let in, for twelve hours or until it signs out, also where the server is started again meanwhile
 * or another replica is asked.
 *
 * Invariants: only the cookie says which session it is, and no script can read it; a write shows besides what only a page of this server was told;
 * a session that was used gives way to no other, and what is begun with the owner's token alone takes no room of the rest. What is kept opens nothing:
 * all that a session has of its own follows from its cookie. A session that is known here goes on while the store is away.
 *
 * Source: decision 0044, decision 0072, decision 0078.
 */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { digestOf } from "../../config/index.ts";
import { ok, type Result } from "../../contract/index.ts";
import type { LetInBy } from "../access/access.ts";
import { Tickets } from "../access/ticket.ts";
import type { Peers } from "../wire/peers.ts";
import { Cookie } from "./cookie.ts";

export interface ConsoleSession {
  /** No other session has it. It opens nothing. */
  readonly id: string;
  /** In the header of every write. */
  readonly csrf: string;
  /** Fires when it ends. */
  readonly ended: AbortSignal;
}

/** Kept where other processes find it, each by the digest of its cookie. Times in Unix milliseconds. */
export interface StoredSessions {
  /** @returns false where there is no room */
  add(session: StoredSession, nowMs: number): Promise<Result<boolean>>;
  /** Finds it where it still lasts. */
  find(digest: string, nowMs: number): Promise<Result<StoredSession | undefined>>;
  end(digest: string): Promise<Result<void>>;
}

interface StoredSession {
  readonly digest: string;
  readonly letInBy: string;
  readonly endsAtMs: number;
}

const SESSION_MS = 12 * 3_600_000;
/** Bounds how often it is looked whether it was ended at another replica, before it is served. */
const LOOK_MS = 1_000;
/** Bounds those under one name: of a browser that shows more others have planted them. */
const SHOWN_MAX = 8;

export interface SessionParts {
  readonly peers: Peers;
  /** Milliseconds that only rise. */
  readonly now: () => number;
  /** Who may come in: of a server for which that is another, no session of this one is known. Secret. */
  readonly admission: string;
  /** Undefined where sessions end with the process. */
  readonly stored: StoredSessions | undefined;
}

export class ConsoleSessions {
  readonly #tickets: Readonly<Record<LetInBy, Tickets<Kept>>>;
  readonly #cookie: Cookie;
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    const tickets = () => new Tickets<Kept>(SESSION_MS, parts.now, ({ end }) => end.abort());
    this.#parts = parts;
    this.#tickets = { asked: tickets(), person: tickets() };
    this.#cookie = new Cookie("hoga-page", parts.peers, { sameSite: "Strict", path: "/" });
  }

  /** @returns the header that gives the browser its cookie; undefined where all the sessions there may be are used */
  begin(request: IncomingMessage, by: LetInBy): string | undefined {
    // Its cookie takes the place of this one's.
    const before = this.of(request);
    if (before !== undefined) void this.end(before);
    if (!this.#tickets[by].makeRoom(({ isUsed }) => !isUsed)) return undefined;
    const ticket = this.#tickets[by].issueWith((text) => this.#keptOf(text, Date.now() + SESSION_MS));
    return this.#cookie.header(request, ticket, SESSION_MS / 1_000);
  }

  of(request: IncomingMessage): ConsoleSession | undefined {
    const kept = this.#known(request)?.kept;
    if (kept !== undefined) kept.isUsed = true;
    return kept?.session;
  }

  /**
   * Before anything is done for a browser: finds what another process has begun, keeps what is first used here, and ends what was ended elsewhere.
   * @param isUrgent what halts or cancels waits for no store where the session is known
   * @returns false where it cannot be told now whether the browser is signed in
   */
  async recall(request: IncomingMessage, isUrgent: boolean): Promise<boolean> {
    const { stored } = this.#parts;
    if (stored === undefined) return true;
    const known = this.#known(request);
    if (known === undefined) return this.#find(request, stored);
    const looked = this.#look(known, stored);
    if (!isUrgent) await looked;
    return true;
  }

  /** @returns a fault where other processes may still know it: it goes on here too */
  async end(session: ConsoleSession): Promise<Result<void>> {
    const { stored } = this.#parts;
    for (const tickets of Object.values(this.#tickets))
      await tickets.one((kept) => kept.session === session)?.keeping.catch(() => undefined);
    const ended = (await stored?.end(session.id)) ?? ok(undefined);
    if (ended.ok) this.#drop(session);
    return ended;
  }

  /** Ends those whose time is over. */
  sweep(): void {
    for (const tickets of Object.values(this.#tickets)) tickets.sweep();
  }

  #known(request: IncomingMessage): Known | undefined {
    for (const ticket of this.#cookie.valuesIn(request))
      for (const by of ["person", "asked"] as const) {
        const kept = this.#tickets[by].find(ticket);
        if (kept !== undefined) return { kept, by };
      }
    return undefined;
  }

  async #find(request: IncomingMessage, stored: StoredSessions): Promise<boolean> {
    const shown = this.#cookie.valuesIn(request).filter((value) => /^[\w-]{43}$/.test(value));
    for (const ticket of shown.slice(0, SHOWN_MAX)) {
      const found = await stored.find(this.#idOf(ticket), Date.now());
      if (!found.ok) return false;
      const { letInBy: by, endsAtMs } = found.value ?? {};
      if ((by !== "asked" && by !== "person") || endsAtMs === undefined) continue;
      // Another request of the same browser may have been faster.
      if (this.#tickets[by].find(ticket) !== undefined) return true;
      const kept = { ...this.#keptOf(ticket, endsAtMs), isStored: true, nextMs: this.#parts.now() + LOOK_MS };
      this.#tickets[by].keep(ticket, kept, endsAtMs - Date.now());
      return true;
    }
    return true;
  }

  async #look({ kept, by }: Known, stored: StoredSessions): Promise<void> {
    const { session, endsAtMs } = kept;
    const nowMs = this.#parts.now();
    if (nowMs >= kept.nextMs) {
      kept.nextMs = nowMs + LOOK_MS;
      kept.keeping = kept.isStored
        ? stored.find(session.id, Date.now()).then((found) => {
            if (found.ok && found.value === undefined) this.#drop(session);
          })
        : stored.add({ digest: session.id, letInBy: by, endsAtMs }, Date.now()).then((added) => {
            kept.isStored = added.ok && added.value;
          });
    }
    await kept.keeping;
  }

  #idOf(ticket: string): string {
    return digestOf(`${this.#parts.admission} ${ticket}`);
  }

  #keptOf(ticket: string, endsAtMs: number): Kept {
    const end = new AbortController();
    const session = { id: this.#idOf(ticket), csrf: digestOf(`csrf ${ticket}`), ended: end.signal };
    return {
      end,
      session,
      endsAtMs,
      isUsed: false,
      isStored: false,
      nextMs: Number.NEGATIVE_INFINITY,
      keeping: Promise.resolve(),
    };
  }

  #drop(session: ConsoleSession): void {
    for (const tickets of Object.values(this.#tickets)) tickets.sweep((kept) => kept.session === session);
  }
}

interface Kept {
  readonly session: ConsoleSession;
  readonly end: AbortController;
  /** Unix milliseconds. */
  readonly endsAtMs: number;
  /** Tells that its browser has come back with the cookie. */
  isUsed: boolean;
  /** Tells that other processes know it. */
  isStored: boolean;
  /** When the store is asked about it next. */
  nextMs: number;
  /** Ends with what the store is asked for it last. */
  keeping: Promise<void>;
}

interface Known {
  readonly kept: Kept;
  readonly by: LetInBy;
}

/** Compared by digest, in constant time. */
export function hasCsrf({ csrf }: ConsoleSession, shown: unknown): boolean {
  if (typeof shown !== "string") return false;
  return timingSafeEqual(Buffer.from(digestOf(shown), "hex"), Buffer.from(digestOf(csrf), "hex"));
}
