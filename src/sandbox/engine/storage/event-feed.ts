/**
 * Publishes the events of commands to subscribers. Entry point: `EventFeed`.
 *
 * Invariants: every listener receives the events of all commands after its subscription, in order, also when a listener gives a
 * command itself; what a listener throws is reported and affects neither the command nor other listeners.
 */
import type { EventListener, ExchangeEvent, Millis } from "../../model/index.ts";

interface Subscription {
  readonly listener: EventListener;
}

interface Publication {
  readonly events: readonly ExchangeEvent[];
  readonly at: Millis;
  readonly change: number;
  readonly to: readonly Subscription[];
}

export class EventFeed {
  readonly #subscriptions = new Set<Subscription>();
  readonly #waiting: Publication[] = [];
  #publishing = false;
  readonly #onFollowed: (followed: boolean) => void;
  readonly #onDefect: (error: unknown) => void;

  /** @param onFollowed called when the first listener subscribes, and when the last one has unsubscribed. */
  constructor(onFollowed: (followed: boolean) => void, onDefect: (error: unknown) => void) {
    this.#onFollowed = onFollowed;
    this.#onDefect = onDefect;
  }

  /** Whether a listener is being called, so that others may not have received the same events yet. */
  get isPublishing(): boolean {
    return this.#publishing;
  }

  get isFollowed(): boolean {
    return this.#subscriptions.size > 0;
  }

  /** @returns ends the subscription. */
  subscribe(listener: EventListener): () => void {
    const subscription = { listener };
    if (!this.isFollowed) this.#onFollowed(true);
    this.#subscriptions.add(subscription);
    return () => {
      if (this.#subscriptions.delete(subscription) && !this.isFollowed) this.#onFollowed(false);
    };
  }

  publish(events: readonly ExchangeEvent[], at: Millis, change: number): void {
    if (events.length === 0) return;
    this.#waiting.push({ events, at, change, to: [...this.#subscriptions] });
    // A listener gave a command: all listeners receive the events of the earlier command first.
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#callAll(next);
    this.#publishing = false;
  }

  #callAll({ events, at, change, to }: Publication): void {
    for (const subscription of to) {
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.listener(events, at, change);
      } catch (error) {
        this.#onDefect(error);
      }
    }
  }
}
