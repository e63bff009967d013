/**
 * Owns the call limits of a key: calls in any second, weight in any minute, whichever is used up first (decisions §6).
 *
 * Invariants: both windows slide and are exact, so that no span of a second holds more than the limit, wherever it begins;
 * a refused call uses nothing up.
 */
import type { Tier } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";

export interface CallBudget {
  readonly callsPerSecond: number;
  readonly weightPerMinute: number;
}

/** What is left of the window that is closer to its end. */
export interface CallState {
  readonly limit: number;
  readonly remaining: number;
  /** Until part of the window comes back. */
  readonly resetMs: Millis;
}

const SECOND = 1000;
const MINUTE = 60_000;
/** Dropped calls are kept in front of the lists until there are this many. */
const COMPACT_AT = 1024;

/** The calls of one key in the last minute. */
export class CallLog {
  private times: Millis[] = [];
  private weights: number[] = [];
  /** First call inside the minute, and inside the second. */
  private minuteStart = 0;
  private secondStart = 0;
  private minuteWeight = 0;

  /** Enters a call if both windows have room. @returns undefined, or how long until they would have. */
  enter(budget: CallBudget, weight: number, at: Millis): Millis | undefined {
    const time = this.advance(at);
    const wait = Math.max(this.secondWait(budget, time), this.minuteWait(budget, weight, time));
    if (wait > 0) return wait;
    this.times.push(time);
    this.weights.push(weight);
    this.minuteWeight += weight;
    return undefined;
  }

  state(budget: CallBudget, at: Millis): CallState {
    const time = this.advance(at);
    const calls = this.times.length - this.secondStart;
    const second = left(budget.callsPerSecond, calls, this.untilOut(this.secondStart, SECOND, time));
    const minute = left(budget.weightPerMinute, this.minuteWeight, this.untilOut(this.minuteStart, MINUTE, time));
    return second.remaining * minute.limit <= minute.remaining * second.limit ? second : minute;
  }

  /** Weight of the calls of the last minute. */
  weightUsed(at: Millis): number {
    this.advance(at);
    return this.minuteWeight;
  }

  /** Drops what has left the windows. @returns the time to go by: a clock that steps back stands still here. */
  private advance(at: Millis): Millis {
    const time = Math.max(at, this.times.at(-1) ?? at);
    while (this.startsBefore(this.secondStart, time - SECOND)) this.secondStart++;
    while (this.startsBefore(this.minuteStart, time - MINUTE))
      this.minuteWeight -= this.weights[this.minuteStart++] ?? 0;
    if (this.minuteStart >= COMPACT_AT) {
      this.times = this.times.slice(this.minuteStart);
      this.weights = this.weights.slice(this.minuteStart);
      this.secondStart -= this.minuteStart;
      this.minuteStart = 0;
    }
    return time;
  }

  /** A window of a second holds the calls of [t, t + 1000 ms). */
  private startsBefore(index: number, end: Millis): boolean {
    const time = this.times[index];
    return time !== undefined && time <= end;
  }

  private untilOut(index: number, window: Millis, at: Millis): Millis {
    const time = this.times[index];
    return time === undefined ? 0 : time + window - at;
  }

  private secondWait({ callsPerSecond }: CallBudget, at: Millis): Millis {
    const calls = this.times.length - this.secondStart;
    if (calls < callsPerSecond) return 0;
    return Math.max(1, this.untilOut(this.times.length - Math.max(callsPerSecond, 1), SECOND, at));
  }

  private minuteWait({ weightPerMinute }: CallBudget, weight: number, at: Millis): Millis {
    let excess = this.minuteWeight + weight - weightPerMinute;
    if (excess <= 0) return 0;
    for (let index = this.minuteStart; index < this.times.length; index++) {
      excess -= this.weights[index] ?? 0;
      if (excess <= 0) return this.untilOut(index, MINUTE, at);
    }
    return MINUTE;
  }
}

/** The logs of all keys, and which budget a key has. */
export class CallLimit {
  private readonly logs = new Map<string, CallLog>();
  private readonly weightPerMinute: Readonly<Record<Tier, number>>;

  constructor(weightPerMinute: Readonly<Record<Tier, number>>) {
    this.weightPerMinute = weightPerMinute;
  }

  budget(tier: Tier, callsPerSecond: number): CallBudget {
    return { callsPerSecond, weightPerMinute: this.weightPerMinute[tier] };
  }

  log(keyId: string): CallLog {
    const kept = this.logs.get(keyId);
    if (kept !== undefined) return kept;
    const log = new CallLog();
    this.logs.set(keyId, log);
    return log;
  }
}

function left(limit: number, used: number, resetMs: Millis): CallState {
  return { limit, remaining: Math.max(0, limit - used), resetMs: Math.max(0, resetMs) };
}
