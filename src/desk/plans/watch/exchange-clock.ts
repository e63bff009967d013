/**
 * What time it is at the exchange: its newest word of the time, and what a clock that nobody can set has counted since. Without a word, our clock with
 * the offset that was measured.
 *
 * Invariants: a late message moves it back by nothing; where it leaps, back or ahead, whoever counts from before is told.
 *
 * Source: decision 0107.
 */
import type { StreamPulse } from "../../ports/market-stream.ts";
import type { Clock } from "../../ports/runtime.ts";

export interface ExchangeMoment {
  /** Unix milliseconds of the exchange's clock. */
  readonly nowMs: number;
  /** How often it has leapt until now. */
  readonly leaps: number;
}

/** Messages are under way for less; a clock that is off by more was set. */
const LEAP_MS = 1_000;

export class ExchangeClock {
  readonly #clock: Clock;
  readonly #offsetMs: () => number | undefined;
  #last: { readonly nowMs: number; readonly risingMs: number } | undefined;
  #leaps = 0;

  /** @param offsetMs how far the exchange's clock was ahead of ours, as last measured */
  constructor(clock: Clock, offsetMs: () => number | undefined) {
    this.#clock = clock;
    this.#offsetMs = offsetMs;
  }

  /** @returns undefined where neither the stream nor a measurement tells */
  read(told: StreamPulse["exchange"]): ExchangeMoment | undefined {
    const risingMs = this.#clock.rising();
    const readMs = this.#reckoned(told, risingMs);
    if (readMs === undefined) return undefined;
    const last = this.#last;
    const isLeap = last !== undefined && Math.abs(readMs - last.nowMs - (risingMs - last.risingMs)) > LEAP_MS;
    if (isLeap) this.#leaps += 1;
    const nowMs = Math.round(isLeap || last === undefined ? readMs : Math.max(readMs, last.nowMs));
    this.#last = { nowMs, risingMs };
    return { nowMs, leaps: this.#leaps };
  }

  #reckoned(told: StreamPulse["exchange"], risingMs: number): number | undefined {
    const offsetMs = this.#offsetMs();
    const measuredMs = offsetMs === undefined ? undefined : this.#clock.now() + offsetMs;
    if (told === undefined) return measuredMs;
    const toldMs = told.timeMs + (risingMs - told.cameMs);
    // Of what came about earlier, no more follows than that it is later now.
    return told.isSent ? toldMs : Math.max(toldMs, measuredMs ?? toldMs);
  }
}
