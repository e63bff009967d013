/**
 * The stream as its user sees it: subscriptions that outlive connections, over one connection at a time, and one state.
 * Entry point: `Stream`. It connects with the first subscription.
 *
 * Invariants: the state is `live` only when everything subscribed to is known as it is now, including what happened while there was
 * no connection; a connection that ends is followed by another, after a jittered and growing pause, until `close`.
 *
 * Source: service.md#stream, service.md#stream-subscriptions, service.md#reconnect.
 */
import {
  type Balance,
  type Fault,
  type Fill,
  type Order,
  type PublicTrade,
  STREAM_LIMITS,
  type Ticker,
} from "../../../contract/index.ts";
import type { StreamNotice, StreamState, TopicPulse } from "../../../transport/index.ts";
import {
  backOffMs,
  type Redact,
  type SocketFactory,
  type SteadyClock,
  systemClock,
  webSocket,
} from "../../../transport/index.ts";
import { type Listener, Listeners } from "../../stream-listeners.ts";
import { BalancesFeed } from "./balances-feed.ts";
import { type Feed, feedName } from "./feed.ts";
import { FillsFeed } from "./fills-feed.ts";
import { BookFeed, TickerFeed, TradesFeed } from "./market-feed.ts";
import { OrdersFeed } from "./orders-feed.ts";
import type { StreamReader } from "./ports.ts";
import type { RebuiltBook } from "./rebuilt-book.ts";
import { Session } from "./session.ts";

export interface StreamOptions {
  /** `ws:` or `wss:`; a function is called before every connection, because the embedded exchange may move. */
  readonly url: string | (() => Promise<string>);
  /** Reads the account that is followed, such as an `OpenApiClient`. Without it only public channels are available. */
  readonly reader?: StreamReader;
  readonly clock?: SteadyClock;
  /** 0 ≤ random < 1, for jitter. */
  readonly random?: () => number;
  /** Default: sockets of `ws`. */
  readonly connect?: SocketFactory;
  /** Hides secrets in every message of the service. Default: nothing is hidden. */
  readonly redact?: Redact;
  readonly onNotice?: (notice: StreamNotice) => void;
}

export interface StreamSubscription<T> {
  /** Tells whether `value` is what the exchange has now, as of the last message. */
  readonly live: boolean;
  /** The book, ticker, last trades, open orders or balances. Undefined before the first snapshot, and for fills. */
  readonly value: T | undefined;
  /** As of when a live value is, Unix milliseconds by our clock. */
  readonly asOfMs: number | undefined;
  /** Undefined while it is not live. */
  readonly pulse: TopicPulse | undefined;
  /** Why the service refuses this channel. If the reason may pass, the stream subscribes again. */
  readonly fault: Fault | undefined;
  close(): void;
}

interface SubscribableFeed<T, V> extends Feed {
  readonly listeners: Listeners<T>;
  readonly value: V | undefined;
}

