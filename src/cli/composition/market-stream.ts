/**
 * The stream as the desk knows it: one connection for the desk, whoever asks, opened by the first need and closed when nobody has
 * needed it for a while.
 *
 * Invariants: nothing that happens to the stream fails anybody: what is not live is asked for; the connection is shared by all
 * that one desk serves, and is of its account only.
 */
import type { Stream, StreamSubscription } from "../../client/index.ts";
import type { Order, Orderbook } from "../../contract/index.ts";
import {
  type Clock,
  JUDGED_LEVELS,
  type MarketStream,
  type StreamListener,
  type StreamTopic,
  type StreamWatch,
  type TimedBook,
} from "../../desk/index.ts";

/** What nobody has asked for since is not followed any more. */
const IDLE_MS = 60_000;
const TIDY_EVERY_MS = 10_000;

interface Followed {
  readonly listeners: Set<StreamListener>;
  /** Absent where the connection carries no more, and of own channels without a key. */
  readonly subscription: StreamSubscription<unknown> | undefined;
  usedAtMs: number;
  /** As last told. */
  wasLive: boolean;
}

export class StreamFacts implements MarketStream {
  private readonly open: () => Stream;
  private readonly clock: Clock;
  private readonly followed = new Map<string, Followed>();
  private readonly ending = new AbortController();
  private stream: Stream | undefined;
  private tidying: Promise<void> | undefined;

  /** @param open begins to connect, and does not fail */
  constructor(open: () => Stream, clock: Clock) {
    this.open = open;
    this.clock = clock;
  }

  book(symbol: string): TimedBook | undefined {
    const { subscription } = this.follow({ channel: "orderbook", symbol });
    // The topic says what its value is.
    const book = subscription?.value as Orderbook | undefined;
    const atMs = this.stream?.lastMessageAtMs;
    if (subscription?.live !== true || book === undefined || atMs === undefined) return undefined;
    return { ...book, atMs };
  }

  watch(topic: StreamTopic, onChange: StreamListener): StreamWatch {
    const followed = this.follow(topic);
    const own: StreamListener = (order) => onChange(order);
    followed.listeners.add(own);
    const isLive = (): boolean => this.isLive(followed);
    return {
      get live() {
        return isLive();
      },
      close: () => {
        followed.usedAtMs = this.clock.now();
        followed.listeners.delete(own);
      },
    };
  }

  /** For good. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.tidying;
  }

  private follow(topic: StreamTopic): Followed {
    const name = "symbol" in topic ? `${topic.channel} ${topic.symbol}` : topic.channel;
    const known = this.followed.get(name);
    const followed = known ?? this.begin(topic);
    followed.usedAtMs = this.clock.now();
    if (known !== undefined || this.ending.signal.aborted) return followed;
    this.followed.set(name, followed);
    this.tidying ??= this.tidy();
    return followed;
  }

  private begin(topic: StreamTopic): Followed {
    const listeners = new Set<StreamListener>();
    const tell = (order?: Order): void => {
      for (const listener of listeners) listener(order);
    };
    if (this.ending.signal.aborted) return { listeners, subscription: undefined, usedAtMs: 0, wasLive: false };
    if (this.stream === undefined) {
      this.stream = this.open();
      this.stream.onState(() => this.tellAll());
    }
    return { listeners, subscription: subscriptionTo(this.stream, topic, tell), usedAtMs: 0, wasLive: false };
  }

  /** As long as something is followed. */
  private async tidy(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted && this.followed.size > 0) {
      await this.clock.sleep(TIDY_EVERY_MS, signal);
      const oldest = this.clock.now() - IDLE_MS;
      for (const [name, { listeners, usedAtMs, subscription }] of this.followed) {
        if (listeners.size > 0 || usedAtMs > oldest) continue;
        this.followed.delete(name);
        subscription?.close();
      }
    }
    const { stream } = this;
    this.stream = undefined;
    this.tidying = undefined;
    await stream?.close();
  }

  private isLive({ subscription }: Followed): boolean {
    return subscription?.live === true && this.stream?.state !== "stale";
  }

  /** Everybody whose live is another now. */
  private tellAll(): void {
    for (const followed of this.followed.values()) {
      const isLive = this.isLive(followed);
      if (isLive === followed.wasLive) continue;
      followed.wasLive = isLive;
      for (const listener of followed.listeners) listener();
    }
  }
}

function subscriptionTo(
  stream: Stream,
  topic: StreamTopic,
  tell: StreamListener,
): StreamSubscription<unknown> | undefined {
  try {
    switch (topic.channel) {
      case "orderbook":
        return stream.orderbook(topic.symbol, () => tell(), { depth: JUDGED_LEVELS });
      case "ticker":
        return stream.ticker(topic.symbol, () => tell());
      case "orders":
        return stream.orders(tell);
      case "balances":
        return stream.balances(() => tell());
      default:
        return topic satisfies never;
    }
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}
