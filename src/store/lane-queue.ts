/**
 * Owns the order in which callers of one process stand before a lane: urgent ones first, each kind in the order it came.
 *
 * Invariant: one caller is at the head at a time, and leaves it by `release` only.
 */

interface Waiter {
  readonly admit: () => void;
}

export class LaneQueue {
  #busy = false;
  readonly #urgent: Waiter[] = [];
  readonly #others: Waiter[] = [];

  /** Whether an urgent caller stands behind the head. */
  get urgentWaits(): boolean {
    return this.#urgent.length > 0;
  }

  /** Resolves at the head; rejects with the signal's reason when that fires before. */
  async reachHead(isUrgent: boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    const line = isUrgent ? this.#urgent : this.#others;
    await this.#wait((waiter) => line.push(waiter), line, signal);
  }

  /** The head lets the urgent callers go first, and comes before all others afterwards. Rejects as above, no longer at the head. */
  async yieldToUrgent(signal: AbortSignal | undefined): Promise<void> {
    const again = this.#wait((waiter) => this.#others.unshift(waiter), this.#others, signal);
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
