/**
 * Tells how far the venue's clock is ahead of ours. It is measured before the first private call and refreshed in the background: only
 * the first call waits for it, and a failed measurement never stops a call. Until one succeeds, the date of any answer is used.
 *
 * Setting our clock does not move the venue's, so the offset is corrected at once by as much. A machine that slept looks the same:
 * its nonces are then too small until the next measurement, and at worst one is refused. Nonces that are too large would be worse:
 * they would lock other programs on the key out until the clock has passed them.
 *
 * Beside it stands the machine's clock, for client, desk and store: the client's default.
 *
 * Source: service.md#clock-offset.
 */
import type { SteadyClock } from "./ports.ts";

const REFRESH_MS = 5 * 60_000;
const RETRY_MS = 10_000;
/** The year 2100. A later clock is broken, and a nonce that followed it could never be taken back. */
const LATEST_MS = 4_102_444_800_000;

/** Half of it is what a measurement may be wrong by. A date, in whole seconds, is no worse than one that took longer. */
const ROUND_TRIP_MAX_MS = 2_000;

/** By so much of the time that passes ours may gain on another clock: the most at which NTP adjusts it. */
const DRIFT = 500e-6;

/** A larger step means that our clock was set: adjusting it gradually moves it by far less between two calls. */
const SET_MS = 1_000;

export class ClockOffset {
  readonly #clock: SteadyClock;
  readonly #measure: () => Promise<unknown>;
  #offsetMs: number | undefined;
  /** When the least that the offset can be was proved, on the steady clock. */
  #provedAtMs = 0;
  #isMeasured = false;
  #first: Promise<unknown> | undefined;
  /** On the steady clock. */
  #dueAtMs = Number.NEGATIVE_INFINITY;
  /** Our clock minus the steady one, when the offset was last right. */
  #apartMs: number;

  /** @param measure reads the venue's clock once and reports through `note`; must not reject. */
  constructor(clock: SteadyClock, measure: () => Promise<unknown>) {
    this.#clock = clock;
    this.#measure = measure;
    this.#apartMs = clock.now() - clock.rising();
  }

  /** Milliseconds, as last measured; where only dates tell, the least that they prove still. */
  get currentMs(): number | undefined {
    this.#follow();
    if (this.#isMeasured || this.#offsetMs === undefined) return this.#offsetMs;
    return Math.floor(this.#offsetMs - (this.#clock.rising() - this.#provedAtMs) * DRIFT);
  }

  /** Starts a measurement that is due. @returns the first one, while it has to be waited for */
  ready(): Promise<unknown> | undefined {
    this.#follow();
    if (this.#first === undefined && !this.#isMeasured) this.#first = this.#start();
    else if (this.#clock.rising() >= this.#dueAtMs) void this.#start();
    return this.#isMeasured ? undefined : this.#first;
  }

  /**
   * Takes over an answer of `time`. The venue's clock is assumed to have been read halfway between request and answer; where a process stood still in
   * between, that may be far from it, and all that is known is that it was read in between. @param sentAtMs when the request was written
   */
  note(serverMs: number, sentAtMs: number, answeredAtMs: number): void {
    // Our clock was set while the request was in flight, at an unknown moment.
    if (this.#follow() || answeredAtMs < sentAtMs || !(serverMs > 0 && serverMs <= LATEST_MS)) return;
    if (answeredAtMs - sentAtMs > ROUND_TRIP_MAX_MS) {
      const [leastMs, mostMs] = [Math.round(serverMs - answeredAtMs), Math.round(serverMs - sentAtMs)];
      if (!this.#isMeasured) this.#hasPassed(serverMs);
      else this.#offsetMs = Math.min(mostMs, Math.max(leastMs, this.#offsetMs ?? leastMs));
      return;
    }
    this.#offsetMs = Math.round(serverMs - (sentAtMs + answeredAtMs) / 2);
    this.#isMeasured = true;
    this.#apartMs = this.#clock.now() - this.#clock.rising();
    this.#dueAtMs = this.#clock.rising() + REFRESH_MS;
  }

  /** Takes over the date of any answer. It is in whole seconds, and the venue's clock has certainly passed it. */
  noteDate(date: unknown): void {
    if (typeof date === "string") this.#hasPassed(Date.parse(date));
  }

  #hasPassed(serverMs: number): void {
    if (this.#isMeasured || !(serverMs > 0 && serverMs <= LATEST_MS)) return;
    const leastMs = Math.round(serverMs - this.#clock.now());
    if (leastMs < (this.currentMs ?? Number.NEGATIVE_INFINITY)) return;
    this.#offsetMs = leastMs;
    this.#provedAtMs = this.#clock.rising();
  }

  /** The venue refused a nonce: the next call measures again. */
  expire(): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#clock.rising());
  }

  /** @returns whether our clock was set since the last call */
  #follow(): boolean {
    const apartMs = this.#clock.now() - this.#clock.rising();
    const setByMs = Math.round(apartMs - this.#apartMs);
    if (Math.abs(setByMs) < SET_MS) return false;
    this.#apartMs = apartMs;
    if (this.#offsetMs !== undefined) this.#offsetMs -= setByMs;
    this.expire();
    return true;
  }

  #start(): Promise<unknown> {
    this.#dueAtMs = this.#clock.rising() + RETRY_MS;
    return this.#measure();
  }
}

export const systemClock: SteadyClock = {
  now: () => Date.now(),
  rising: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener("abort", wake, { once: true });
    }),
};
