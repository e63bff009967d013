/**
 * Work that waits for the end of the turn of the event loop: the requests that have arrived are carried out together, then their
 * replies are written together. Entry point: `TurnQueue`.
 *
 * Invariants: work is done in the order in which it was added, each once, at the end of the turn at the latest; what is added by other
 * work is done with it. Source: decision 0058.
 */

export class TurnQueue {
  #waiting: (() => void)[] = [];
  /** Counts those that are done, or under way. */
  #begun = 0;
  #isDue = false;

  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.run();
    });
  }

  /** Does what waits at once; also called by work, which then is the last that was begun. */
  run(): void {
    for (let work = this.#waiting[this.#begun]; work !== undefined; work = this.#waiting[this.#begun]) {
      this.#begun += 1;
      work();
    }
    this.#waiting = [];
    this.#begun = 0;
  }
}
