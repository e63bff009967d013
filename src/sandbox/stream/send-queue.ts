/**
 * What is about to leave, in one order for all connections, held until the changes it tells of are on disk.
 *
 * Invariant: nothing leaves before what was applied when it was pushed is durable; nothing overtakes.
 */
export class SendQueue {
  #waiting: (() => void)[] = [];
  #flushing = false;
  readonly #durable: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure told when what waits can never leave; it is forgotten. */
  constructor(durable: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#durable = durable;
    this.#onFailure = onFailure;
  }

  push(send: () => void): void {
    this.#waiting.push(send);
    if (!this.#flushing) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    try {
      while (this.#waiting.length > 0) {
        const due = this.#waiting;
        this.#waiting = [];
        await this.#durable();
        for (const send of due) send();
      }
    } catch (error) {
      this.#waiting = [];
      this.#onFailure(error);
    } finally {
      this.#flushing = false;
    }
  }
}
