/**
 * What one process knows of one group of a venue's calls: what it has used, what it may use, and for how long nothing goes. Times are on the steady clock.
 *
 * Invariant: a call counts from when it leaves until a window after its answer, as it may arrive as late as that. One without an answer counts as arrived two
 * seconds after it left, a cancel half a second after, as another may have to follow it.
 */

export interface RateGroup {
  readonly name: string;
  /** Calls in a window. */
  readonly limit: number;
  readonly windowMs: number;
  readonly scope: "key" | "address";
  /** How many of them only a cancel may use. */
  readonly reserved?: number;
}

export interface Use {
  /** When it left, and once it is over when it was. */
  atMs: number;
  readonly weight: number;
  /** How long it may be under way. */
  readonly flightMs: number;
  isUnderWay: boolean;
  /** Other processes know of it. */
  isTold: boolean;
}

/** Of a key, or of the address. */
export interface Shut {
  untilMs: number;
  times: number;
}

export interface Row {
  readonly group: RateGroup;
  readonly shut: Shut;
  /** Key, or the address, that it counts by. */
  readonly whose: string;
  used: Use[];
  pausedUntilMs: number;
  /** The last cancel that went during the pause. */
  probedAtMs: number;
  pauses: number;
  /** What the store has granted, and until when. */
  hand: number;
  handUntilMs: number;
  /** Whoever goes no earlier than this need not ask before. */
  turnedAway: { readonly untilMs: number; readonly priority: Priority };
  /** What all processes had used or held when the store was asked last. */
  total: number;
}

/** 0 goes first, and may use what is kept for it; 2 goes last, and uses a part of the rest. */
export type Priority = 0 | 1 | 2;

/** The steady clock may start at any value. */
export const NEVER = Number.NEGATIVE_INFINITY;
export const NOT_TURNED_AWAY: Row["turnedAway"] = { untilMs: NEVER, priority: 2 };

/** Requests may arrive closer together than they leave. */
const JITTER_MS = 50;
const FLIGHT_MS = 2_000;
const URGENT_FLIGHT_MS = 500;
/** Between two cancels during a pause. */
const PAUSED_URGENT_EVERY_MS = 3_000;
/** A background read uses at most this part of what is not reserved. */
const BACKGROUND_PART = 4;

export function rowOf(group: RateGroup, whose: string, shut: Shut): Row {
  const times = { pausedUntilMs: NEVER, probedAtMs: NEVER, handUntilMs: NEVER };
  return { group, whose, shut, used: [], pauses: 0, hand: 0, total: 0, turnedAway: NOT_TURNED_AWAY, ...times };
}

/** How long a call may be under way that has no answer. */
export function flightOf(priority: Priority): number {
  return priority === 0 ? URGENT_FLIGHT_MS : FLIGHT_MS;
}

/** @returns to be called when it is over */
export function use(row: Row, weight: number, priority: Priority, atMs: number): (nowMs: number) => void {
  const made: Use = { atMs, weight, flightMs: flightOf(priority), isUnderWay: true, isTold: false };
  row.used.push(made);
  if (atMs < row.pausedUntilMs) row.probedAtMs = atMs;
  if (atMs < row.handUntilMs) row.hand = Math.max(0, row.hand - weight);
  return (nowMs) => {
    if (!made.isUnderWay) return;
    made.atMs = lastOf(made, nowMs);
    made.isUnderWay = false;
  };
}

/** When it may have arrived at the latest. */
function lastOf({ atMs, flightMs, isUnderWay }: Use, nowMs: number): number {
  return isUnderWay ? Math.min(nowMs, atMs + flightMs) : atMs;
}

/** When it counts no more. */
function endOf(made: Use, { windowMs }: RateGroup, nowMs: number): number {
  return lastOf(made, nowMs) + windowMs + JITTER_MS;
}

export function usedOf(row: Row, nowMs: number): number {
  row.used = row.used.filter((made) => endOf(made, row.group, nowMs) > nowMs);
  return row.used.reduce((sum, { weight }) => sum + weight, 0);
}

/** What may not have arrived yet. */
export function underWayIn({ used }: Row, nowMs: number): { readonly calls: number; readonly forMs: number } {
  const underWay = used.filter(({ isUnderWay }) => isUnderWay);
  const lefts = underWay.map(({ atMs, flightMs }) => atMs + flightMs - nowMs);
  return { calls: underWay.reduce((sum, { weight }) => sum + weight, 0), forMs: Math.max(0, ...lefts) };
}

/** What is over, and no other process knows of. */
export function untoldIn({ used }: Row): readonly Use[] {
  return used.filter(({ isTold, isUnderWay }) => !isTold && !isUnderWay);
}

export function waitFor(row: Row, weight: number, priority: Priority, nowMs: number): number {
  return Math.max(pauseLeft(row, priority, nowMs), roomIn(row, weight, priority, nowMs));
}

/** How much of a group a call of this weight may use. A call that weighs more than its share goes when nothing else does. */
export function openTo({ limit, reserved = 0 }: RateGroup, priority: Priority, weight: number): number {
  const open = priority === 0 ? limit : limit - reserved;
  return Math.max(priority === 2 ? Math.floor(open / BACKGROUND_PART) : open, weight);
}

function pauseLeft(row: Row, priority: Priority, nowMs: number): number {
  const leftMs = row.pausedUntilMs - nowMs;
  if (priority !== 0 || leftMs <= 0) return leftMs;
  return Math.min(leftMs, row.probedAtMs + PAUSED_URGENT_EVERY_MS - nowMs);
}

function roomIn(row: Row, weight: number, priority: Priority, nowMs: number): number {
  let over = usedOf(row, nowMs) + weight - openTo(row.group, priority, weight);
  if (over <= 0) return 0;
  const ends = row.used.map((made) => [endOf(made, row.group, nowMs) - nowMs, made.weight] as const);
  for (const [leftMs, each] of ends.sort(([one], [other]) => one - other)) {
    over -= each;
    if (over <= 0) return leftMs;
  }
  return 0;
}
