/**
 * One sequence of events and who follows it. Every event is written out once, whoever many follow.
 *
 * Invariants: `seq` rises by one with every event, also while nobody follows; a follower gets a snapshot, then every event after
 * it and none before.
 */
import type { StreamChannel } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";
import { timeText } from "../wire/market-view.ts";
import { jsonFrame } from "./frame.ts";
import type { SendQueue } from "./send-queue.ts";

/** Takes frames until it is gone. */
export interface Follower {
  write(frame: Buffer): void;
}

export interface TopicParts {
  readonly outbox: SendQueue;
  readonly channel: StreamChannel;
  readonly symbol: string | null;
  /** What a snapshot shows. */
  readonly now: () => object;
}

/** From the message that asks for it on; it is followed once it is durable. */
export interface Following {
  /** May be called more than once. */
  end(): void;
}

export class Topic {
  #seq = 0;
  #asked = 0;
  readonly #followers = new Set<Follower>();
  readonly #parts: TopicParts;

  constructor(parts: TopicParts, seq = 0) {
    this.#parts = parts;
    this.#seq = seq;
  }

  /** By somebody, or about to be. */
  get isFollowed(): boolean {
    return this.#asked > 0 || this.#followers.size > 0;
  }

  /** @param first written right before the snapshot. */
  follow(follower: Follower, first: Buffer, at: Millis): Following {
    const { outbox, now } = this.#parts;
    const snapshot = this.#frame("snapshot", now(), at);
    let ended = false;
    this.#asked += 1;
    outbox.push(() => {
      this.#asked -= 1;
      follower.write(first);
      if (ended) return;
      follower.write(snapshot);
      this.#followers.add(follower);
    });
    return {
      end: () => {
        // Its follower may follow anew by now.
        if (ended) return;
        ended = true;
        this.#followers.delete(follower);
      },
    };
  }

  /** @param changes asked for only when somebody follows. */
  publish(changes: () => object, at: Millis): void {
    this.#seq += 1;
    if (!this.isFollowed) return;
    const frame = this.#frame("update", changes(), at);
    this.#parts.outbox.push(() => {
      for (const follower of this.#followers) follower.write(frame);
    });
  }

  /** Something may have happened that nobody counted. */
  skip(): void {
    this.#seq += 1;
  }

  #frame(type: "snapshot" | "update", content: object, at: Millis): Buffer {
    const { channel, symbol } = this.#parts;
    return jsonFrame({ channel, symbol, type, seq: this.#seq, time: timeText(at), ...content });
  }
}
