/**
 * Who hears what commands changed. Entry point: `FactFeed`.
 *
 * Invariants: every listener gets the facts of all commands after it subscribed, in their order, also when a listener gives a
 * command itself; a listener that throws is reported and disturbs neither the command nor the others.
 */
import type { EventListener, ExchangeEvent, Millis } from "../../model/index.ts";

interface Subscription {
  readonly listener: EventListener;
}

interface Telling {
  readonly facts: readonly ExchangeEvent[];
  readonly at: Millis;
  readonly change: number;
  readonly to: readonly Subscription[];
}

export class EventFeed {
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiting: Telling[] = [];
  #telling = false;
  readonly #watch: (on: boolean) => void;
  readonly #onDefect: (error: unknown) => void;

  /** @param watch told when the first listener comes and the last one goes. */
  constructor(watch: (on: boolean) => void, onDefect: (error: unknown) => void) {
    this.#watch = watch;
    this.#onDefect = onDefect;
  }

  /** A listener is being told, so that others may still have to be. */
  get telling(): boolean {
    return this.#telling;
  }

  get watched(): boolean {
    return this.#subscriptions.size > 0;
  }

  /** @returns ends the subscription. */
  subscribe(listener: EventListener): () => void {
    const subscription = { listener };
    if (!this.watched) this.#watch(true);
    this.#subscriptions.add(subscription);
    return () => {
      if (this.#subscriptions.delete(subscription) && !this.watched) this.#watch(false);
    };
  }

  tell(facts: readonly ExchangeEvent[], at: Millis, change: number): void {
    if (facts.length === 0) return;
    this.#waiting.push({ facts, at, change, to: [...this.#subscriptions] });
    // A command out of a listener: the others hear of the first one first.
    if (this.#telling) return;
    this.#telling = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#tellAll(next);
    this.#telling = false;
  }

  #tellAll({ facts, at, change, to }: Telling): void {
    for (const subscription of to) {
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.listener(facts, at, change);
      } catch (error) {
        this.#onDefect(error);
      }
    }
  }
}
