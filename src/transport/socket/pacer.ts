/**
 * Sends messages to the service, no more in a second than it allows. A message is written when its turn comes, so that one that is
 * not needed any more is not sent.
 *
 * Source: service.md#stream-limits.
 */
import { STREAM_LIMITS } from "../../contract/index.ts";
import type { ClientClock } from "../request/ports.ts";

/** A little longer than the service's second, because messages may arrive closer together than they were sent. */
const WINDOW_MS = 1_100;

export class Pacer {
  readonly #clock: ClientClock;
  readonly #signal: AbortSignal;
  readonly #send: (text: string) => void;
  readonly #perSecond: number;
  readonly #waiting: (() => object | undefined)[] = [];
  readonly #sentAtMs: number[] = [];
  #running = false;

  /** @param perSecond messages that the service takes */
  constructor(
    clock: ClientClock,
    signal: AbortSignal,
    send: (text: string) => void,
    perSecond: number = STREAM_LIMITS.messagesPerSecond,
  ) {
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#signal = signal;
    this.#send = send;
  }

  /**
   * @param write the message; undefined when it is not needed any more.
   * @param first puts it before all messages that wait.
   */
  push(write: () => object | undefined, first = false): void {
    if (first) this.#waiting.unshift(write);
    else this.#waiting.push(write);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift()) {
      const waitMs = this.#waitMs();
      if (waitMs > 0) await this.#clock.sleep(waitMs, this.#signal);
      if (this.#signal.aborted) break;
      const message = write();
      if (message === undefined) continue;
      this.#sentAtMs.push(this.#clock.now());
      this.#send(JSON.stringify(message));
    }
    this.#running = false;
  }

  #waitMs(): number {
    while (this.#sentAtMs.length > this.#perSecond) this.#sentAtMs.shift();
    const [first] = this.#sentAtMs;
    if (first === undefined || this.#sentAtMs.length < this.#perSecond) return 0;
    // A clock that was set back must not stop the messages.
    return Math.min(WINDOW_MS, first + WINDOW_MS - this.#clock.now());
  }
}
