/** Ids of orders, which are numbers at Korbit, and rise with the time. Entry point: `OrderNumbers`. */
import type { Millis } from "../../model/index.ts";

const NUMBERS_PER_MS = 1_000;

export class OrderNumbers {
  #last = 0;

  next(at: Millis): string {
    this.#last = Math.max(this.#last + 1, at * NUMBERS_PER_MS);
    return String(this.#last);
  }
}
