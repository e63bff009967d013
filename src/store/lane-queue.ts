/**
 * Owns the order in which callers of one process stand before a lane: urgent ones first, each kind in the order it came.
 *
 * Invariant: one caller is at the head at a time, and leaves it by `release` only.
 */

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
  readonly #urgent: Waiter[] = [];
  readonly #others: Waiter[] = [];

  /** Whether somebody is at the head. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Whether an urgent caller stands behind the head. */
  get urgentWaits(): boolean {
    return this.#urgent.length > 0;
  }

  /** Resolves at the head; rejects with the reason of the deadline's signal when that fires before. */
  async reachHead(isUrgent: boolean, deadline: LaneDeadline | undefined): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    const line = isUrgent ? this.#urgent : this.#others;
    await this.#wait((waiter) => line.push(waiter), line, deadline?.signal);
  }

  /** The head lets the urgent callers go first, and comes before all others afterwards. Rejects as above, no longer at the head. */
  async yieldToUrgent(deadline: LaneDeadline | undefined): Promise<void> {
    const again = this.#wait((waiter) => this.#others.unshift(waiter), this.#others, deadline?.signal);
    this.release();
    await again;
  }

  release(): void {
    const next = this.#urgent.shift() ?? this.#others.shift();
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
