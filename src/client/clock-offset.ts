/**
 * How far the venue's clock is ahead of ours. Measured before the first private call, then kept fresh in the
 * background: only that first call waits for it, and a measurement that fails never stops a call.
 */
import type { ClientClock } from "./ports.ts";

const REFRESH_MS = 5 * 60_000;
const RETRY_MS = 10_000;
/** The year 2100: a clock beyond it is broken, and nonces that followed it could never be taken back. */
const LATEST_MS = 4_102_444_800_000;

export class ClockOffset {
  readonly #clock: ClientClock;
  readonly #measure: () => Promise<unknown>;
  #offsetMs: number | undefined;
  #first: Promise<unknown> | undefined;
  #dueAtMs = 0;

  /** @param measure asks the venue for its time once, reporting through `note`; must not reject. */
  constructor(clock: ClientClock, measure: () => Promise<unknown>) {
    this.#clock = clock;
    this.#measure = measure;
  }

  /** Milliseconds, as last measured. */
  get currentMs(): number | undefined {
    return this.#offsetMs;
  }

  /** Waits for the first measurement; starts a later one that is due and does not wait for it. */
  async ready(): Promise<void> {
    if (this.#first === undefined && this.#offsetMs === undefined) this.#first = this.#start();
    else if (this.#clock.now() >= this.#dueAtMs) void this.#start();
    await this.#first;
  }

  /** An answer of `time`: the venue's clock is taken to have been read halfway between request and answer. */
  note(serverMs: number, sentAtMs: number, answeredAtMs: number): void {
    if (answeredAtMs < sentAtMs || serverMs > LATEST_MS) return;
    this.#offsetMs = Math.round(serverMs - (sentAtMs + answeredAtMs) / 2);
    this.#dueAtMs = answeredAtMs + REFRESH_MS;
  }

  /** The venue disagreed with a nonce: measure again at the next occasion. */
  expire(): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#clock.now());
  }

  #start(): Promise<unknown> {
    this.#dueAtMs = this.#clock.now() + RETRY_MS;
    return this.#measure();
  }
}
