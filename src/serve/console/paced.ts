/** Owns how often something is done: as soon as it is asked for, but once in an interval, and not twice at a time. What is asked for meanwhile is one more. */
export class Paced {
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #isRunning = false;
  #isDue = false;
  #isClosed = false;
  #nextMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#intervalMs = intervalMs;
    this.#work = work;
    this.#onError = onError;
  }

  wake(): void {
    if (this.#isClosed) return;
    this.#isDue = true;
    if (this.#isRunning || this.#timer !== undefined) return;
    const waitMs = this.#nextMs - performance.now();
    if (waitMs <= 0) void this.#run();
    else
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        void this.#run();
      }, waitMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#isDue = false;
    this.#nextMs = performance.now() + this.#intervalMs;
    try {
      await this.#work();
    } catch (error) {
      this.#onError(error);
    }
    this.#isRunning = false;
    if (this.#isDue) this.wake();
  }
}
