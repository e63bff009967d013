/**
 * A topic: one sequence of events, and its subscribers. An event is encoded once, however many subscribers there are. Entry point:
 * `Topic`.
 *
 * Invariants: `seq` rises by one with every event, also without subscribers; a subscriber receives a snapshot, then every event
 * after it and none before. Source: service.md#stream-sequence.
 */
import type { StreamChannel } from "../../../contract/index.ts";
import type { Millis } from "../../model/index.ts";
import { timeText } from "../../wire/market-view.ts";
import { jsonFrame } from "./frame.ts";
import type { SendQueue } from "./send-queue.ts";

export interface Subscriber {
  write(frame: Buffer): void;
}

export interface TopicParts {
  readonly queue: SendQueue;
  readonly channel: StreamChannel;
  readonly symbol: string | null;
  readonly snapshot: () => object;
}

/** A subscription, from the message that requests it; events follow once the snapshot is sent. */
export interface Subscription {
  /** May be called more than once. */
  end(): void;
}

export class Topic {
  #seq = 0;
  /** Subscriptions whose snapshot is not sent yet. */
  #pending = 0;
  readonly #subscribers = new Set<Subscriber>();
  readonly #parts: TopicParts;

  constructor(parts: TopicParts, seq = 0) {
    this.#parts = parts;
    this.#seq = seq;
  }

  /** Pending subscriptions count too. */
  get hasSubscribers(): boolean {
    return this.#pending > 0 || this.#subscribers.size > 0;
  }

  /** @param first the frame written right before the snapshot */
  subscribe(subscriber: Subscriber, first: Buffer, at: Millis): Subscription {
    const { queue, snapshot: now } = this.#parts;
    const snapshot = this.#frame("snapshot", now(), at);
    let ended = false;
    this.#pending += 1;
    queue.push(() => {
      this.#pending -= 1;
      subscriber.write(first);
      if (ended) return;
      subscriber.write(snapshot);
      this.#subscribers.add(subscriber);
    });
    return {
      end: () => {
        // Later calls must not end another subscription of the same subscriber.
        if (ended) return;
        ended = true;
        this.#subscribers.delete(subscriber);
      },
    };
  }

  /** @param changes called only when there are subscribers */
  publish(changes: () => object, at: Millis): void {
    this.#seq += 1;
    if (!this.hasSubscribers) return;
    const frame = this.#frame("update", changes(), at);
    this.#parts.queue.push(() => {
      for (const subscriber of this.#subscribers) subscriber.write(frame);
    });
  }

  /** Leaves a gap in the sequence, as there may have been events that were not counted. */
  skip(): void {
    this.#seq += 1;
  }

  #frame(type: "snapshot" | "update", content: object, at: Millis): Buffer {
    const { channel, symbol } = this.#parts;
    return jsonFrame({ channel, symbol, type, seq: this.#seq, time: timeText(at), ...content });
  }
}
