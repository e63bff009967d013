/**
 * Owns the order in which callers of one process stand before a lane: urgent ones first, background ones last, each kind in the order it came.
 *
 * Invariant: one caller is at the head at a time, and leaves it by `release` only.
 */
import type { Rank } from "./pace.ts";

/** Until when a call waits. */
export interface LaneDeadline {
  readonly hasPassed: boolean;
  /** Fires when it passes. Made when it is read, which is where something has to be waited for: most calls never do. */
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly admit: () => void;
}

export class LaneQueue {
  #busy = false;
  /** In the order of their turns. */
  readonly #lines: Readonly<Record<Rank, Waiter[]>> = { urgent: [], usual: [], background: [] };

  /** Tells whether somebody stands behind the head who goes before such a caller. */
  isWantedBefore(rank: Rank): boolean {
    return Object.entries(this.#lines).some(([line, { length }]) => length > 0 && goesBefore(line as Rank, rank));
  }

  /** Tells whether somebody is at the head. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Resolves at the head; rejects with the reason of the deadline's signal when that fires before. */
  async reachHead(rank: Rank, deadline: LaneDeadline | undefined): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    const line = this.#lines[rank];
    await this.#wait((waiter) => line.push(waiter), line, deadline?.signal);
  }

  /** The head lets those before it go first, and is the first of its kind afterwards. Rejects as above, no longer at the head. */
  async yieldFrom(rank: Rank, deadline: LaneDeadline | undefined): Promise<void> {
    const line = this.#lines[rank];
    const again = this.#wait((waiter) => line.unshift(waiter), line, deadline?.signal);
    this.release();
    await again;
  }

  release(): void {
    const { urgent, usual, background } = this.#lines;
    const next = urgent.shift() ?? usual.shift() ?? background.shift();
    if (next === undefined) this.#busy = false;
    else next.admit();
  }

  #wait(join: (waiter: Waiter) => void, line: Waiter[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        line.splice(line.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      join(waiter);
    });
  }
}

const ORDER: readonly Rank[] = ["urgent", "usual", "background"];

export function goesBefore(one: Rank, other: Rank): boolean {
  return ORDER.indexOf(one) < ORDER.indexOf(other);
}
