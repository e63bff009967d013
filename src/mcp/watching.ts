/**
 * Owns who is to be told of which resource's changes, and how often. Entry point: `Watching`, one for all clients of a desk.
 *
 * Invariants: of one resource a client is told at most once in an interval, and of the last change certainly; whoever cannot take
 * a word now is told once when it can, whatever happened meanwhile, so nothing is kept but that; what nobody watches is not followed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Desk, StreamWatch } from "../desk/index.ts";
import type { Module } from "./module.ts";
import { type Resource, resourceAt, textOf } from "./resource.ts";

/** One client, and one resource. */
export interface Watcher {
  /** It may be another one now: ask. */
  readonly tell: () => void;
  /** Whether a word would get through now. */
  readonly ready: () => boolean;
}

export interface WatchingParts {
  readonly desk: Desk;
  readonly modules: readonly Module[];
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

const INTERVAL_MS = 1_000;
/** How often is looked for a change that nobody tells of. */
const LOOK_EVERY_MS = 5_000;
/** Of one desk. What is not streamed is asked for, and each may be. */
const WATCHED_MAX = 100;

/** Holds no process that has nothing else to do. */
const CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined),
};

export class Watching {
  private readonly parts: Required<WatchingParts>;
  private readonly watched = new Map<string, Watched>();

  constructor({ clock = CLOCK, ...parts }: WatchingParts) {
    this.parts = { ...parts, clock };
  }

  /** @returns ends it; undefined where there is no such resource, or too many are watched */
  watch(uri: string, watcher: Watcher): (() => void) | undefined {
    const watched = this.watched.get(uri) ?? this.begin(uri);
    if (watched === undefined) return undefined;
    const leave = watched.join(watcher);
    return () => {
      leave();
      if (!watched.isEmpty || this.watched.get(uri) !== watched) return;
      this.watched.delete(uri);
      watched.close();
    };
  }

  private begin(uri: string): Watched | undefined {
    const resource = resourceAt(uri, this.parts.modules);
    if (resource === undefined || this.watched.size >= WATCHED_MAX) return undefined;
    const watched = new Watched(resource, this.parts);
    this.watched.set(uri, watched);
    return watched;
  }
}

interface Seat {
  readonly watcher: Watcher;
  /** There is something to tell. */
  pending: boolean;
}

/** One resource that somebody watches. */
class Watched {
  private readonly resource: Resource;
  private readonly parts: Required<WatchingParts>;
  private readonly seats = new Set<Seat>();
  private readonly closing = new AbortController();
  private isTelling = false;
  private nextMs = Number.NEGATIVE_INFINITY;

  constructor(resource: Resource, parts: Required<WatchingParts>) {
    this.resource = resource;
    this.parts = parts;
    this.follow().catch(parts.onError);
  }

  get isEmpty(): boolean {
    return this.seats.size === 0;
  }

  join(watcher: Watcher): () => void {
    const seat: Seat = { watcher, pending: false };
    this.seats.add(seat);
    return () => void this.seats.delete(seat);
  }

  close(): void {
    this.closing.abort();
  }

  /** Until it is closed: what the stream tells, and a look now and then where it does not. */
  private async follow(): Promise<void> {
    const { desk, clock, onError } = this.parts;
    const { signal } = this.closing;
    let live: StreamWatch | undefined;
    let seen: string | undefined;
    while (!signal.aborted) {
      live ??= await this.listen();
      // Before the look: what changes after it is then told, and needs no other look.
      const isLive = live?.live === true;
      if (!isLive || seen !== undefined) {
        const text = await textOf(this.resource, desk, onError);
        // With nothing to compare it with, it may have changed since somebody asked.
        if (text !== seen) this.changed();
        seen = isLive ? undefined : text;
      }
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
    live?.close();
  }

  /** @returns undefined where there is nothing to listen to, or not now */
  private async listen(): Promise<StreamWatch | undefined> {
    const { topic } = this.resource;
    if (topic === undefined) return undefined;
    const watch = await this.parts.desk.watch(topic, () => this.changed());
    return watch.ok ? watch.value : undefined;
  }

  private changed(): void {
    for (const seat of this.seats) seat.pending = true;
    this.tell().catch(this.parts.onError);
  }

  private async tell(): Promise<void> {
    if (this.isTelling) return;
    this.isTelling = true;
    try {
      while (!this.closing.signal.aborted && this.pending.length > 0) await this.tellOnce();
    } finally {
      this.isTelling = false;
    }
  }

  private get pending(): readonly Seat[] {
    return [...this.seats].filter(({ pending }) => pending);
  }

  private async tellOnce(): Promise<void> {
    const { clock } = this.parts;
    const { signal } = this.closing;
    const earlyMs = Math.min(this.nextMs - clock.now(), INTERVAL_MS);
    if (earlyMs > 0) await clock.sleep(earlyMs, signal);
    this.nextMs = clock.now() + INTERVAL_MS;
    for (const seat of this.pending) {
      if (signal.aborted || !seat.watcher.ready()) continue;
      seat.pending = false;
      try {
        seat.watcher.tell();
      } catch (error) {
        // One that cannot be told keeps the word from nobody else.
        this.parts.onError(error);
      }
    }
  }
}
