/**
 * The stream of an exchange that is not the specified one, as its user sees it: subscriptions that outlive connections. Entry point: `VenueStream`.
 *
 * Invariants:
 * - Of the account it tells that something has changed, and nothing else: an order's state is what the exchange answers when it is asked. It is never
 *   live there, since no such exchange promises to tell everything: whoever wants to know goes on asking, and a hint makes that sooner.
 * - A book is as of when it came itself, however lively the connection is, since a market that is quiet cannot be told from one that is not told of.
 * - Trades are live once the gap before them was closed by a query; after a lost connection it is closed again.
 *
 * Source: decision 0093.
 */
import type { Orderbook, PublicTrade } from "../contract/index.ts";
import {
  backOffMs,
  type ExchangeTime,
  type Redact,
  type SocketFactory,
  type SteadyClock,
  type StreamNotice,
  type StreamState,
  systemClock,
  type TopicPulse,
  webSocket,
} from "../transport/index.ts";
import { Line } from "./stream-line.ts";
import { type Listener, Listeners } from "./stream-listeners.ts";
import {
  type LineName,
  type OrderHint,
  type StreamSource,
  type Told,
  type Topic,
  topicName,
} from "./stream-protocol.ts";

export interface VenueStreamOptions {
  /** Called for every connection; a rejection is as good as no connection. */
  readonly source: () => Promise<StreamSource>;
  /** Whether the account can be followed. */
  readonly hasKey: boolean;
  readonly clock?: SteadyClock;
  /** 0 ≤ random < 1, for jitter. */
  readonly random?: () => number;
  readonly connect?: SocketFactory;
  readonly redact?: Redact;
  readonly onNotice?: (notice: StreamNotice) => void;
}

/** As of the specified exchange's stream, by shape. */
export interface Followed<T> {
  readonly live: boolean;
  readonly value: T | undefined;
  readonly asOfMs: number | undefined;
  readonly pulse: TopicPulse | undefined;
  close(): void;
}

/** What is known of a topic on the connection of now. */
interface Known {
  live: boolean;
  asOfMs: number | undefined;
  /** The same by the clock that only rises. */
  heardMs: number;
  /** Names the unbroken run of news since it became live. */
  run: number;
  value: unknown;
  /** Of the last book. */
  seq?: number;
  /** Trades that came before the gap was closed. Undefined: nothing came yet, or it is closed. */
  gap?: PublicTrade[] | undefined;
}

interface Feed {
  readonly topic: Topic;
  readonly listeners: Listeners<OrderHint | undefined>;
  known: Known;
  /** When listeners were last told of a book that only says that there is a new one. */
  toldAtMs: number;
}

/** Kept to be looked at, and asked for to close a gap. */
const TRADES_KEPT = 100;
/** Between two times that a book is said to be new, where it has to be asked for. */
const CHANGES_APART_MS = 1_000;
/** The exchanges tell of no more topics on one connection than anybody was seen to follow. */
const TOPICS_MAX = 100;

export class VenueStream {
  readonly #options: VenueStreamOptions;
  readonly #clock: SteadyClock;
  readonly #random: () => number;
  readonly #feeds = new Map<string, Feed>();
  readonly #lines: Readonly<Record<LineName, Line>>;
  readonly #closing = new AbortController();
  readonly #stateListeners: Listeners<StreamState>;
  #source: StreamSource | undefined;
  /** The newest time that was told of a market on the connection of now. */
  #exchange: ExchangeTime | undefined;
  #runs = 0;
  #toldState: StreamState = "connecting";

  constructor(options: VenueStreamOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#stateListeners = new Listeners(() => this.#notify({ type: "listener_failed", channel: "state" }));
    this.#lines = { public: this.#line("public"), private: this.#line("private") };
  }

