/**
 * Owns the decision who may pass a lane when, and with which nonce: a function from what is known to what follows.
 *
 * Invariants: a nonce is larger than every one before it; nobody passes beside a lease that is held, unless it was
 * waited for long enough; the rate budgets bind everybody. A venue's pause binds all but urgent calls, of which one leaves at once and
 * then one at a time, far apart: the venue may have meant other calls, and a cancel that does not leave is the worse risk. A clock
 * set back makes nobody wait for it.
 */
import { most, type Pace, type Rank, spend, untilFor } from "./pace.ts";

/** Holds what is known about a key's lane; shared by all processes. */
export interface LaneState {
  readonly lastNonce: bigint;
  readonly callsUntilUs: number;
  readonly weightUntilUs: number;
  readonly pausedFromMs: number;
  readonly pausedUntilMs: number;
  /** Rises with every call let through; tells one lease from the next. */
  readonly leaseId: number;
  readonly leaseFromMs: number;
  /** 0 when nobody holds the lane. */
  readonly leaseUntilMs: number;
}

export const UNUSED_LANE: LaneState = {
  lastNonce: 0n,
  callsUntilUs: 0,
  weightUntilUs: 0,
  pausedFromMs: 0,
  pausedUntilMs: 0,
  leaseId: 0,
  leaseFromMs: 0,
  leaseUntilMs: 0,
};

/** The pace of urgent calls while the venue asks for a pause. Shorter than the time the kill switch gives one call. */
const PAUSED_URGENT_EVERY_MS = 3_000;

/** A background call is charged so many times its weight: history comes at a third of the pace, and what it leaves is there for orders. */
const BACKGROUND_CHARGE = 3;

export interface LanePaces {
  readonly calls: Pace;
  readonly weight: Pace;
  readonly leaseMs: number;
}

export interface Turn {
  /** Whole. */
  readonly nowMs: number;
  readonly weight: number;
  readonly clockOffsetMs: number;
  readonly rank: Rank;
  /** A lease that was waited for long enough: it holds nobody up any more. */
  readonly overdueLease?: number | undefined;
}

/** Either the lane's next state, with this call in it, or what stands in the way and for how long at most. */
export type Decision =
  | { readonly passes: true; readonly state: LaneState }
  | { readonly passes: false; readonly behind: "lease" | "pace"; readonly waitMs: number };

export function decideTurn(state: LaneState, turn: Turn, paces: LanePaces): Decision {
  const { nowMs, rank } = turn;
  const leaseMs = remaining(nowMs, state.leaseFromMs, state.leaseUntilMs);
  if (leaseMs > 0 && state.leaseId !== turn.overdueLease) return { passes: false, behind: "lease", waitMs: leaseMs };
  const nowUs = nowMs * 1_000;
  const calls = spend(paces.calls, state.callsUntilUs, nowUs, { cost: 1, rank });
  const cost = rank === "background" ? Math.min(turn.weight * BACKGROUND_CHARGE, most(paces.weight)) : turn.weight;
  const weight = spend(paces.weight, state.weightUntilUs, nowUs, { cost, rank });
  const pauseMs = pauseLeft(state, nowMs, rank === "urgent");
  const waitMs = Math.max(pauseMs, calls.waitMs, weight.waitMs);
  if (waitMs > 0) return { passes: false, behind: "pace", waitMs };
  const serverTime = BigInt(nowMs) + BigInt(Math.trunc(turn.clockOffsetMs));
  const next = state.lastNonce + 1n;
  return {
    passes: true,
    state: {
      ...state,
      lastNonce: next > serverTime ? next : serverTime,
      callsUntilUs: calls.untilUs,
      weightUntilUs: weight.untilUs,
      leaseId: state.leaseId + 1,
      leaseFromMs: nowMs,
      leaseUntilMs: nowMs + paces.leaseMs,
    },
  };
}

/** Tells how long the venue's pause still holds this call up. */
function pauseLeft(state: LaneState, nowMs: number, urgent: boolean): number {
  const leftMs = remaining(nowMs, state.pausedFromMs, state.pausedUntilMs);
  // The last call let through was let through before the pause.
  if (!urgent || leftMs === 0 || state.leaseFromMs <= state.pausedFromMs) return urgent ? 0 : leftMs;
  return Math.min(leftMs, Math.max(0, state.leaseFromMs + PAUSED_URGENT_EVERY_MS - nowMs));
}

/** Milliseconds left of a span; none when the clock stands before its beginning, as it was then set back. */
function remaining(nowMs: number, fromMs: number, untilMs: number): number {
  return nowMs < fromMs ? 0 : Math.max(0, untilMs - nowMs);
}

export function pauseLane(state: LaneState, nowMs: number, forMs: number): LaneState {
  const untilMs = nowMs + Math.max(0, Math.ceil(forMs));
  const leftMs = remaining(nowMs, state.pausedFromMs, state.pausedUntilMs);
  // A pause that is made longer is the same pause: no further urgent call leaves at once because of it.
  const pausedFromMs = leftMs > 0 ? state.pausedFromMs : nowMs;
  return { ...state, pausedFromMs, pausedUntilMs: Math.max(untilMs, nowMs + leftMs) };
}

/** No more of the weight is left than the venue says: another program used the key too. */
export function lowerWeight(state: LaneState, nowMs: number, left: number, { weight }: LanePaces): LaneState {
  const untilUs = untilFor(weight, left, nowMs * 1_000);
  return untilUs <= state.weightUntilUs ? state : { ...state, weightUntilUs: untilUs };
}
