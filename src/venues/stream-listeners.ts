/** Who listens to what a stream tells. Invariant: a listener that throws is reported and does not disturb the others. */

export type Listener<T> = (update: T) => void;

/** Who listens to a feed, or to the state. */
export class Listeners<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly #onFailure: () => void;

  constructor(onFailure: () => void) {
    this.#onFailure = onFailure;
  }

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: Listener<T>): void {
    this.#listeners.add(listener);
  }

  remove(listener: Listener<T>): void {
    this.#listeners.delete(listener);
  }

  notify(update: T): void {
    // A listener that is added now gets the next update, and one that is removed gets none.
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(update);
      } catch {
        // Its error stays here: it may hold anything.
        this.#onFailure();
      }
    }
  }
}
