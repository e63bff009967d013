/**
 * Owns the pages that listen: how many, and that each is told no longer than its session lasts. Invariant: a browser that is signed in has one
 * window at least, however many others have opened.
 */
import type { ServerResponse } from "node:http";
import { closed } from "../wire/web-answer.ts";
import type { ConsoleFeed } from "./console-feed.ts";
import type { ConsoleSession, ConsoleSessions } from "./console-session.ts";
import type { EventBoard, Topic } from "./event-board.ts";
import { EventReader } from "./event-reader.ts";

/** Windows of one browser, and of all: as many as there are sessions. */
const OF_SESSION_MAX = 8;
const ALL_MAX = 64;

const ALWAYS: readonly Topic[] = [
  "status",
  "approvals",
  "orders",
  "plans",
  "tickers",
  "assistants",
  "changed portfolio",
  "changed history",
  "changed fills",
  "changed audit",
  "changed policy",
  "changed session",
];

export interface EventsParts {
  readonly board: EventBoard;
  readonly feed: ConsoleFeed;
  readonly sessions: ConsoleSessions;
}

export class ConsoleEventStreams {
  readonly #parts: EventsParts;
  readonly #readers = new Map<EventReader, ConsoleSession>();

  constructor(parts: EventsParts) {
    this.#parts = parts;
  }

  /** @param symbol as the exchange writes it. @returns whether there is room */
  open(
    response: ServerResponse,
    session: ConsoleSession,
    { symbol, lastEventId }: { readonly symbol: string | undefined; readonly lastEventId: string | undefined },
  ): boolean {
    const own = [...this.#readers.values()].filter((other) => other === session).length;
    if (own >= OF_SESSION_MAX) return false;
    if (this.#readers.size >= ALL_MAX && (own > 0 || !this.#endOne())) return false;
    const { board, feed } = this.#parts;
    const ofMarket: readonly Topic[] = symbol === undefined ? [] : [`book ${symbol}`, `trades ${symbol}`];
    const leave = feed.follow(symbol);
    const reader = new EventReader(response, { board, topics: new Set([...ALWAYS, ...ofMarket]), lastEventId });
    this.#readers.set(reader, session);
    const end = (): void => reader.end();
    session.ended.addEventListener("abort", end);
    void closed(response).then(() => {
      session.ended.removeEventListener("abort", end);
      this.#readers.delete(reader);
      leave();
    });
    return true;
  }

  /** Ends the oldest window of the browser that has the most, of those that have several. @returns whether there is such a one */
  #endOne(): boolean {
    const windows = new Map<ConsoleSession, EventReader[]>();
    for (const [reader, session] of this.#readers) windows.set(session, [...(windows.get(session) ?? []), reader]);
    const [most = []] = [...windows.values()].sort((a, b) => b.length - a.length);
    const [oldest] = most;
    if (oldest === undefined || most.length < 2) return false;
    this.#readers.delete(oldest);
    oldest.end();
    return true;
  }

  /** Something new is on the board. */
  wake(): void {
    for (const reader of this.#readers.keys()) reader.wake();
  }

  close(): void {
    for (const reader of this.#readers.keys()) reader.end();
    this.#parts.feed.close();
  }
}
