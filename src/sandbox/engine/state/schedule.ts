/**
 * What happens without a command, and when: settlements, cancel timers, the steps of payments and remittances. Entry point:
 * `Schedule`.
 *
 * Invariants: entries are in order of time, those of the same time in order of name; each name occurs once. The order thus
 * follows from the entries alone, and a snapshot need not hold it.
 */
import { prefixLength } from "../../lists.ts";
import type { Millis } from "../../model/index.ts";

/** The kind of work, and the id of what it concerns. */
export interface ScheduledItem {
  readonly kind: "settlements" | "cancelTimer" | "payment" | "remittanceQuote" | "remittance";
  readonly id: string;
}

interface Entry {
  readonly at: Millis;
  readonly name: string;
  readonly item: ScheduledItem;
}

export class Schedule {
  readonly #entries: Entry[] = [];
  readonly #byName = new Map<string, Entry>();

  /** Adds an item, or moves it to another time. */
  set(item: ScheduledItem, at: Millis): void {
    this.clear(item);
    const entry = { at, name: nameOf(item), item };
    this.#byName.set(entry.name, entry);
    this.#entries.splice(this.#position(entry), 0, entry);
  }

  clear(item: ScheduledItem): void {
    const entry = this.#byName.get(nameOf(item));
    if (entry === undefined) return;
    this.#byName.delete(entry.name);
    this.#entries.splice(this.#position(entry), 1);
  }

  /** When the first item is due. */
  get nextAt(): Millis | undefined {
    return this.#entries[0]?.at;
  }

  /** Removes and returns the first item if it is due by now. */
  takeDue(now: Millis): ScheduledItem | undefined {
    const first = this.#entries[0];
    if (first === undefined || first.at > now) return undefined;
    this.clear(first.item);
    return first.item;
  }

  #position({ at, name }: Entry): number {
    return prefixLength(this.#entries, (found) => found.at < at || (found.at === at && found.name < name));
  }
}

function nameOf({ kind, id }: ScheduledItem): string {
  return `${kind} ${id}`;
}
