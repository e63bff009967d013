/** Owns one topic of the exchange's stream for as long as somebody wants it, from when it can be had. */
import type { Desk, StreamTopic, StreamWatch } from "../../desk/index.ts";

export interface WatchParts {
  readonly desk: Pick<Desk, "watch">;
  readonly onError: (error: unknown) => void;
}

export class StreamTopicWatch {
  readonly #parts: WatchParts;
  readonly #topic: StreamTopic;
  readonly #onChange: () => void;
  #isOpening = false;
  #isClosed = false;
  #watch: StreamWatch | undefined;

  constructor(parts: WatchParts, topic: StreamTopic, onChange: () => void) {
    this.#parts = parts;
    this.#topic = topic;
    this.#onChange = onChange;
    this.open();
  }

  /** Tells whether every change is told. */
  get isLive(): boolean {
    return this.#watch?.live === true;
  }

  /** Tries again, where it could not be had. */
  open(): void {
    if (this.#isOpening || this.#isClosed || this.#watch !== undefined) return;
    this.#isOpening = true;
    this.#open()
      .catch(this.#parts.onError)
      .finally(() => {
        this.#isOpening = false;
      });
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
  }

  async #open(): Promise<void> {
    const opened = await this.#parts.desk.watch(this.#topic, this.#onChange);
    if (!opened.ok) return;
    this.#watch = opened.value;
    if (this.#isClosed) opened.value.close();
  }
}
