/** Owns the deliveries of one endpoint in the order they are due. Entry point: `DueList`. */
import type { Millis } from "../model/index.ts";

export interface Due {
  readonly number: number;
  readonly at: Millis;
}

export class DueList {
  #entries: Due[] = [];

  get first(): Due | undefined {
    return this.#entries[0];
  }

  add(entry: Due): void {
    const position = this.#position(entry);
    const { number, at } = this.#entries[position] ?? {};
    if (number !== entry.number || at !== entry.at) this.#entries.splice(position, 0, entry);
  }

  /** Removes the entry of that number and time, if there is one. */
  remove(entry: Due): void {
    const position = this.#position(entry);
    const { number, at } = this.#entries[position] ?? {};
    if (number === entry.number && at === entry.at) this.#entries.splice(position, 1);
  }

  keep(isKept: (entry: Due) => boolean): void {
    this.#entries = this.#entries.filter(isKept);
  }

  #position({ at, number }: Due): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#entries[middle];
      if (found !== undefined && (found.at < at || (found.at === at && found.number < number))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
