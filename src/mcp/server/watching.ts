/**
 * Owns notifications of resource changes: which client watches which resource, and how often it is notified. Entry point: `Watching`,
 * one for all clients of a desk.
 *
 * Invariants: a client is notified of one resource at most once in an interval, and always after its last change; a client that does
 * not keep up is notified once when it does, so at most one notification is pending; a resource that nobody watches is not followed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Clock, Desk, StreamWatch } from "../../desk/index.ts";
import type { Module } from "../person/module.ts";
import { existing, type Resource, resourceAt, textOf } from "./resource.ts";

export interface Watcher {
  /** The resource may have changed: read it again. */
  readonly notify: () => void;
  /** Tells whether the client keeps up with what it is sent. */
  readonly ready: () => boolean;
}

export interface WatchingParts {
  readonly desk: Desk;
  readonly modules: readonly Module[];
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

const INTERVAL_MS = 1_000;
/** Polls a resource without a live stream topic this often. */
const LOOK_EVERY_MS = 5_000;
/** Limit of one desk, as each watched resource may have to be polled. */
const WATCHED_MAX = 100;

/** Does not keep a process alive. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  rising: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined),
};

export class Watching {
  readonly #parts: Required<WatchingParts>;
  readonly #watched = new Map<string, Watched>();

  constructor({ clock = CLOCK, ...parts }: WatchingParts) {
    this.#parts = { ...parts, clock };
  }

  /** @throws ProtocolError where a client that asks for these is refused: one does not exist, or they would be too many */
  async admit(uris: readonly string[]): Promise<void> {
    const { modules, desk } = this.#parts;
    const others = [...new Set(uris)].filter((uri) => !this.#watched.has(uri));
    const known = others.filter((uri) => resourceAt(uri, modules) !== undefined);
    if (this.#watched.size + known.length > WATCHED_MAX)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Too many resources are watched; unsubscribe from others first.",
      );
    await Promise.all(others.map((uri) => existing(uri, modules, desk)));
  }

  /** @returns ends it; undefined where there is no such resource, or too many are watched */
  watch(uri: string, watcher: Watcher): (() => void) | undefined {
    const watched = this.#watched.get(uri) ?? this.#begin(uri);
    if (watched === undefined) return undefined;
    const leave = watched.join(watcher);
    return () => {
      leave();
      if (!watched.isEmpty || this.#watched.get(uri) !== watched) return;
      this.#watched.delete(uri);
      watched.close();
    };
  }

  #begin(uri: string): Watched | undefined {
    const resource = resourceAt(uri, this.#parts.modules);
    if (resource === undefined || this.#watched.size >= WATCHED_MAX) return undefined;
    const watched = new Watched(resource, this.#parts);
    this.#watched.set(uri, watched);
    return watched;
  }
}

interface Seat {
  readonly watcher: Watcher;
  /** A change has not been notified yet. */
  pending: boolean;
}

class Watched {
  readonly #resource: Resource;
  readonly #parts: Required<WatchingParts>;
  readonly #seats = new Set<Seat>();
  readonly #closing = new AbortController();
  #isNotifying = false;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(resource: Resource, parts: Required<WatchingParts>) {
    this.#resource = resource;
    this.#parts = parts;
    this.#follow().catch(parts.onError);
  }

  get isEmpty(): boolean {
    return this.#seats.size === 0;
  }

  join(watcher: Watcher): () => void {
    const seat: Seat = { watcher, pending: false };
    this.#seats.add(seat);
    return () => void this.#seats.delete(seat);
  }

  close(): void {
    this.#closing.abort();
  }

  /** Until it is closed: follows the stream topic, and polls while there is none or it is not live. */
  async #follow(): Promise<void> {
    const { desk, clock, onError } = this.#parts;
    const { signal } = this.#closing;
    let live: StreamWatch | undefined;
    let seen: string | undefined;
    while (!signal.aborted) {
      live ??= await this.#listen();
      // Asked before the read: what changes after it is then announced by the stream.
      const isLive = live?.live === true;
      if (!isLive || seen !== undefined) {
        const text = await textOf(this.#resource, desk, onError);
        // Without an earlier text to compare with, it may have changed since it was last read.
        if (text !== seen) this.#changed();
        seen = isLive ? undefined : text;
      }
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
    live?.close();
  }

  /** @returns undefined where there is no topic, or the stream cannot be watched now */
  async #listen(): Promise<StreamWatch | undefined> {
    const { topic } = this.#resource;
    if (topic === undefined) return undefined;
    const watch = await this.#parts.desk.watch(topic, () => this.#changed());
    return watch.ok ? watch.value : undefined;
  }

  #changed(): void {
    for (const seat of this.#seats) seat.pending = true;
    this.#notify().catch(this.#parts.onError);
  }

  async #notify(): Promise<void> {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    try {
      while (!this.#closing.signal.aborted && this.#pending.length > 0) await this.#notifyOnce();
    } finally {
      this.#isNotifying = false;
    }
  }

  get #pending(): readonly Seat[] {
    return [...this.#seats].filter(({ pending }) => pending);
  }

  async #notifyOnce(): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#closing;
    const earlyMs = Math.min(this.#nextMs - clock.now(), INTERVAL_MS);
    if (earlyMs > 0) await clock.sleep(earlyMs, signal);
    this.#nextMs = clock.now() + INTERVAL_MS;
    for (const seat of this.#pending) {
      if (signal.aborted || !seat.watcher.ready()) continue;
      seat.pending = false;
      try {
        seat.watcher.notify();
      } catch (error) {
        // A watcher that fails does not keep the notification from the others.
        this.#parts.onError(error);
      }
    }
  }
}
