/**
 * The life cycle of a plan and of its steps, as two exhaustive tables. A plan is a durable job of the desk that a person approves once; a step is what may
 * become one order of it: a turn of a calendar, a piece, an attempt of a protection.
 *
 * - `awaiting_approval`: a person has to approve it. `denied`: they said no. `lapsed`: the question expired, trading was halted, or the market has
 *   reached the trigger meanwhile.
 * - `active`: it waits, and may send. `paused`: it waits for nobody; nothing of it leaves before it is resumed. `attention`: it cannot go on alone.
 * - `done`: nothing is left to do. `expired`: its end has come. `canceled`: withdrawn. `replaced`: another has taken its place in the same transaction.
 *
 * Invariants: a plan sends while it is `active` alone; a final state is never left; a step that was claimed has one order at most, and is never claimed
 * again.
 *
 * Source: decision 0099.
 */

/** Every permitted move of a plan. One with an empty list is final. */
export const PLAN_MOVES = {
  awaiting_approval: ["active", "denied", "lapsed", "canceled"],
  active: ["paused", "attention", "done", "canceled", "expired", "replaced"],
  // Back by a person, where money may be real, after the checks of a new one.
  paused: ["active", "canceled", "expired", "replaced"],
  attention: ["active", "canceled", "expired", "replaced"],
  denied: [],
  lapsed: [],
  done: [],
  canceled: [],
  expired: [],
  replaced: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type PlanState = keyof typeof PLAN_MOVES;

/** Every permitted move of a step. */
export const STEP_MOVES = {
  planned: ["claimed", "missed", "denied", "skipped"],
  // `nothing`: its order has ended without executing.
  claimed: ["done", "nothing", "rejected", "denied", "not_placed", "unknown"],
  unknown: ["done", "nothing", "rejected", "not_placed"],
  done: [],
  nothing: [],
  rejected: [],
  denied: [],
  not_placed: [],
  missed: [],
  skipped: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type StepState = keyof typeof STEP_MOVES;

export function canPlanMove(from: PlanState, to: PlanState): boolean {
  return (PLAN_MOVES[from] as readonly PlanState[]).includes(to);
}

export function canStepMove(from: StepState, to: StepState): boolean {
  return (STEP_MOVES[from] as readonly StepState[]).includes(to);
}

/** Tells whether nothing comes of it any more. */
export function isPlanEnded(state: PlanState): boolean {
  return PLAN_MOVES[state].length === 0;
}

/** How the plans of the account stand, in figures. */
export interface PlansStanding {
  readonly active: number;
  readonly protecting: number;
  readonly attention: number;
  readonly paused: number;
  readonly waiting: number;
  /** What planned steps set aside of the day's budget, in the unit of account. */
  readonly reserved: string;
  /** Null while nobody watches. */
  readonly watched_since: string | null;
}
