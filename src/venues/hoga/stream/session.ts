/**
 * Serves one connection: subscribes to every feed, hands each its events in an unbroken sequence, closes the gap before them by REST,
 * and ends when it fails or falls silent. The connection after it is another session.
 *
 * Invariants: a feed gets a snapshot and then updates numbered one by one, or is subscribed to again; it gets nothing while the gap
 * before is open; what is buffered meanwhile is bounded; after the end nobody gets anything.
 *
 * Source: service.md#stream, service.md#stream-sequence, service.md#reconnect, service.md#reconcile-gap.
 */
import { setMaxListeners } from "node:events";
import { defined, STREAM_LIMITS, type StreamAck, type StreamEvent, venueFault } from "../../../contract/index.ts";
import type { ExchangeTime, StreamNotice, TopicPulse } from "../../../transport/index.ts";
import {
  backOffMs,
  Pacer,
  type Redact,
  type SocketFactory,
  type SteadyClock,
  type StreamSocket,
} from "../../../transport/index.ts";
import { buffer, type Feed, feedName, symbolOf } from "./feed.ts";
import { readMessage } from "./message.ts";
import { Pings } from "./pings.ts";
import type { StreamReader } from "./ports.ts";
import { SessionToken } from "./session-token.ts";

export interface SessionParts {
  readonly url: string;
  readonly connect: SocketFactory;
  readonly clock: SteadyClock;
  readonly random: () => number;
  readonly reader: StreamReader | undefined;
  readonly redact: Redact;
  readonly notify: (notice: StreamNotice) => void;
  /** Called when something may have become live, or is live no more. */
  readonly onChange: () => void;
  /** Another number each time. */
  readonly nextRun: () => number;
}

/** Tells how far a feed is on its way to being live. */
type Progress =
  | { readonly step: "waiting" | "refused" }
  | { readonly step: "requested" | "acknowledged"; readonly id: string; readonly sinceMs: number }
  | { readonly step: "closing_gap"; seq: number; readonly buffered: StreamEvent[] }
  | { readonly step: "live"; seq: number; readonly run: number; readonly sinceMs: number; checkedAtMs: number };

interface Subscription {
  readonly feed: Feed;
  progress: Progress;
  /** Counts how often it had to be subscribed to again without being stable in between. */
  failures: number;
}

const WATCH_EVERY_MS = 500;
/** Time allowed for an ack, and for the snapshot after it. */
const ANSWER_TIMEOUT_MS = 5_000;
/** No message for so long: a heartbeat is missing. */
const STALE_MS = STREAM_LIMITS.heartbeatMs * 1.5;
/** After more failures than this a feed is subscribed to again only after a pause. */
const FAILURES_WITHOUT_PAUSE = 3;
/** A feed that was live for so long has no failures any more. */
const STABLE_MS = 60_000;

export class Session {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Remembers that all feeds were live at the same time once. */
  wasLive = false;
  lastMessageAtMs: number;
  #heardMs = 0;
  #exchange: ExchangeTime | undefined;
  readonly #parts: SessionParts;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #names = new WeakMap<Feed, string>();
  readonly #ending = new AbortController();
  readonly #socket: StreamSocket;
  readonly #pacer: Pacer;
  readonly #token: SessionToken | undefined;
  readonly #pings: Pings;
  #opened = false;
  #messages = 0;
  #resolveEnded: (why: string) => void = () => {};

