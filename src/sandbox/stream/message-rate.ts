/** How many messages a connection may send in any second. */
import type { Millis } from "../model/index.ts";

const SECOND = 1000;

export class MessageRate {
  readonly #perSecond: number;
  /** When the last ones came that were let in, oldest first. */
  readonly #times: Millis[] = [];
  /** Messages in a row that came too early. */
  refused = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @returns undefined, or how long to wait before the next. */
  enter(at: Millis): Millis | undefined {
    // A clock that is set back must not lock a connection out.
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
