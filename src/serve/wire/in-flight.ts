/**
 * Owns which requests of clients have no answer yet, so that the end of a server loses none: what is quick is answered, and who
 * asked for more is told that nothing comes.
 *
 * Invariant: writes are waited for much longer than reads, as the answer to an order is worth more than a quick end.
 */

/** Lasts as long as one write may take at the client. */
const WRITES_MS = 20_000;
/** Reads that take longer only wait for something. */
const READS_MS = 2_000;

/** Said to whoever still waits then. */
export const STOPPING = {
  code: -32000,
  message:
    "The server stops, and did not wait for this answer. A read can be asked again; before an order is placed again, look with get_order whether it is there.",
} as const;

export class InFlight<Key> {
  /** Holds what tells the client that its request is not answered. */
  readonly #running = new Map<Key, () => unknown>();
  #onEmpty: () => void = ignored;
  #isStopping = false;

  begin(key: Key, tell: () => unknown): void {
    this.#running.set(key, tell);
  }

  end(key: Key): void {
    this.#running.delete(key);
    if (this.#running.size === 0) this.#onEmpty();
  }

  /** From the moment on when its end has begun. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Resolves when everybody has an answer, or was told that none comes.
   * @param idle resolves when no write is running
   */
  async settle(idle: () => Promise<unknown>): Promise<void> {
    this.#isStopping = true;
    const over = new AbortController();
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
      if (this.#running.size === 0) resolve();
    });
    // A write that was read a moment ago may not have begun.
    await Promise.race([empty, pause(READS_MS, over.signal)]);
    await Promise.race([idle(), pause(WRITES_MS, over.signal)]);
    over.abort();
    const left = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(left.map((tell) => tell()));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

function ignored(): void {
  // Nobody waits.
}
