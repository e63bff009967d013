/**
 * Owns pacing: the generic cell rate algorithm, as plain arithmetic on one stored figure per budget.
 *
 * Invariant: in no window of the given length, wherever it begins, is more than the limit let through. A limiter that
 * counts in fixed windows lets twice the limit through where two windows meet. A part of what may come at once is out of the
 * reach of all but urgent calls, so that these find it unspent; it is inside the limit too.
 */
import { StoreInvariantError } from "../sql/store-error.ts";

/**
 * Says how much a call matters. `urgent`: a cancel; it may use what the budgets keep free. `background`: history that nobody waits for; it
 * leaves most of the budgets to the others.
 */
export type Rank = "urgent" | "usual" | "background";

/** A budget that holds `burst` units, the last `kept` of them for urgent calls, and gains one every `intervalUs`. */
export interface Pace {
  readonly intervalUs: number;
  readonly burst: number;
  readonly kept: number;
}

export interface Expense {
  readonly cost: number;
  readonly rank: Rank;
}

/** Kept free, because calls arrive at the venue at other distances than they left at. */
const USED_SHARE = 0.95;
/** Keeps a share of the burst for urgent calls. Others wait until it is whole again, so the refill goes there first too. */
const KEPT_SHARE = 1 / 4;
/** Gives background calls a share of the burst: the rest stays there for what comes meanwhile. */
const BACKGROUND_SHARE = 1 / 3;
/** Our clock counts whole milliseconds, so a window may be longer than it looks by one at either end. */
const CLOCK_STEP_MS = 2;
/** A clock set back by less is waited for, as a reset budget would let more through than the limit. */
const SET_BACK_US = 1_000_000;

/**
 * The pace that stays inside `limit` units in any window: burst and refill of a window together are at most the share used.
 * @param burstShare how much of it may come at once; the rest is the sustained rate.
 * @param burstMin the largest cost there is; calls that are not urgent can also spend it at once.
 */
export function paceWithin(limit: number, windowMs: number, burstShare: number, burstMin = 1): Pace {
  const used = Math.max(1, Math.floor(limit * USED_SHARE));
  const burst = Math.min(used, Math.max(burstMin, Math.round(used * burstShare)));
  const kept = Math.min(burst - Math.min(burst, burstMin), Math.ceil(burst * KEPT_SHARE));
  return { burst, kept, intervalUs: Math.ceil(((windowMs + CLOCK_STEP_MS) * 1_000) / (used - burst + 1)) };
}

/**
 * Spends `cost` units, if they are there.
 * @param untilUs the stored figure: when the budget will be full again.
 * @returns how long to wait (0: let through), and the figure to store if let through.
 */
export function spend(
  pace: Pace,
  untilUs: number,
  nowUs: number,
  { cost, rank }: Expense,
): { readonly waitMs: number; readonly untilUs: number } {
  const reach = reachOf(pace, cost, rank);
  if (cost > reach) throw new StoreInvariantError(`a call of weight ${cost} never fits the budget`);
  // Nothing is stored further ahead than the burst, unless the clock was set back: do not wait for it to catch up.
  const setBack = untilUs > nowUs + pace.burst * pace.intervalUs + SET_BACK_US;
  const fromUs = setBack ? nowUs : Math.max(untilUs, nowUs);
  const nextUs = fromUs + cost * pace.intervalUs;
  return { waitMs: Math.max(0, Math.ceil((nextUs - nowUs - reach * pace.intervalUs) / 1_000)), untilUs: nextUs };
}

/** The largest cost that a call which is not urgent can spend. */
export function most({ burst, kept }: Pace): number {
  return burst - kept;
}

/** Tells how much may be spent of a budget that is full. */
function reachOf(pace: Pace, cost: number, rank: Rank): number {
  switch (rank) {
    case "urgent":
      return pace.burst;
    case "usual":
      return most(pace);
    case "background":
      return Math.min(most(pace), Math.max(cost, Math.floor(pace.burst * BACKGROUND_SHARE)));
  }
}

/** When a budget will be full again that has so much left now. */
export function untilFor({ burst, intervalUs }: Pace, left: number, nowUs: number): number {
  return nowUs + Math.max(0, burst - left) * intervalUs;
}
