/** The limit of messages a connection may send in any second. Entry point: `MessageRate`. Source: service.md#stream-limits. */
import type { Millis } from "../../model/index.ts";

const SECOND = 1000;

export class MessageRate {
  readonly #perSecond: number;
  /** When the last accepted messages arrived, oldest first. */
  readonly #times: Millis[] = [];
  /** Counts the messages in a row that were refused. */
  refused = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a message if the limit permits it. @returns undefined, or how long to wait before the next one */
  enter(at: Millis): Millis | undefined {
    // By distance, so that a clock that is set back does not block the connection.
    while (this.#times.length > 0 && Math.abs(at - (this.#times[0] ?? at)) >= SECOND) this.#times.shift();
    const [oldest] = this.#times;
    if (oldest !== undefined && this.#times.length >= this.#perSecond) {
      this.refused += 1;
      return Math.max(1, oldest + SECOND - at);
    }
    this.#times.push(at);
    this.refused = 0;
    return undefined;
  }
}
