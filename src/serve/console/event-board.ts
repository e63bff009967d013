/**
 * Owns the newest of every topic that pages are told of, numbered in the order in which they changed.
 *
 * Invariants: of a topic only the newest is kept, so that what a slow page has not read is bounded; a number is never used again while this process
 * runs; a topic that did not change keeps its number.
 */
import { randomBytes } from "node:crypto";
import type { ConsoleEvents } from "./console-api.ts";

/** The name of an event, and what it is of where there are several. */
export type Topic = `${keyof ConsoleEvents}${"" | ` ${string}`}`;

export interface Posted {
  readonly topic: Topic;
  readonly number: number;
  /** Stands as it is sent. */
  readonly text: string;
}

interface Kept extends Posted {
  readonly fingerprint: string;
}

export class EventBoard {
  /** Numbers of another process mean nothing here. */
  readonly #era = randomBytes(6).toString("hex");
  readonly #kept = new Map<Topic, Kept>();
  #last = 0;

  /** The number of the newest. */
  get last(): number {
    return this.#last;
  }

  /** @param mark what it is a change of; the view itself by default. @returns whether it is one */
  post(topic: Topic, view: unknown, mark: unknown = view): boolean {
    const fingerprint = JSON.stringify(mark);
    if (this.#kept.get(topic)?.fingerprint === fingerprint) return false;
    this.#last += 1;
    const name = topic.split(" ", 1)[0] ?? topic;
    const text = `id: ${this.#era}-${this.#last}\nevent: ${name}\ndata: ${JSON.stringify(view)}\n\n`;
    this.#kept.set(topic, { topic, number: this.#last, text, fingerprint });
    return true;
  }

  /** The oldest of these that is newer than a number. */
  next(topics: ReadonlySet<Topic>, after: number): Posted | undefined {
    let found: Posted | undefined;
    for (const kept of this.#kept.values())
      if (topics.has(kept.topic) && kept.number > after && kept.number < (found?.number ?? Number.POSITIVE_INFINITY))
        found = kept;
    return found;
  }

  /** @returns the number in the id of an event that was sent; undefined for none of ours */
  numberOf(eventId: string): number | undefined {
    const [, era, number = ""] = /^([0-9a-f]+)-(\d{1,15})$/.exec(eventId) ?? [];
    const known = Number(number); // not money: an event's number
    return era === this.#era && known <= this.#last ? known : undefined;
  }

  /** Nobody follows it any more. */
  drop(topic: Topic): void {
    this.#kept.delete(topic);
  }
}
