/**
 * The lane of a single process: cancels first, background reads last, else first come, first served; one call of a key in flight, every nonce larger
 * than the one before. It keeps no rate budget but observes the pauses that the venue asks for. During a pause one cancel is let
 * through at once, further cancels one at a time and seconds apart.
 *
 * Source: service.md#nonce, service.md#one-lane-per-key, architecture.md#rule-4.
 */
import { untilAborted } from "./deadline.ts";
import type { Lane, LaneDeadline, LanePass, LaneRequest, SteadyClock } from "./ports.ts";

interface Waiter {
  readonly urgent: boolean;
  readonly background: boolean;
  /** Makes the waiter check again whether its turn has come. */
  wake: () => void;
}

/** Times on the steady clock. */
interface KeyQueue {
  inFlight: boolean;
  /** In the order of their turns, urgent ones first. */
  readonly queue: Waiter[];
  last: bigint;
  enteredAtMs: number;
  pausedFromMs: number;
  pausedUntilMs: number;
}

/** Between two cancels during a pause. */
const PAUSED_URGENT_EVERY_MS = 3_000;

export class LocalLane implements Lane {
  readonly #clock: SteadyClock;
  readonly #queues = new Map<string, KeyQueue>();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** @throws the reason of the deadline's signal when that fires before the turn comes; the turn is then given up. */
  async enter(
    keyId: string,
    { urgent = false, background = false, clockOffsetMs, deadline }: LaneRequest,
  ): Promise<LanePass> {
    const track = this.#queue(keyId);
    const waiter: Waiter = { urgent, background, wake: () => {} };
    const end = track.queue.findIndex((other) => (urgent ? !other.urgent : !background && other.background));
    track.queue.splice(end < 0 ? track.queue.length : end, 0, waiter);
    try {
      await this.#turn(track, waiter, deadline);
    } finally {
      track.queue.splice(track.queue.indexOf(waiter), 1);
      wakeNext(track);
    }
    track.enteredAtMs = this.#clock.rising();
    track.last = larger(track.last + 1n, BigInt(Math.floor(this.#clock.now() + clockOffsetMs())));
    let left = false;
    return {
      nonce: track.last,
      leave: async () => {
        // By now the turn may belong to another call.
        if (left) return;
        left = true;
        track.inFlight = false;
        wakeNext(track);
      },
    };
  }

  async pause(keyId: string, forMs: number): Promise<void> {
    const track = this.#queue(keyId);
    const now = this.#clock.rising();
    if (track.pausedUntilMs <= now) track.pausedFromMs = now;
    track.pausedUntilMs = Math.max(track.pausedUntilMs, now + forMs);
  }

  async #turn(track: KeyQueue, waiter: Waiter, deadline: LaneDeadline | undefined): Promise<void> {
    for (;;) {
      if (deadline?.hasPassed === true) deadline.signal.throwIfAborted();
      const waitMs = pauseLeft(track, waiter, this.#clock.rising());
      if (track.inFlight || track.queue[0] !== waiter) {
        const called = new Promise<void>((resolve) => {
          waiter.wake = resolve;
        });
        await (deadline === undefined ? called : untilAborted(called, deadline.signal));
      } else if (waitMs > 0) await this.#clock.sleep(waitMs, deadline?.signal);
      else {
        track.inFlight = true;
        return;
      }
    }
  }

  #queue(keyId: string): KeyQueue {
    const known = this.#queues.get(keyId);
    if (known !== undefined) return known;
    const track: KeyQueue = { inFlight: false, queue: [], last: 0n, ...NEVER };
    this.#queues.set(keyId, track);
    return track;
  }
}

/** The steady clock may start at any value. */
const NEVER = {
  enteredAtMs: Number.NEGATIVE_INFINITY,
  pausedFromMs: Number.NEGATIVE_INFINITY,
  pausedUntilMs: Number.NEGATIVE_INFINITY,
};

function pauseLeft(track: KeyQueue, { urgent }: Waiter, nowMs: number): number {
  const leftMs = track.pausedUntilMs - nowMs;
  if (!urgent) return leftMs;
  // No call has entered since the pause began.
  if (track.enteredAtMs <= track.pausedFromMs) return 0;
  return Math.min(leftMs, track.enteredAtMs + PAUSED_URGENT_EVERY_MS - nowMs);
}

function wakeNext({ queue }: KeyQueue): void {
  queue[0]?.wake();
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
