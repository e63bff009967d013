/**
 * What a process has seen of the watch of an account, whoever has it.
 *
 * Invariant: how long it stands unchanged is counted by a clock that nobody can set. What another machine wrote as its time is believed only as far as that
 * leaves open.
 *
 * Source: decision 0108.
 */
import type { PlanWatch } from "../../ports/plan-book.ts";

/** The clocks of two machines are no further apart. */
const CLOCKS_APART_MS = 10_000;
/** Whoever has the watch renews it twice meanwhile. */
const RENEWED_MS = 2_000;

/** Now, by both clocks of this process. */
export interface NowHere {
  readonly nowMs: number;
  readonly risingMs: number;
}

/** Times are of `Clock.rising`. */
interface Seen {
  readonly watch: PlanWatch;
  readonly sinceMs: number;
  /** It was another at the look before: so it was written in between. */
  readonly isRenewed: boolean;
  readonly lookedMs: number;
}

export class WatchSeen {
  #seen: Seen | undefined;

  /** @param risingMs when the store had answered: it was written before */
  note(watch: PlanWatch, risingMs: number): void {
    const known = this.#seen;
    const isSame = known?.watch.holder === watch.holder && known.watch.seenMs === watch.seenMs;
    this.#seen = isSame
      ? { ...known, lookedMs: risingMs }
      : { watch, sinceMs: risingMs, isRenewed: known !== undefined, lookedMs: risingMs };
  }

  /** What has not changed for a lease; or for long enough to be renewed, where it was old already when this process saw it first. */
  overdue({ nowMs, risingMs }: NowHere, leaseMs: number): PlanWatch | undefined {
    const known = this.#seen;
    if (known === undefined) return undefined;
    const wasOld = !known.isRenewed && nowMs - known.watch.seenMs >= CLOCKS_APART_MS;
    return risingMs - known.sinceMs >= (wasOld ? RENEWED_MS : leaseMs) ? known.watch : undefined;
  }

  /**
   * When somebody looked last, by our clock.
   * @param seenMs the same as the store has it, by the clock of whoever looked
   */
  lookedLastMs(seenMs: number, { nowMs, risingMs }: NowHere): number {
    const known = this.#seen;
    if (known === undefined) return Math.min(seenMs, nowMs);
    const ourMs = (atMs: number): number => nowMs - (risingMs - atMs);
    if (known.watch.seenMs !== seenMs) return Math.max(ourMs(known.lookedMs), Math.min(seenMs, nowMs));
    const sinceMs = ourMs(known.sinceMs);
    return known.isRenewed ? sinceMs : Math.min(seenMs, sinceMs);
  }
}
