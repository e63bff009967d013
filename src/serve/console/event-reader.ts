/**
 * Owns one stream of events to a page.
 *
 * Invariants: events leave in the order of their numbers, so that the last one received says what was; a page that does not read gets the
 * newest of each topic when it does, and nothing is kept for it meanwhile; one that reads nothing for a minute is let go.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html.
 */
import type { ServerResponse } from "node:http";
import type { EventBoard, Topic } from "./event-board.ts";

const RETRY_MS = 1_000;
/** A page that has heard nothing for five seconds takes the server for gone. */
const BEAT_MS = 2_000;
const UNREAD_MS = 60_000;
const BEAT = "event: beat\ndata: 1\n\n";

export interface Following {
  readonly board: EventBoard;
  readonly topics: ReadonlySet<Topic>;
  /** The id of the last event that the page has had. */
  readonly lastEventId: string | undefined;
}

export class EventReader {
  readonly #response: ServerResponse;
  readonly #following: Following;
  /** Leaves out what only says that something is to be read anew: it is of no use to a page that has read nothing yet. */
  readonly #changesAfter: number;
  readonly #beat: NodeJS.Timeout;
  #sent: number;
  #unreadSinceMs: number | undefined;

  constructor(response: ServerResponse, following: Following) {
    const { board, lastEventId } = following;
    this.#response = response;
    this.#following = following;
    this.#sent = (lastEventId === undefined ? undefined : board.numberOf(lastEventId)) ?? 0;
    this.#changesAfter = lastEventId === undefined ? board.last : 0;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
      "X-Content-Type-Options": "nosniff",
      "X-Accel-Buffering": "no",
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    response.on("drain", () => this.wake());
    this.#beat = setInterval(() => this.#look(), BEAT_MS).unref();
    response.once("close", () => clearInterval(this.#beat));
    this.wake();
  }

  /** Sends what is new, as far as the page reads. */
  wake(): void {
    const { board, topics } = this.#following;
    while (this.#canWrite) {
      const posted = board.next(topics, this.#sent);
      if (posted === undefined) return;
      this.#sent = posted.number;
      if (!posted.topic.startsWith("changed ") || posted.number > this.#changesAfter) this.#response.write(posted.text);
    }
  }

  end(): void {
    clearInterval(this.#beat);
    this.#response.end();
    // Of a page that does not read the end is not waited for.
    if (this.#response.writableNeedDrain) this.#response.destroy();
  }

  get #canWrite(): boolean {
    const { writableEnded, destroyed, writableNeedDrain } = this.#response;
    return !(writableEnded || destroyed || writableNeedDrain);
  }

  #look(): void {
    if (this.#canWrite) {
      this.#unreadSinceMs = undefined;
      this.#response.write(BEAT);
    } else {
      this.#unreadSinceMs ??= performance.now();
      if (performance.now() - this.#unreadSinceMs >= UNREAD_MS) this.#response.destroy();
    }
  }
}
