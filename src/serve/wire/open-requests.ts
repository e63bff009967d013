/**
 * Owns what callers have open (requests, streams, sessions), so that it ends when their token does.
 *
 * Invariants: a revoked token has nothing open a second later; nothing is asked while nothing is open.
 *
 * Source: decision 0035.
 */
import type { Grant } from "./caller.ts";

const LOOK_EVERY_MS = 500;

export class OpenRequests {
  readonly #open = new Set<{ readonly grant: Grant; readonly end: () => void }>();
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param now Unix milliseconds */
  constructor(now: () => number, onError: (error: unknown) => void) {
    this.#now = now;
    this.#onError = onError;
  }

  /** @param end called once where the grant ends first. @returns it has ended by itself */
  begin(grant: Grant, end: () => void): () => void {
    const open = { grant, end };
    this.#open.add(open);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
    return () => void this.#open.delete(open);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#open.clear();
  }

  async #look(): Promise<void> {
    const verdicts = new Map<string, Promise<boolean>>();
    const isOver = async ({ identity: { key }, endsAtMs = Number.POSITIVE_INFINITY, isRevoked }: Grant) => {
      if (endsAtMs <= this.#now()) return true;
      if (!verdicts.has(key)) verdicts.set(key, isRevoked());
      return verdicts.get(key);
    };
    try {
      await Promise.all(
        [...this.#open].map(async (open) => {
          if ((await isOver(open.grant)) === true && this.#open.delete(open)) open.end();
        }),
      );
    } catch (error) {
      this.#onError(error);
    }
    this.#timer = this.#open.size === 0 ? undefined : setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }
}
