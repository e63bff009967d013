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

interface Seen {
  readonly watch: PlanWatch;
  readonly since: NowHere;
  /** It was another at the look before: so it was written in between. */
  readonly isRenewed: boolean;
  readonly looked: NowHere;
}

export class WatchSeen {
  #seen: Seen | undefined;

  /** @param here when the store had answered: it was written before */
  note(watch: PlanWatch, here: NowHere): void {
    const known = this.#seen;
    const isSame = known?.watch.holder === watch.holder && known.watch.seenMs === watch.seenMs;
    this.#seen = isSame
      ? { ...known, looked: here }
      : { watch, since: here, isRenewed: known !== undefined, looked: here };
  }

  /** What has not changed for a lease; or for long enough to be renewed, where it was old already when this process saw it first. */
  overdue({ nowMs, risingMs }: NowHere, leaseMs: number): PlanWatch | undefined {
    const known = this.#seen;
    if (known === undefined) return undefined;
    const wasOld = !known.isRenewed && nowMs - known.watch.seenMs >= CLOCKS_APART_MS + leaseMs;
    return risingMs - known.since.risingMs >= (wasOld ? RENEWED_MS : leaseMs) ? known.watch : undefined;
  }

  /**
   * When somebody looked last, by our clock.
   * @param seenMs the same as the store has it, by the clock of whoever looked
   */
  lookedLastMs(seenMs: number, { nowMs, risingMs }: NowHere): number {
    const known = this.#seen;
    if (known === undefined) return Math.min(seenMs, nowMs);
    // Where our clock was set or the machine slept, which cannot be told apart, the earlier.
    const ourMs = (at: NowHere): number => Math.min(at.nowMs, nowMs - (risingMs - at.risingMs));
    if (known.watch.seenMs !== seenMs) return Math.max(ourMs(known.looked), Math.min(seenMs, nowMs));
    const sinceMs = ourMs(known.since);
    return known.isRenewed ? sinceMs : Math.min(seenMs, sinceMs);
  }
}
