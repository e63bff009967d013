/**
 * Owns what is known of a server from what it was asked, one for all connections of a process: whether it is away, and since when it has answered nothing.
 *
 * Invariants: there is one patience for the process. While it lasts, work is tried again; once it is used up, or where another attempt would do no better, the
 * server is away, and everything fails at once, until a look at it in the background succeeds.
 *
 * Source: decision 0037, decision 0074.
 */
import { isAway, isLost, isSilence } from "./postgres-error.ts";
import type { StoreError } from "./store-error.ts";

/** Bounds how long a server may be out of reach before it counts as away: a restart takes as long. */
const PATIENCE_MS = 5_000;
/** Between two looks at one that is away. */
const LOOK_EVERY_MS = 500;
/** A process that looks at nothing for so long does not know any more. */
const FORGOTTEN_MS = 5_000;

export class ServerState {
  /** Keyed by session. */
  readonly lives = new WeakMap<object, string>();
  /** When what was not answered yet was asked. */
  readonly #asked = new Set<{ readonly atMs: number }>();
  #troubleSinceMs: number | undefined;
  #away: StoreError | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  /** Why nothing is asked of it now; undefined while it is not away. */
  get away(): StoreError | undefined {
    return this.#away;
  }

  /** Milliseconds for which the oldest of what it was asked has had no answer, or all that it was asked has failed. */
  waitingMs(nowMs: number): number {
    const [oldest] = this.#asked;
    return Math.max(0, nowMs - (oldest?.atMs ?? nowMs), nowMs - (this.#troubleSinceMs ?? nowMs));
  }

  /** Notes that it is asked, until it has answered or was given up. */
  async asking<T>(nowMs: number, answer: Promise<T>): Promise<T> {
    const asked = { atMs: nowMs };
    this.#asked.add(asked);
    try {
      return await answer;
    } finally {
      this.#asked.delete(asked);
    }
  }

  answered(): void {
    this.#troubleSinceMs = undefined;
    this.#away = undefined;
  }

  /** Takes in what some work ended with. @param isPatient whether it was given the time that an answer may take */
  failed(error: unknown, nowMs: number, isPatient: boolean): void {
    if (!isAway(error)) return;
    this.#troubleSinceMs ??= nowMs;
    const isOver = nowMs - this.#troubleSinceMs >= PATIENCE_MS;
    const isSilent = isSilence(error) && isPatient;
    if (!isOver && !isSilent && isLost(error)) return;
    this.#away = error;
    this.#lookedAtMs = nowMs;
  }

  /** Tells whether it was found away so long ago that it may well be back: whoever asks now waits for a look. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#lookedAtMs >= FORGOTTEN_MS;
  }

  /** Looks at one that is away, unless somebody does or just has. Never rejects. */
  async look(now: () => number, ask: () => Promise<unknown>): Promise<void> {
    if (this.#isLooking || now() - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#isLooking = true;
    try {
      await ask();
    } catch {
      // Away still.
    } finally {
      this.#isLooking = false;
      this.#lookedAtMs = now();
    }
  }
}
