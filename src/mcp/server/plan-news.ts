/**
 * Owns that clients of the 2025 era hear what plans tell, as log messages of the logger `hoga.plans`. Entry point: `PlanNews`, one for all clients of a desk.
 *
 * Invariants: a session hears each notice once, from when it connected; one that does not keep up hears it when it does; while nobody is connected nothing is
 * read. In the later era a client watches `hoga://plans` instead, as it has no such message.
 *
 * Source: decision 0116.
 */
import type { McpServer } from "@modelcontextprotocol/server";
import type { Clock, PlanDesk, ToldNotice } from "../../desk/index.ts";
import { noticeWords, type Words } from "../../words/index.ts";

export interface NewsSeat {
  /** Tells whether the client keeps up with what it is sent. */
  readonly ready: () => boolean;
  /** Tells whether the caller may see it. */
  readonly isPermitted: () => boolean;
  /** For how long the client has been there already. */
  readonly waitedMs: number;
  readonly tell: (level: NewsLevel, text: string) => void;
}

export type NewsLevel = "notice" | "warning";

export interface NewsParts {
  readonly plans: Pick<PlanDesk, "told">;
  readonly environment: "sandbox" | "live";
  readonly unit: string;
  readonly words: () => Promise<Words>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const LOGGER = "hoga.plans";
const LOOK_EVERY_MS = 2_000;
/** So late a notice may be written behind its time. */
const LATE_MS = 60_000;
/** What a client that does not keep up has waiting for it: the newest. */
const WAITING_MAX = 100;
const WARNINGS: readonly ToldNotice["type"][] = ["plan.attention", "plan.below_floor", "plan.removal_requested"];

interface Joined {
  readonly seat: NewsSeat;
  /** By the desk's clock. */
  readonly sinceMs: number;
  readonly waiting: ToldNotice[];
}

export class PlanNews {
  readonly #parts: NewsParts;
  readonly #joined = new Set<Joined>();
  #running: AbortController | undefined;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  /** @returns ends it */
  join(seat: NewsSeat): () => void {
    let joined: Joined | undefined;
    let isOver = false;
    this.#begin(seat)
      .then((begun) => {
        if (isOver || begun === undefined) return;
        joined = begun;
        this.#joined.add(begun);
        if (this.#running === undefined) this.#follow();
      })
      .catch(this.#parts.onError);
    return () => {
      isOver = true;
      if (joined !== undefined) this.#joined.delete(joined);
      if (this.#joined.size > 0) return;
      this.#running?.abort();
      this.#running = undefined;
    };
  }

  async #begin(seat: NewsSeat): Promise<Joined | undefined> {
    const now = await this.#parts.plans.told();
    return now.ok ? { seat, sinceMs: now.value.asOfMs - seat.waitedMs, waiting: [] } : undefined;
  }

  #follow(): void {
    const running = new AbortController();
    this.#running = running;
    this.#look(running.signal).catch((error: unknown) => {
      // A defect: whoever joins next begins anew.
      if (this.#running === running) this.#running = undefined;
      this.#parts.onError(error);
    });
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { plans, clock } = this.#parts;
    const words = await this.#parts.words();
    let sinceMs = Math.min(...[...this.#joined].map((each) => each.sinceMs));
    let seen: ReadonlySet<string> = new Set();
    while (!signal.aborted) {
      const told = await plans.told(sinceMs);
      if (signal.aborted) return;
      if (told.ok) {
        const { notices, asOfMs } = told.value;
        for (const notice of notices) if (!seen.has(notice.noticeId)) this.#hand(notice);
        // What is read again next time is among these.
        seen = new Set(notices.map(({ noticeId }) => noticeId));
        sinceMs = Math.max(sinceMs, asOfMs - LATE_MS);
      }
      for (const joined of this.#joined) this.#tell(joined, words);
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  #hand(notice: ToldNotice): void {
    for (const { sinceMs, waiting } of this.#joined) {
      if (notice.atMs < sinceMs) continue;
      waiting.push(notice);
      if (waiting.length > WAITING_MAX) waiting.shift();
    }
  }

  #tell({ seat, waiting }: Joined, words: Words): void {
    const { environment, unit } = this.#parts;
    for (let notice = waiting[0]; notice !== undefined && seat.ready(); notice = waiting[0]) {
      waiting.shift();
      if (!seat.isPermitted()) continue;
      const text = noticeWords(notice, notice.terms, { environment, unit }, words);
      seat.tell(WARNINGS.includes(notice.type) ? "warning" : "notice", text);
    }
  }
}

/** From when the client has said that it is there, which it does in the 2025 era alone, to the end of its session. */
export function registerNews(server: McpServer, news: PlanNews, seat: Omit<NewsSeat, "tell">): void {
  const { server: inner } = server;
  const tell: NewsSeat["tell"] = (level, data) => {
    // The client's own level is kept by its session. The client may be gone: the end of the session ends this too.
    inner.sendLoggingMessage({ level, logger: LOGGER, data }, inner.transport?.sessionId).catch(() => undefined);
  };
  let leave: (() => void) | undefined;
  inner.oninitialized = () => {
    leave ??= news.join({ ...seat, tell });
  };
  const { onclose } = inner;
  inner.onclose = () => {
    leave?.();
    onclose?.();
  };
}