  constructor(parts: SessionParts, feeds: Iterable<Feed>) {
    this.#parts = parts;
    const { clock, reader, url, connect } = parts;
    this.lastMessageAtMs = clock.now();
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    // Every feed that waits adds a listener.
    setMaxListeners(0, this.#ending.signal);
    for (const feed of feeds) this.#subscriptions.set(feedName(feed), newSubscription(feed));
    this.#pacer = new Pacer(clock, this.#ending.signal, (text) => this.#socket.send(text));
    this.#pings = new Pings(clock);
    this.#token = reader && new SessionToken(reader, clock);
    this.#socket = connect(url, {
      opened: () => this.#open(),
      message: (text) => this.#receive(text),
      closed: (why) => this.end(why),
    });
    void this.#watch();
  }

  get state(): "connecting" | "syncing" | "live" | "stale" {
    if (!this.#isOpen) return "connecting";
    for (const { progress } of this.#subscriptions.values())
      if (progress.step !== "live" && progress.step !== "refused") return "syncing";
    return this.#parts.clock.now() - this.lastMessageAtMs > STALE_MS ? "stale" : "live";
  }

  isLive(feed: Feed): boolean {
    const subscription = this.#subscriptions.get(this.#nameOf(feed));
    return this.#isOpen && subscription?.feed === feed && subscription.progress.step === "live";
  }

  /** Messages are numbered, so the last one says of every live feed that nothing is missing. */
  pulse(feed: Feed): TopicPulse | undefined {
    const progress = this.#subscriptions.get(this.#nameOf(feed))?.progress;
    if (!this.isLive(feed) || progress?.step !== "live") return undefined;
    return { run: progress.run, heardMs: this.#heardMs, exchange: this.#exchange, answeredMs: this.#pings.answeredMs };
  }

  /** @returns false where the connection ends before the service has answered */
  async hear(): Promise<boolean> {
    return this.#isOpen && this.#pings.ask(this.#nextId(), (write) => this.#pacer.push(write, true));
  }

  /** Asked for at every change. */
  #nameOf(feed: Feed): string {
    const known = this.#names.get(feed);
    if (known !== undefined) return known;
    const name = feedName(feed);
    this.#names.set(feed, name);
    return name;
  }

  add(feed: Feed): void {
    const subscription = newSubscription(feed);
    this.#subscriptions.set(feedName(feed), subscription);
    if (this.#opened) this.#request(subscription);
    this.#parts.onChange();
  }

  remove(feed: Feed): void {
    const name = feedName(feed);
    const subscription = this.#subscriptions.get(name);
    if (subscription?.feed !== feed) return;
    this.#subscriptions.delete(name);
    const { step } = subscription.progress;
    const { channel } = feed;
    const symbol = symbolOf(feed);
    // If another feed of that name was added meanwhile, the subscription is now that feed's.
    if (this.#opened && step !== "waiting" && step !== "refused")
      this.#pacer.push(() =>
        this.#subscriptions.has(name) ? undefined : { op: "unsubscribe", id: this.#nextId(), channel, ...symbol },
      );
    this.#parts.onChange();
  }

  /** Subscribes again, because the feed needs more than it was given. */
  resync(feed: Feed, why: string): void {
    const subscription = this.#subscriptions.get(feedName(feed));
    if (subscription?.feed === feed) this.#resync(subscription, why);
  }

  /** May be called more than once; the first reason counts. */
  end(why: string): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.#socket.drop();
    this.#pings.end();
    this.#resolveEnded(why);
    this.#parts.onChange();
  }

  get #isOpen(): boolean {
    return this.#opened && !this.#ending.signal.aborted;
  }

  #open(): void {
    if (this.#ending.signal.aborted) return;
    this.#opened = true;
    this.lastMessageAtMs = this.#parts.clock.now();
    for (const subscription of this.#subscriptions.values()) this.#request(subscription);
    this.#parts.onChange();
  }

  #resync(subscription: Subscription, why: string): void {
    const { clock, notify, random } = this.#parts;
    const { feed, progress } = subscription;
    if (this.#ending.signal.aborted) return;
    const wasStable = progress.step === "live" && clock.now() - progress.sinceMs > STABLE_MS;
    subscription.failures = wasStable ? 1 : subscription.failures + 1;
    notify({ type: "resubscribed", channel: feed.channel, symbol: feed.symbol, why });
    const excess = subscription.failures - FAILURES_WITHOUT_PAUSE;
    this.#requestLater(subscription, excess > 0 ? backOffMs(excess, random()) : 0);
  }

  #requestLater(subscription: Subscription, afterMs: number): void {
    const waiting: Progress = { step: "waiting" };
    subscription.progress = waiting;
    this.#parts.onChange();
    if (afterMs <= 0) this.#request(subscription);
    else
      void this.#parts.clock.sleep(afterMs, this.#ending.signal).then(() => {
        if (subscription.progress === waiting && this.#isCurrent(subscription)) this.#request(subscription);
      });
  }

  #request(subscription: Subscription): void {
    if (subscription.feed.closeGap === undefined) this.#subscribe(subscription, undefined);
    else void this.#requestWithToken(subscription);
  }

  async #requestWithToken(subscription: Subscription): Promise<void> {
    const { clock, random } = this.#parts;
    for (let failures = 1; ; failures++) {
      const token = await this.#token?.get();
      if (!this.#isCurrent(subscription) || token === undefined) return;
      if (token.ok) {
        this.#subscribe(subscription, token.value);
        return;
      }
      this.#reportRefusal(subscription, token.fault.code);
      await clock.sleep(backOffMs(failures, random()), this.#ending.signal);
    }
  }

  #subscribe(subscription: Subscription, token: string | undefined): void {
    const { feed } = subscription;
    this.#pacer.push(() => {
      if (subscription.progress.step !== "waiting" || !this.#isCurrent(subscription)) return undefined;
      const id = this.#nextId();
      subscription.progress = { step: "requested", id, sinceMs: this.#parts.clock.now() };
      const { channel, depth } = feed;
      return { op: "subscribe", id, channel, ...symbolOf(feed), ...defined({ depth, token }) };
      // The account's own channels go first.
    }, token !== undefined);
  }

  #receive(text: string): void {
    if (this.#ending.signal.aborted) return;
    const wasStale = this.state === "stale";
    this.lastMessageAtMs = this.#parts.clock.now();
    this.#heardMs = this.#parts.clock.rising();
    const message = readMessage(text, this.#parts.redact);
    if (message.kind === "unreadable") this.end("unreadable message");
    if (message.kind === "heartbeat") this.#noteTime(message.time);
    if (message.kind === "ack") this.#receiveAck(message.ack);
    if (message.kind === "event") {
      this.#noteTime(message.event.time);
      this.#receiveEvent(message.event);
    }
    if (wasStale) this.#parts.onChange();
  }

  #noteTime(time: string): void {
    this.#exchange = { timeMs: Date.parse(time), cameMs: this.#heardMs, isSent: true };
  }

  #receiveAck({ id, ok, error }: StreamAck): void {
    this.#pings.answered(id);
    for (const subscription of this.#subscriptions.values()) {
      const { progress } = subscription;
      if (progress.step !== "requested" || progress.id !== id) continue;
      if (ok) subscription.progress = { step: "acknowledged", id: progress.id, sinceMs: this.#parts.clock.now() };
      else this.#receiveRefusal(subscription, error);
      return;
    }
  }

  #receiveRefusal(subscription: Subscription, error: StreamAck["error"]): void {
    const code = error?.code ?? "";
    this.#reportRefusal(subscription, code);
    if (error?.retry_after_ms !== undefined) this.#requestLater(subscription, error.retry_after_ms);
    else if (error?.field === "token") {
      this.#token?.forget();
      this.#resync(subscription, "token refused");
    } else {
      subscription.feed.refusal = venueFault(code);
      if (subscription.feed.refusal.retry === "never") {
        subscription.progress = { step: "refused" };
        this.#parts.onChange();
      } else {
        // The reason may pass, as when another connection of the key closes.
        subscription.failures += 1;
        this.#requestLater(subscription, backOffMs(subscription.failures, this.#parts.random()));
      }
    }
  }

  #receiveEvent(event: StreamEvent): void {
    const subscription = this.#subscriptions.get(feedName(event));
    if (subscription === undefined) return;
    const { progress } = subscription;
    if (progress.step === "acknowledged" && event.type === "snapshot") this.#begin(subscription, event);
    // What arrives before the snapshot belongs to an earlier subscription.
    if (progress.step !== "live" && progress.step !== "closing_gap") return;
    const isNext = event.type === "update" && event.seq === progress.seq + 1;
    if (!isNext) this.#resync(subscription, `${event.type} ${event.seq} after ${progress.seq}`);
    else {
      progress.seq = event.seq;
      const fault = progress.step === "live" ? subscription.feed.update(event) : buffer(progress.buffered, event);
      if (fault !== undefined) this.#resync(subscription, fault);
    }
  }

  #begin(subscription: Subscription, snapshot: StreamEvent): void {
    const { feed } = subscription;
    if (feed.hasSnapshot === true) {
      subscription.progress = { step: "closing_gap", seq: snapshot.seq, buffered: [snapshot] };
      void this.#closeGap(subscription, subscription.progress);
      return;
    }
    const fault = feed.snapshot(snapshot);
    if (fault === undefined) this.#setLive(subscription, snapshot.seq);
    else this.#resync(subscription, fault);
  }

  /** Tries until the gap is closed, or the feed was subscribed to again meanwhile. */
  async #closeGap(subscription: Subscription, closing: Extract<Progress, { step: "closing_gap" }>): Promise<void> {
    const { clock, random, reader } = this.#parts;
    for (let failures = 1; ; failures++) {
      const gap = reader && (await subscription.feed.closeGap?.(reader, closing.buffered));
      if (gap === undefined || subscription.progress !== closing || !this.#isCurrent(subscription)) return;
      if (gap.ok) {
        gap.value.deliver(closing.buffered);
        this.#setLive(subscription, closing.seq);
        return;
      }
      this.#reportRefusal(subscription, gap.fault.code);
      await clock.sleep(backOffMs(failures, random()), this.#ending.signal);
    }
  }

  #setLive(subscription: Subscription, seq: number): void {
    subscription.feed.refusal = undefined;
    const now = this.#parts.clock.now();
    subscription.progress = { step: "live", seq, run: this.#parts.nextRun(), sinceMs: now, checkedAtMs: now };
    if (this.state === "live") this.wasLive = true;
    this.#parts.onChange();
  }

  /** Notices what does not come: any message, an ack, a snapshot. */
  async #watch(): Promise<void> {
    const { clock, onChange } = this.#parts;
    for (;;) {
      await clock.sleep(WATCH_EVERY_MS, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      const now = clock.now();
      if (now - this.lastMessageAtMs >= STREAM_LIMITS.silenceMs) {
        this.end("silence");
        return;
      }
      if (this.state === "stale") onChange();
      for (const subscription of this.#subscriptions.values()) this.#checkProgress(subscription, now);
    }
  }

  #checkProgress(subscription: Subscription, now: number): void {
    const { progress, feed } = subscription;
    if (progress.step === "live") {
      if (feed.recheckMs === undefined || now - progress.checkedAtMs < feed.recheckMs) return;
      progress.checkedAtMs = now;
      void this.#recheck(subscription, progress);
    } else if (
      (progress.step === "requested" || progress.step === "acknowledged") &&
      now - progress.sinceMs > ANSWER_TIMEOUT_MS
    )
      this.#resync(subscription, progress.step === "requested" ? "no ack" : "no snapshot");
  }

  async #recheck(subscription: Subscription, live: Progress): Promise<void> {
    const { reader } = this.#parts;
    const gap = reader && (await subscription.feed.closeGap?.(reader, []));
    if (gap?.ok === true && subscription.progress === live && this.#isCurrent(subscription)) gap.value.deliver([]);
  }

  #isCurrent(subscription: Subscription): boolean {
    return !this.#ending.signal.aborted && this.#subscriptions.get(feedName(subscription.feed)) === subscription;
  }

  #reportRefusal({ feed }: Subscription, code: string): void {
    this.#parts.notify({ type: "refused", channel: feed.channel, symbol: feed.symbol, code });
  }

  #nextId(): string {
    this.#messages += 1;
    return String(this.#messages);
  }
}

function newSubscription(feed: Feed): Subscription {
  return { feed, progress: { step: "waiting" }, failures: 0 };
}
