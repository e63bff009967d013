/**
 * The call limits: of a key, calls in any second and weight in any minute, whichever is used up first; of an address, the weight of
 * its public calls in any minute. Entry points: `CallLimit`, `CallLog`.
 *
 * Invariants: both windows slide and are exact, so that no second contains more calls than the limit, wherever it begins; a
 * refused call counts for neither. Source: service.md#call-limit, service.md#weight-limit, service.md#public-limit.
 */
import type { Tier } from "../../contract/index.ts";
import type { Millis } from "../model/index.ts";

export interface CallBudget {
  /** Null where calls are limited by weight alone. */
  readonly callsPerSecond: number | null;
  readonly weightPerMinute: number;
}

/** Tells what is left of the limit that is closer to being used up. */
export interface CallState {
  readonly limit: number;
  readonly remaining: number;
  /** Until some of it becomes available again. */
  readonly resetMs: Millis;
  /** The weight of the calls in the last minute. */
  readonly usedWeight: number;
}

const SECOND = 1000;
const MINUTE = 60_000;
/** Expired calls stay at the front of the lists until there are this many. */
const COMPACT_AT = 1024;

/** The calls of one key, or one address, in the last minute. */
export class CallLog {
  #times: Millis[] = [];
  #weights: number[] = [];
  /** The index of the first call in the current minute, and in the current second. */
  #minuteStart = 0;
  #secondStart = 0;
  #minuteWeight = 0;

  /** Counts a call if both limits permit it. @returns undefined, or how long to wait until they would. */
  enter(budget: CallBudget, weight: number, at: Millis): Millis | undefined {
    const time = this.#advance(at);
    const wait = Math.max(this.#secondWait(budget, time), this.#minuteWait(budget, weight, time));
    if (wait > 0) return wait;
    this.#times.push(time);
    this.#weights.push(weight);
    this.#minuteWeight += weight;
    return undefined;
  }

  state(budget: CallBudget, at: Millis): CallState {
    const time = this.#advance(at);
    const calls = this.#times.length - this.#secondStart;
    const minuteWeight = this.#minuteWeight;
    const untilExpiry = this.#untilExpiry(this.#minuteStart, MINUTE, time);
    const minute = stateOf(budget.weightPerMinute, minuteWeight, untilExpiry, minuteWeight);
    if (budget.callsPerSecond === null) return minute;
    const untilNext = this.#untilExpiry(this.#secondStart, SECOND, time);
    const second = stateOf(budget.callsPerSecond, calls, untilNext, minuteWeight);
    return second.remaining * minute.limit <= minute.remaining * second.limit ? second : minute;
  }

  /** Tells whether no call counts any more. */
  isIdle(at: Millis): boolean {
    this.#advance(at);
    return this.#minuteStart === this.#times.length;
  }

  /** Drops expired calls. @returns the time to count by, which stands still while the clock is set back */
  #advance(at: Millis): Millis {
    const time = Math.max(at, this.#times.at(-1) ?? at);
    while (this.#startsBefore(this.#secondStart, time - SECOND)) this.#secondStart++;
    while (this.#startsBefore(this.#minuteStart, time - MINUTE))
      this.#minuteWeight -= this.#weights[this.#minuteStart++] ?? 0;
    if (this.#minuteStart >= COMPACT_AT) {
      this.#times = this.#times.slice(this.#minuteStart);
      this.#weights = this.#weights.slice(this.#minuteStart);
      this.#secondStart -= this.#minuteStart;
      this.#minuteStart = 0;
    }
    return time;
  }

  /** A second contains the calls of [t, t + 1000 ms). */
  #startsBefore(index: number, end: Millis): boolean {
    const time = this.#times[index];
    return time !== undefined && time <= end;
  }

  #untilExpiry(index: number, window: Millis, at: Millis): Millis {
    const time = this.#times[index];
    return time === undefined ? 0 : time + window - at;
  }

  #secondWait({ callsPerSecond }: CallBudget, at: Millis): Millis {
    const calls = this.#times.length - this.#secondStart;
    if (callsPerSecond === null || calls < callsPerSecond) return 0;
    return Math.max(1, this.#untilExpiry(this.#times.length - Math.max(callsPerSecond, 1), SECOND, at));
  }

  #minuteWait({ weightPerMinute }: CallBudget, weight: number, at: Millis): Millis {
    let excess = this.#minuteWeight + weight - weightPerMinute;
    if (excess <= 0) return 0;
    for (let index = this.#minuteStart; index < this.#times.length; index++) {
      excess -= this.#weights[index] ?? 0;
      if (excess <= 0) return this.#untilExpiry(index, MINUTE, at);
    }
    return MINUTE;
  }
}

interface Weights {
  readonly weightPerMinute: Readonly<Record<Tier, number>>;
  readonly publicWeightPerMinute: number;
}

/** With more addresses than this, those that have no calls are forgotten. */
const ADDRESSES_MAX = 1024;

export class CallLimit {
  readonly #logs = new Map<string, CallLog>();
  readonly #addresses = new Map<string, CallLog>();
  readonly #weightPerMinute: Weights["weightPerMinute"];
  /** Holds for any address. */
  readonly publicBudget: CallBudget;

  constructor({ weightPerMinute, publicWeightPerMinute }: Weights) {
    this.#weightPerMinute = weightPerMinute;
    this.publicBudget = { callsPerSecond: null, weightPerMinute: publicWeightPerMinute };
  }

  budget(tier: Tier, callsPerSecond: number): CallBudget {
    return { callsPerSecond, weightPerMinute: this.#weightPerMinute[tier] };
  }

  log(keyId: string): CallLog {
    const known = this.#logs.get(keyId);
    if (known !== undefined) return known;
    const log = new CallLog();
    this.#logs.set(keyId, log);
    return log;
  }

  addressLog(address: string, at: Millis): CallLog {
    const known = this.#addresses.get(address);
    if (known !== undefined) return known;
    if (this.#addresses.size >= ADDRESSES_MAX)
      for (const [other, log] of this.#addresses) if (log.isIdle(at)) this.#addresses.delete(other);
    const log = new CallLog();
    this.#addresses.set(address, log);
    return log;
  }
}

function stateOf(limit: number, used: number, resetMs: Millis, usedWeight: number): CallState {
  return { limit, remaining: Math.max(0, limit - used), resetMs: Math.max(0, resetMs), usedWeight };
}
