/**
 * Frames that are to be sent, in one order for all connections, each held until the changes it shows are on disk. Entry point:
 * `SendQueue`.
 *
 * Invariants: nothing is sent before what was applied when it was pushed is on disk; the order is kept.
 */
export class SendQueue {
  #waiting: (() => void)[] = [];
  #flushing = false;
  readonly #durable: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure called when the disk has failed; what waits is then dropped */
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
        const batch = this.#waiting;
        this.#waiting = [];
        await this.#durable();
        for (const send of batch) send();
      }
    } catch (error) {
      this.#waiting = [];
      this.#onFailure(error);
    } finally {
      this.#flushing = false;
    }
  }
}
