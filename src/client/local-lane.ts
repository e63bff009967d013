/**
 * The lane of a single process: first come, first served, one call of a key in flight, every nonce larger
 * than the one before. Keeps no rate budget beyond the pauses the venue asks for.
 *
 * Source: decisions §2 (nonce); architecture rule 1.
 */
import { untilAborted } from "./patience.ts";
import type { ClientClock, Lane, LanePass, LaneRequest } from "./ports.ts";

interface Track {
  /** Resolves when the last call in the queue has left. */
  tail: Promise<void>;
  last: bigint;
  pausedUntilMs: number;
}

export class LocalLane implements Lane {
  readonly #clock: ClientClock;
  readonly #tracks = new Map<string, Track>();

  constructor(clock: ClientClock) {
    this.#clock = clock;
  }

  /** @throws the signal's reason when it fires before the turn comes; the turn is then given up. */
  async enter(keyId: string, request: LaneRequest): Promise<LanePass> {
    const track = this.#track(keyId);
    const before = track.tail;
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    track.tail = before.then(() => left);
    try {
      await this.#turn(track, before, request.signal);
    } catch (error) {
      leave();
      throw error;
    }
    track.last = larger(track.last + 1n, BigInt(Math.floor(this.#clock.now() + request.clockOffsetMs)));
    return {
      nonce: track.last,
      leave: async () => leave(),
    };
  }

  async pause(keyId: string, forMs: number): Promise<void> {
    const track = this.#track(keyId);
    track.pausedUntilMs = Math.max(track.pausedUntilMs, this.#clock.now() + forMs);
  }

  async #turn(track: Track, before: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    await (signal === undefined ? before : untilAborted(before, signal));
    signal?.throwIfAborted();
    for (let waitMs = this.#pauseMs(track); waitMs > 0; waitMs = this.#pauseMs(track)) {
      await this.#clock.sleep(waitMs, signal);
      signal?.throwIfAborted();
    }
  }

  #pauseMs(track: Track): number {
    return track.pausedUntilMs - this.#clock.now();
  }

  #track(keyId: string): Track {
    const known = this.#tracks.get(keyId);
    if (known !== undefined) return known;
    const track: Track = { tail: Promise.resolve(), last: 0n, pausedUntilMs: 0 };
    this.#tracks.set(keyId, track);
    return track;
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