export class Stream {
  readonly #options: StreamOptions;
  readonly #clock: SteadyClock;
  readonly #random: () => number;
  readonly #feeds = new Map<string, Feed>();
  readonly #stateListeners = new Listeners<StreamState>(() =>
    this.#notify({ type: "listener_failed", channel: "state" }),
  );
  readonly #closing = new AbortController();
  #session: Session | undefined;
  #runs = 0;
  #running: Promise<void> | undefined;
  #reportedState: StreamState = "connecting";

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  get state(): StreamState {
    if (this.#closing.signal.aborted) return "closed";
    return this.#session?.state ?? "connecting";
  }

  /** When this connection received its last message, Unix milliseconds: a live book is as of then. Undefined without a connection. */
  get lastMessageAtMs(): number | undefined {
    return this.#session?.lastMessageAtMs;
  }

  /** Subscriptions that can still be taken. */
  get freeSubscriptions(): number {
    return STREAM_LIMITS.subscriptionsPerConnection - this.#feeds.size;
  }

  /** @returns a function that removes the listener */
  onState(listener: Listener<StreamState>): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.remove(listener);
  }

  /** The rebuilt book after every change, with the `depth` best levels of each side; 500 by default. */
  orderbook(
    symbol: string,
    listener: Listener<RebuiltBook>,
    { depth = STREAM_LIMITS.bookDepthMax }: { readonly depth?: number } = {},
  ): StreamSubscription<RebuiltBook> {
    const feed = this.#feed("orderbook", symbol, (onFailure) => new BookFeed(symbol, onFailure, depth));
    if (feed.depth < depth) {
      feed.depth = depth;
      this.#session?.resync(feed, "more depth");
    }
    return this.#listen(feed, listener);
  }

  /** Public trades, oldest first: first the latest ones, then each as it happens. */
  trades(symbol: string, listener: Listener<readonly PublicTrade[]>): StreamSubscription<readonly PublicTrade[]> {
    const feed = this.#feed("trades", symbol, (onFailure) => new TradesFeed(symbol, onFailure));
    return this.#listen(feed, listener);
  }

  ticker(symbol: string, listener: Listener<Ticker>): StreamSubscription<Ticker> {
    const feed = this.#feed("ticker", symbol, (onFailure) => new TickerFeed(symbol, onFailure));
    return this.#listen(feed, listener);
  }

  /** Own orders: first the open ones, then every newer version of an order. @throws TypeError without a reader */
  orders(listener: Listener<Order>, symbol: string | null = null): StreamSubscription<readonly Order[]> {
    const feed = this.#feed("orders", symbol, (onFailure) => new OrdersFeed(symbol, onFailure));
    return this.#listen(feed, listener);
  }

  /** Own fills from now on, each exactly once. @throws TypeError without a reader */
  fills(listener: Listener<Fill>, symbol: string | null = null): StreamSubscription<undefined> {
    const feed = this.#feed("fills", symbol, (onFailure) => new FillsFeed(symbol, onFailure));
    return this.#listen(feed, listener);
  }

  /** Own balances: first all, then those that changed. @throws TypeError without a reader */
  balances(listener: Listener<readonly Balance[]>): StreamSubscription<readonly Balance[]> {
    const feed = this.#feed("balances", null, (onFailure) => new BalancesFeed(onFailure));
    return this.#listen(feed, listener);
  }

  /** Has the service speak: it is asked, and answers behind all that it had to tell before. @returns false where it could not */
  async hear(): Promise<boolean> {
    return (await this.#session?.hear()) === true;
  }

  /** Waits for a state. @returns false when the signal fires or the stream is closed before */
  async until(wanted: StreamState, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (): void => {
        forget();
        signal?.removeEventListener("abort", end);
        resolve(this.state === wanted);
      };
      const look = (): void => {
        if (this.state === wanted || this.state === "closed") end();
      };
      const forget = this.onState(look);
      signal?.addEventListener("abort", end, { once: true });
      if (signal?.aborted === true) end();
      else look();
    });
  }

  /** Closes the stream for good. Listeners get nothing after it. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#session?.end("closed by the client");
    await this.#running;
    this.#reportState();
  }

  /**
   * @throws RangeError when the connection can carry no more subscriptions; TypeError for a private channel without a reader; Error
   * once the stream is closed
   */
  #feed<F extends Feed>(channel: F["channel"], symbol: string | null, make: (onFailure: () => void) => F): F {
    if (this.#closing.signal.aborted) throw new Error("the stream is closed");
    const key = feedName({ channel, symbol });
    const known = this.#feeds.get(key);
    // The key determines the class.
    if (known !== undefined) return known as F;
    if (this.freeSubscriptions <= 0)
      throw new RangeError(`a stream carries ${STREAM_LIMITS.subscriptionsPerConnection} subscriptions`);
    const feed = make(() => this.#notify({ type: "listener_failed", channel }));
    if (feed.closeGap !== undefined && this.#options.reader === undefined)
      throw new TypeError(`${channel} needs a reader, to get a token and to close gaps`);
    this.#feeds.set(key, feed);
    this.#session?.add(feed);
    this.#running ??= this.#run();
    return feed;
  }

  #listen<T, V>(feed: SubscribableFeed<T, V>, listener: Listener<T>): StreamSubscription<V> {
    // The same function may be added twice, and each is removed by itself.
    const own: Listener<T> = (news) => listener(news);
    feed.listeners.add(own);
    const isLive = (): boolean => this.#session?.isLive(feed) === true;
    const asOfMs = (): number | undefined => this.lastMessageAtMs;
    const pulse = (): TopicPulse | undefined => this.#session?.pulse(feed);
    return {
      get live() {
        return isLive();
      },
      get value() {
        return feed.value;
      },
      get asOfMs() {
        return asOfMs();
      },
      get pulse() {
        return pulse();
      },
      get fault() {
        return feed.refusal;
      },
      close: () => {
        feed.listeners.remove(own);
        if (feed.listeners.size > 0 || this.#feeds.get(feedName(feed)) !== feed) return;
        this.#feeds.delete(feedName(feed));
        this.#session?.remove(feed);
      },
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 1; !signal.aborted; failures++) {
      const { why, wasLive } = await this.#connectOnce();
      if (wasLive) failures = 1;
      if (signal.aborted) return;
      const reconnectInMs = backOffMs(failures, this.#random());
      this.#notify({ type: "dropped", why, reconnectInMs });
      await this.#clock.sleep(reconnectInMs, signal);
    }
  }

  async #connectOnce(): Promise<{ readonly why: string; readonly wasLive: boolean }> {
    const { connect = webSocket, reader, redact = (value) => value } = this.#options;
    const url = await this.#url();
    if (url === undefined || this.#closing.signal.aborted) return { why: "no address", wasLive: false };
    const session = new Session(
      {
        url,
        connect,
        clock: this.#clock,
        random: this.#random,
        reader,
        redact,
        notify: (notice) => this.#notify(notice),
        onChange: () => this.#reportState(),
        nextRun: () => ++this.#runs,
      },
      this.#feeds.values(),
    );
    this.#session = session;
    const why = await session.ended;
    this.#session = undefined;
    this.#reportState();
    return { why, wasLive: session.wasLive };
  }

  async #url(): Promise<string | undefined> {
    const { url } = this.#options;
    try {
      return typeof url === "string" ? url : await url();
    } catch {
      return undefined;
    }
  }

  #reportState(): void {
    const { state } = this;
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    this.#notify({ type: "state", state });
    this.#stateListeners.notify(state);
  }

  /** A listener that throws must not end the stream. */
  #notify(notice: StreamNotice): void {
    try {
      this.#options.onNotice?.(notice);
    } catch {
      // There is no other listener to report it to.
    }
  }
}
