/**
 * One connection: subscribes to every feed, hands each its events in an unbroken sequence, closes the gap before them by REST,
 * and ends when it fails or falls silent. The connection after it is another session.
 *
 * Invariants: a feed gets a snapshot and then updates numbered one by one, or is subscribed to anew; nothing is handed to it while
 * the gap before is open; what is held back meanwhile is bounded; after the end nothing is handed to anybody.
 *
 * Source: decisions §7.
 */
import { setMaxListeners } from "node:events";
import { STREAM_LIMITS, type StreamAck, type StreamEvent, venueFault } from "../../contract/index.ts";
import type { ClientClock } from "../request/ports.ts";
import type { Redact } from "../request/redaction.ts";
import { backOffMs } from "./back-off.ts";
import { type Feed, feedName } from "./feed.ts";
import { readMessage } from "./message.ts";
import { Pacer } from "./pacer.ts";
import type { SocketFactory, StreamNotice, StreamReader, StreamSocket } from "./ports.ts";
import { SessionToken } from "./session-token.ts";

export interface SessionParts {
  readonly url: string;
  readonly connect: SocketFactory;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly reader: StreamReader | undefined;
  readonly redact: Redact;
  readonly tell: (notice: StreamNotice) => void;
  /** Something may be live that was not, or the other way round. */
  readonly onChange: () => void;
}

/** Where a feed is on its way to being live. */
type Progress =
  | { readonly step: "waiting" | "refused" }
  | { readonly step: "asked" | "acked"; readonly id: string; readonly sinceMs: number }
  | { readonly step: "closing_gap"; seq: number; readonly held: StreamEvent[] }
  | { readonly step: "live"; seq: number; readonly sinceMs: number; checkedAtMs: number };

interface Seat {
  readonly feed: Feed;
  progress: Progress;
  /** Times it had to be subscribed to anew without being sound for a while in between. */
  faults: number;
}

const WATCH_MS = 500;
/** For an ack, and for the snapshot after it. */
const ANSWER_MS = 5_000;
/** Nothing heard for so long: a heartbeat is missing. */
const STALE_MS = STREAM_LIMITS.heartbeatMs * 1.5;
const HELD_MAX = 10_000;
/** From then on a feed that fails is asked for more slowly. */
const FAULTS_FREE = 3;
const SOUND_MS = 60_000;

export class Session {
  /** Resolves when the connection has ended, with why. */
  readonly ended: Promise<string>;
  /** Whether everything was live at once at some time. */
  wasLive = false;
  lastMessageAtMs: number;
  readonly #parts: SessionParts;
  readonly #seats = new Map<string, Seat>();
  readonly #ending = new AbortController();
  readonly #socket: StreamSocket;
  readonly #pacer: Pacer;
  readonly #token: SessionToken | undefined;
  #opened = false;
  #messages = 0;
  #tellEnd: (why: string) => void = () => {};

