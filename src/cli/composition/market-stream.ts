/**
 * The desk's port to the stream: one connection for all that the desk serves, opened by the first topic that is needed and closed
 * when none was needed for a while.
 *
 * Invariants: no failure of the stream reaches a caller, who queries the venue where a topic is not live; the connection belongs to
 * the account of its desk only.
 */

import type { Orderbook, PublicTrade } from "../../contract/index.ts";
import {
  type Clock,
  JUDGED_LEVELS,
  type MarketStream,
  type OrderHint,
  type StreamListener,
  type StreamPulse,
  type StreamTopic,
  type StreamWatch,
  type TimedBook,
  type TimedTrades,
} from "../../desk/index.ts";
import type { Followed as FollowedTopic, Stream, VenueStream } from "../../venues/index.ts";

/** The specified exchange's, or another's. */
type AnyStream = Stream | VenueStream;

/** A topic that was not used for this long is unsubscribed. */
const IDLE_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;

interface Followed {
  readonly listeners: Set<StreamListener>;
  /** Absent where the connection takes no more subscriptions, and for account topics without a key. */
  readonly subscription: FollowedTopic<unknown> | undefined;
  usedAtMs: number;
  /** Keeps what the listeners last heard. */
  wasLive: boolean;
}

export class SharedMarketStream implements MarketStream {
  readonly #open: () => AnyStream;
  readonly #clock: Clock;
  readonly #followed = new Map<string, Followed>();
  readonly #closing = new AbortController();
  #stream: AnyStream | undefined;
  #sweeping: Promise<void> | undefined;

  /** @param open begins to connect, and does not fail */
  constructor(open: () => AnyStream, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  book(symbol: string): TimedBook | undefined {
    const known = this.#known<Orderbook>({ channel: "orderbook", symbol });
    return known && { ...known.value, atMs: known.atMs };
  }

  trades(symbol: string): TimedTrades | undefined {
    const known = this.#known<readonly PublicTrade[]>({ channel: "trades", symbol });
    return known && { trades: known.value, atMs: known.atMs };
  }

  pulse(topic: StreamTopic): StreamPulse | undefined {
    const followed = this.#follow(topic);
    return this.#isLive(followed) ? followed.subscription?.pulse : undefined;
  }

  /** @typeParam Value what the topic's value is */
  #known<Value>(topic: StreamTopic): { readonly value: Value; readonly atMs: number } | undefined {
    const { subscription } = this.#follow(topic);
    const value = subscription?.value as Value | undefined;
    const atMs = subscription?.asOfMs;
    return subscription?.live !== true || value === undefined || atMs === undefined ? undefined : { value, atMs };
  }

  watch(topic: StreamTopic, onChange: StreamListener): StreamWatch {
    const followed = this.#follow(topic);
    const own: StreamListener = (order) => onChange(order);
    followed.listeners.add(own);
    const isLive = (): boolean => this.#isLive(followed);
    return {
      get live() {
        return isLive();
      },
      close: () => {
        followed.usedAtMs = this.#clock.now();
        followed.listeners.delete(own);
      },
    };
  }

  async hear(): Promise<boolean> {
    const stream = this.#stream;
    return stream !== undefined && "hear" in stream && stream.hear();
  }

  /** For good. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sweeping;
  }

  #follow(topic: StreamTopic): Followed {
    const name = "symbol" in topic ? `${topic.channel} ${topic.symbol}` : topic.channel;
    const known = this.#followed.get(name);
    const followed = known ?? this.#begin(topic);
    followed.usedAtMs = this.#clock.now();
    if (known !== undefined || this.#closing.signal.aborted) return followed;
    this.#followed.set(name, followed);
    this.#sweeping ??= this.#sweep();
    return followed;
  }

  #begin(topic: StreamTopic): Followed {
    const listeners = new Set<StreamListener>();
    const notify = (order?: OrderHint): void => {
      for (const listener of listeners) listener(order);
    };
    if (this.#closing.signal.aborted) return { listeners, subscription: undefined, usedAtMs: 0, wasLive: false };
    if (this.#stream === undefined) {
      this.#stream = this.#open();
      this.#stream.onState(() => this.#notifyAll());
    }
    return { listeners, subscription: subscriptionTo(this.#stream, topic, notify), usedAtMs: 0, wasLive: false };
  }

  /** Runs while any topic is followed, and closes the stream after the last. */
  async #sweep(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted && this.#followed.size > 0) {
      await this.#clock.sleep(SWEEP_EVERY_MS, signal);
      const oldest = this.#clock.now() - IDLE_MS;
      for (const [name, { listeners, usedAtMs, subscription }] of this.#followed) {
        if (listeners.size > 0 || usedAtMs > oldest) continue;
        this.#followed.delete(name);
        subscription?.close();
      }
    }
    const stream = this.#stream;
    this.#stream = undefined;
    this.#sweeping = undefined;
    await stream?.close();
  }

  #isLive({ subscription }: Followed): boolean {
    return subscription?.live === true && this.#stream?.state !== "stale";
  }

  /** Calls the listeners of each topic that became live, or stopped being live. */
  #notifyAll(): void {
    for (const followed of this.#followed.values()) {
      const isLive = this.#isLive(followed);
      if (isLive === followed.wasLive) continue;
      followed.wasLive = isLive;
      for (const listener of followed.listeners) listener();
    }
  }
}

function subscriptionTo(
  stream: AnyStream,
  topic: StreamTopic,
  notify: StreamListener,
): FollowedTopic<unknown> | undefined {
  try {
    switch (topic.channel) {
      case "orderbook":
        return stream.orderbook(topic.symbol, () => notify(), { depth: JUDGED_LEVELS });
      case "ticker":
        // Whoever wants to know asks.
        return "ticker" in stream ? stream.ticker(topic.symbol, () => notify()) : undefined;
      case "trades":
        return stream.trades(topic.symbol, () => notify());
      case "orders":
        return stream.orders(notify);
      case "balances":
        return stream.balances(() => notify());
      default:
        return topic satisfies never;
    }
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}