  get state(): StreamState {
    if (this.#closing.signal.aborted) return "closed";
    return Object.values(this.#lines).some((line) => line.isOpen) ? "live" : "connecting";
  }

  /** Told whenever the state may have changed, or what is live. @returns a function that removes the listener */
  onState(listener: Listener<StreamState>): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.remove(listener);
  }

  orderbook(symbol: string, listener: Listener<OrderHint | undefined>): Followed<Orderbook> {
    return this.#follow({ channel: "orderbook", symbol }, listener);
  }

  trades(symbol: string, listener: Listener<OrderHint | undefined>): Followed<readonly PublicTrade[]> {
    return this.#follow({ channel: "trades", symbol }, listener);
  }

  /** Own orders: which one has changed; undefined where any may have. @throws TypeError without a key */
  orders(listener: Listener<OrderHint | undefined>): Followed<undefined> {
    return this.#follow({ channel: "orders", symbol: null }, listener);
  }

  /** @throws TypeError without a key */
  balances(listener: Listener<OrderHint | undefined>): Followed<undefined> {
    return this.#follow({ channel: "balances", symbol: null }, listener);
  }

  /** For good. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Object.values(this.#lines).map((line) => line.close()));
    this.#tellState();
  }

  /** @throws RangeError when there are too many topics; Error once the stream is closed */
  #follow<T>(topic: Topic, listener: Listener<OrderHint | undefined>): Followed<T> {
    if (this.#closing.signal.aborted) throw new Error("the stream is closed");
    if (lineOf(topic) === "private" && !this.#options.hasKey) throw new TypeError(`${topic.channel} needs a key`);
    const name = topicName(topic);
    if (!this.#feeds.has(name) && this.#feeds.size >= TOPICS_MAX)
      throw new RangeError(`a stream carries ${TOPICS_MAX} subscriptions`);
    const feed = this.#feeds.get(name) ?? this.#begin(topic);
    this.#feeds.set(name, feed);
    // The same function may be added twice, and each is removed by itself.
    const own: Listener<OrderHint | undefined> = (hint) => listener(hint);
    feed.listeners.add(own);
    this.#lines[lineOf(topic)].changed();
    const pulse = (): TopicPulse | undefined => {
      const { live, run, heardMs } = feed.known;
      return live ? { run, heardMs, exchange: this.#exchange } : undefined;
    };
    return {
      get live() {
        return feed.known.live;
      },
      get value() {
        return feed.known.value as T | undefined;
      },
      get asOfMs() {
        return feed.known.asOfMs;
      },
      get pulse() {
        return pulse();
      },
      close: () => {
        feed.listeners.remove(own);
        if (feed.listeners.size > 0 || this.#feeds.get(name) !== feed) return;
        this.#feeds.delete(name);
        this.#lines[lineOf(topic)].changed();
      },
    };
  }

  #begin(topic: Topic): Feed {
    const { channel } = topic;
    const listeners = new Listeners<OrderHint | undefined>(() => this.#notify({ type: "listener_failed", channel }));
    return { topic, listeners, known: nothing(), toldAtMs: Number.NEGATIVE_INFINITY };
  }

  #line(name: LineName): Line {
    const { connect = webSocket, redact = (value) => value } = this.#options;
    let sent: readonly Topic[] = [];
    return new Line({
      ...{ name, connect, redact, clock: this.#clock, random: this.#random },
      source: async () => {
        this.#source = await this.#options.source();
        return this.#source;
      },
      notify: (notice) => this.#notify(notice),
      wanted: () => [...this.#feeds.values()].map(({ topic }) => topic).filter((topic) => lineOf(topic) === name),
      onSent: (topics) => {
        const before = new Set(sent.map(topicName));
        sent = topics;
        // From before it was asked for, anything may have happened.
        for (const topic of topics)
          if (name === "private" && !before.has(topicName(topic))) this.#feedOf(topic)?.listeners.notify(undefined);
        this.#tellState();
      },
      onTold: (told) => this.#hear(told),
      onEnded: () => {
        sent = [];
        if (name === "public") this.#exchange = undefined;
        for (const feed of this.#feeds.values()) if (lineOf(feed.topic) === name) feed.known = nothing();
        this.#tellState();
      },
    });
  }

  #hear(told: Told): void {
    switch (told.kind) {
      case "book":
        this.#noteTime(told.toldMs);
        this.#hearBook(told.book);
        return;
      case "trades":
        for (const { time } of told.trades) this.#noteTime(Date.parse(time));
        this.#hearTrades({ channel: "trades", symbol: told.symbol }, told.trades);
        return;
      case "order":
        this.#feedOf({ channel: "orders", symbol: null })?.listeners.notify(told.hint);
        return;
      case "balances":
        this.#feedOf({ channel: "balances", symbol: null })?.listeners.notify(undefined);
        return;
      case "taken":
        if (told.topic.channel === "trades") this.#hearTrades(told.topic, []);
        return;
      case "refused":
        this.#notify({ type: "refused", channel: "stream", symbol: null, code: told.code });
        return;
      default:
        told satisfies never;
    }
  }

  /** Every one is a whole book. One that is older than the last is late. */
  #hearBook(book: Orderbook): void {
    const feed = this.#feedOf({ channel: "orderbook", symbol: book.symbol });
    if (feed === undefined) return;
    const { known } = feed;
    if (known.seq !== undefined && book.seq < known.seq) return;
    known.seq = book.seq;
    this.#setAsOf(known, this.#clock.now(), this.#clock.rising());
    if (this.#source?.protocol.books === "levels") known.value = book;
    this.#setLive(feed);
    const nowMs = this.#clock.now();
    if (known.value === undefined && nowMs - feed.toldAtMs < CHANGES_APART_MS) return;
    feed.toldAtMs = nowMs;
    feed.listeners.notify(undefined);
  }

  #hearTrades(topic: Topic, trades: readonly PublicTrade[]): void {
    const feed = this.#feedOf(topic);
    if (feed === undefined) return;
    const { known } = feed;
    if (known.gap !== undefined) known.gap.push(...trades);
    else if (!known.live) {
      known.gap = [...trades];
      void this.#closeGap(feed, topic.symbol ?? "");
    } else {
      this.#setAsOf(known, this.#clock.now(), this.#clock.rising());
      if (addTrades(known, trades)) feed.listeners.notify(undefined);
    }
  }

  /** Tries until it is closed, or the connection has ended. */
  async #closeGap(feed: Feed, symbol: string): Promise<void> {
    const { known } = feed;
    for (let failures = 1; ; failures++) {
      // Before the query: what it shows can only be more recent.
      const [atMs, heardMs] = [this.#clock.now(), this.#clock.rising()];
      const read = await this.#source?.trades(symbol, TRADES_KEPT);
      if (feed.known !== known || this.#feedOf(feed.topic) !== feed || read === undefined) return;
      if (read.ok) {
        known.value = read.value.slice(0, TRADES_KEPT);
        this.#setAsOf(known, atMs, heardMs);
        addTrades(known, known.gap ?? []);
        known.gap = undefined;
        this.#setLive(feed);
        feed.listeners.notify(undefined);
        return;
      }
      this.#notify({ type: "refused", channel: "trades", symbol, code: read.fault.code });
      await this.#clock.sleep(backOffMs(failures, this.#random()), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
    }
  }

  #setAsOf(known: Known, atMs: number, heardMs: number): void {
    known.asOfMs = atMs;
    known.heardMs = heardMs;
  }

  /** One that is before the newest is late, or tells of something that came about earlier. */
  #noteTime(timeMs: number | undefined): void {
    if (timeMs === undefined || Number.isNaN(timeMs) || timeMs <= (this.#exchange?.timeMs ?? 0)) return;
    this.#exchange = { timeMs, cameMs: this.#clock.rising(), isSent: false };
  }

  #tellState(): void {
    const { state } = this;
    if (state !== this.#toldState) this.#notify({ type: "state", state });
    this.#toldState = state;
    this.#stateListeners.notify(state);
  }

  #setLive(feed: Feed): void {
    if (feed.known.live) return;
    feed.known.live = true;
    feed.known.run = ++this.#runs;
    this.#tellState();
  }

  #feedOf(topic: Topic): Feed | undefined {
    return this.#closing.signal.aborted ? undefined : this.#feeds.get(topicName(topic));
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

function lineOf({ symbol }: Topic): LineName {
  return symbol === null ? "private" : "public";
}

function nothing(): Known {
  return { live: false, asOfMs: undefined, heardMs: 0, run: 0, value: undefined };
}

/** Newest first. @param trades oldest first @returns whether any of them is new */
function addTrades(known: Known, trades: readonly PublicTrade[]): boolean {
  const held = (known.value ?? []) as readonly PublicTrade[];
  const ids = new Set(held.map(({ trade_id: id }) => id));
  const fresh = trades.filter(({ trade_id: id }) => !ids.has(id) && ids.add(id));
  if (fresh.length > 0) known.value = [...fresh.toReversed(), ...held].slice(0, TRADES_KEPT);
  return fresh.length > 0;
}