  constructor(parts: SessionParts, feeds: Iterable<Feed>) {
    this.#parts = parts;
    const { clock, reader, url, connect } = parts;
    this.lastMessageAtMs = clock.now();
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    // Every feed that waits listens to it.
    setMaxListeners(0, this.#ending.signal);
    for (const feed of feeds) this.#seats.set(feedName(feed), newSeat(feed));
    this.#pacer = new Pacer(clock, this.#ending.signal, (text) => this.#socket.send(text));
    this.#token = reader && new SessionToken(reader, clock);
    this.#socket = connect(url, {
      opened: () => this.#open(),
      message: (text) => this.#hear(text),
      closed: (why) => this.end(why),
    });
    void this.#watch();
  }

  get state(): "connecting" | "syncing" | "live" | "stale" {
    if (!this.#isOpen) return "connecting";
    for (const { progress } of this.#seats.values())
      if (progress.step !== "live" && progress.step !== "refused") return "syncing";
    return this.#parts.clock.now() - this.lastMessageAtMs > STALE_MS ? "stale" : "live";
  }

  isLive(feed: Feed): boolean {
    const seat = this.#seats.get(feedName(feed));
    return this.#isOpen && seat?.feed === feed && seat.progress.step === "live";
  }

  add(feed: Feed): void {
    const seat = newSeat(feed);
    this.#seats.set(feedName(feed), seat);
    if (this.#opened) this.#ask(seat);
    this.#parts.onChange();
  }

  remove(feed: Feed): void {
    const name = feedName(feed);
    const seat = this.#seats.get(name);
    if (seat?.feed !== feed) return;
    this.#seats.delete(name);
    const { step } = seat.progress;
    const { channel } = feed;
    const symbol = symbolOf(feed);
    // Subscribed to again meanwhile: then the subscription is the other feed's.
    if (this.#opened && step !== "waiting" && step !== "refused")
      this.#pacer.push(() =>
        this.#seats.has(name) ? undefined : { op: "unsubscribe", id: this.#nextId(), channel, ...symbol },
      );
    this.#parts.onChange();
  }

  /** Subscribes anew, as what is known of the feed is not enough any more. */
  resync(feed: Feed, why: string): void {
    const seat = this.#seats.get(feedName(feed));
    if (seat?.feed === feed) this.#resync(seat, why);
  }

  /** May be called more than once; the first reason counts. */
  end(why: string): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.#socket.drop();
    this.#tellEnd(why);
    this.#parts.onChange();
  }

  get #isOpen(): boolean {
    return this.#opened && !this.#ending.signal.aborted;
  }

  #open(): void {
    if (this.#ending.signal.aborted) return;
    this.#opened = true;
    this.lastMessageAtMs = this.#parts.clock.now();
    for (const seat of this.#seats.values()) this.#ask(seat);
    this.#parts.onChange();
  }

  #resync(seat: Seat, why: string): void {
    const { clock, tell, random } = this.#parts;
    const { feed, progress } = seat;
    if (this.#ending.signal.aborted) return;
    const wasSound = progress.step === "live" && clock.now() - progress.sinceMs > SOUND_MS;
    seat.faults = wasSound ? 1 : seat.faults + 1;
    tell({ type: "resubscribed", channel: feed.channel, symbol: feed.symbol, why });
    const excess = seat.faults - FAULTS_FREE;
    this.#askLater(seat, excess > 0 ? backOffMs(excess, random()) : 0);
  }

  #askLater(seat: Seat, afterMs: number): void {
    const waiting: Progress = { step: "waiting" };
    seat.progress = waiting;
    this.#parts.onChange();
    if (afterMs <= 0) this.#ask(seat);
    else
      void this.#parts.clock.sleep(afterMs, this.#ending.signal).then(() => {
        if (seat.progress === waiting && this.#isSeated(seat)) this.#ask(seat);
      });
  }

  #ask(seat: Seat): void {
    if (seat.feed.closeGap === undefined) this.#subscribe(seat, undefined);
    else void this.#askWithToken(seat);
  }

  async #askWithToken(seat: Seat): Promise<void> {
    const { clock, random } = this.#parts;
    for (let failures = 1; ; failures++) {
      const token = await this.#token?.get();
      if (!this.#isSeated(seat) || token === undefined) return;
      if (token.ok) {
        this.#subscribe(seat, token.value);
        return;
      }
      this.#tellRefusal(seat, token.fault.code);
      await clock.sleep(backOffMs(failures, random()), this.#ending.signal);
    }
  }

  #subscribe(seat: Seat, token: string | undefined): void {
    const { feed } = seat;
    this.#pacer.push(() => {
      if (seat.progress.step !== "waiting" || !this.#isSeated(seat)) return undefined;
      const id = this.#nextId();
      seat.progress = { step: "asked", id, sinceMs: this.#parts.clock.now() };
      const { channel, depth } = feed;
      const extras = { ...(depth === undefined ? {} : { depth }), ...(token === undefined ? {} : { token }) };
      return { op: "subscribe", id, channel, ...symbolOf(feed), ...extras };
      // What is the account's own matters most.
    }, token !== undefined);
  }

  #hear(text: string): void {
    if (this.#ending.signal.aborted) return;
    const wasStale = this.state === "stale";
    this.lastMessageAtMs = this.#parts.clock.now();
    const message = readMessage(text, this.#parts.redact);
    if (message.kind === "unreadable") this.end("unreadable message");
    if (message.kind === "ack") this.#hearAck(message.ack);
    if (message.kind === "event") this.#hearEvent(message.event);
    if (wasStale) this.#parts.onChange();
  }

  #hearAck({ id, ok, error }: StreamAck): void {
    for (const seat of this.#seats.values()) {
      const { progress } = seat;
      if (progress.step !== "asked" || progress.id !== id) continue;
      if (ok) seat.progress = { step: "acked", id: progress.id, sinceMs: this.#parts.clock.now() };
      else this.#hearRefusal(seat, error);
      return;
    }
  }

  #hearRefusal(seat: Seat, error: StreamAck["error"]): void {
    const code = error?.code ?? "";
    this.#tellRefusal(seat, code);
    if (error?.retry_after_ms !== undefined) this.#askLater(seat, error.retry_after_ms);
    else if (error?.field === "token") {
      this.#token?.forget();
      this.#resync(seat, "token refused");
    } else {
      seat.feed.refusal = venueFault(code);
      if (seat.feed.refusal.retry === "never") {
        seat.progress = { step: "refused" };
        this.#parts.onChange();
      } else {
        // It may pass, as when another connection of the key gives up its place.
        seat.faults += 1;
        this.#askLater(seat, backOffMs(seat.faults, this.#parts.random()));
      }
    }
  }

  #hearEvent(event: StreamEvent): void {
    const seat = this.#seats.get(feedName(event));
    if (seat === undefined) return;
    const { progress } = seat;
    if (progress.step === "acked" && event.type === "snapshot") this.#begin(seat, event);
    // What arrives before the snapshot belongs to the subscription before.
    if (progress.step !== "live" && progress.step !== "closing_gap") return;
    const isNext = event.type === "update" && event.seq === progress.seq + 1;
    if (!isNext) this.#resync(seat, `${event.type} ${event.seq} after ${progress.seq}`);
    else {
      progress.seq = event.seq;
      const fault = progress.step === "live" ? seat.feed.update(event) : hold(progress.held, event);
      if (fault !== undefined) this.#resync(seat, fault);
    }
  }

  #begin(seat: Seat, snapshot: StreamEvent): void {
    const { feed } = seat;
    if (feed.hasSnapshot === true) {
      seat.progress = { step: "closing_gap", seq: snapshot.seq, held: [snapshot] };
      void this.#closeGap(seat, seat.progress);
      return;
    }
    const fault = feed.snapshot(snapshot);
    if (fault === undefined) this.#setLive(seat, snapshot.seq);
    else this.#resync(seat, fault);
  }

  /** Until it is closed, or the feed was subscribed to anew meanwhile. */
  async #closeGap(seat: Seat, closing: Extract<Progress, { step: "closing_gap" }>): Promise<void> {
    const { clock, random, reader } = this.#parts;
    for (let failures = 1; ; failures++) {
      const gap = reader && (await seat.feed.closeGap?.(reader, closing.held));
      if (gap === undefined || seat.progress !== closing || !this.#isSeated(seat)) return;
      if (gap.ok) {
        gap.value.tell(closing.held);
        this.#setLive(seat, closing.seq);
        return;
      }
      this.#tellRefusal(seat, gap.fault.code);
      await clock.sleep(backOffMs(failures, random()), this.#ending.signal);
    }
  }

  #setLive(seat: Seat, seq: number): void {
    seat.feed.refusal = undefined;
    const now = this.#parts.clock.now();
    seat.progress = { step: "live", seq, sinceMs: now, checkedAtMs: now };
    if (this.state === "live") this.wasLive = true;
    this.#parts.onChange();
  }

  /** Looks for what does not come: any word of the service, an ack, a snapshot. */
  async #watch(): Promise<void> {
    const { clock, onChange } = this.#parts;
    for (;;) {
      await clock.sleep(WATCH_MS, this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      const now = clock.now();
      if (now - this.lastMessageAtMs >= STREAM_LIMITS.silenceMs) {
        this.end("silence");
        return;
      }
      if (this.state === "stale") onChange();
      for (const seat of this.#seats.values()) this.#lookAt(seat, now);
    }
  }

  #lookAt(seat: Seat, now: number): void {
    const { progress, feed } = seat;
    if (progress.step === "live") {
      if (feed.recheckMs === undefined || now - progress.checkedAtMs < feed.recheckMs) return;
      progress.checkedAtMs = now;
      void this.#recheck(seat, progress);
    } else if ((progress.step === "asked" || progress.step === "acked") && now - progress.sinceMs > ANSWER_MS)
      this.#resync(seat, progress.step === "asked" ? "no ack" : "no snapshot");
  }

  async #recheck(seat: Seat, live: Progress): Promise<void> {
    const { reader } = this.#parts;
    const gap = reader && (await seat.feed.closeGap?.(reader, []));
    if (gap?.ok === true && seat.progress === live && this.#isSeated(seat)) gap.value.tell([]);
  }

  #isSeated(seat: Seat): boolean {
    return !this.#ending.signal.aborted && this.#seats.get(feedName(seat.feed)) === seat;
  }

  #tellRefusal({ feed }: Seat, code: string): void {
    this.#parts.tell({ type: "refused", channel: feed.channel, symbol: feed.symbol, code });
  }

  #nextId(): string {
    this.#messages += 1;
    return String(this.#messages);
  }
}

function newSeat(feed: Feed): Seat {
  return { feed, progress: { step: "waiting" }, faults: 0 };
}

function symbolOf({ symbol }: Feed): { readonly symbol?: string } {
  return symbol === null ? {} : { symbol };
}

/** @returns why it cannot be held back */
function hold(held: StreamEvent[], event: StreamEvent): string | undefined {
  return held.push(event) > HELD_MAX ? "too much to hold back" : undefined;
}
